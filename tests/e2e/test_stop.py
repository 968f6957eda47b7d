"""The gateway ends: at a signal, or because it must. What clients are told, and what is left."""

import os
import signal
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
import requests

from support.agent import AgentSocket
from support.api_service import ApiService
from support.gateway import Gateway
from support.processes import children
from support.toolkits import everything
from support.waiting import Stopwatch, eventually

FOREVER = "print('begun', flush=True)\nimport time\ntime.sleep(1000)"


def begin_forever(socket: AgentSocket, code: str = FOREVER) -> str:
    cell = socket.begin(code)
    socket.wait_for(lambda event: event["method"] == "output" and event["cell_id"] == cell)
    return cell


def launcher_of(gateway: Gateway) -> int:
    return next(pid for pid in children(gateway.pid) if b"cellgate-launcher" in Path(f"/proc/{pid}/cmdline").read_bytes())


def end_of(socket: AgentSocket, cell: str) -> tuple[str, str | None]:
    event = next(event for event in socket.events if event["method"] == "cell_finished" and event["cell_id"] == cell)
    return event["status"], event.get("reason")


@pytest.mark.parametrize("how", [signal.SIGTERM, signal.SIGINT])
def test_every_cell_ends_with_gateway_ended_and_everyone_is_told(start_gateway, how: signal.Signals) -> None:
    gateway = start_gateway()
    agent = gateway.agent()
    agent.start_session(name="s")
    with agent.connect("s") as socket, ThreadPoolExecutor(1) as pool:
        socket.call("attach")
        running, queued = begin_forever(socket), socket.begin("2")
        waiting = pool.submit(gateway.agent().execute, "s", "3")
        eventually(lambda: len(agent.cells("s")) == 3)
        watch = Stopwatch()
        os.kill(gateway.pid, how)
        assert socket.read_to_close() == 1012
        assert end_of(socket, running) == ("lost", "gateway_ended")
        assert end_of(socket, queued) == ("cancelled", "gateway_ended")
        assert socket.events[-1]["method"] == "kernel_status" and socket.events[-1]["reason"] == "gateway_ended"
        told = waiting.result(20)
        assert (told["status"], told["reason"]) == ("cancelled", "gateway_ended")
        assert gateway.process.wait(30) == 0
        assert watch.seconds < 10  # with sanitizers, on a busy machine


def test_a_waiting_execute_is_answered_with_the_output_of_its_lost_cell(start_gateway) -> None:
    gateway = start_gateway()
    agent = gateway.agent()
    agent.start_session(name="s")
    agent.execute("s", "1")
    with ThreadPoolExecutor(1) as pool:
        code = "from IPython.display import display\ndisplay({'text/plain': 'shown'}, raw=True)\n" + FOREVER
        waiting = pool.submit(gateway.agent().execute, "s", code)
        eventually(lambda: agent.cells("s")[-1]["stdout"] == "begun\n")
        gateway.process.send_signal(signal.SIGTERM)
        told = waiting.result(20)
    assert (told["status"], told["reason"]) == ("lost", "gateway_ended")
    assert told["stdout"] == "begun\n" and told["displays"] == [{"text/plain": "shown"}]


def test_calls_of_tools_that_wait_are_answered(start_gateway) -> None:
    gateway = start_gateway(config=everything(), accounts__allow_networks=["127.0.0.1"], accounts__plain_http=True)
    agent = gateway.agent()
    session = agent.start_session()["id"]
    service = ApiService()
    agent.call("POST", "/accounts", 201, json={
        "toolkit": "github", "base_url": service.url(), "auth_scheme": "bearer", "secret": "secret-of-tests"})

    def ask(path: str, body: dict[str, object]) -> requests.Response:
        headers = {"x-api-key": gateway.token, "Accept": "application/json, text/event-stream"}
        return requests.post(gateway.url + path, json=body, headers=headers, timeout=60, stream=True)

    router = f"/api/v3.1/tool_router/session/{session}"
    arguments = {"duration": 100, "steps": 100}
    long = {"tool_slug": "EVERYTHING_TRIGGER_LONG_RUNNING_OPERATION", "arguments": arguments}
    many = {"tool_slug": "COMPOSIO_MULTI_EXECUTE_TOOL", "arguments": {"tools": [long]}}
    workbench = {"tool_slug": "COMPOSIO_REMOTE_WORKBENCH", "arguments": {"code_to_execute": FOREVER}}
    rpc = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": long["tool_slug"], "arguments": arguments}}
    # Headers go out while the tool runs.
    tool, several, cell = (ask(f"{router}/execute", each) for each in (long, many, workbench))
    mcp = ask(f"/tool_router/{session}/mcp", rpc)
    with ThreadPoolExecutor(1) as pool:
        waiting = pool.submit(ask, f"{router}/proxy_execute", {"toolkit_slug": "github", "endpoint": "/slow", "method": "GET"})
        assert service.begun.wait(30)
        eventually(lambda: [each["stdout"] for each in agent.cells(session)] == ["begun\n"])
        watch = Stopwatch()
        gateway.process.send_signal(signal.SIGTERM)
        assert "cancelled" in tool.json()["error"]
        assert "stopping" in several.json()["error"]
        assert "gateway_ended" in cell.json()["error"]
        assert "cancelled" in mcp.text
        proxied = waiting.result(30)
        assert (proxied.status_code, "stopping" in proxied.json()["error"]["message"]) == (503, True)
        assert gateway.process.wait(30) == 0
        assert watch.seconds < 10
    service.release.set()
    service.close()


def test_jupyter_clients_are_told_to_come_back(start_gateway) -> None:
    gateway = start_gateway()
    jupyter = gateway.jupyter()
    with jupyter.connect(jupyter.start_kernel()) as channels:
        cell = channels.run_until_printed(FOREVER, "begun")
        gateway.process.send_signal(signal.SIGTERM)
        states = []
        closed = None
        try:
            while True:
                message = channels.receive()
                if message["header"]["msg_type"] == "status":
                    states.append(message["content"]["execution_state"])
                if message["channel"] == "shell" and message["parent_header"].get("msg_id") == cell.msg_id:
                    cell.reply = message
        except Exception as error:
            closed = error
        assert getattr(closed, "code", None) == 1012, closed
        assert cell.reply and cell.reply["content"]["status"] == "error"
        assert "dead" not in states, "a Lab that hears it does not come back"


def test_what_is_new_is_refused_while_sessions_end(start_gateway) -> None:
    gateway = start_gateway()
    agent = gateway.agent()
    agent.start_session(name="s")
    with agent.connect("s") as socket:
        socket.call("attach")
        begin_forever(socket, "import signal\nfor s in (2, 15): signal.signal(s, signal.SIG_IGN)\n"
                              "while True:\n try: print('begun', flush=True); import time; time.sleep(1)\n"
                              " except BaseException: pass")
        gateway.process.send_signal(signal.SIGTERM)
        socket.wait_for(lambda event: event["method"] == "cell_finished")
        with pytest.raises(requests.ConnectionError):
            gateway.agent().call("GET", "/sessions")
        assert socket.read_to_close() == 1012
    assert gateway.process.wait(30) == 0


def test_clients_that_do_not_read_do_not_hold_the_stop_up(start_gateway) -> None:
    gateway = start_gateway()
    agent = gateway.agent()
    agent.start_session(name="s")
    agent.execute("s", "1")
    jupyter = gateway.jupyter()
    kernel = jupyter.start_kernel()
    with agent.connect("s") as silent, agent.connect("s") as reader, jupyter.connect(kernel) as channels:
        silent.call("attach", after_seq=0)
        reader.call("attach")
        cell = reader.begin("for i in range(300): print('x' * 100_000)\nprint('end', flush=True)\nimport time\ntime.sleep(1000)")
        reader.wait_for(lambda event: event["method"] == "output" and event["text"].endswith("end\n"))
        channels.begin("for i in range(300): print('x' * 100_000)")
        watch = Stopwatch()
        gateway.process.send_signal(signal.SIGTERM)
        assert reader.read_to_close() == 1012
        assert end_of(reader, cell) == ("lost", "gateway_ended")
        assert gateway.process.wait(30) == 0
        assert watch.seconds < 15


def test_a_second_gateway_on_the_same_data_leaves_the_first_alone(start_gateway) -> None:
    gateway = start_gateway()
    runtime = gateway.directory / "run"
    before = sorted(runtime.rglob("*"))
    assert before
    with pytest.raises(AssertionError, match="another gateway uses"):
        Gateway(keep=gateway, **gateway.settings)
    assert sorted(runtime.rglob("*")) == before
    session = gateway.agent().start_session()["id"]
    assert gateway.agent().execute(session, "6 * 7")["result"]["text/plain"] == "42"


def test_gateways_on_two_data_directories_share_a_runtime_directory(start_gateway) -> None:
    gateway = start_gateway()
    other = Gateway(keep=gateway, **{**gateway.settings, "storage__data_dir": gateway.directory / "data2"})
    try:
        assert other.agent().execute(other.agent().start_session()["id"], "1")["status"] == "ok"
    finally:
        other.finish()
    assert gateway.agent().execute(gateway.agent().start_session()["id"], "1")["status"] == "ok"


def test_a_gateway_that_lost_its_launcher_ends_its_sessions_and_itself(start_gateway) -> None:
    gateway = start_gateway()
    gateway.expected_status = 1
    agent = gateway.agent()
    agent.start_session(name="s")
    with agent.connect("s") as socket:
        socket.call("attach")
        running, queued = begin_forever(socket), socket.begin("2")
        os.kill(launcher_of(gateway), signal.SIGKILL)
        assert socket.read_to_close() == 1012
        assert end_of(socket, running) == ("lost", "gateway_ended")
        assert end_of(socket, queued) == ("cancelled", "gateway_ended")
    assert gateway.process.wait(30) == 1
    eventually(lambda: any("the process that launches kernels has ended (signal 9)" in line for line in gateway.log))
    again = gateway.restart()
    try:
        assert again.agent().execute(again.agent().start_session()["id"], "6 * 7")["result"]["text/plain"] == "42"
    finally:
        again.finish()
