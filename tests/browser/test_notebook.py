"""JupyterLab's notebook, used as a person uses it, with its kernel behind the gateway."""

import re
from pathlib import Path

import pytest
from playwright.sync_api import expect

from browser.notebook import LONG, Notebook, open_notebook

PLOT = "import matplotlib.pyplot as plt\nplt.plot([1, 4, 9])\nplt.title('squares')\nplt.show()"
FRAME = "import pandas as pd\npd.DataFrame({'city': ['Oslo', 'Lima'], 'people': [717_000, 10_000_000]})"
SLIDER = """import ipywidgets
slider = ipywidgets.IntSlider(value=5, description='speed')
answer = ipywidgets.Label()
slider.observe(lambda change: setattr(answer, 'value', f'the kernel saw {change.new}'), 'value')
ipywidgets.VBox([slider, answer])"""


@pytest.fixture
def notebook(gateway, start_lab, page):
    """Opens a notebook with the given cells, its kernel ready."""
    def open_with(*cells: str) -> Notebook:
        lab = start_lab(gateway.url, gateway.token)
        name = lab.write_notebook("work.ipynb", list(cells))
        return open_notebook(page, lab.address(f"/tree/{name}")).wait_until_idle()
    return open_with


def test_run_all_shows_text_tables_and_a_plot(notebook, images: Path) -> None:
    opened = notebook("print('hello from the kernel')", FRAME, PLOT, "6 * 7")
    opened.run_all()
    opened.wait_until_done(3)
    opened.expect_output(0, "hello from the kernel")
    expect(opened.output(1).locator("table")).to_contain_text("Lima")
    picture = opened.output(2).locator("img")
    expect(picture).to_be_visible(timeout=LONG)
    assert picture.evaluate("image => image.naturalWidth") > 100
    opened.expect_output(3, "42")
    opened.page.screenshot(path=images / "notebook.png")


def test_run_all_stops_at_an_error_and_leaves_the_rest(notebook) -> None:
    # The kernel aborts what has reached it by the time of the error.
    opened = notebook("import time\ntime.sleep(1)\n1/0", "print('never')")
    opened.run_all()
    opened.expect_output(0, "ZeroDivisionError")
    opened.wait_until_idle()
    assert opened.text(1) == ""


def test_tab_completes_and_shift_tab_inspects(notebook) -> None:
    opened = notebook("import collections", "")
    opened.run(0)
    opened.wait_until_done(0)
    opened.type(1, "collections.Order")
    opened.page.keyboard.press("Tab")
    expect(opened.page.locator(".jp-Completer")).to_contain_text("OrderedDict", timeout=LONG)
    opened.page.keyboard.press("Enter")
    expect(opened.cell(1).locator(".cm-content")).to_have_text("collections.OrderedDict")
    opened.page.keyboard.press("Shift+Tab")
    expect(opened.page.locator(".jp-Tooltip")).to_contain_text("OrderedDict", timeout=LONG)


def test_a_cell_asks_for_input(notebook) -> None:
    opened = notebook("name = input('who? ')\nprint('hello', name)")
    opened.run(0)
    asked = opened.page.locator(".jp-Stdin-input")
    expect(asked).to_be_visible(timeout=LONG)
    asked.fill("Ada")
    asked.press("Enter")
    opened.expect_output(0, "hello Ada")


def test_interrupt_ends_a_cell_and_keeps_the_variables(notebook) -> None:
    opened = notebook("kept = 41\nprint('started', flush=True)\nwhile True: pass", "kept + 1")
    opened.run(0)
    opened.expect_output(0, "started")
    opened.wait_for_status("busy")
    opened.command("notebook:interrupt-kernel")
    opened.expect_output(0, "KeyboardInterrupt")
    opened.run(1)
    opened.expect_output(1, "42")


def test_restart_forgets_the_variables_and_runs_on(notebook) -> None:
    opened = notebook("gone = 1", "'gone' in globals()")
    opened.run(0)
    opened.wait_until_done(0)
    opened.restart()
    opened.wait_until_idle()
    opened.run(1)
    opened.expect_output(1, "False")


def test_a_slider_answers(notebook, images: Path) -> None:
    opened = notebook(SLIDER)
    opened.run(0)
    handle = opened.output(0).locator(".noUi-handle")
    expect(handle).to_be_visible(timeout=LONG)
    handle.focus()
    opened.page.keyboard.press("ArrowRight")
    opened.expect_output(0, re.compile("the kernel saw [6-9]"))
    opened.page.screenshot(path=images / "widget.png")
