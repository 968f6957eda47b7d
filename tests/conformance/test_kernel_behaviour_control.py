"""The control channel and the heartbeat answer whatever the kernel is doing."""

from collections.abc import Callable, Iterator
from typing import Any

import pytest

from conformance.kernels import Kernel
from support.conversation import Cell
from support.direct import DirectChannels

SOON_S = 15  # much less than the cells below last, and enough for a machine that does other things too

BUSY = {
    "loop": "print('begun', flush=True)\nwhile True: pass",
    "sleep": "import time\nprint('begun', flush=True)\ntime.sleep(60)",
    # PyDLL keeps the interpreter's lock during the call; a signal ends it.
    "C with the lock": "import ctypes\nprint('begun', flush=True)\nctypes.PyDLL(None).sleep(60)",
}


@pytest.fixture(params=BUSY)
def busy(channels: DirectChannels, request: pytest.FixtureRequest) -> Iterator[Cell]:
    cell = channels.run_until_printed(BUSY[request.param], "begun")
    yield cell
    channels.send("interrupt_request", {}, channel="control")
    channels.collect(cell)


def test_control_answers_while_a_cell_runs(channels: DirectChannels, busy: Cell) -> None:
    info = channels.request("kernel_info_request", {}, channel="control", timeout=SOON_S, beside=(busy,))
    assert info["status"] == "ok" and not busy.done


def test_the_heart_beats_while_a_cell_runs(channels: DirectChannels, busy: Cell) -> None:
    for _ in range(5):
        channels.beat(SOON_S)


def test_an_interrupt_is_confirmed_while_c_keeps_the_lock(channels: DirectChannels) -> None:
    cell = channels.run_until_printed(BUSY["C with the lock"], "begun")
    assert channels.request("interrupt_request", {}, channel="control", timeout=SOON_S, beside=(cell,))["status"] == "ok"
    channels.collect(cell)
    assert cell.error == "KeyboardInterrupt", "when C returned"


def test_output_flows_while_c_keeps_the_lock(channels: DirectChannels) -> None:
    cell = channels.run_until_printed("import ctypes\nprint('begun')\nctypes.PyDLL(None).sleep(60)", "begun")
    assert not cell.done
    channels.send("interrupt_request", {}, channel="control")
    channels.collect(cell)


class Debugging:
    """The client's side of the debugger, as JupyterLab speaks it."""

    def __init__(self, channels: DirectChannels) -> None:
        self.channels, self._seq = channels, 0

    def ask(self, command: str, beside: tuple[Cell, ...] = (), **arguments: Any) -> dict[str, Any]:
        """The answer's body."""
        self._seq += 1
        reply = self.channels.request("debug_request", {"type": "request", "seq": self._seq, "command": command,
                                                        "arguments": arguments}, channel="control", beside=beside)
        assert reply["success"] is True, reply
        return reply.get("body", {})

    def start(self) -> None:
        self.ask("initialize", clientID="test", clientName="test", adapterID="", pathFormat="path", linesStartAt1=True,
                 columnsStartAt1=True, supportsVariableType=True, supportsVariablePaging=True, supportsRunInTerminalRequest=True,
                 locale="en")
        self.ask("attach", justMyCode=True)

    def stop_at(self, code: str, line: int) -> Cell:
        """Begins the cell, and waits until it has stopped there."""
        path = self.ask("dumpCell", code=code)["sourcePath"]
        self.ask("setBreakpoints", source={"path": path}, breakpoints=[{"line": line}], sourceModified=False)
        self.ask("configurationDone")
        cell = self.channels.begin(code)
        self.channels.wait_for(lambda message: message["header"]["msg_type"] == "debug_event" and message["content"]["event"] == "stopped")
        return cell

    def go_on(self, cell: Cell) -> None:
        self.ask("continue", (cell,), threadId=self.ask("threads", (cell,))["threads"][0]["id"])
        self.channels.collect(cell)


def test_control_and_heart_answer_while_the_debugger_has_stopped(start_kernel: Callable[..., Kernel]) -> None:
    with start_kernel().connect(timeout=60) as channels:
        debugging = Debugging(channels)
        debugging.start()
        cell = debugging.stop_at("x = 20\ny = x + 1\nprint(2 * y)", 2)
        assert channels.request("kernel_info_request", {}, channel="control")["status"] == "ok"
        channels.beat(SOON_S)
        assert debugging.ask("debugInfo")["stoppedThreads"]
        debugging.go_on(cell)
        assert cell.text() == "42\n"
        debugging.ask("disconnect", restart=False, terminateDebuggee=False)
        assert channels.run("y").result == "21"
