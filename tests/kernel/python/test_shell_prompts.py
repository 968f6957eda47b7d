"""breakpoint(): a cell that has left the prompt is like any other, and so is the next one."""

import pytest

_AWAITS = "import asyncio\nawait asyncio.sleep(0)\n"


def _continued(shell, code):
    """The request of a cell that stopped at a breakpoint() and was told to go on."""
    name = shell.start(code, allow_stdin=True)
    assert shell.next("input_request")["content"]["prompt"] == "ipdb> "
    shell.answer("c")
    return name


@pytest.mark.parametrize(
    "code",
    [
        "import time\nbreakpoint()\ndisplay('on')\ntime.sleep(30)",
        _AWAITS + "breakpoint()\nasyncio.get_running_loop().call_later(0.01, display, 'on')\nawait asyncio.sleep(30)",
    ],
)
def test_a_cell_that_goes_on_is_interrupted_as_any_other(shell, code):
    name = _continued(shell, code)
    shell.next("display_data")
    shell.interrupt()
    assert shell.finish(name).reply["ename"] == "KeyboardInterrupt"
    assert shell.run("1").result == "1"


def test_a_prompt_leaves_no_handler_to_later_cells(shell):
    shell.finish(_continued(shell, _AWAITS + "breakpoint()\n1"))
    code = "import signal\nbreakpoint()\nsignal.getsignal(2) is signal.default_int_handler"
    assert shell.finish(_continued(shell, code)).result == "True"


def test_an_interrupt_before_it_asks_leaves_it_too(shell):
    shell.run(
        "import time\nfrom IPython.core import debugger\nclass Slow(debugger.Pdb):\n    def print_stack_entry(self, *given):\n"
        "        display('stopped')\n        time.sleep(30)"
    )
    name = shell.start("Slow().set_trace()\nx = 1\nx + 1", allow_stdin=True)
    shell.next("display_data")
    shell.interrupt()
    cell = shell.finish(name)
    assert cell.result == "2" and "input_request" not in cell.types and "KeyboardInterrupt" in cell.text()
    assert shell.run("import sys\nsys.gettrace() is None").result == "True"
