"""Sessions outlive the gateway: asked to end, or killed; what comes back with them, and what is told of what does not."""

import os
import sqlite3
import time
from concurrent.futures import ThreadPoolExecutor

import pytest
import requests

from support.agent import CallFailed
from support.gateway import Gateway
from support.waiting import eventually

SLOW = "print('begun', flush=True)\nimport time\ntime.sleep(1000)"


def end(gateway: Gateway, how: str) -> None:
    if how == "killed":
        gateway.kill()
    else:
        assert gateway.terminate() == 0


@pytest.fixture
def again():
    """Restarts a gateway on the same data; what it started is ended with the test."""
    started: list[Gateway] = []

    def start(gateway: Gateway) -> Gateway:
        started.append(gateway.restart())
        return started[-1]

    yield start
    for each in started:
        each.finish()


both_ends = pytest.mark.parametrize("how", ["asked", "killed"])


def cell_is_written(gateway: Gateway, cell: str, ended: int) -> bool:
    with sqlite3.connect(f"file:{gateway.directory}/data/cellgate.db?mode=ro", uri=True) as database:
        return database.execute("SELECT COUNT(*) FROM cells WHERE id = ? AND ended = ?", (cell, ended)).fetchone()[0] == 1


@both_ends
def test_a_session_is_the_same_with_a_fresh_kernel_and_says_so(start_gateway, again, how: str) -> None:
    gateway = start_gateway()
    agent = gateway.agent()
    before = agent.start_session(name="work", user_id="ada", env={"COLOUR": "blue"}, cell_timeout_s=77, idle_timeout_s=9000,
                                 lifetime_s=90000, error_correction="report", install=False, sandbox={"sandbox_size": "medium"})
    agent.execute(before["id"], "x = 1\nopen('/mnt/files/kept.txt', 'w').write('kept')\nopen('home.txt', 'w').write('home')")
    told = agent.session(before["id"])
    end(gateway, how)
    agent = again(gateway).agent()
    after = agent.session(before["id"])
    same = ("id", "name", "user_id", "origin", "created_at", "cell_timeout_s", "idle_timeout_s", "lifetime_s",
            "error_correction", "jupyter_error_correction", "install", "jupyter_install", "sandbox", "tokens")
    assert {key: after[key] for key in same} == {key: told[key] for key in same}
    assert agent.call("GET", "/sessions/work?user_id=ada", 200).json()["id"] == before["id"]
    assert (after["state"], after["reason"]) == ("idle", "gateway_ended")
    assert after["kernel"]["name"] == told["kernel"]["name"] and after["kernel"]["id"] != told["kernel"]["id"]
    assert after["restarts"] == told["restarts"]
    first = agent.execute(before["id"], "import os\nprint(open('/mnt/files/kept.txt').read(), open('home.txt').read(), "
                                        "os.environ['COLOUR'], 'x' in globals())")
    assert first["status"] == "ok" and first["stdout"] == "kept home blue False\n"
    assert first["kernel_restarted"] is True
    second = agent.execute(before["id"], "1 + 1")
    assert second["kernel_restarted"] is False
    used = agent.session(before["id"])
    assert used.get("reason") is None and used["restarts"] == told["restarts"] + 1


@both_ends
def test_seq_goes_on_and_an_older_reader_is_told_of_a_gap(start_gateway, again, how: str) -> None:
    gateway = start_gateway()
    agent = gateway.agent()
    session = agent.start_session()["id"]
    with agent.connect(session) as socket:
        socket.call("attach")
        socket.run("print('before')")
        last = socket.last_seq
    end(gateway, how)
    agent = again(gateway).agent()
    with agent.connect(session) as socket:
        attached = socket.call("attach", after_seq=last)
        assert attached["last_seq"] >= last
        status = socket.wait_for(lambda event: event["method"] == "kernel_status")
        assert (status["state"], status["reason"]) == ("idle", "gateway_ended")
        cell = socket.begin("print('after')")
        socket.finished(cell)
        gap = socket.events[0]
        assert gap["method"] == "gap" and gap["from"] == last + 1 and gap["to"] >= last
        numbers = [event["seq"] for event in socket.events]
        assert numbers == sorted(set(numbers)) and numbers[0] > last
        assert socket.text(cell) == "after\n"


@both_ends
def test_a_cell_that_ran_is_lost_and_those_before_are_as_they_were(start_gateway, again, how: str) -> None:
    gateway = start_gateway()
    agent = gateway.agent()
    session = agent.start_session()["id"]
    done = agent.execute(session, "print('out')\nimport sys\nprint('err', file=sys.stderr)\n6 * 7", current_step="SUM")
    failed = agent.execute(session, "1 / 0")
    shown = agent.execute(session, "from IPython.display import display\ndisplay({'text/plain': 'seen'}, raw=True)")
    with agent.connect(session) as socket:
        socket.call("attach")
        running = socket.begin(SLOW)
        socket.wait_for(lambda event: event["method"] == "output" and event["cell_id"] == running)
        waiting = socket.begin("2")
        last = socket.last_seq
        eventually(lambda: cell_is_written(gateway, waiting, 0))
        end(gateway, how)
    agent = again(gateway).agent()
    assert [cell["cell_id"] for cell in agent.cells(session)] == [done["cell_id"], failed["cell_id"], shown["cell_id"], running,
                                                                    waiting]
    cell = agent.call("GET", f"/sessions/{session}/cells/{done['cell_id']}", 200).json()
    assert cell == done
    assert agent.call("GET", f"/sessions/{session}/cells/{failed['cell_id']}", 200).json() == failed
    seen = agent.call("GET", f"/sessions/{session}/cells/{shown['cell_id']}", 200).json()
    assert len(seen["displays"]) == 1 and "no longer kept" in seen["displays"][0]["text/plain"]
    lost = agent.call("GET", f"/sessions/{session}/cells/{running}", 200).json()
    assert (lost["status"], lost["reason"], lost["code"]) == ("lost", "gateway_ended", SLOW)
    never = agent.call("GET", f"/sessions/{session}/cells/{waiting}", 200).json()
    assert (never["status"], never["reason"]) == ("cancelled" if how == "asked" else "lost", "gateway_ended")
    notebook = agent.notebook(session)
    assert [cell["id"] for cell in notebook["cells"]] == [done["cell_id"], failed["cell_id"], shown["cell_id"], running, waiting]
    outputs = notebook["cells"][0]["outputs"]
    assert [output["output_type"] for output in outputs] == ["stream", "stream", "execute_result"]
    assert outputs[2]["data"]["text/plain"] == "42"
    assert notebook["cells"][1]["outputs"][0]["ename"] == "ZeroDivisionError"
    with agent.connect(session) as socket:
        socket.call("attach", after_seq=last)
        if how == "killed":
            assert socket.finished(running)["status"] == "lost"
            assert socket.finished(waiting)["status"] == "lost"


def test_an_idempotency_key_never_runs_its_cell_again(start_gateway, again) -> None:
    gateway = start_gateway()
    agent = gateway.agent()
    session = agent.start_session()["id"]
    count = "n = len(open('/mnt/files/runs', 'a').write('x') and open('/mnt/files/runs').read() or '')"
    done = agent.execute(session, count + "\n'done'", idempotency_key="first")
    with ThreadPoolExecutor(1) as pool:
        code = "open('/mnt/files/second', 'a').write('x')\n" + SLOW
        begun = pool.submit(gateway.agent().execute, session, code, idempotency_key="second")
        eventually(lambda: agent.cells(session)[-1]["stdout"] == "begun\n")
        gateway.kill()
        with pytest.raises(requests.RequestException):
            begun.result(30)
    agent = again(gateway).agent()
    assert agent.execute(session, count + "\n'done'", idempotency_key="first") == done
    lost = agent.execute(session, code, idempotency_key="second")
    assert (lost["status"], lost["reason"], lost["kernel_restarted"]) == ("lost", "gateway_ended", True)
    assert agent.call("POST", f"/sessions/{session}/execute", 409, json={"code": "other", "idempotency_key": "second"}
                      ).json()["error"]["code"] == "idempotency_mismatch"
    assert agent.execute(session, "print(open('/mnt/files/second').read())")["stdout"] == "x\n"


def test_deleted_sessions_stay_deleted_and_those_of_jupyter_clients_end(start_gateway, again) -> None:
    gateway = start_gateway()
    agent, jupyter = gateway.agent(), gateway.jupyter()
    deleted, kept = agent.start_session(name="deleted")["id"], agent.start_session(name="kept")["id"]
    kernel = jupyter.start_kernel()
    agent.end_session(deleted)
    own = agent.session(kept)["kernel"]["id"]
    gateway.kill()
    gateway = again(gateway)
    agent = gateway.agent()
    assert [each["id"] for each in agent.call("GET", "/sessions", 200).json()["items"]] == [kept]
    agent.call("GET", f"/sessions/{deleted}", 404)
    for each in (kernel, own):
        with pytest.raises(Exception, match="404"):
            gateway.jupyter().kernel(each)
    assert len(list((gateway.directory / "data" / "sessions").iterdir())) == 1
    agent.start_session(name="deleted")
    agent.call("POST", "/sessions", 409, json={"name": "kept"})


def test_lifetime_and_idle_time_go_on_while_there_is_no_gateway(start_gateway, again) -> None:
    gateway = start_gateway()
    agent = gateway.agent()
    short, idle = agent.start_session(lifetime_s=1)["id"], agent.start_session(idle_timeout_s=1)["id"]
    long = agent.start_session(lifetime_s=1000, idle_timeout_s=1000)["id"]
    made = time.monotonic()
    gateway.terminate()
    # The clock that counts is the gateway's: as soon as a second has passed since they were made.
    eventually(lambda: time.monotonic() - made > 1.1)
    gateway = again(gateway)
    agent = gateway.agent()
    assert [each["id"] for each in agent.call("GET", "/sessions", 200).json()["items"]] == [long]
    for each in (short, idle):
        agent.call("GET", f"/sessions/{each}", 404)
    assert len(list((gateway.directory / "data" / "sessions").iterdir())) == 1


def test_a_person_enters_a_session_that_slept(start_gateway, again) -> None:
    gateway = start_gateway()
    agent = gateway.agent()
    session = agent.start_session(name="s")["id"]
    agent.execute(session, "x = 1")
    alias = gateway.jupyter().start_kernel(f"attach-{session}")
    gateway.kill()
    gateway = again(gateway)
    jupyter = gateway.jupyter()
    with pytest.raises(Exception, match="404"):
        jupyter.kernel(alias)
    with jupyter.connect(jupyter.start_kernel(f"attach-{session}")) as channels:
        assert channels.run("print(6 * 7)").text() == "42\n"
    assert gateway.agent().session(session)["state"] == "idle"
    assert gateway.agent().execute(session, "1")["kernel_restarted"] is True


def test_a_restart_a_socket_and_an_interrupt_of_a_session_that_slept(start_gateway, again) -> None:
    gateway = start_gateway()
    agent = gateway.agent()
    first, second, third = (agent.start_session()["id"] for _ in range(3))
    gateway.terminate()
    agent = again(gateway).agent()
    agent.call("POST", f"/sessions/{first}/interrupt", 200, json={})
    assert agent.session(first)["reason"] == "gateway_ended", "an interrupt starts nothing"
    restarted = agent.call("POST", f"/sessions/{second}/restart", 200, json={}).json()
    assert restarted["state"] == "idle" and "reason" not in restarted
    with agent.connect(third) as socket:
        assert socket.call("complete", code="impor")["matches"] == ["import"]


def test_twenty_sessions_are_killed_in_the_middle_of_cells(start_gateway, again) -> None:
    gateway = start_gateway()
    agent = gateway.agent()
    sessions = [agent.start_session(name=f"s{number}")["id"] for number in range(20)]
    sockets = [agent.connect(session) for session in sessions]
    told: dict[str, tuple[str, int]] = {}
    try:
        for number, (session, socket) in enumerate(zip(sessions, sockets)):
            socket.call("attach")
            cell = socket.begin(f"open('/mnt/files/mine', 'w').write('{number}')\nprint('begun', flush=True)\nimport time\n"
                                "for i in range(100000):\n print(i, flush=True)\n time.sleep(0.01)")
            told[session] = (cell, 0)
        for session, socket in zip(sessions, sockets):
            cell = told[session][0]
            socket.wait_for(lambda event: event["method"] == "output" and event["cell_id"] == cell)
            told[session] = (cell, socket.last_seq)
        gateway.kill()
    finally:
        for socket in sockets:
            socket.close()
    agent = again(gateway).agent()
    assert sorted(each["id"] for each in agent.call("GET", "/sessions", 200).json()["items"]) == sorted(sessions)
    for number, session in enumerate(sessions):
        cell, last = told[session]
        lost = agent.call("GET", f"/sessions/{session}/cells/{cell}", 200).json()
        assert (lost["status"], lost["reason"]) == ("lost", "gateway_ended")
        with agent.connect(session) as socket:
            socket.call("attach", after_seq=last)
            assert socket.finished(cell)["status"] == "lost"
            assert socket.events[0]["method"] == "gap" and all(event["seq"] > last for event in socket.events)
        answer = agent.execute(session, "print(open('/mnt/files/mine').read())")
        assert answer["stdout"] == f"{number}\n" and answer["kernel_restarted"] and answer["seq_first"] > last


def test_a_database_that_cannot_be_used_is_told_at_the_start(start_gateway) -> None:
    gateway = start_gateway()
    gateway.agent().start_session()
    gateway.terminate()
    path = gateway.directory / "data" / "cellgate.db"
    with sqlite3.connect(path) as database:
        database.execute("PRAGMA user_version = 1000")
    database.close()
    with pytest.raises(AssertionError, match="changed by a newer Cellgate"):
        gateway.restart()
    path.write_bytes(os.urandom(8192))
    with pytest.raises(AssertionError, match="file is not a database; put a copy of it back"):
        gateway.restart()


def test_a_session_whose_kernelspec_is_gone_says_so_and_keeps_its_files(start_gateway, again, tmp_path) -> None:
    spec = tmp_path / "own" / "kernel.json"
    spec.parent.mkdir()
    spec.write_text('{"argv": ["/bin/false", "{connection_file}"], "display_name": "Own", "language": "none"}')
    gateway = start_gateway(kernels__kernelspec_dirs=[tmp_path])
    session = gateway.agent().start_session(kernel_name="own")["id"]
    gateway.terminate()
    spec.unlink()
    agent = again(gateway).agent()
    assert agent.session(session)["kernel"]["name"] == "own"
    refused = agent.execute(session, "1")
    assert (refused["status"], refused["reason"]) == ("cancelled", "start_failed")
    assert "own" in refused["error"]["evalue"]
    with pytest.raises(CallFailed), agent.connect(session) as socket:
        socket.call("execute", code="1")


def test_another_size_is_another_kernel_with_the_same_files(start_gateway, again) -> None:
    gateway = start_gateway()
    agent = gateway.agent()
    session = agent.start_session(name="s", sandbox={"sandbox_size": "medium"})["id"]
    agent.execute(session, "x = 1\nopen('/mnt/files/kept.txt', 'w').write('kept')")
    with agent.connect(session) as socket:
        socket.call("attach")
        running = socket.begin(SLOW)
        socket.wait_for(lambda event: event["method"] == "output" and event["cell_id"] == running)
        waiting = socket.begin("2")
        changed = agent.call("PATCH", f"/sessions/{session}", 200, json={"sandbox": {"sandbox_size": "xlarge"}}).json()
        assert changed["sandbox"] == {"enable": True, "sandbox_size": "xlarge", "cpus": 8, "memory_bytes": 8 << 30,
                                      "disk_bytes": 40 << 30, "files_bytes": 40 << 30}
        assert changed["restarts"] == 1
        ended = socket.finished(running)
        assert (ended["status"], ended["reason"], ended["kernel_restarted"]) == ("lost", "restarted", True)
        ended = socket.finished(waiting)
        assert (ended["status"], ended["reason"]) == ("cancelled", "restarted")
    answer = agent.execute(session, "print(open('/mnt/files/kept.txt').read(), 'x' in globals())")
    assert answer["stdout"] == "kept False\n" and answer["kernel_restarted"]
    agent.call("PATCH", f"/sessions/{session}", 200, json={"name": "t", "cell_timeout_s": 5, "lifetime_s": 500})
    gateway.kill()
    agent = again(gateway).agent()
    after = agent.session("t")
    assert (after["id"], after["sandbox"]["sandbox_size"], after["cell_timeout_s"], after["lifetime_s"]) == (session, "xlarge", 5, 500)


def test_a_session_without_a_sandbox_runs_nothing_until_it_has_one(start_gateway, again) -> None:
    gateway = start_gateway()
    agent = gateway.agent()
    session = agent.start_session(sandbox={"enable": False})["id"]
    for path, body in (("execute", {"code": "1"}), ("restart", {})):
        error = agent.call("POST", f"/sessions/{session}/{path}", 409, json=body).json()["error"]
        assert error["code"] == "conflict" and "sandbox.enable is false" in error["message"]
    with pytest.raises(Exception, match="409"):
        gateway.jupyter().start_kernel(f"attach-{session}")
    gateway.terminate()
    gateway = again(gateway)
    agent = gateway.agent()
    assert agent.session(session)["sandbox"]["enable"] is False
    agent.call("POST", f"/sessions/{session}/execute", 409, json={"code": "1"})
    agent.call("PATCH", f"/sessions/{session}", 200, json={"sandbox": {"enable": True}})
    assert agent.execute(session, "6 * 7")["result"]["text/plain"] == "42"
    agent.call("PATCH", f"/sessions/{session}", 200, json={"sandbox": {"enable": False}})
    agent.call("POST", f"/sessions/{session}/execute", 409, json={"code": "1"})
    agent.call("PATCH", f"/sessions/{session}", 200, json={"sandbox": {"enable": True}})
    answer = agent.execute(session, "6 * 7")
    assert answer["result"]["text/plain"] == "42" and answer["kernel_restarted"]


def test_settings_of_a_patch_count_for_the_next_cell(start_gateway) -> None:
    agent = start_gateway().agent()
    session = agent.start_session(name="s")["id"]
    agent.start_session(name="taken")
    assert agent.call("PATCH", f"/sessions/{session}", 409, json={"name": "taken"}).json()["error"]["code"] == "name_taken"
    agent.execute(session, "result = {'api_key': 1}")
    assert agent.execute(session, "result['apiKey']")["status"] == "ok"
    agent.call("PATCH", f"/sessions/{session}", 200, json={"error_correction": False, "cell_timeout_s": 0.5})
    assert agent.execute(session, "result['apiKey']")["status"] == "error"
    assert agent.execute(session, "import time\ntime.sleep(60)")["status"] == "timeout"


def test_a_tool_router_session_is_the_same_to_who_uses_it(start_gateway, again) -> None:
    gateway = start_gateway()

    def call(method: str, path: str, **arguments):
        answer = requests.request(method, f"{gateway.url}/api/v3.1/tool_router/session{path}", timeout=60,
                                  headers={"x-api-key": gateway.token}, **arguments)
        assert answer.status_code in (200, 201), answer.text
        return answer.json()

    made = call("POST", "", json={"user_id": "ada", "workbench": {"sandbox_size": "large"}})
    session = made["session_id"]
    changed = call("PATCH", f"/{session}", json={"search": {"enable": False}})
    before = call("GET", f"/{session}/config_history")
    gateway.kill()
    gateway = again(gateway)
    after = call("GET", f"/{session}")
    for key in ("config", "config_version", "tool_router_tools"):
        assert after[key] == changed[key], key
    assert after["config"]["workbench"]["sandbox_size"] == "large" and after["config_version"] == 2
    assert call("GET", f"/{session}/config_history") == before
    ran = call("POST", f"/{session}/execute", json={"tool_slug": "COMPOSIO_REMOTE_WORKBENCH",
                                                    "arguments": {"code_to_execute": "print(6 * 7)"}})
    assert "42" in str(ran["data"])
    call("DELETE", f"/{session}")


def test_files_of_sessions_that_the_database_lost_are_left_alone(start_gateway, again) -> None:
    gateway = start_gateway()
    agent = gateway.agent()
    kept, ended = (agent.start_session()["id"] for _ in range(2))
    agent.execute(kept, "open('/mnt/files/precious', 'w').write('x')")
    agent.call("DELETE", f"/sessions/{ended}", 200)
    gateway.terminate()
    data = gateway.directory / "data"
    for each in data.glob("cellgate.db-*"):
        each.unlink()
    (data / "cellgate.db").write_bytes(b"")
    after = again(gateway)
    assert len(list(data.glob("sessions/*"))) == len(after.placed("files/precious")) == 1
    assert any("left alone" in line for line in after.log)


def test_a_session_whose_directory_was_away_has_its_files_again(start_gateway, again) -> None:
    gateway = start_gateway()
    agent = gateway.agent()
    session = agent.start_session()["id"]
    agent.execute(session, "open('/mnt/files/precious', 'w').write('x')")
    gateway.terminate()
    directory = gateway.directory / "data" / "sessions"
    directory.rename(directory.with_name("away"))
    without = again(gateway)
    assert without.agent().call("GET", f"/sessions/{session}/files", 200).json()["items"] == []
    without.terminate()
    directory.rename(directory.with_name("empty"))
    directory.with_name("away").rename(directory)
    assert again(without).agent().execute(session, "print(open('/mnt/files/precious').read())")["stdout"] == "x\n"


def test_a_client_that_stayed_has_a_kernel_once_the_sandbox_is_on_again(start_gateway) -> None:
    gateway = start_gateway()
    agent = gateway.agent()
    session = agent.start_session()["id"]
    agent.execute(session, "1")
    jupyter = gateway.jupyter()
    with jupyter.connect(jupyter.start_kernel(f"attach-{session}")) as channels:
        channels.run("1")
        agent.call("PATCH", f"/sessions/{session}", 200, json={"sandbox": {"enable": False}})
        assert "sandbox.enable is false" in channels.run("2").reply["content"]["evalue"]
        agent.call("PATCH", f"/sessions/{session}", 200, json={"sandbox": {"enable": True}})
        assert channels.run("print(3)").text() == "3\n"


def test_a_sandbox_object_does_not_grow_by_changes(start_gateway) -> None:
    agent = start_gateway().agent()
    session = agent.start_session()["id"]
    agent.call("PATCH", f"/sessions/{session}", 200, json={"sandbox": {"one": "x" * 40_000}})
    refused = agent.call("PATCH", f"/sessions/{session}", 413, json={"sandbox": {"two": "x" * 40_000}}).json()["error"]
    assert "at most 65536" in refused["message"]
    assert "two" not in agent.session(session)["sandbox"]


def test_a_key_is_good_for_a_code_of_any_length(start_gateway, again) -> None:
    gateway = start_gateway()
    agent = gateway.agent()
    session = agent.start_session()["id"]
    code = "open('/mnt/files/runs', 'a').write('x')  # " + "x" * 400_000
    first = agent.execute(session, code, idempotency_key="once")
    gateway.terminate()
    agent = again(gateway).agent()
    assert agent.execute(session, code, idempotency_key="once")["cell_id"] == first["cell_id"]
    assert agent.execute(session, "print(open('/mnt/files/runs').read())")["stdout"] == "x\n"


def test_a_delete_that_the_database_refuses_is_no_success(start_gateway) -> None:
    gateway = start_gateway()
    agent = gateway.agent()
    session = agent.start_session()["id"]
    with sqlite3.connect(gateway.directory / "data" / "cellgate.db", isolation_level=None) as database:
        database.execute("BEGIN IMMEDIATE")
        refused = agent.call("DELETE", f"/sessions/{session}", 500).json()["error"]
        database.execute("ROLLBACK")
    assert refused["code"] == "io_error" and "has ended" in refused["message"]
    assert agent.call("GET", f"/sessions/{session}").status_code == 404
