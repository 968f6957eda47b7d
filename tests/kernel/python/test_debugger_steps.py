"""Stopping in cells and stepping through them, with a real debugger in a mini-kernel."""

import pytest

CALL = "def double(x):\n    y = x * 2\n    return y\na = double(1)\nb = a + 1\n"


def stop_in(client, code, line):
    """Runs a cell until its breakpoint: (number of the cell, thread, frames)."""
    client.set_breakpoints(code, line)
    number = client.run(code)
    return number, *client.stopped()


def test_a_breakpoint_stops_its_cell_and_continue_ends_it(debuggee):
    number, thread, frames = stop_in(debuggee, CALL, 4)
    assert [(frame["name"], frame["line"]) for frame in frames] == [("<module>", 4)]
    assert debuggee.do("continue", threadId=thread) == {"allThreadsContinued": True}
    assert debuggee.ended(number) is None


def test_the_stack_shows_the_users_functions_and_nothing_below_the_cell(debuggee):
    debuggee.execute("def outer(f):\n    return f()\n")
    number, thread, _ = stop_in(debuggee, "def inner():\n    return 5\nouter(inner)\n", 2)
    trace = debuggee.do("stackTrace", threadId=thread)
    assert [frame["name"] for frame in trace["stackFrames"]] == ["inner", "outer", "<module>"]
    assert trace["totalFrames"] == 3
    page = debuggee.do("stackTrace", threadId=thread, startFrame=1, levels=1)
    assert ([frame["name"] for frame in page["stackFrames"]], page["totalFrames"]) == (["outer"], 3)
    debuggee.do("continue", threadId=thread)
    assert debuggee.ended(number) is None


def test_steps_go_into_over_and_out_of_a_function(debuggee):
    _, thread, _ = stop_in(debuggee, CALL, 4)
    assert debuggee.step("stepIn", thread) == (2, "double")
    assert debuggee.step("next", thread) == (3, "double")
    assert debuggee.step("stepOut", thread)[1] == "<module>"


def test_a_step_over_a_call_stays_in_the_cell(debuggee):
    _, thread, _ = stop_in(debuggee, CALL, 4)
    assert debuggee.step("next", thread) == (5, "<module>")


@pytest.mark.parametrize("step", ["next", "stepIn", "stepOut"])
def test_a_step_from_the_last_line_ends_the_cell_and_the_next_cell_runs_through(debuggee, step):
    number, thread, _ = stop_in(debuggee, "a = 1\nb = 2\n", 2)
    debuggee.do(step, threadId=thread)
    assert debuggee.ended(number) is None
    debuggee.execute("c = 3\nd = 4\n")
    assert debuggee.do("debugInfo")["stoppedThreads"] == []


@pytest.mark.parametrize("step", ["next", "stepIn", "stepOut"])
def test_a_step_from_the_last_line_of_a_cell_with_await_ends_it_too(debuggee, step):
    number, thread, frames = stop_in(debuggee, "import asyncio\nawait asyncio.sleep(0)\nx = 1\n", 3)
    assert [frame["line"] for frame in frames] == [3]
    debuggee.do(step, threadId=thread)
    assert debuggee.ended(number) is None


def test_steps_do_not_enter_libraries(debuggee):
    _, thread, _ = stop_in(debuggee, "import json\ntext = json.dumps([1])\nlast = 1\n", 2)
    assert debuggee.step("stepIn", thread) == (3, "<module>")


def test_without_just_my_code_steps_enter_libraries(idle_debuggee):
    idle_debuggee.start(justMyCode=False)
    _, thread, _ = stop_in(idle_debuggee, "import json\ntext = json.dumps([1])\nlast = 1\n", 2)
    assert idle_debuggee.step("stepIn", thread)[1] == "dumps"
    frames = idle_debuggee.do("stackTrace", threadId=thread)["stackFrames"]
    assert [frame["name"] for frame in frames] == ["dumps", "<module>"]


def test_a_conditional_breakpoint_stops_when_its_condition_holds(debuggee):
    code = "for i in range(5):\n    j = i\n"
    path = debuggee.do("dumpCell", code=code)["sourcePath"]
    debuggee.do("setBreakpoints", source={"path": path}, breakpoints=[{"line": 2, "condition": "i == 3"}])
    debuggee.run(code)
    _, frames = debuggee.stopped()
    assert debuggee.scope(frames[0])["i"] == "3"
    assert debuggee.do("debugInfo")["breakpoints"] == [{"source": path, "breakpoints": [{"line": 2, "condition": "i == 3"}]}]


def test_breakpoints_taken_away_stop_nothing(debuggee):
    path = debuggee.set_breakpoints(CALL, 4)
    debuggee.do("setBreakpoints", source={"path": path}, breakpoints=[])
    debuggee.execute(CALL)
    assert debuggee.do("debugInfo")["breakpoints"] == []


def test_lines_are_counted_from_the_cells_first_line_even_if_it_is_empty(debuggee):
    _, _, frames = stop_in(debuggee, "\n\nz = 1\n", 3)
    assert frames[0]["line"] == 3


def test_breakpoint_in_a_cell_that_nobody_dumped_stops_and_has_its_source(debuggee):
    number = debuggee.run("n = 4\nbreakpoint()\nm = 5\n")
    thread, frames = debuggee.stopped()
    assert debuggee.do("source", source=frames[0]["source"])["content"] == "n = 4\nbreakpoint()\nm = 5\n"
    debuggee.do("continue", threadId=thread)
    assert debuggee.ended(number) is None


def test_a_module_that_the_user_wrote_can_be_stopped_in(debuggee, tmp_path):
    module = tmp_path / "written.py"
    module.write_text("def triple(x):\n    return x * 3\n")
    debuggee.do("setBreakpoints", source={"path": str(module)}, breakpoints=[{"line": 2}])
    debuggee.run(f"import sys; sys.path.append({str(tmp_path)!r})\nimport written\nwritten.triple(2)\n")
    _, frames = debuggee.stopped()
    assert [(frame["name"], frame["line"]) for frame in frames] == [("triple", 2), ("<module>", 3)]
    assert debuggee.do("source", source=frames[0]["source"])["content"] == module.read_text()


def test_pause_stops_a_running_cell_in_the_users_code(debuggee):
    debuggee.execute("go = True")
    number = debuggee.run("while go:\n    pass\n")
    debuggee.do("pause", threadId=1)
    thread, frames = debuggee.stopped()
    assert len(frames) == 1 and frames[0]["line"] in (1, 2)
    debuggee.do("evaluate", expression="globals().update(go=False)", frameId=frames[0]["id"], context="repl")
    debuggee.do("continue", threadId=thread)
    assert debuggee.ended(number) is None


def test_continue_when_nothing_is_stopped_is_answered(debuggee):
    assert debuggee.do("continue", threadId=1) == {"allThreadsContinued": True}


def test_continue_and_an_interrupt_at_once_are_both_answered(debuggee):
    code = "a = 1\nb = 2\n"
    for _ in range(10):
        number, thread, _ = stop_in(debuggee, code, 2)
        debuggee.send(interrupt=True)
        debuggee.do("continue", threadId=thread)
        assert debuggee.ended(number) in (None, "KeyboardInterrupt")
        assert debuggee.do("debugInfo")["stoppedThreads"] == []


def test_an_interrupt_ends_a_stopped_cell_and_the_debugger_goes_on(debuggee):
    code = "a = 1\nb = 2\n"
    number, _, _ = stop_in(debuggee, code, 2)
    debuggee.send(interrupt=True)
    assert debuggee.ended(number) == "KeyboardInterrupt"
    debuggee.event("continued")
    assert debuggee.do("debugInfo")["stoppedThreads"] == []
    number = debuggee.run(code)
    thread, _ = debuggee.stopped()
    debuggee.do("continue", threadId=thread)
    assert debuggee.ended(number) is None


@pytest.mark.parametrize("filters", [["raised"], ["uncaught"], ["userUnhandled"]])
def test_an_exception_breakpoint_stops_where_the_exception_is_raised(debuggee, filters):
    debuggee.do("setExceptionBreakpoints", filters=filters)
    number = debuggee.run("def fail():\n    1 / 0\nfail()\n")
    thread, frames = debuggee.stopped()
    assert [(frame["name"].split()[0], frame["line"]) for frame in frames] == [("fail", 2), ("<module>", 3)]
    assert debuggee.do("exceptionInfo", threadId=thread)["exceptionId"].startswith("ZeroDivisionError")
    debuggee.do("setExceptionBreakpoints", filters=[])
    debuggee.do("continue", threadId=thread)
    assert debuggee.ended(number) == "ZeroDivisionError"


def test_an_exception_that_the_cell_catches_is_not_uncaught(debuggee):
    debuggee.do("setExceptionBreakpoints", filters=["uncaught"])
    debuggee.execute("try:\n    1 / 0\nexcept ZeroDivisionError:\n    pass\n")
