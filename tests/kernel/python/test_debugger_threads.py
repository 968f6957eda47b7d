"""Which threads and processes a debugger stops."""

CODE = "w = 1\nv = 2\n"


def test_the_kernels_own_threads_are_neither_listed_nor_stopped(debuggee):
    debuggee.set_breakpoints(CODE, 2)
    number = debuggee.run(CODE)
    thread, _ = debuggee.stopped()
    assert debuggee.do("threads")["threads"] == [{"id": thread, "name": "MainThread"}]
    assert debuggee.python("threading.current_thread() is not threading.main_thread()") is True  # control answers
    debuggee.do("continue", threadId=thread)
    assert debuggee.ended(number) is None


def test_subshells_made_before_and_after_the_beginning_are_debugged(idle_debuggee):
    idle_debuggee.execute("early = 1", thread="early")
    idle_debuggee.start()
    idle_debuggee.set_breakpoints(CODE, 2)
    seen = set()
    for shell in ("early", "late", None):
        number = idle_debuggee.run(CODE, thread=shell)
        thread, frames = idle_debuggee.stopped()
        assert [frame["line"] for frame in frames] == [2]
        idle_debuggee.do("continue", threadId=thread)
        assert idle_debuggee.ended(number) is None
        seen.add(thread)
    assert len(seen) == 3


def test_a_stopped_subshell_leaves_the_main_shell_idle_and_able_to_run(debuggee):
    """All threads are said to stop, but one that runs no code of the user has nothing to stop in."""
    debuggee.set_breakpoints(CODE, 2)
    number = debuggee.run(CODE, thread="sub")
    thread, _ = debuggee.stopped()
    assert debuggee.do("debugInfo")["stoppedThreads"] == [thread]
    debuggee.do("continue", threadId=thread)
    assert debuggee.ended(number) is None
    debuggee.execute("z = 1")


def test_a_thread_that_a_cell_starts_stops_at_breakpoints(debuggee):
    code = ("import threading\ndef work():\n    found = 1\n    return found\n"
            "t = threading.Thread(target=work, name='worker')\nt.start()\nt.join()\n")
    debuggee.set_breakpoints(code, 4)
    number = debuggee.run(code)
    thread, frames = debuggee.stopped()
    assert frames[0]["name"] == "work"
    assert {"id": thread, "name": "worker"} in debuggee.do("threads")["threads"]
    debuggee.do("continue", threadId=thread)
    assert debuggee.ended(number) is None


def test_a_forked_child_runs_through_breakpoints(debuggee):
    code = ("import os\ndef f():\n    return 1\npid = os.fork()\nif pid == 0:\n    os._exit(f() + 6)\n"
            "status = os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])\nf()\n")
    debuggee.set_breakpoints(code, 3)
    number = debuggee.run(code)
    thread, frames = debuggee.stopped()
    assert [frame["line"] for frame in frames] == [3, 8]  # the parent's call, after the child has ended
    debuggee.do("continue", threadId=thread)
    assert debuggee.ended(number) is None
    assert debuggee.python("kernel.shell.user_ns['status']") == 7


def test_programs_that_a_cell_starts_are_not_debugged(debuggee):
    debuggee.execute("import subprocess, sys\nasked = 'import sys; print(\"pydevd\" in sys.modules)'\n"
                     "out = subprocess.run([sys.executable, '-c', asked], capture_output=True, text=True).stdout")
    assert debuggee.python("kernel.shell.user_ns['out']") == "False\n"
