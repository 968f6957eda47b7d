"""Keys, users, origins. Numbers in names are the rows of docs/jupyter-rows.md."""

import re

import pytest
import requests

from support.gateway import Gateway
from support.waiting import eventually

TOKEN_PROTOCOL = "v1.token.websocket.jupyter.org"


def token_protocols(key: str) -> list[str]:
    """What a client offers that sends its key as JEP 121 says."""
    return [TOKEN_PROTOCOL, f"{TOKEN_PROTOCOL}.{key}"]


def add_key(gateway: Gateway, user: str, scope: str) -> str:
    """A new key, once the running gateway knows it."""
    key = gateway.command("keys", "add", f"{user}-{scope}", "--user", user, "--scope", scope).strip()
    eventually(lambda: gateway.jupyter(key).call("GET", "/api/kernels").status_code == 200, 10, "the key is known")
    return key


@pytest.mark.parametrize("base", ["/", "/lab/base"])
def test_the_printed_url_is_a_page_that_says_where_things_are(start_gateway, base: str) -> None:
    gateway = start_gateway(server__base_url=base)
    page = requests.get(gateway.url, timeout=60)  # redirected to the slash, as a browser is
    assert page.status_code == 200 and page.headers["Content-Type"] == "text/html; charset=utf-8"
    assert "--gateway-url" in page.text and gateway.token not in page.text
    links = re.findall(r'href="([^"]*)"', page.text)
    assert links == ["api/v1/openapi.json", "api"]
    for link in links:
        assert requests.get(page.url + link, timeout=60).json().keys() & {"openapi", "version"}
    assert requests.post(page.url, timeout=60).status_code == 405
    assert gateway.jupyter().get("/api/kernelspecs")["kernelspecs"]


def test_row_46_a_user_sees_no_other_users_kernels(start_gateway) -> None:
    gateway = start_gateway()
    ana, ben = (gateway.jupyter(add_key(gateway, user, "session")) for user in ("ana", "ben"))
    kernel = ana.start_kernel()
    assert [model["id"] for model in ana.kernels()] == [kernel]
    assert ben.kernels() == []
    for method, path in (("GET", ""), ("DELETE", ""), ("POST", "/interrupt"), ("POST", "/restart")):
        assert ben.call(method, f"/api/kernels/{kernel}{path}").status_code == 404
    with pytest.raises(Exception, match="404"):
        ben.connect(kernel)
    assert ana.state(kernel) != "dead"


def test_row_46_a_lab_that_quits_only_detaches_from_a_shared_session(gateway: Gateway) -> None:
    jupyter, agent = gateway.jupyter(), gateway.agent()
    session = agent.start_session(name="shared")["id"]
    agent.execute(session, "x = 41")
    specs = jupyter.get("/api/kernelspecs")
    attach = specs["kernelspecs"][f"attach-{session}"]
    assert attach["spec"]["display_name"] == "Attach: shared" and specs["default"] != attach["name"]
    alias = jupyter.start_kernel(f"attach-{session}")
    with jupyter.connect(alias) as channels:
        assert channels.run("x + 1").result == "42"
    assert alias in [model["id"] for model in jupyter.kernels()]
    jupyter.delete(alias)
    assert jupyter.call("GET", f"/api/kernels/{alias}").status_code == 404
    assert agent.execute(session, "x + 1")["result"]["text/plain"] == "42"
    assert [cell["origin"] for cell in agent.cells(session)] == ["agent", "jupyter", "agent"]


def test_row_46_the_kernel_of_an_agents_session_is_not_deleted_by_its_id(gateway: Gateway) -> None:
    jupyter, agent = gateway.jupyter(), gateway.agent()
    session = agent.start_session()
    agent.execute(session["id"], "1")
    kernel = agent.session(session["id"])["kernel"]["id"]
    assert kernel not in [model["id"] for model in jupyter.kernels()]
    assert jupyter.call("DELETE", f"/api/kernels/{kernel}").status_code == 403
    with jupyter.connect(kernel) as channels:
        assert channels.run("1 + 1").result == "2"


def test_row_50_a_key_is_taken_from_headers_query_and_subprotocol(gateway: Gateway) -> None:
    jupyter, anonymous = gateway.jupyter(), gateway.jupyter("")
    key = gateway.token
    for headers in ({"Authorization": f"token {key}"}, {"Authorization": f"Bearer {key}"}, {"x-api-key": key}):
        assert anonymous.call("GET", "/api/kernels", headers=headers).status_code == 200
    assert anonymous.call("GET", f"/api/kernels?token={key}").status_code == 200
    kernel = jupyter.start_kernel()
    with anonymous.connect(kernel, subprotocols=token_protocols(key)) as channels:
        assert channels.subprotocol == TOKEN_PROTOCOL
        assert channels.run("1 + 1").result == "2"
    for wrong in ({}, {"Authorization": "token wrong"}, {"Authorization": "token "}, {"x-api-key": key[:-1]}):
        refused = anonymous.call("GET", "/api/kernels", headers=wrong)
        assert refused.status_code == 401 and refused.json()["message"]
    with pytest.raises(Exception, match="401"):
        anonymous.connect(kernel)


def test_row_50_no_key_is_ever_logged(start_gateway) -> None:
    gateway = start_gateway(server__log_level="debug")
    anonymous = gateway.jupyter("")
    kernel = gateway.jupyter().start_kernel()
    anonymous.call("GET", f"/api/kernels?token={gateway.token}")
    anonymous.call("GET", f"/no/such/path?token={gateway.token}")
    anonymous.call("POST", f"/api/kernels?token={gateway.token}", data="{broken")
    with anonymous.connect(kernel, subprotocols=token_protocols(gateway.token)) as channels:
        channels.run("1")
    gateway.finish()  # checks that the log does not hold the key
    assert gateway.log, "at the level debug there is a log"


def test_a_revoked_key_is_refused_and_its_sockets_close(start_gateway) -> None:
    gateway = start_gateway()
    key = add_key(gateway, "ana", "session")
    ana = gateway.jupyter(key)
    with ana.connect(ana.start_kernel()) as channels:
        channels.run("1")
        listed = gateway.command("keys", "list")
        assert key not in listed, "keys are kept hashed"
        identifier = next(line.split()[0] for line in listed.splitlines() if "ana" in line)
        gateway.command("keys", "revoke", identifier)
        assert channels.wait_for_closed(10).code == 1008
    eventually(lambda: ana.call("GET", "/api/kernels").status_code == 401)


def test_an_execute_key_uses_sessions_but_makes_none(start_gateway) -> None:
    gateway = start_gateway()
    maker = gateway.agent(add_key(gateway, "ana", "session"))
    user = gateway.agent(add_key(gateway, "ana", "execute"))
    session = maker.start_session()["id"]
    assert user.execute(session, "6 * 7")["result"]["text/plain"] == "42"
    assert user.call("POST", "/sessions", json={}).status_code == 403
    assert user.call("DELETE", f"/sessions/{session}").status_code == 403


def test_a_page_of_a_foreign_origin_is_refused(gateway: Gateway) -> None:
    jupyter = gateway.jupyter("")
    for origin in ("https://evil.example", "null"):
        assert jupyter.call("GET", "/api/kernels", headers={"Origin": origin}).status_code in (401, 403, 404)
    kernel = gateway.jupyter().start_kernel()
    headers = [f"Authorization: token {gateway.token}"]
    with gateway.jupyter().connect(kernel, headers=headers) as channels:
        assert channels.run("1 + 1").result == "2"


def test_a_foreign_host_name_is_refused(gateway: Gateway) -> None:
    """DNS rebinding: a page of attacker.example that resolves to 127.0.0.1."""
    assert gateway.jupyter().call("GET", "/api/kernels", headers={"Host": "attacker.example"}).status_code in (403, 421)


def test_without_keys_everybody_on_this_machine_is_administrator(start_gateway) -> None:
    gateway = start_gateway(server__auth="none", server__token="")
    jupyter = gateway.jupyter("")
    with jupyter.connect(jupyter.start_kernel()) as channels:
        assert channels.run("1 + 1").result == "2"
