"""A sandbox that the user runs: the helpers that the gateway gives for it, in a Python of the user's own."""

import json
import subprocess
import sys
from collections.abc import Iterator

import pytest
import requests

from support.api_service import ApiService
from support.gateway import Gateway
from support.services import Services
from support.toolkits import everything


@pytest.fixture
def services() -> Iterator[Services]:
    made = Services()
    yield made
    made.close()


@pytest.fixture
def served(start_gateway, services: Services) -> Gateway:
    return start_gateway(config=everything(), **services.settings())


def local_sandbox(gateway: Gateway) -> dict:
    agent = gateway.agent()
    session = agent.start_session(sandbox={"enable": False})["id"]
    return agent.call("POST", f"/sessions/{session}/local_sandbox", 200).json()


def run(code: str, given: dict, **environment: str) -> object:
    """What a program with the helpers prints as JSON; it has nothing but its environment."""
    done = subprocess.run([sys.executable, "-I", "-"], input=f"{given['helper_source']}\nprint(json.dumps({code}))",
                          env={**given["env"], "no_proxy": "*", **environment}, capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def test_a_tool_the_model_and_the_web_answer(served: Gateway) -> None:
    given = local_sandbox(served)
    (result, error), text, found = run(
        "[run_composio_tool('everything_get_sum', {'a': 2, 'b': 40}), invoke_llm('bees'), web_search('the eclipse')]", given)
    assert error == "" and "42" in json.dumps(result["data"]) and result["log_id"].startswith("log_")
    assert text == ["echo: bees", ""] and found == ["about the eclipse", ""]


def test_what_fails_says_so(served: Gateway) -> None:
    given = local_sandbox(served)
    unknown, wrong = run("[run_composio_tool('EVERYTHING_NONE', {}), run_composio_tool('EVERYTHING_GET_SUM', {})]", given)
    assert "EVERYTHING_NONE" in unknown[1] and wrong[1] != ""


def test_a_service_is_called_as_in_a_cell(start_gateway) -> None:
    gateway = start_gateway(accounts__allow_networks=["127.0.0.1"], accounts__plain_http=True)
    service = ApiService()
    try:
        for alias in ("work", "home"):
            gateway.agent().call("POST", "/accounts", 201, json={
                "toolkit": "github", "base_url": service.url(), "auth_scheme": "bearer", "secret": "the-secret-of-the-tests", "alias": alias})
        given = local_sandbox(gateway)
        calls = """[repr(each) for each in [
            proxy_execute("GET", "/picture", "github", account="work"), proxy_execute("GET", "/user", "github"),
            proxy_execute("GET", "/user", "github", {"a": None, "b": [True, 1.5]}, account="home"),
            proxy_execute("POST", "/user", "github", body=memoryview(b"x"), account="home"),
            proxy_execute("GET", "/missing", "github", account="home")[1]]]"""
        outside = run(calls, given)
        cell = gateway.agent().execute(gateway.agent().start_session()["id"], f"import json\nprint(json.dumps({calls}))")
        assert outside == json.loads(cell["stdout"]), cell
        assert outside[0] == repr((b"\x89PNG\r\n\x1a\n\x00", "")) and "several" in outside[1]
        assert service.requests[1]["query"] == {"b": ["true", "1.5"]}
    finally:
        service.close()


def test_a_key_of_the_gateways_will_do_as_published_helpers_send_it(served: Gateway) -> None:
    given = local_sandbox(served)
    env = {name: value for name, value in given["env"].items() if name != "COMPOSIO_WORKBENCH_ACCESS_KEY"}
    result, error = run("run_composio_tool('EVERYTHING_ECHO', {'message': 'hi'})", {**given, "env": env},
                        COMPOSIO_API_KEY=served.token)
    assert error == "" and "hi" in json.dumps(result)


def test_the_sessions_key_is_good_for_it_alone_and_ends_with_it(served: Gateway) -> None:
    given, other = local_sandbox(served), local_sandbox(served)
    session, key = given["env"]["COMPOSIO_TOOLROUTER_SESSION_ID"], given["env"]["COMPOSIO_WORKBENCH_ACCESS_KEY"]

    def status(method: str, path: str, **body: object) -> int:
        return requests.request(method, served.url + path, headers={"x-session-access-key": key}, json=body or None, timeout=60).status_code

    call = {"tool_slug": "EVERYTHING_ECHO", "arguments": {"message": "hi"}}
    router = "/api/v3/tool_router/session/"
    assert status("POST", f"{router}{session}/execute", **call) == 200
    assert status("GET", f"{router}{session}") == 200
    assert status("POST", f"{router}{other['env']['COMPOSIO_TOOLROUTER_SESSION_ID']}/execute", **call) == 403
    assert status("GET", "/api/v1/sessions") == 403
    assert status("POST", "/api/v1/sessions") == 403
    assert status("POST", f"/api/v1/sessions/{session}/local_sandbox") == 403
    assert status("DELETE", f"{router}{session}") == 403
    assert status("GET", "/api/kernels") == 403
    served.agent().end_session(session)
    assert status("POST", f"{router}{session}/execute", **call) == 401


def test_it_is_refused_while_the_sessions_own_sandbox_is_on(served: Gateway) -> None:
    agent = served.agent()
    refused = agent.call("POST", f"/sessions/{agent.start_session()['id']}/local_sandbox", 409).json()["error"]
    assert refused["code"] == "conflict" and '"enable": false' in refused["message"]
