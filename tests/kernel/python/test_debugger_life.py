"""A debugger from before its first request to after its kernel's end."""

import os
import signal
import socket
from pathlib import Path

import pytest

from support.waiting import eventually

CODE = "a = 1\nb = a + 1\n"


def stop_at_line_2(client):
    client.set_breakpoints(CODE, 2)
    number = client.run(CODE)
    return number, client.stopped()[0]


def listening_ports(pid):
    """Ports on which sockets of the process listen."""
    inodes = {os.readlink(entry) for entry in Path(f"/proc/{pid}/fd").iterdir()}
    rows = [line.split() for line in Path("/proc/net/tcp").read_text().splitlines()[1:]]
    return [row[1] for row in rows if row[3] == "0A" and f"socket:[{row[9]}]" in inodes]


def test_a_kernel_that_is_not_debugged_carries_no_debugger(idle_debuggee):
    info = idle_debuggee.do("debugInfo")
    assert info | {"tmpFilePrefix": ""} == {
        "isStarted": False, "hashMethod": "Murmur2", "hashSeed": 0xC70F6907, "tmpFilePrefix": "", "tmpFileSuffix": ".py",
        "breakpoints": [], "stoppedThreads": [], "richRendering": True, "exceptionPaths": ["Python Exceptions"],
        "copyToGlobals": True}
    assert info["tmpFilePrefix"].endswith("/") and not Path(info["tmpFilePrefix"]).exists()
    names = ["debugpy", "pydevd"]
    assert idle_debuggee.python(f"[name in sys.modules for name in {names}] + [threading.active_count()]") == [False, False, 2]


def test_what_needs_a_started_debugger_says_so(idle_debuggee):
    for command in ("attach", "setBreakpoints", "stackTrace", "next", "continue", "disconnect", "configurationDone", "threads"):
        reply = idle_debuggee.ask(command, source={"path": "x"}, threadId=1)
        assert not reply["success"] and "initialize" in reply["message"] and reply["command"] == command


@pytest.mark.parametrize("request_", [
    {}, [], "x", {"command": 5}, {"command": "dumpCell"}, {"command": "dumpCell", "arguments": []},
    {"command": "dumpCell", "arguments": {"code": 7}}, {"command": "fly", "arguments": {}}])
def test_a_bad_request_is_refused_with_words(idle_debuggee, request_):
    idle_debuggee.send(debug=request_)
    reply = idle_debuggee.take("reply")["reply"]
    assert reply["success"] is False and reply["message"] and reply["type"] == "response"
    assert idle_debuggee.do("debugInfo")["isStarted"] is False


def test_responses_name_their_requests(debuggee):
    debuggee.send(debug={"type": "request", "seq": 4711, "command": "threads", "arguments": {}})
    reply = debuggee.take("reply")["reply"]
    assert (reply["request_seq"], reply["command"], reply["type"]) == (4711, "threads", "response")


def test_no_process_and_no_open_port_belongs_to_the_debugger(debuggee):
    stop_at_line_2(debuggee)
    assert debuggee.children() == []
    assert listening_ports(debuggee.pid) == []


def test_a_second_client_finds_the_stopped_kernel_and_joins(debuggee):
    number, thread = stop_at_line_2(debuggee)
    info = debuggee.do("debugInfo")
    assert info["isStarted"] and info["stoppedThreads"] == [thread]
    assert [found["breakpoints"] for found in info["breakpoints"]] == [[{"line": 2}]]
    assert debuggee.do("initialize", clientID="other")["supportsConfigurationDoneRequest"]
    debuggee.do("attach")
    frames = debuggee.do("stackTrace", threadId=thread)["stackFrames"]
    assert debuggee.scope(frames[0])["a"] == "1"
    assert debuggee.do("continue", threadId=thread)
    assert debuggee.ended(number) is None


@pytest.mark.parametrize("command", ["disconnect", "terminate"])
def test_the_end_of_debugging_lets_the_cell_go_on_and_can_be_followed_by_a_beginning(debuggee, command):
    number, _ = stop_at_line_2(debuggee)
    debuggee.do(command, restart=False, terminateDebuggee=True)
    assert debuggee.ended(number) is None
    assert debuggee.event("continued")["body"]["allThreadsContinued"]
    debuggee.event("terminated")
    assert not [message for message in debuggee.kept if message.get("event", {}).get("event") == "continued"]
    info = debuggee.do("debugInfo")
    assert (info["isStarted"], info["stoppedThreads"], info["breakpoints"]) == (False, [], [])
    debuggee.execute(CODE)
    debuggee.start()
    number, thread = stop_at_line_2(debuggee)
    debuggee.do("continue", threadId=thread)
    assert debuggee.ended(number) is None


def test_nothing_is_traced_and_no_thread_is_left_after_disconnect(debuggee):
    before = debuggee.python("sorted(os.environ)")
    debuggee.do("disconnect")
    debuggee.execute("import sys\ntrace, hook = sys.gettrace(), sys.breakpointhook is sys.__breakpointhook__")
    assert debuggee.python("str(kernel.shell.user_ns['trace']), kernel.shell.user_ns['hook']") == ["None", True]
    assert before == debuggee.python("sorted(os.environ)") and not [name for name in before if "PYDEV" in name]
    left = "[t.name for t in threading._active.values() if 'Debug' in t.name or 'pydevd' in t.name]"
    eventually(lambda: debuggee.python(left) == [])


def test_the_directory_of_dumped_cells_goes_with_the_kernel(debuggee):
    directory = Path(debuggee.do("dumpCell", code="x")["sourcePath"]).parent
    assert directory.stat().st_mode & 0o777 == 0o700
    debuggee.stop()
    assert debuggee.process.returncode == 0 and not directory.exists()


def test_a_kernel_ends_while_a_cell_is_stopped(debuggee):
    number, _ = stop_at_line_2(debuggee)
    debuggee.process.stdin.close()
    assert debuggee.ended(number) is None
    assert debuggee.process.wait(30) == 0


def test_a_killed_kernel_leaves_nothing_behind(debuggee):
    stop_at_line_2(debuggee)
    os.kill(debuggee.pid, signal.SIGKILL)
    debuggee.process.wait(30)
    members = [entry for entry in Path("/proc").iterdir() if entry.name.isdigit() and session_of(entry) == debuggee.process.pid]
    assert members == []


def session_of(entry):
    try:
        return int((entry / "stat").read_text().rpartition(")")[2].split()[3])
    except OSError:
        return None  # it has just ended


def test_a_forked_kernel_is_debugged_like_any_other(start_debuggee):
    client = start_debuggee("--forked")
    client.start()
    number, thread = stop_at_line_2(client)
    client.do("continue", threadId=thread)
    assert client.ended(number) is None


def test_a_stranger_who_connects_first_is_not_taken_for_the_debugger(idle_debuggee):
    """A neighbour sees the port and is faster than pydevd: it is turned away, and learns nothing that it could use."""
    idle_debuggee.python("""exec('''
import socket
original = socket.create_server
def create_server(*arguments, **options):
    listener = original(*arguments, **options)
    kernel.stranger = stranger = socket.create_connection(listener.getsockname())
    stranger.sendall(b'Content-Length: 36\\\\r\\\\n\\\\r\\\\n{"type":"event","event":"continued"}')
    return listener
socket.create_server = create_server
''', {"kernel": kernel})""")
    idle_debuggee.start()
    number, thread = stop_at_line_2(idle_debuggee)
    idle_debuggee.do("continue", threadId=thread)
    assert idle_debuggee.ended(number) is None
    said = idle_debuggee.python("kernel.stranger.recv(65536).decode()")
    assert "pydevdAuthorize" in said and "initialize" not in said
    assert len([m for m in idle_debuggee.kept if m.get("event", {}).get("event") == "continued"]) == 1


def test_a_debugger_that_the_users_code_started_is_not_disturbed(idle_debuggee):
    idle_debuggee.execute("import debugpy\nport = debugpy.listen(('127.0.0.1', 0))[1]")
    reply = idle_debuggee.ask("initialize", clientID="test")
    assert not reply["success"] and "started a debugger itself" in reply["message"]
    with socket.create_connection(("127.0.0.1", idle_debuggee.python("kernel.shell.user_ns['port']"))):
        pass
