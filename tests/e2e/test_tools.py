"""Cells call tools of real MCP servers: run_composio_tool, from the kernel through the gateway."""

import json
import os
import signal
from pathlib import Path

import pytest

from support.gateway import Gateway
from support.processes import marked
from support.toolkits import NODE, SERVERS, everything, toolkit
from support.waiting import Stopwatch, eventually

def run(gateway: Gateway, code: str) -> object:
    """What a cell printed as JSON, in a session of its own."""
    agent = gateway.agent()
    cell = agent.execute(agent.start_session()["id"], "import json\n" + code)
    assert cell["status"] == "ok", cell
    return json.loads(cell["stdout"])


def test_a_tool_answers(start_gateway) -> None:
    gateway = start_gateway(config=everything())
    result, error = run(gateway, "print(json.dumps(run_composio_tool('EVERYTHING_GET_SUM', {'a': 2, 'b': 3})))")
    assert error == "" and result["error"] is None and "5" in json.dumps(result["data"])


def test_the_helper_is_importable_by_its_old_name(start_gateway) -> None:
    gateway = start_gateway(config=everything())
    result, error = run(gateway, "from composio_helper import run_composio_tool as call\n"
                                 "print(json.dumps(call('everything_echo', {'message': 'hi'})))")
    assert error == "" and "hi" in json.dumps(result["data"])


def test_files_are_read_by_a_tool(start_gateway, tmp_path: Path) -> None:
    (tmp_path / "note.txt").write_text("from the host")
    command = [NODE, str(SERVERS / "server-filesystem" / "dist" / "index.js"), str(tmp_path)]
    gateway = start_gateway(config=toolkit("FILES", command=command))
    code = f"print(json.dumps(run_composio_tool('FILES_READ_TEXT_FILE', {{'path': {str(tmp_path / 'note.txt')!r}}})))"
    result, error = run(gateway, code)
    assert error == "" and "from the host" in json.dumps(result["data"])


def test_twelve_threads_call_at_once(start_gateway) -> None:
    gateway = start_gateway(config=everything())
    answers = run(gateway, """
from concurrent.futures import ThreadPoolExecutor
def call(number):
    result, error = run_composio_tool('EVERYTHING_GET_SUM', {'a': number, 'b': 1000})
    return [error, str(1000 + number) in json.dumps(result)]
with ThreadPoolExecutor(12) as pool:
    print(json.dumps(list(pool.map(call, range(60)))))""")
    assert answers == [["", True]] * 60


def test_nothing_configured_says_what_to_set(gateway: Gateway) -> None:
    result, error = run(gateway, "print(json.dumps(run_composio_tool('EVERYTHING_ECHO', {'message': 'hi'})))")
    assert result == {} and "tools.toolkits" in error


@pytest.mark.parametrize("call", ["'EVERYTHING_NO_SUCH', {}", "'NOTOOLKIT_X', {}", "'', {}", "'EVERYTHING_GET_SUM', {'a': 'x'}",
                                  "'EVERYTHING_ECHO', {'message': object()}", "'EVERYTHING_ECHO', 5"])
def test_a_wrong_call_is_an_error_text_and_no_exception(start_gateway, call: str) -> None:
    gateway = start_gateway(config=everything())
    result, error = run(gateway, f"print(json.dumps(run_composio_tool({call})))")
    assert error


def test_a_server_that_hangs_is_an_error_within_its_timeout(start_gateway) -> None:
    gateway = start_gateway(config=toolkit("HANGS", command=["sleep", "600"], timeout_s=2))
    watch = Stopwatch()
    result, error = run(gateway, "print(json.dumps(run_composio_tool('HANGS_X', {})))")
    assert result == {} and "HANGS" in error and watch.seconds < 60


def test_a_server_that_cannot_start_is_an_error(start_gateway) -> None:
    gateway = start_gateway(config=toolkit("MISSING", command=["/no/such/program"]))
    result, error = run(gateway, "print(json.dumps(run_composio_tool('MISSING_X', {})))")
    assert result == {} and "MISSING" in error


def test_a_server_that_dies_is_started_again(start_gateway) -> None:
    gateway = start_gateway(config=everything(env={"TOOL_MARK": "the-mark-of-this-test"}))
    agent = gateway.agent()
    session = agent.start_session()["id"]
    call = "print(run_composio_tool('EVERYTHING_ECHO', {'message': 'hi'})[1] == '')"
    assert agent.execute(session, call)["stdout"] == "True\n"
    for pid in eventually(lambda: marked("TOOL_MARK=the-mark-of-this-test")):
        os.kill(pid, signal.SIGKILL)
    eventually(lambda: agent.execute(session, call)["stdout"] == "True\n", 60, "the server is back")


def test_the_helper_survives_a_restart(start_gateway) -> None:
    gateway = start_gateway(config=everything())
    agent = gateway.agent()
    session = agent.start_session()["id"]
    agent.call("POST", f"/sessions/{session}/restart", 200)
    assert agent.execute(session, "run_composio_tool('EVERYTHING_ECHO', {'message': 'hi'})[1]")["result"]["text/plain"] == "''"


def test_the_helper_is_invisible(gateway: Gateway) -> None:
    """No execution count, history, output or %whos entry, and no clash with a user's own name."""
    jupyter = gateway.jupyter()
    with jupyter.connect(jupyter.start_kernel()) as channels:
        first = channels.run("%whos")
        assert first.reply["content"]["execution_count"] == 1
        assert "Interactive namespace is empty" in first.text()
        assert channels.run("In").result == "['', \"get_ipython().run_line_magic('whos', '')\", 'In']"
        assert channels.run("run_composio_tool = 5; run_composio_tool").result == "5"


def test_a_kernel_holds_no_key(start_gateway) -> None:
    gateway = start_gateway(config=everything(env={"PROVIDER_KEY": "provider-secret"}))
    text = json.dumps(run(gateway, "import os\nprint(json.dumps(dict(os.environ)))"))
    assert "provider-secret" not in text and gateway.token not in text


def test_a_kernel_that_hides_metadata_has_the_helper_too(start_gateway) -> None:
    gateway = start_gateway(config=everything())
    agent = gateway.agent()
    session = agent.start_session(kernel_name="xpython")["id"]
    cell = agent.execute(session, "print(run_composio_tool('EVERYTHING_ECHO', {'message': 'hi'})[1] == '')")
    assert cell["stdout"] == "True\n", cell
