"""Figures of matplotlib: at the end of the cell that drew them, of the shell that did, by the backend that was asked for."""

from collections.abc import Callable, Iterator

import pytest

from conformance.kernels import Kernel
from support.conversation import Cell
from support.direct import DirectChannels

PLOT = "import matplotlib.pyplot as plt\nplt.figure(figsize=({}, 1))\nplt.plot([1, 2]);"
# Draws half, and the rest after the gate was opened.
HALF = ("import matplotlib.pyplot as plt, threading\ngate = threading.Event()\nplt.figure(figsize=(4, 1))\nplt.plot([1]);\n"
        "print('drawn', flush=True)\ngate.wait(30)\nplt.plot([2, 3])\nlen(plt.gca().lines)")


def widths(cell: Cell) -> list[str]:
    """Of its pictures, in inches."""
    shown = [content["data"]["text/plain"] for content in cell.of("display_data") if "image/png" in content["data"]]
    return [text.split("size ")[1].split("x")[0].removesuffix("00") for text in shown]


@pytest.fixture
def subshell(channels: DirectChannels) -> Iterator[str]:
    made = channels.request("create_subshell_request", {}, channel="control")["subshell_id"]
    yield made
    channels.request("delete_subshell_request", {"subshell_id": made}, channel="control")


def test_a_figure_is_shown_at_the_end_of_its_cell_once(channels: DirectChannels) -> None:
    assert widths(channels.run(PLOT.format(3))) == ["3"]
    assert widths(channels.run("1")) == []


def test_a_subshells_figure_is_shown_in_its_cell(channels: DirectChannels, subshell: str) -> None:
    cell = channels.begin(PLOT.format(5), subshell)
    channels.collect(cell)
    assert widths(cell) == ["5"]
    assert widths(channels.run("1")) == []


def test_a_figure_waits_for_the_end_of_its_own_cell(channels: DirectChannels, subshell: str) -> None:
    drawing = channels.run_until_printed(HALF, "drawn")
    other = channels.begin(PLOT.format(6), subshell)
    channels.collect(other, drawing, until=lambda _: other.done)
    assert widths(other) == ["6"] and widths(drawing) == []
    opener = channels.begin("gate.set()", subshell)
    channels.collect(opener, drawing)
    assert widths(drawing) == ["4"] and widths(opener) == []
    assert drawing.result == "2", "both lines are in the one figure"


def test_a_figure_that_nobody_finished_is_not_lost(channels: DirectChannels, subshell: str) -> None:
    drawing = channels.run_until_printed(HALF + "\n1 / 0", "drawn")
    opener = channels.begin("gate.set()", subshell)
    channels.collect(opener, drawing)
    assert drawing.error == "ZeroDivisionError" and widths(drawing) == ["4"] and widths(opener) == []


def test_a_thread_draws_into_the_shell_of_its_cell(channels: DirectChannels, subshell: str) -> None:
    code = "import threading\nt = threading.Thread(target=lambda: plt.plot([7]))\nt.start(); t.join()"
    cell = channels.begin(PLOT.format(8) + "\n" + code + "\nlen(plt.gca().lines)", subshell)
    channels.collect(cell)
    assert widths(cell) == ["8"] and cell.result == "2"


def test_show_and_close_are_of_their_shell(channels: DirectChannels, subshell: str) -> None:
    drawing = channels.run_until_printed(HALF, "drawn")
    other = channels.begin("plt.close('all'); plt.show(); plt.get_fignums()", subshell)
    channels.collect(other, drawing, until=lambda _: other.done)
    assert widths(other) == [] and other.result == "[]"
    channels.collect(channels.begin("gate.set()", subshell), drawing)
    assert widths(drawing) == ["4"]


def test_figures_that_stay_open_stay_in_their_shell(channels: DirectChannels, subshell: str) -> None:
    channels.run("%config InlineBackend.close_figures = False\n" + PLOT.format(2))
    cell = channels.begin(PLOT.format(9) + "\nplt.get_fignums()", subshell)
    channels.collect(cell)
    assert widths(cell) == ["9"] and cell.result == "[1]"
    channels.run("plt.close('all')\n%config InlineBackend.close_figures = True")


def test_another_backend_of_the_environment_is_obeyed(start_kernel: Callable[..., Kernel]) -> None:
    with start_kernel(MPLBACKEND="agg").connect() as channels:
        cell = channels.run(PLOT.format(3) + "\nplt.get_backend()")
        assert cell.result == "'agg'" and widths(cell) == []
        channels.run("plt.close('all')")
        assert widths(channels.run("%matplotlib inline\n" + PLOT.format(3))) == ["3"]


def test_a_backend_that_does_not_exist_does_not_keep_the_kernel_from_starting(start_kernel: Callable[..., Kernel]) -> None:
    with start_kernel(MPLBACKEND="no such backend").connect() as channels:
        assert channels.run("1 + 1").result == "2"
