"""JupyterLab's debugger with a kernel behind the gateway."""

from pathlib import Path

import pytest
from playwright.sync_api import expect

from browser.debugger_panel import DebuggerPanel
from browser.notebook import LONG, open_notebook

CODE = "def double(x):\n    y = x * 2\n    return y\n\nanswer = double(21)\nprint('answer', answer)"


@pytest.fixture
def opened(gateway, start_lab, page):
    """A notebook with two cells, the debugger on, a breakpoint in the first cell's function."""
    lab = start_lab(gateway.url, gateway.token)
    name = lab.write_notebook("debugged.ipynb", [CODE, "'next cell'"])
    notebook = open_notebook(page, lab.address(f"/tree/{name}")).wait_until_idle()
    panel = DebuggerPanel(notebook)
    panel.toggle(on=True)
    panel.set_breakpoint(0, 3)
    notebook.run(0)
    panel.expect_stopped(0, "return y")
    return notebook, panel


def test_a_cell_stops_shows_its_variables_steps_and_goes_on(opened, images: Path) -> None:
    notebook, panel = opened
    expect(panel.frames).to_have_count(2, timeout=LONG)
    expect(panel.frames.first).to_have_text("doubleCell [*]:3")
    expect(panel.variables).to_contain_text("y", timeout=LONG)
    expect(panel.variables).to_contain_text("42")
    notebook.page.screenshot(path=images / "debugger.png")
    panel.press("next")
    panel.expect_stopped(0, "print('answer', answer)")
    expect(panel.frames).to_have_count(1, timeout=LONG)
    panel.press("next")
    notebook.wait_until_done(0)
    notebook.expect_output(0, "answer 42")
    panel.expect_running()
    notebook.run(1)
    notebook.expect_output(1, "next cell")


def test_a_page_that_is_loaded_again_finds_the_stopped_cell(opened) -> None:
    notebook, panel = opened
    notebook.page.reload()
    expect(panel.frames.first).to_contain_text("double", timeout=LONG)
    expect(panel.variables).to_contain_text("42", timeout=LONG)
    panel.press("continue")
    expect(panel.frames).to_have_count(0, timeout=LONG)
    panel.expect_running()
    notebook.wait_until_idle()


def test_the_debugger_turned_off_stops_nothing(opened) -> None:
    notebook, panel = opened
    panel.press("continue")
    notebook.wait_until_done(0)
    panel.toggle(on=False)
    notebook.run(0)
    notebook.expect_output(0, "answer 42")
    notebook.wait_until_idle()
    panel.expect_running()
