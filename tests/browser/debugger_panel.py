"""JupyterLab's debugger as a person uses it, as verbs."""

from playwright.sync_api import Locator, expect

from browser.notebook import LONG, Notebook


class DebuggerPanel:
    """The debugger of the notebook in front: its button, its gutter, its sidebar."""

    def __init__(self, notebook: Notebook) -> None:
        self.notebook = notebook
        self._page = notebook.page
        self._button = self._page.locator(".jp-NotebookPanel:not(.lm-mod-hidden) .jp-DebuggerBugButton")
        self._sidebar = self._page.locator("#jp-debugger-sidebar")

    def toggle(self, on: bool) -> None:
        expect(self._button).to_have_attribute("aria-disabled", "false", timeout=LONG)
        self._button.click()
        expect(self._button).to_have_attribute("aria-pressed", "true" if on else "false", timeout=LONG)
        if on:
            self._page.evaluate("() => window.jupyterapp.shell.activateById('jp-debugger-sidebar')")

    def set_breakpoint(self, cell: int, line: int) -> None:
        gutter = self.notebook.cell(cell).locator(".cm-breakpoint-gutter .cm-gutterElement")
        gutter.nth(line).click()  # the first is what gives the gutter its width
        expect(self.notebook.cell(cell).locator('[class*="breakpoint-icon"]')).to_have_count(1, timeout=LONG)

    def expect_stopped(self, cell: int, text: str) -> None:
        """In the line with this text."""
        expect(self.notebook.cell(cell).locator(".jp-DebuggerEditor-highlight")).to_contain_text(text, timeout=LONG)

    def expect_running(self) -> None:
        expect(self._page.locator(".jp-NotebookPanel .jp-DebuggerEditor-highlight")).to_have_count(0, timeout=LONG)

    @property
    def frames(self) -> Locator:
        return self._sidebar.locator(".jp-DebuggerCallstackFrame")

    @property
    def variables(self) -> Locator:
        return self._sidebar.locator(".jp-DebuggerVariables-body").first

    def press(self, command: str) -> None:
        """continue, next, stepIn, stepOut, terminate."""
        self.notebook.command(f"debugger:{command}")
