"""What a person does on JupyterLab's page, as verbs. Waits are Playwright's, each with a deadline."""

import re
from typing import Any

from playwright.sync_api import Locator, Page, expect

LONG = 60_000  # a kernel starts, on a loaded machine
# Before its kernel is connected a page shows "idle" as well, and drops what it is told to run.
HAS_STATUS = """wanted => {
    const context = window.jupyterapp?.shell.currentWidget?.context?.sessionContext;
    const kernel = context?.session?.kernel;
    return Boolean(context?.isReady && kernel?.connectionStatus === 'connected' && kernel.status === wanted);
}"""
EXECUTE = "([name, options]) => { window.jupyterapp.commands.execute(name, options); }"


class Notebook:
    """The notebook in front."""

    def __init__(self, page: Page) -> None:
        self.page = page
        self._panel = page.locator(".jp-NotebookPanel:not(.lm-mod-hidden)")

    def wait_until_idle(self) -> "Notebook":
        return self.wait_for_status("idle")

    def wait_for_status(self, status: str) -> "Notebook":
        self.page.wait_for_function(HAS_STATUS, arg=status, timeout=LONG, polling=100)
        return self

    def cell(self, index: int) -> Locator:
        return self._panel.locator(".jp-Notebook .jp-CodeCell").nth(index)

    def output(self, index: int) -> Locator:
        return self.cell(index).locator(".jp-OutputArea").first

    def prompt(self, index: int) -> Locator:
        return self.cell(index).locator(".jp-InputPrompt")

    def text(self, index: int) -> str:
        """All that a cell printed, as it stands there."""
        parts = self.output(index).locator(".jp-OutputArea-output pre")
        return "\n".join(parts.nth(at).inner_text() for at in range(parts.count()))

    def command(self, name: str, **options: Any) -> None:
        """Does not wait: running all cells ends when they have."""
        self.page.evaluate(EXECUTE, [name, options])

    def run_all(self) -> None:
        self.command("notebook:run-all-cells")

    def run(self, index: int) -> None:
        self.edit(index)
        self.page.keyboard.press("Control+Enter")

    def edit(self, index: int) -> Locator:
        editor = self.cell(index).locator(".cm-content")
        editor.click()
        return editor

    def type(self, index: int, source: str) -> None:
        """Replaces a cell's source."""
        self.edit(index)
        self.page.keyboard.press("Control+a")
        self.page.keyboard.insert_text(source)

    def run_source(self, index: int, source: str) -> None:
        self.type(index, source)
        self.page.keyboard.press("Control+Enter")

    def add_cell_below(self) -> None:
        self.page.keyboard.press("Escape")
        self.page.keyboard.press("b")

    def wait_until_done(self, index: int) -> None:
        """The cell has a number for its prompt: its reply and its idle came."""
        expect(self.prompt(index)).to_have_text(re.compile(r"\[\d+\]"), timeout=LONG)

    def expect_output(self, index: int, text: str | re.Pattern[str]) -> None:
        expect(self.output(index)).to_contain_text(text, timeout=LONG)

    def restart(self) -> None:
        self.command("notebook:restart-kernel")
        self.page.locator(".jp-Dialog .jp-mod-accept").click()


def open_notebook(page: Page, address: str) -> Notebook:
    page.goto(address)
    return Notebook(page)


def open_launcher(page: Page, address: str) -> None:
    page.goto(address)
    expect(page.locator(".jp-Launcher").first).to_be_visible(timeout=LONG)


def start_from_launcher(page: Page, title: str) -> Notebook:
    """Clicks the notebook card of a kernel."""
    card = page.locator('.jp-LauncherCard[data-category="Notebook"]').filter(has_text=title).first
    expect(card).to_be_visible(timeout=LONG)
    card.click()
    return Notebook(page)
