"""The PyPI package composio against the tool router's routes."""

from collections.abc import Callable, Iterator

import composio
import composio_client
import pytest

from support.gateway import Gateway
from support.toolkits import everything

WORKBENCH = "COMPOSIO_REMOTE_WORKBENCH"


@pytest.fixture(scope="module")
def own_gateway(start_module_gateway: Callable[..., Gateway]) -> Gateway:
    return start_module_gateway(config=everything())


@pytest.fixture(scope="module")
def client(own_gateway: Gateway) -> composio.Composio:
    return connect(own_gateway)


def connect(gateway: Gateway, **more: object) -> composio.Composio:
    return composio.Composio(api_key=gateway.token, base_url=gateway.url, allow_tracking=False, **more)


@pytest.fixture(scope="module")
def session(client: composio.Composio) -> Iterator[object]:
    made = client.create(user_id="user_123", sandbox={"enable": True, "sandbox_size": "large"})
    yield made
    made.delete()


def run(session, code: str):
    return session.execute(WORKBENCH, arguments={"code_to_execute": code})


def test_a_session_is_made_as_it_was_asked_for(session) -> None:
    assert session.session_id.startswith("ses_")
    assert session.config.workbench.sandbox_size == "large"
    assert session.config_version == 1


def test_mcp_has_the_gateways_own_origin(client: composio.Composio, own_gateway: Gateway) -> None:
    made = client.create(user_id="user_123", mcp=True)
    assert made.mcp.url == f"{own_gateway.url}/tool_router/{made.session_id}/mcp"
    assert made.mcp.headers["x-api-key"] == own_gateway.token
    made.delete()


def test_tools_are_listed_for_a_model(session) -> None:
    names = [tool["function"]["name"] for tool in session.tools()]
    assert WORKBENCH in names and "COMPOSIO_SEARCH_TOOLS" in names


def test_variables_stay_also_for_who_uses_the_session_anew(client: composio.Composio, session) -> None:
    assert run(session, "x = 20").error is None
    answer = run(client.use(session.session_id), "print('text')\nx + 1")
    assert answer.data["results"] == "21" and answer.data["stdout"] == "text\n"
    assert answer.result_type == "completed"


def test_what_code_raised_is_told(session) -> None:
    answer = run(session, "raise ValueError('no')")
    assert answer.error == "ValueError: no" and answer.result_type == "failed"
    assert "Traceback" in answer.data["stderr"]


def test_a_call_without_its_arguments_is_refused(session) -> None:
    with pytest.raises(composio_client.BadRequestError, match="code_to_execute"):
        session.execute(WORKBENCH, arguments={})


def test_tools_are_found_and_called(session) -> None:
    found = session.search(query="add two numbers")
    assert "EVERYTHING_GET_SUM" in found.results[0].primary_tool_slugs
    assert session.toolkits().items[0].slug == "everything"
    assert "5" in str(session.execute("EVERYTHING_GET_SUM", arguments={"a": 2, "b": 3}).data)


def test_a_cell_outlives_the_clients_patience_and_runs_once(own_gateway: Gateway, session) -> None:
    run(session, "count = 0")
    impatient = connect(own_gateway, timeout=7).use(session.session_id)
    # Longer than the client waits for one piece: the gateway's spaces keep it there.
    answer = run(impatient, "import time\ncount += 1\ntime.sleep(9)\ncount")
    assert answer.data["results"] == "1"
    assert run(session, "count").data["results"] == "1"


def test_a_change_makes_another_version(session) -> None:
    session.update(sandbox={"sandbox_size": "medium"})
    assert session.config_version == 2 and session.config.workbench.sandbox_size == "medium"
    assert "NameError" in run(session, "x").error
    history = session.list_config_history(limit=10)
    assert [entry.version for entry in history.items] == [2, 1]


def test_a_session_that_is_off_runs_nothing(client: composio.Composio) -> None:
    made = client.create(user_id="user_123", sandbox={"enable": False})
    assert WORKBENCH not in [tool["function"]["name"] for tool in made.tools()]
    with pytest.raises(composio_client.BadRequestError, match="workbench.enable"):
        run(made, "1")
    assert made.delete() == {"session_id": made.session_id, "deleted": True}
    with pytest.raises(composio_client.NotFoundError):
        made.delete()
