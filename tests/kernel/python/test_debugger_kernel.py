"""The debugger of a whole kernel's Python side, as cellgate-kernel calls it."""

import itertools
import json
import re
from pathlib import Path

import pytest

CODE = "a = 1\nb = a + 1\n"


class Debugging:
    """Asks a child's debugger."""

    def __init__(self, child):
        self.child = child
        self.numbers = itertools.count(1)
        self.asked = []

    def do(self, command, **arguments):
        request = json.dumps({"type": "request", "seq": next(self.numbers), "command": command, "arguments": arguments})
        self.asked.append(self.child.request("handle", ["debug_request", request], "control"))
        answer = self.child.finish(self.asked[-1])
        self.child.messages += answer.messages
        assert answer.reply["success"], answer.reply
        return answer.reply["body"]

    def event(self, name):
        while True:
            message = self.child.next("debug_event")
            if message["content"]["event"] == name:
                return message

    def stop_in(self, code, line):
        """The cell's name and the stopped thread."""
        path = self.do("dumpCell", code=code)["sourcePath"]
        self.do("setBreakpoints", source={"path": path}, breakpoints=[{"line": line}])
        cell = self.child.start(code)
        return cell, self.event("stopped")["content"]["body"]["threadId"]


@pytest.fixture
def debugging(shell):
    made = Debugging(shell)
    made.do("initialize", clientID="test", adapterID="python")
    made.do("attach", rules=[{"path": str(Path(__file__).with_name("shell_host.py")), "include": False}])  # C++ in a kernel
    return made


def test_a_forked_kernels_cell_stops_shows_its_stack_and_goes_on(shell, debugging):
    shell.run("def f(g):\n    return g()")
    cell, thread = debugging.stop_in("def g():\n    return 5\nf(g)", 2)
    frames = debugging.do("stackTrace", threadId=thread)["stackFrames"]
    assert [frame["name"] for frame in frames] == ["g", "f", "<module>"]
    debugging.do("continue", threadId=thread)
    assert shell.finish(cell).result == "5"


def test_a_step_from_the_last_line_ends_the_cell_and_its_reply_comes(shell, debugging):
    cell, thread = debugging.stop_in(CODE, 2)
    debugging.do("next", threadId=thread)
    assert shell.finish(cell).reply["status"] == "ok"
    assert shell.run("a + b").result == "3"


def test_a_cell_that_awaits_shows_nothing_of_the_event_loop(shell, debugging):
    cell, thread = debugging.stop_in("import asyncio\nawait asyncio.sleep(0)\nx = 1", 3)
    assert [frame["line"] for frame in debugging.do("stackTrace", threadId=thread)["stackFrames"]] == [3]
    debugging.do("next", threadId=thread)
    assert shell.finish(cell).reply["status"] == "ok"


def test_events_belong_to_the_debug_request(shell, debugging):
    cell, thread = debugging.stop_in(CODE, 2)
    debugging.do("continue", threadId=thread)
    event = debugging.event("continued")
    shell.finish(cell)
    assert event["content"]["type"] == "event" and event["parent"]["msg_id"] in debugging.asked


def test_a_subshell_is_listed_by_its_name_while_it_lives(shell, debugging):
    shell.start_shell("s1")
    shell.run("1", shell="s1")
    assert "Subshell s1" in [thread["name"] for thread in debugging.do("threads")["threads"]]
    assert "IPythonHistorySavingThread" not in [thread["name"] for thread in debugging.do("threads")["threads"]]


def test_other_shells_answer_while_one_is_stopped(shell, debugging):
    cell, thread = debugging.stop_in(CODE, 2)
    shell.start_shell("s2")
    assert shell.ask("is_complete", "x = 1", shell="s2")["status"] == "complete"
    debugging.do("continue", threadId=thread)
    shell.finish(cell)


def test_an_interrupt_of_a_stopped_cell_shows_the_cell_and_not_the_debugger(shell, debugging):
    cell, _ = debugging.stop_in(CODE, 2)
    shell.interrupt()
    (error,) = shell.finish(cell).of("error")
    assert error["ename"] == "KeyboardInterrupt"
    shown = re.sub(r"\x1b\[[0-9;]*m", "", "".join(error["traceback"]))
    assert "b = a + 1" in shown and "pydevd" not in shown and "threading.py" not in shown


def test_a_kernel_ends_while_a_cell_is_stopped(shell, debugging):
    debugging.stop_in(CODE, 2)
    shell.close()
    debugging.do("disconnect")
    shell.next("ended")
