"""The debugger of the kernel `cellgate`, as a client of the protocol sees it."""

import itertools
import time

import pytest

from support.direct import DirectChannels
from support.waiting import eventually

CODE = "def double(x):\n    y = x * 2\n    return y\n\nanswer = double(21)\nprint('answer', answer)\n"


class Debugging:
    """A debugging client: requests on control, events on iopub."""

    def __init__(self, channels):
        self.channels = channels
        self.numbers = itertools.count(1)
        self.cell = None  # the one that runs
        self.events = []

    def do(self, command, **arguments):
        """The body of a successful response; events that come meanwhile are kept."""
        request = {"type": "request", "seq": next(self.numbers), "command": command, "arguments": arguments}
        asked = self.channels.send("debug_request", request, channel="control")
        reply = self.read(lambda message: message["channel"] == "control" and message["parent_header"]["msg_id"] == asked)
        assert reply["header"]["msg_type"] == "debug_reply" and reply["content"]["success"], reply["content"]
        return reply["content"]["body"]

    def read(self, wanted):
        deadline = time.monotonic() + 30
        while True:
            message = self.channels.receive(max(0.001, deadline - time.monotonic()))
            if message["header"]["msg_type"] == "debug_event":
                self.events.append(message["content"])
            if self.cell is not None and message["parent_header"].get("msg_id") == self.cell.msg_id:
                self.cell.messages.append(message)
                if message["channel"] == "shell":
                    self.cell.reply = message
                self.cell.idle |= message["content"].get("execution_state") == "idle"
            if wanted(message):
                return message

    def event(self, name):
        while not any(event["event"] == name for event in self.events):
            self.read(lambda message: message["header"]["msg_type"] == "debug_event")
        found = next(event for event in self.events if event["event"] == name)
        self.events.remove(found)
        return found

    def begin(self, code, *lines, subshell=None):
        """Runs a cell that has breakpoints in these lines."""
        path = self.do("dumpCell", code=code)["sourcePath"]
        placed = self.do("setBreakpoints", source={"path": path}, breakpoints=[{"line": line} for line in lines])
        assert [found["line"] for found in placed["breakpoints"]] == list(lines)
        self.do("configurationDone")
        self.cell = self.channels.begin(code, subshell=subshell)

    def stopped(self):
        """The thread, and its frames."""
        thread = self.event("stopped")["body"]["threadId"]
        return thread, self.do("stackTrace", threadId=thread)["stackFrames"]

    def finish(self):
        """The cell, which has ended."""
        while not self.cell.done:
            self.read(lambda message: True)
        done, self.cell = self.cell, None
        return done


@pytest.fixture
def debugging(channels):
    made = Debugging(channels)
    made.do("initialize", clientID="test", adapterID="python", pathFormat="path", linesStartAt1=True, columnsStartAt1=True)
    made.do("attach")
    yield made
    if made.do("debugInfo")["isStarted"]:
        made.do("disconnect", restart=False, terminateDebuggee=False)
    if made.cell is not None:
        made.finish()


def names_and_lines(frames):
    return [(frame["name"], frame["line"]) for frame in frames]


def test_kernel_info_says_that_there_is_a_debugger(channels):
    info = channels.request("kernel_info_request", {})
    assert "debugger" in info["supported_features"]


def test_debug_info_of_a_kernel_that_nobody_debugs(channels):
    info = Debugging(channels).do("debugInfo")
    assert (info["isStarted"], info["hashMethod"], info["hashSeed"]) == (False, "Murmur2", 0xC70F6907)


def test_a_whole_session(debugging):
    """Break, stack, scopes, variables, evaluate, rich inspection, copying, steps, the end of the cell."""
    debugging.begin(CODE, 2)
    thread, frames = debugging.stopped()
    assert names_and_lines(frames) == [("double", 2), ("<module>", 5)]
    assert debugging.do("debugInfo")["stoppedThreads"] == [thread]
    assert debugging.do("source", source={"path": frames[0]["source"]["path"]})["content"] == CODE
    scopes = debugging.do("scopes", frameId=frames[0]["id"])["scopes"]
    local = debugging.do("variables", variablesReference=scopes[0]["variablesReference"])["variables"]
    assert [(variable["name"], variable["value"], variable["type"]) for variable in local] == [("x", "21", "int")]
    assert debugging.do("evaluate", expression="x + 1", frameId=frames[0]["id"], context="repl")["result"] == "22"
    assert debugging.do("richInspectVariables", variableName="x", frameId=frames[0]["id"])["data"] == {"text/plain": "21"}
    debugging.do("copyToGlobals", srcVariableName="x", dstVariableName="copied", srcFrameId=frames[0]["id"])
    for command, line in (("next", 3), ("stepOut", 5), ("next", 6)):
        debugging.do(command, threadId=thread)
        assert debugging.stopped()[1][0]["line"] == line
    debugging.do("next", threadId=thread)  # out of the last line
    done = debugging.finish()
    assert (done.status, done.text(), done.text("stderr")) == ("ok", "answer 42\n", "")
    assert debugging.channels.run("copied").result == "21"
    found = {variable["name"]: variable["value"] for variable in debugging.do("inspectVariables")["variables"]}
    assert (found["answer"], found["copied"]) == ("42", "21")
    assert any(module["name"] == "json" for module in debugging.do("modules")["modules"])


def test_step_into_and_continue(debugging):
    debugging.begin(CODE, 5)
    thread, _ = debugging.stopped()
    debugging.do("stepIn", threadId=thread)
    assert names_and_lines(debugging.stopped()[1]) == [("double", 2), ("<module>", 5)]
    debugging.do("continue", threadId=thread)
    assert debugging.finish().text() == "answer 42\n"


def test_a_cell_that_awaits_shows_only_itself(debugging):
    debugging.begin("import asyncio\nawait asyncio.sleep(0)\nlast = 1\n", 3)
    thread, frames = debugging.stopped()
    assert [frame["line"] for frame in frames] == [3]
    debugging.do("next", threadId=thread)
    assert debugging.finish().status == "ok"


def test_pause_and_continue(debugging):
    debugging.cell = debugging.channels.begin("going = True\nprint('going', flush=True)\nwhile going:\n    pass\n")
    debugging.read(lambda message: message["header"]["msg_type"] == "stream")
    debugging.do("pause", threadId=1)
    thread, frames = debugging.stopped()
    debugging.do("evaluate", expression="globals().update(going=False)", frameId=frames[0]["id"], context="repl")
    debugging.do("continue", threadId=thread)
    assert debugging.finish().status == "ok"


def test_an_exception_stops_where_it_is_raised_and_ends_the_cell(debugging):
    debugging.do("setExceptionBreakpoints", filters=["uncaught"])
    debugging.begin("def fail():\n    1 / 0\nfail()\n")
    thread, frames = debugging.stopped()
    assert frames[0]["line"] == 2
    debugging.do("continue", threadId=thread)
    assert debugging.finish().error == "ZeroDivisionError"


def test_a_second_client_finds_the_stopped_kernel(debugging, kernel):
    debugging.begin(CODE, 2)
    thread, _ = debugging.stopped()
    with DirectChannels(kernel.connection_file, timeout=30) as channels:
        second = Debugging(channels)
        assert second.do("debugInfo")["stoppedThreads"] == [thread]
        second.do("initialize", clientID="second", adapterID="python")
        second.do("attach")
        assert names_and_lines(second.do("stackTrace", threadId=thread)["stackFrames"]) == [("double", 2), ("<module>", 5)]
        second.do("continue", threadId=thread)
    assert debugging.finish().text() == "answer 42\n"


def test_control_and_heartbeat_answer_while_the_kernel_is_stopped(debugging):
    debugging.begin(CODE, 2)
    debugging.stopped()
    asked = debugging.channels.send("kernel_info_request", {}, channel="control")
    debugging.read(lambda message: message["channel"] == "control" and message["parent_header"]["msg_id"] == asked)
    debugging.channels.beat(15)
    assert not debugging.cell.done


def test_an_interrupt_ends_a_stopped_cell(debugging, kernel):
    debugging.begin(CODE, 2)
    debugging.stopped()
    debugging.channels.send("interrupt_request", {}, channel="control")
    assert debugging.finish().error == "KeyboardInterrupt"
    debugging.begin(CODE, 2)
    thread, _ = debugging.stopped()
    debugging.do("continue", threadId=thread)
    assert debugging.finish().status == "ok"


def test_a_subshell_is_debugged(debugging):
    subshell = debugging.channels.request("create_subshell_request", {}, channel="control")["subshell_id"]
    debugging.begin(CODE, 2, subshell=subshell)
    thread, frames = debugging.stopped()
    assert names_and_lines(frames) == [("double", 2), ("<module>", 5)]
    assert f"Subshell {subshell}" in [found["name"] for found in debugging.do("threads")["threads"] if found["id"] == thread]
    debugging.do("continue", threadId=thread)
    assert debugging.finish().text() == "answer 42\n"
    debugging.channels.request("delete_subshell_request", {"subshell_id": subshell}, channel="control")


def test_debugging_ends_and_begins_again(debugging):
    debugging.begin(CODE, 2)
    debugging.stopped()
    debugging.do("disconnect", restart=False, terminateDebuggee=False)
    assert debugging.finish().status == "ok"
    debugging.event("terminated")
    debugging.do("initialize", clientID="test", adapterID="python")
    debugging.do("attach")
    debugging.begin(CODE, 2)
    thread, _ = debugging.stopped()
    debugging.do("continue", threadId=thread)
    assert debugging.finish().status == "ok"


def test_a_kernel_that_is_stopped_can_be_shut_down(start_kernel):
    running = start_kernel()
    with running.connect() as channels:
        debugging = Debugging(channels)
        debugging.do("initialize", clientID="test", adapterID="python")
        debugging.do("attach")
        debugging.begin(CODE, 2)
        debugging.stopped()
        channels.send("shutdown_request", {"restart": False}, channel="control")
        reply = debugging.read(lambda message: message["header"]["msg_type"] == "shutdown_reply")
        assert reply["content"]["status"] == "ok"
        eventually(lambda: not running.is_alive(), 10, "the kernel ends")
