"""The agent API as an agent meets it: sessions, cells, resuming, errors."""

import hashlib
import json
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import nbformat
import pytest

from support.agent import CallFailed
from support.gateway import Gateway
from support.specs import make_spec


def test_a_session_starts_at_once_and_runs_when_it_can(gateway: Gateway) -> None:
    agent = gateway.agent()
    session = agent.start_session(name="demo")
    assert session["state"] == "starting" and session["id"].startswith("ses_") and session["name"] == "demo"
    assert agent.execute("demo", "6 * 7")["result"]["text/plain"] == "42"
    assert agent.session("demo")["state"] == "idle"


def test_a_cells_record_has_all_that_happened(gateway: Gateway) -> None:
    agent = gateway.agent()
    session = agent.start_session()["id"]
    cell = agent.execute(session, "import sys\nprint('out'); print('err', file=sys.stderr)\n"
                                  "from IPython.display import HTML, display; display(HTML('<b>x</b>'))\n6 * 7",
                         current_step="COUNT", current_step_metric="1/1")
    assert cell["status"] == "ok" and cell["origin"] == "agent" and cell["execution_count"] == 1
    assert (cell["stdout"], cell["stderr"]) == ("out\n", "err\n")
    assert cell["displays"][0]["text/html"] == "<b>x</b>" and cell["result"]["text/plain"] == "42"
    assert cell["error"] is None and cell["corrections"] == [] and cell["installed"] == [] and cell["duration_ms"] >= 0
    assert (cell["current_step"], cell["current_step_metric"]) == ("COUNT", "1/1")
    failed = agent.execute(session, "1 / 0")
    assert failed["status"] == "error" and failed["error"]["ename"] == "ZeroDivisionError"
    assert [one["cell_id"] for one in agent.cells(session)] == [cell["cell_id"], failed["cell_id"]]
    assert agent.call("GET", f"/sessions/{session}/cells/{cell['cell_id']}", 200).json()["stdout"] == "out\n"


def test_names_are_unique_for_a_user(gateway: Gateway) -> None:
    agent = gateway.agent()
    agent.start_session(name="taken")
    assert agent.call("POST", "/sessions", 409, json={"name": "taken"}).json()["error"]["code"] == "name_taken"
    agent.start_session(name="taken", user_id="another")


def test_a_deleted_session_is_gone(gateway: Gateway) -> None:
    agent = gateway.agent()
    session = agent.start_session()["id"]
    assert agent.call("DELETE", f"/sessions/{session}", 200).json() == {"id": session, "deleted": True}
    error = agent.call("DELETE", f"/sessions/{session}", 404).json()["error"]
    assert error["code"] == "session_not_found" and error["status"] == 404 and error["request_id"].startswith("req_")


def test_an_unknown_field_is_refused_by_its_name(gateway: Gateway) -> None:
    agent = gateway.agent()
    error = agent.call("POST", "/sessions", 400, json={"nmae": "x"}).json()["error"]
    assert error["code"] == "unknown_field" and "nmae" in error["message"]


def test_long_texts_go_to_a_file(gateway: Gateway) -> None:
    agent = gateway.agent()
    session = agent.start_session()["id"]
    cell = agent.execute(session, "for i in range(20_000): print(i)")
    whole = "".join(f"{i}\n" for i in range(20_000))
    assert cell["stdout"] == whole[:40_000]
    path = cell["truncated"]["stdout"]
    assert path.startswith("/mnt/files/.composio/output/")
    assert agent.execute(session, f"import hashlib; hashlib.sha1(open({path!r}, 'rb').read()).hexdigest()")["result"]["text/plain"] == (
        repr(hashlib.sha1(whole.encode()).hexdigest()))


def test_an_idempotency_key_joins_its_cell(gateway: Gateway) -> None:
    agent = gateway.agent()
    session = agent.start_session()["id"]
    agent.execute(session, "runs = 0")

    def execute(_: int) -> str:
        return gateway.agent().execute(session, "import time; time.sleep(0.5); runs += 1", idempotency_key="k1")["cell_id"]

    with ThreadPoolExecutor(5) as pool:
        assert len(set(pool.map(execute, range(5)))) == 1
    assert agent.execute(session, "runs")["result"]["text/plain"] == "1"
    other = agent.call("POST", f"/sessions/{session}/execute", 409, json={"code": "runs", "idempotency_key": "k1"})
    assert other.json()["error"]["code"] == "idempotency_mismatch"


def test_events_of_a_cell_come_in_order(gateway: Gateway) -> None:
    agent = gateway.agent()
    session = agent.start_session()["id"]
    with agent.connect(session) as socket:
        finished = socket.run("print('x')\n5")
        events = [event for event in socket.events if event.get("cell_id") == finished["cell_id"]]
        assert [event["method"] for event in events] == ["cell_queued", "cell_started", "output", "output", "cell_finished"]
        assert [event["seq"] for event in events] == sorted(event["seq"] for event in events)
        assert [event["type"] for event in events if event["method"] == "output"] == ["stream", "execute_result"]
        assert "stdout" not in finished


def test_a_socket_without_attach_sees_only_its_own_cells(gateway: Gateway) -> None:
    agent = gateway.agent()
    session = agent.start_session()["id"]
    with agent.connect(session) as one, agent.connect(session) as other:
        other.call("attach")
        first = one.run("print('one')")
        second = other.run("print('other')")
        other.finished(first["cell_id"])
        assert one.call("status")["state"] in ("idle", "busy")
        assert {event.get("cell_id") for event in one.events if event["method"] != "kernel_status"} == {first["cell_id"]}
        assert second["cell_id"] in {event.get("cell_id") for event in other.events}


def test_after_seq_zero_is_the_beginning(gateway: Gateway) -> None:
    agent = gateway.agent()
    session = agent.start_session()["id"]
    cell = agent.execute(session, "print('before')")
    with agent.connect(session) as late:
        late.call("attach", after_seq=0)
        late.finished(cell["cell_id"])
        assert late.text(cell["cell_id"]) == "before\n"


def test_cells_queue_and_a_queued_one_is_cancelled(gateway: Gateway) -> None:
    agent = gateway.agent()
    session = agent.start_session()["id"]
    with agent.connect(session) as socket:
        running = socket.begin("import time\nprint('begun', flush=True)\ntime.sleep(60)")
        socket.wait_for(lambda event: "begun" in socket.text(running))
        queued = socket.begin("print('never')")
        socket.call("cancel", cell_id=queued)
        assert socket.finished(queued)["status"] == "cancelled"
        socket.call("cancel", cell_id=running)
        assert socket.finished(running)["status"] == "interrupted"


def test_a_failed_cell_does_not_stop_the_ones_behind(gateway: Gateway) -> None:
    agent = gateway.agent()
    session = agent.start_session()["id"]
    with agent.connect(session) as socket:
        cells = [socket.begin(code) for code in ("1 / 0", "print('runs')", "2 / 0", "print('too')")]
        assert [socket.finished(cell)["status"] for cell in cells] == ["error", "ok", "error", "ok"]


def test_an_input_is_answered_by_the_first_agent(gateway: Gateway) -> None:
    agent = gateway.agent()
    session = agent.start_session()["id"]
    with agent.connect(session) as asker, agent.connect(session) as helper:
        helper.call("attach")
        cell = asker.begin("print('hello', input('Who? '))")
        asked = helper.wait_for(lambda event: event["method"] == "input_request")
        assert asked["prompt"] == "Who? " and asked["cell_id"] == cell
        helper.call("input", cell_id=cell, value="Ana")
        assert asker.finished(cell)["status"] == "ok" and asker.text(cell).endswith("hello Ana\n")
        with pytest.raises(CallFailed) as late:
            asker.call("input", cell_id=cell, value="Ben")
        assert late.value.code in ("no_input_requested", "cell_not_running")


def test_completion_and_inspection(gateway: Gateway) -> None:
    agent = gateway.agent()
    session = agent.start_session()["id"]
    with agent.connect(session) as socket:
        socket.run("some_long_name = 5")
        assert "some_long_name" in socket.call("complete", code="some_lo", cursor_pos=7)["matches"]
        assert socket.call("inspect", code="print", cursor_pos=5, detail_level=0)["found"] is True


@pytest.mark.parametrize(("message", "code"), [
    ("{", -32700), ("[]", -32600), ('{"jsonrpc":"2.0","id":1}', -32600),
    ('{"jsonrpc":"2.0","id":1,"method":"no_such"}', -32601), ('{"jsonrpc":"2.0","id":1,"method":"execute","params":{}}', -32602)])
def test_malformed_calls_get_json_rpcs_own_codes(gateway: Gateway, message: str, code: int) -> None:
    agent = gateway.agent()
    with agent.connect(agent.start_session()["id"]) as socket:
        socket.socket.send(message)
        assert json.loads(socket.socket.recv())["error"]["code"] == code
        assert socket.call("status")


def test_a_restart_cancels_queued_cells(gateway: Gateway) -> None:
    agent = gateway.agent()
    session = agent.start_session()["id"]
    with agent.connect(session) as socket:
        running = socket.begin("import time\nprint('begun', flush=True)\ntime.sleep(60)")
        socket.wait_for(lambda event: "begun" in socket.text(running))
        queued = socket.begin("print('never')")
        agent.call("POST", f"/sessions/{session}/restart", 200)
        ended, cancelled = socket.finished(running), socket.finished(queued)
        assert (ended["status"], ended["reason"]) == ("lost", "restarted")
        assert (cancelled["status"], cancelled["reason"]) == ("cancelled", "restarted")
        assert socket.run("1 + 1")["status"] == "ok"


def test_the_notebook_is_valid_and_has_every_cell(gateway: Gateway) -> None:
    jupyter, agent = gateway.jupyter(), gateway.agent()
    session = agent.start_session(name="book")["id"]
    agent.execute(session, "print('from an agent')\n6 * 7")
    agent.execute(session, "'not kept'", store_history=False)
    with jupyter.connect(jupyter.start_kernel(f"attach-{session}")) as channels:
        channels.run("print('from a person')")
    agent.execute(session, "1 / 0")
    notebook = agent.notebook(session)
    nbformat.validate(notebook)
    assert [cell["source"] for cell in notebook["cells"]] == ["print('from an agent')\n6 * 7", "print('from a person')", "1 / 0"]
    first, second, third = ([output["output_type"] for output in cell["outputs"]] for cell in notebook["cells"])
    assert (first, second, third) == (["stream", "execute_result"], ["stream"], ["error"])


def test_the_notebook_is_valid_whatever_a_kernel_says(gateway: Gateway) -> None:
    agent = gateway.agent()
    # ipykernel, which sends whatever its session is told to.
    session = agent.start_session(name="odd", kernel_name="ipykernel")["id"]
    agent.execute(session, """
kernel = get_ipython().kernel
def send(msg_type, **content):
    kernel.session.send(kernel.iopub_socket, msg_type, content, parent=kernel.get_parent("shell"), ident=msg_type.encode())
send("execute_result", execution_count=-1, data={"text/plain": 5, "text/json": {}, "application/json": [1]}, metadata=7)
send("execute_result", execution_count=1.5, data=[1], metadata=None)
send("display_data", data={"image/png": None, "application/x+json": 3}, metadata=[1], transient={"display_id": 7})
send("stream", name=7, text=["a"])
send("stream", name="third", text="b")
send("error", ename=1, evalue=None, traceback=["a", 7])
send("error", traceback="a")
send("execute_input", code="x", execution_count=-5)
""")
    notebook = agent.notebook(session)
    nbformat.validate(notebook)
    assert len(notebook["cells"][0]["outputs"]) >= 6


def test_a_cursor_past_the_end_is_answered(gateway: Gateway) -> None:
    agent = gateway.agent()
    session = agent.start_session()["id"]
    agent.execute(session, "1")
    with agent.connect(session) as socket:
        assert "abs" in socket.call("complete", code="ab", cursor_pos=10_000)["matches"]
        assert socket.call("inspect", code="abs", cursor_pos=10_000)["found"]


def test_a_dead_session_is_restarted_as_its_error_says(start_gateway) -> None:
    agent = start_gateway(kernels__restart_limit=0).agent()
    session = agent.start_session()["id"]
    agent.execute(session, "1")
    agent.execute(session, "import os; os._exit(1)")
    refused = agent.call("POST", f"/sessions/{session}/execute", 409, json={"code": "1"}).json()["error"]
    assert refused["code"] == "session_dead" and "restart it or make another" in refused["message"]
    agent.call("POST", f"/sessions/{session}/restart", 200)
    assert agent.execute(session, "1 + 1")["result"]["text/plain"] == "2"


def test_an_agent_is_told_why_a_kernel_did_not_start(start_gateway, tmp_path: Path) -> None:
    says = "until [ -e $0/go ]; do sleep 0.05; done; echo no such device >&2; exit 3"
    make_spec(tmp_path, "broken", ["/bin/sh", "-c", says, str(tmp_path), "{connection_file}"])
    gateway = start_gateway(kernels__kernelspec_dirs=[tmp_path], kernels__read_only_paths=[tmp_path], kernels__restart_limit=0)
    agent = gateway.agent()
    agent.start_session(name="s", kernel_name="broken")
    with agent.connect("s") as socket:
        cell = socket.begin("1")
        (tmp_path / "go").touch()
        finished = socket.finished(cell)
    assert (finished["status"], finished["reason"]) == ("cancelled", "start_failed")
    assert finished["error"]["ename"] == "DeadKernelError" and "no such device" in finished["error"]["evalue"]
    assert agent.cells("s")[0]["error"] == finished["error"]
    refused = agent.call("POST", "/sessions/s/execute", 409, json={"code": "2"}).json()["error"]
    assert refused["code"] == "session_dead" and "no such device" in refused["message"]


def test_sessions_are_listed_by_pages(gateway: Gateway) -> None:
    agent = gateway.agent()
    made = [agent.start_session(user_id="pages")["id"] for _ in range(3)]
    seen, cursor = [], None
    while True:
        page = agent.call("GET", "/sessions", 200, params={"user_id": "pages", "limit": 2, **({"cursor": cursor} if cursor else {})}).json()
        seen += [session["id"] for session in page["items"]]
        cursor = page.get("next_cursor")
        if not cursor:
            break
    assert sorted(seen) == sorted(made)


def test_a_lab_session_is_entered_by_an_agent(gateway: Gateway) -> None:
    """The reverse of attaching: the agent runs in the session that a Jupyter client started."""
    jupyter, agent = gateway.jupyter(), gateway.agent()
    kernel = jupyter.start_kernel()
    with jupyter.connect(kernel) as channels:
        channels.run("x = 41")
        session = next(one["id"] for one in agent.call("GET", "/sessions", 200).json()["items"] if one["kernel"]["id"] == kernel)
        assert agent.execute(session, "x + 1")["result"]["text/plain"] == "42"
        assert [cell["origin"] for cell in agent.cells(session)] == ["jupyter", "agent"]


def test_an_answer_comes_last_after_its_headers(gateway: Gateway) -> None:
    agent = gateway.agent()
    session = agent.start_session()["id"]
    with agent.call("POST", f"/sessions/{session}/execute", 200, stream=True, timeout=30,
                    json={"code": "import time; time.sleep(8); 'late'"}) as answer:
        body = b"".join(answer.iter_content(None))
    assert json.loads(body)["result"]["text/plain"] == "'late'"
    assert body[:1].isspace(), "whitespace keeps the connection alive"


def test_a_cut_text_says_why_there_is_no_file_of_it(gateway: Gateway) -> None:
    agent = gateway.agent()
    session = agent.start_session()["id"]
    agent.execute(session, "import os, shutil\nshutil.rmtree('/mnt/files/.composio', ignore_errors=True)\n"
                           "os.symlink('/tmp', '/mnt/files/.composio')")
    cell = agent.execute(session, "print('z' * 50_000)\n'y' * 50_000")
    assert cell["truncated"] == {}
    for text in (cell["stdout"], cell["result"]["text/plain"]):
        assert "[cellgate: cut here" in text[-250:] and "cannot be written: Too many levels of symbolic links]" in text[-250:]
