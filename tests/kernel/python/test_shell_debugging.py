"""The debugger in a kernel that runs cells: what tests of the debugger alone cannot show."""

import json


def _debug(shell, command, **arguments):
    request = {"type": "request", "seq": 1, "command": command, "arguments": arguments}
    return shell.request("handle", ["debug_request", json.dumps(request), "{}", [], "{}"], shell="control")


def _answer(shell, command, **arguments):
    reply = shell.finish(_debug(shell, command, **arguments)).reply
    assert reply["success"], reply
    return reply["body"]


def _attach(shell):
    _answer(shell, "initialize", clientID="test", adapterID="debugpy")
    _answer(shell, "attach")
    _answer(shell, "configurationDone")


def _stop_in_cell(shell, code, line):
    path = _answer(shell, "dumpCell", code=code)["sourcePath"]
    _answer(shell, "setBreakpoints", source={"path": path}, breakpoints=[{"line": line}], sourceModified=False)
    name = shell.start(code)
    while True:
        event = shell.next("debug_event")
        if event["content"]["event"] == "stopped":
            return name, event["content"]["body"]["threadId"]


def test_a_kernel_that_is_not_debugged_is_not_traced(shell):
    assert shell.run("import sys; sys.gettrace() is None").result == "True"


def test_a_cell_stops_at_a_breakpoint_and_goes_on(shell):
    _attach(shell)
    name, thread = _stop_in_cell(shell, "x = 5\ny = x + 1\ny", 2)
    frames = _answer(shell, "stackTrace", threadId=thread)["stackFrames"]
    assert [frame["line"] for frame in frames] == [2]
    _answer(shell, "continue", threadId=thread)
    assert shell.finish(name).reply["status"] == "ok"
    assert shell.run("y").result == "6"


def test_variables_can_be_inspected_without_attaching(shell):
    shell.run("answer = 42")
    variables = _answer(shell, "inspectVariables")["variables"]
    assert "42" in [variable["value"] for variable in variables if variable["name"] == "answer"]


def test_an_event_belongs_to_the_debugging_clients_request(shell):
    name = _debug(shell, "initialize", clientID="test", adapterID="debugpy")
    shell.finish(name)
    second = _debug(shell, "attach")
    event = shell.next("debug_event")
    assert event["parent"]["msg_id"] in (name, second)
    shell.finish(second)


def test_a_stopped_kernel_can_be_shut_down(shell):
    _attach(shell)
    _stop_in_cell(shell, "x = 5\ny = 6", 2)
    shell.finish(_debug(shell, "disconnect"))
    shell.close()
    shell.next("ended")
