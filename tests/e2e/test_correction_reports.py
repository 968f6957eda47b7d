"""What a kernel says of error correction, as agents and people see it: events, the cell, the notebook, the modes."""

import json
from datetime import datetime

import nbformat
import pytest

from support.agent import Agent
from support.gateway import Gateway
from support.jupyter import Channels
from support.waiting import eventually

FIELD = {"line": 3, "column": 6, "written": 'r["apiKey"]', "used": 'r["api_key"]', "kind": "field_name"}

# In a cell: what the kernel's own part does, without it. `report` answers (status, body).
REPORT = """
import json
from cellgate_kernel import gateway, settings

def report(**fields):
    body = {"parent": get_ipython().parent_header["header"]["msg_id"], **fields}
    return gateway.post(settings.current(), "/v1/corrections", json.dumps(body).encode())
"""
# The part of the request's metadata that is for the kernel's package.
ASKED = "get_ipython().parent_header['metadata'].get('cellgate')"


MISTAKE = 'r = {"api_key": 7}\nr["apiKey"]'
CORRECTED = {"line": 2, "column": 0, "written": 'r["apiKey"]', "used": 'r["api_key"]', "kind": "field_name"}
LINE = 'cellgate: line 2: r["apiKey"] read as r["api_key"]\n'
HINT = 'did you mean r["api_key"]?'
KERNELS = ["cellgate", "ipykernel"]
# In a cell: when this kernel's process began, in seconds since 1970.
BEGAN = """
import os, time
with open("/proc/self/stat") as stat, open("/proc/uptime") as uptime:
    ticks = int(stat.read().rsplit(")", 1)[1].split()[19])
    print(time.time() - float(uptime.read().split()[0]) + ticks / os.sysconf("SC_CLK_TCK"))
"""


def reported(agent: Agent, session: str, code: str, **body: object) -> dict:
    agent.execute(session, REPORT, store_history=False)
    return agent.execute(session, code, **body)


def session_of(agent: Agent, kernel: str) -> str:
    return next(one["id"] for one in agent.call("GET", "/sessions", 200).json()["items"] if one["kernel"]["id"] == kernel)


def call(**fields: object) -> str:
    return f"report(**{fields!r})"


def value(cell: dict) -> object:
    assert cell["status"] == "ok", cell
    return json.loads(cell["stdout"])


@pytest.mark.parametrize("kernel", KERNELS)
def test_a_correction_is_in_the_log_before_its_cell_goes_on(gateway: Gateway, kernel: str) -> None:
    agent = gateway.agent()
    session = agent.start_session(kernel_name=kernel)["id"]
    agent.execute(session, REPORT)
    with agent.connect(session) as socket:
        socket.call("attach")
        finished = socket.run(f"print({call(**FIELD)})")
        cell = finished["cell_id"]
        assert finished["corrections"] == [FIELD] and socket.text(cell) == "(200, {})\n"
        told = [event for event in socket.events if event.get("cell_id") == cell]
        assert [event["method"] for event in told] == ["cell_queued", "cell_started", "correction", "output", "cell_finished"]
        assert {name: told[2][name] for name in FIELD} == FIELD
        assert told[1]["seq"] < told[2]["seq"] < told[3]["seq"]
    assert agent.call("GET", f"/sessions/{session}/cells/{cell}", 200).json()["corrections"] == [FIELD]
    assert [one["corrections"] for one in agent.cells(session)] == [[], [FIELD]]
    with agent.connect(session) as late:  # a client that was not there
        late.call("attach", after_seq=told[1]["seq"])
        late.finished(cell)
        assert [event for event in late.events if event["method"] == "correction"] == [told[2]]


def test_the_notebook_has_the_corrections(gateway: Gateway) -> None:
    agent = gateway.agent()
    session = agent.start_session()["id"]
    reported(agent, session, call(**FIELD))
    notebook = agent.notebook(session)
    nbformat.validate(notebook)
    assert notebook["cells"][-1]["metadata"]["cellgate"]["corrections"] == [FIELD]


def test_a_persons_cell_has_them_too_and_the_person_is_told_nothing(gateway: Gateway) -> None:
    jupyter, agent = gateway.jupyter(), gateway.agent()
    kernel = jupyter.start_kernel()
    session = session_of(agent, kernel)
    with agent.connect(session) as socket, jupyter.connect(kernel) as channels:
        socket.call("attach")
        channels.run(REPORT)
        cell = channels.run(f"print({call(**FIELD)})")
        assert cell.text() == "(200, {})\n"
        assert {message["header"]["msg_type"] for message in cell.messages} == {
            "status", "execute_input", "stream", "execute_reply"}
        told = socket.wait_for(lambda event: event["method"] == "correction")
        kept = agent.cells(session)[-1]
        assert kept["cell_id"] == told["cell_id"] and kept["origin"] == "jupyter" and kept["corrections"] == [FIELD]


def test_only_cells_of_the_own_session_take_corrections(gateway: Gateway) -> None:
    agent = gateway.agent()
    other = agent.start_session()["id"]
    parent = value(agent.execute(other, "import json; print(json.dumps(get_ipython().parent_header['header']['msg_id']))"))
    session = agent.start_session()["id"]
    status, answer = value(reported(agent, session, f"print(json.dumps({call(**FIELD, parent=parent)}))"))
    assert status == 404 and answer["error"]["code"] == "cell_not_found" and parent in answer["error"]["message"]
    assert [cell["corrections"] for cell in agent.cells(other)] == [[]]


def test_a_wrong_report_is_refused_with_what_to_change(gateway: Gateway) -> None:
    agent = gateway.agent()
    session = agent.start_session()["id"]
    for wrong, name in (({"line": 0}, "line"), ({"kind": "typo"}, "kind"), ({"lien": 1}, "lien"), ({"used": None}, "used")):
        cell = reported(agent, session, f"print(json.dumps({call(**{**FIELD, **wrong})}))")
        status, answer = value(cell)
        assert status == 400 and name in answer["error"]["message"], answer
        assert cell["corrections"] == []


def test_a_thousand_corrections_are_kept_of_a_cell(gateway: Gateway) -> None:
    agent = gateway.agent()
    session = agent.start_session()["id"]
    cell = reported(agent, session, f"answers = [{call(**FIELD)} for _ in range(1001)]\n"
                                    "print(json.dumps([sorted({status for status, _ in answers[:1000]}), answers[1000]]))")
    statuses, (status, answer) = value(cell)
    assert statuses == [200] and status == 429 and answer["error"]["code"] == "limit_reached"
    assert len(cell["corrections"]) == 1000
    assert value(reported(agent, session, f"print(json.dumps({call(**FIELD)}[0]))")) == 200, "the next cell counts anew"


@pytest.mark.parametrize(("of_session", "of_cell", "told"), [
    (None, None, True), (None, False, False), (None, "report", "report"), (False, None, False), (False, True, True), ("report", None, "report")])
def test_an_agents_cell_says_how_far_correction_goes(gateway: Gateway, of_session, of_cell, told) -> None:
    agent = gateway.agent()
    session = agent.start_session(**({} if of_session is None else {"error_correction": of_session}))
    assert session["error_correction"] == (True if of_session is None else of_session)
    params = {} if of_cell is None else {"error_correction": of_cell}
    assert agent.execute(session["id"], ASKED, **params)["result"]["text/plain"] == repr({"error_correction": told, "install": True})
    with agent.connect(session["id"]) as socket:
        cell = socket.run(f"print({ASKED}['error_correction'])", **params)["cell_id"]
        assert socket.text(cell) == f"{told}\n"


@pytest.mark.parametrize("wrong", [1, "true", "maybe", []])
def test_any_other_mode_is_refused(gateway: Gateway, wrong: object) -> None:
    agent = gateway.agent()
    session = agent.start_session()["id"]
    for path, body in (("/sessions", {}), (f"/sessions/{session}/execute", {"code": "1"})):
        error = agent.call("POST", path, 400, json={**body, "error_correction": wrong}).json()["error"]
        assert error["code"] == "invalid_request" and error["message"] == 'error_correction must be true, false or "report"'


def test_the_configuration_says_what_counts_otherwise(start_gateway) -> None:
    gateway = start_gateway(sessions__error_correction="off", sessions__jupyter_error_correction="on")
    agent, jupyter = gateway.agent(), gateway.jupyter()
    plain = agent.start_session()
    assert (plain["error_correction"], plain["jupyter_error_correction"]) == (False, True)
    assert agent.execute(plain["id"], ASKED + "['error_correction']")["result"]["text/plain"] == "False"
    less = agent.start_session(error_correction="report")
    assert (less["error_correction"], less["jupyter_error_correction"]) == ("report", "report")
    kernel = jupyter.start_kernel()
    with jupyter.connect(kernel) as channels:
        assert channels.run(f"print({ASKED})").text() == "None\n"  # a Jupyter client's request is passed on as it came


def effect_of(cell: dict) -> str:
    """What became of MISTAKE in an agent's cell."""
    if cell["status"] == "ok":
        assert (cell["result"]["text/plain"], cell["corrections"], cell["stderr"]) == ("7", [CORRECTED], LINE)
        return "corrected"
    assert cell["error"]["ename"] == "KeyError" and cell["corrections"] == []
    return "noted" if HINT in "\n".join(cell["error"]["traceback"]) else "failed"


def effect_for_a_person(channels: Channels) -> str:
    cell = channels.run(MISTAKE)
    if cell.status == "ok":
        assert (cell.result, cell.text("stderr")) == ("7", LINE)
        return "corrected"
    assert cell.error == "KeyError"
    return "noted" if HINT in "\n".join(cell.of("error")[0]["traceback"]) else "failed"


@pytest.mark.parametrize("kernel", KERNELS)
def test_an_agents_mistake_is_corrected_and_told(gateway: Gateway, kernel: str) -> None:
    agent = gateway.agent()
    session = agent.start_session(kernel_name=kernel)["id"]
    with agent.connect(session) as socket:
        finished = socket.run(MISTAKE)
        told = [event for event in socket.events if event.get("cell_id") == finished["cell_id"]]
    methods = [event["method"] for event in told]
    assert methods.index("cell_started") < methods.index("correction") < methods.index("cell_finished")
    event = told[methods.index("correction")]
    assert {name: event[name] for name in CORRECTED} == CORRECTED and finished["corrections"] == [CORRECTED]
    assert effect_of(agent.cells(session)[0]) == "corrected"


@pytest.mark.parametrize("kernel", KERNELS)
@pytest.mark.parametrize(("of_session", "of_cell", "effect"), [
    (None, None, "corrected"), (None, "report", "noted"), (None, False, "failed"),
    ("report", None, "noted"), ("report", True, "corrected"), (False, None, "failed"), (False, "report", "noted")])
def test_the_mode_is_the_cells_or_else_the_sessions(gateway: Gateway, kernel: str, of_session, of_cell, effect: str) -> None:
    agent = gateway.agent()
    session = agent.start_session(kernel_name=kernel, **({} if of_session is None else {"error_correction": of_session}))
    assert effect_of(agent.execute(session["id"], MISTAKE, **({} if of_cell is None else {"error_correction": of_cell}))) == effect


@pytest.mark.parametrize("kernel", KERNELS)
def test_a_persons_mistake_gets_a_note_only(gateway: Gateway, kernel: str) -> None:
    jupyter, agent = gateway.jupyter(), gateway.agent()
    started = jupyter.start_kernel(kernel)
    with jupyter.connect(started) as channels:
        assert effect_for_a_person(channels) == "noted"
        session = session_of(agent, started)
        assert agent.cells(session)[0]["corrections"] == []
        assert effect_of(agent.execute(session, MISTAKE)) == "corrected", "an agent in the same session"
        assert effect_for_a_person(channels) == "noted"


@pytest.mark.parametrize("kernel", KERNELS)
def test_a_session_without_correction_has_none_for_people_either(gateway: Gateway, kernel: str) -> None:
    jupyter, agent = gateway.jupyter(), gateway.agent()
    session = agent.start_session(kernel_name=kernel, error_correction=False)
    assert session["jupyter_error_correction"] is False
    with jupyter.connect(jupyter.start_kernel(f"attach-{session['id']}")) as channels:
        assert effect_for_a_person(channels) == "failed"


def test_people_are_corrected_where_the_configuration_says_so(start_gateway) -> None:
    gateway = start_gateway(sessions__jupyter_error_correction="on")
    jupyter, agent = gateway.jupyter(), gateway.agent()
    kernel = jupyter.start_kernel()
    with jupyter.connect(kernel) as channels:
        assert effect_for_a_person(channels) == "corrected"
    assert agent.cells(session_of(agent, kernel))[0]["corrections"] == [CORRECTED]


@pytest.mark.parametrize("kernel", KERNELS)
def test_a_kernel_of_the_pool_has_its_sessions_mode_also_after_a_restart(start_gateway, kernel: str) -> None:
    """It was told the defaults before anybody knew its session."""
    gateway = start_gateway(kernels__pool={kernel: 1})
    jupyter, agent = gateway.jupyter(), gateway.agent()

    def take() -> str:
        session = agent.start_session(kernel_name=kernel, error_correction=False)
        began = float(agent.execute(session["id"], BEGAN)["stdout"])
        return session["id"] if began < datetime.fromisoformat(session["created_at"]).timestamp() else ""

    session = eventually(take, 60, "a kernel of the pool is taken")
    with jupyter.connect(jupyter.start_kernel(f"attach-{session}")) as channels:
        assert effect_for_a_person(channels) == "failed"
        assert effect_of(agent.execute(session, MISTAKE, error_correction=True)) == "corrected"
        agent.call("POST", f"/sessions/{session}/restart", 200)
        assert agent.execute(session, "1")["status"] == "ok"
        assert effect_for_a_person(channels) == "failed"
        assert effect_of(agent.execute(session, MISTAKE)) == "failed"
