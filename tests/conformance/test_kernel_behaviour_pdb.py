"""The debugger with a prompt: breakpoint(), pdb and %debug ask the client, as a terminal would."""

import re

import pytest

from support.conversation import Cell
from support.direct import DirectChannels
from support.framing import Message

BREAKS = "def double(x):\n    {}\n    return 2 * x\nprint(double(21))"


def plain(cell: Cell) -> str:
    """What it printed, without colours."""
    return re.sub("\x1b\\[[0-9;]*m", "", cell.text())


class Prompt:
    """A cell that stops, and what its debugger asks."""

    def __init__(self, channels: DirectChannels, code: str, **content: object) -> None:
        self._channels = channels
        self.cell: Cell = channels.begin(code, allow_stdin=True, **content)
        self._asked: list[Message] = []
        self.wait()

    def wait(self) -> None:
        before = len(self._asked)
        self._channels.collect(self.cell, until=lambda message: message["channel"] == "stdin" and not self._asked.append(message))
        assert len(self._asked) > before, f"it did not ask: {self.cell.error}"
        assert self._asked[-1]["content"] == {"prompt": "ipdb> ", "password": False}

    def say(self, command: str) -> "Prompt":
        """Answers, and waits for the next question."""
        self._channels.answer_input(command, self._asked[-1])
        self.wait()
        return self

    def end(self, command: str) -> Cell:
        """Answers for the last time."""
        self._channels.answer_input(command, self._asked[-1])
        self._channels.collect(self.cell)
        return self.cell


@pytest.mark.parametrize("stop", ["breakpoint()", "import pdb; pdb.set_trace()", "from IPython.core.debugger import Pdb; Pdb().set_trace()",
                                  "from IPython.core.debugger import set_trace; set_trace()"])
def test_a_cell_stops_and_asks(channels: DirectChannels, stop: str) -> None:
    done = Prompt(channels, BREAKS.format(stop)).say("p x + 1").say("x = 4").end("c")
    assert done.status == "ok" and "\n22\n" in done.text() and done.text().endswith("8\n"), done.text()


def test_a_cell_that_awaits_stops_too(channels: DirectChannels) -> None:
    done = Prompt(channels, "import asyncio\nasync def f(x):\n    await asyncio.sleep(0)\n    breakpoint()\n    return x\nawait f(5)").end("c")
    assert done.result == "5"


def test_debug_looks_at_the_last_error(channels: DirectChannels) -> None:
    channels.run("def inverse(of):\n    return 1 / of\ninverse(0)")
    done = Prompt(channels, "%debug").say("p of").say("u").end("q")
    assert done.status == "ok" and "return 1 / of" in plain(done) and "\n0\n" in done.text()


def test_pm_looks_at_the_last_error(channels: DirectChannels) -> None:
    channels.run("def root(of):\n    return of ** 0.5 + []\nroot(9)")
    assert "\n9\n" in Prompt(channels, "import pdb\npdb.pm()").say("p of").end("q").text()


def test_an_error_opens_it_when_pdb_is_on(channels: DirectChannels) -> None:
    channels.run("%pdb on")
    done = Prompt(channels, "inside = 3\n1 / 0").say("p inside").end("q")
    channels.run("%pdb off")
    assert done.error == "ZeroDivisionError" and "\n3\n" in done.text()


def test_it_can_be_left(channels: DirectChannels) -> None:
    assert Prompt(channels, BREAKS.format("breakpoint()")).end("q").error == "BdbQuit"
    assert channels.run("1 + 1").result == "2"


def test_an_interrupt_leaves_it_and_the_cell_goes_on(channels: DirectChannels) -> None:
    stopped = Prompt(channels, BREAKS.format("breakpoint()"))
    channels.request("interrupt_request", {}, channel="control", beside=(stopped.cell,))
    channels.collect(stopped.cell)
    assert stopped.cell.status == "ok" and "KeyboardInterrupt" in plain(stopped.cell)
    assert stopped.cell.text().endswith("42\n")
    assert channels.run("import sys\nsys.gettrace()").of("execute_result") == []


def test_a_client_that_cannot_answer_gets_an_error(channels: DirectChannels) -> None:
    assert channels.run(BREAKS.format("breakpoint()"), allow_stdin=False).error == "StdinNotImplementedError"
    assert channels.run("1 + 1").result == "2"


def test_a_subshell_has_a_prompt_of_its_own(channels: DirectChannels) -> None:
    subshell = channels.request("create_subshell_request", {}, channel="control")["subshell_id"]
    stopped = Prompt(channels, BREAKS.format("breakpoint()"), subshell=subshell)
    assert channels.run("'meanwhile'").result == "'meanwhile'"
    assert stopped.say("p x").end("c").text().endswith("42\n")
    stopped = Prompt(channels, BREAKS.format("breakpoint()"), subshell=subshell)
    channels.request("interrupt_request", {}, channel="control", subshell=subshell, beside=(stopped.cell,))
    channels.collect(stopped.cell)
    assert stopped.cell.status == "ok" and stopped.cell.text().endswith("42\n"), "it is left, and the cell goes on"
    channels.request("delete_subshell_request", {"subshell_id": subshell}, channel="control")
