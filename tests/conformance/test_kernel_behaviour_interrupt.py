"""Interrupts: whatever a cell does, it ends soon, and the next one runs. An idle kernel does not notice."""

import time

import pytest

from conformance.kernels import Kernel
from support.conversation import Cell
from support.direct import DirectChannels

WITHIN_S = 10  # of a machine that does other things too; tests/bench has how long it takes

SITUATIONS = {
    "loop": "print('begun', flush=True)\nwhile True: pass",
    "busy loop in C": "print('begun', flush=True)\nany(False for number in iter(int, 1))",
    "sleep": "import time\nprint('begun', flush=True)\ntime.sleep(60)",
    "await": "import asyncio\nprint('begun', flush=True)\nawait asyncio.sleep(60)",
    "event": "import threading\nprint('begun', flush=True)\nthreading.Event().wait(60)",
    "shell line": "!echo begun; exec sleep 60",
    "subprocess": "import subprocess\nsubprocess.run('echo begun; exec sleep 60', shell=True)",
    "input": "print('begun', flush=True)\ninput('never answered')",
    "prints": "while True: print('begun')",
}


def interrupt(kernel: Kernel, channels: DirectChannels, how: str) -> None:
    if how == "signal":
        kernel.signal()
    else:
        channels.send("interrupt_request", {}, channel="control")


def seconds_to_reply(channels: DirectChannels, cell: Cell) -> float:
    begin = time.monotonic()
    channels.collect(cell, until=lambda message: message["header"]["msg_type"] == "execute_reply")
    return time.monotonic() - begin


@pytest.mark.parametrize("how", ["message", "signal"])
@pytest.mark.parametrize("situation", SITUATIONS)
def test_an_interrupt_ends_the_cell(channels: DirectChannels, kernel: Kernel, situation: str, how: str,
                                    record_property) -> None:
    cell = channels.run_until_printed(SITUATIONS[situation], "begun", allow_stdin=True)
    if situation == "input":
        while not cell.of("input_request"):
            channels.collect(cell, until=lambda _: True)
    interrupt(kernel, channels, how)
    taken = seconds_to_reply(channels, cell)
    channels.collect(cell)
    record_property("milliseconds", round(1000 * taken, 1))
    print(f"{situation}, by {how}: {1000 * taken:.1f} ms")
    assert taken < WITHIN_S
    if situation != "shell line":  # a shell line's end is its own matter
        assert cell.error == "KeyboardInterrupt"
    assert channels.run("6 * 7").result == "42"


@pytest.mark.parametrize("mode", ["Context", "Plain", "Verbose"])
@pytest.mark.parametrize("situation", ["await", "shell line that endures", "input", "prints"])
def test_the_traceback_has_no_frame_of_the_kernels_own(channels: DirectChannels, situation: str, mode: str) -> None:
    code = {**SITUATIONS, "shell line that endures": "!trap '' INT; echo begun; exec sleep 60"}[situation]
    channels.run(f"%xmode {mode}")
    cell = channels.run_until_printed(code, "begun", allow_stdin=True)
    while situation == "input" and not cell.of("input_request"):
        channels.collect(cell, until=lambda _: True)
    channels.send("interrupt_request", {}, channel="control")
    channels.collect(cell)
    channels.run("%xmode Context")
    assert cell.error == "KeyboardInterrupt"
    told = "".join(cell.reply["content"]["traceback"])
    assert "Cell" in told and "cellgate" not in told, told


def test_the_request_is_answered_with_its_status(channels: DirectChannels) -> None:
    cell = channels.run_until_printed("print('begun', flush=True)\nwhile True: pass", "begun")
    assert channels.request("interrupt_request", {}, channel="control", beside=(cell,)) == {"status": "ok"}
    channels.collect(cell)
    assert cell.error == "KeyboardInterrupt"


@pytest.mark.parametrize("how", ["message", "signal"])
def test_an_idle_kernel_does_not_notice(channels: DirectChannels, kernel: Kernel, how: str) -> None:
    for _ in range(5):
        interrupt(kernel, channels, how)
        assert channels.request("kernel_info_request", {}, channel="control")["status"] == "ok"
    cell = channels.run("import time\ntime.sleep(0.1)\nprint('alive')")
    assert cell.status == "ok" and cell.text() == "alive\n" and kernel.is_alive()


def test_tasks_in_the_background_survive_an_interrupt_while_idle(channels: DirectChannels, kernel: Kernel) -> None:
    channels.run("import asyncio\ndone = []\nasync def background():\n    await asyncio.sleep(0.3)\n    done.append(1)\n"
                 "task = asyncio.create_task(background())")
    kernel.signal()
    assert channels.run("await task\ndone").result == "[1]"


def test_a_cell_may_catch_the_interrupt(channels: DirectChannels, kernel: Kernel) -> None:
    cell = channels.run_until_printed(
        "try:\n    print('begun', flush=True)\n    while True: pass\nexcept KeyboardInterrupt:\n    print('caught')", "begun")
    kernel.signal()
    channels.collect(cell)
    assert cell.status == "ok" and cell.text() == "begun\ncaught\n"


def test_cells_queued_behind_an_interrupted_one_are_aborted(channels: DirectChannels, kernel: Kernel) -> None:
    running = channels.begin("print('begun', flush=True)\nimport time\ntime.sleep(60)")
    queued = channels.begin("print('ran')")
    channels.collect(running, until=lambda _: "begun" in running.text())
    kernel.signal()
    channels.collect(running, queued)
    assert running.error == "KeyboardInterrupt" and queued.status == "aborted"


def test_many_interrupts_at_once_end_one_cell(channels: DirectChannels, kernel: Kernel) -> None:
    cell = channels.run_until_printed("print('begun', flush=True)\nwhile True: pass", "begun")
    for _ in range(20):
        kernel.signal()
    channels.collect(cell)
    assert cell.error == "KeyboardInterrupt"
    assert channels.run("'fine'").result == "'fine'"
