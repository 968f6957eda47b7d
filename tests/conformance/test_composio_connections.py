"""Both SDKs connect an account of a service by a link, and call the service with it. See docs/composio.md."""

import json
from collections.abc import Callable, Iterator
from urllib.parse import urlsplit

import composio
import composio_client
import httpx
import pytest

from conformance.node_tests import names_of, run_script
from support.api_service import ApiService
from support.gateway import Gateway

SECRET = "the-secret-of-the-account"
SCRIPT = "connections.test.mjs"
LINKS_LAST_S = 15

pytestmark = pytest.mark.xdist_group("composio_connections")


@pytest.fixture(scope="module")
def own_gateway(start_module_gateway: Callable[..., Gateway], service: ApiService) -> Gateway:
    schemes = {"github": "bearer", "jira": "basic"}
    config = "".join(f'[accounts.services.{name}]\nbase_url = "{service.url()}"\nauth_scheme = "{scheme}"\n' for name, scheme in schemes.items())
    return start_module_gateway(config=config, accounts__allow_networks=["127.0.0.1"], accounts__plain_http=True,
                                accounts__link_timeout_s=LINKS_LAST_S, server__log_level="debug")


@pytest.fixture(scope="module")
def results(own_gateway: Gateway) -> dict[str, str]:
    variables = {"GATEWAY_URL": own_gateway.url, "GATEWAY_KEY": own_gateway.token, "HOME": str(own_gateway.directory),
                 "USER_ID": "user_123", "SECRET": SECRET}
    return run_script(SCRIPT, variables, 120)


@pytest.fixture(scope="module")
def client(own_gateway: Gateway) -> composio.Composio:
    return composio.Composio(api_key=own_gateway.token, base_url=own_gateway.url, allow_tracking=False)


@pytest.fixture
def session(client: composio.Composio, request: pytest.FixtureRequest) -> Iterator[object]:
    """Of a user of the test's own."""
    made = client.create(user_id=f"user of {request.node.name}", manage_connections={"enable": True, "wait_for_connections": True})
    yield made
    made.delete()


def test_a_service_that_no_account_could_have_is_refused_at_the_start(start_module_gateway: Callable[..., Gateway]) -> None:
    with pytest.raises(AssertionError, match=r"accounts\.services\.github: base_url must begin with https://"):
        start_module_gateway(config='[accounts.services.github]\nbase_url = "http://api.example.com"\nauth_scheme = "bearer"\n')


def fill(url: str, **fields: str) -> httpx.Response:
    """As a browser sends the form."""
    parts = urlsplit(url)
    return httpx.post(url, data=fields, headers={"Origin": f"{parts.scheme}://{parts.netloc}", "Sec-Fetch-Site": "same-origin"})


@pytest.mark.parametrize("name", names_of(SCRIPT))
def test_the_typescript_sdk(results: dict[str, str], name: str) -> None:
    assert results[name] == ""


def test_an_account_is_connected_and_used(session, service: ApiService) -> None:
    request = session.authorize("github", alias="work")
    assert (request.status, httpx.get(request.redirect_url).status_code) == ("INITIATED", 200)
    assert fill(request.redirect_url, secret=SECRET).status_code == 200
    account = request.wait_for_connection(timeout=20)
    assert (account.id, account.status, account.toolkit.slug, account.alias) == (request.id, "ACTIVE", "github", "work")
    github = next(each for each in session.toolkits().items if each.slug == "github")
    assert github.connection.is_active and github.connection.connected_account.id == request.id
    assert github.connection.auth_config.mode == "BEARER_TOKEN"
    assert session.proxy_execute(toolkit="github", method="GET", endpoint="/user")["data"] == {"login": "ada"}
    sent = {name.lower(): value for name, value in service.requests[-1]["headers"].items()}
    assert sent["authorization"] == f"Bearer {SECRET}"


def test_an_agent_gives_its_user_the_link_and_waits(session) -> None:
    def ask(tool: str, **more: object) -> dict:
        answer = session.execute(f"COMPOSIO_{tool}", arguments={"toolkits": ["github"], **more})
        assert answer.error is None, answer
        return answer.data["results"]["github"]

    begun = ask("MANAGE_CONNECTIONS")
    assert begun["status"] == "initiated" and begun["redirect_url"] == ask("MANAGE_CONNECTIONS")["redirect_url"]
    assert ask("WAIT_FOR_CONNECTIONS", timeout_s=0)["status"] == "initiated"
    assert fill(begun["redirect_url"], secret=SECRET).status_code == 200
    assert ask("WAIT_FOR_CONNECTIONS")["status"] == "active"
    statuses = session.search(query="list my github issues").toolkit_connection_statuses
    assert [(each.toolkit, each.has_active_connection) for each in statuses] == [("github", True)]


def test_a_link_is_good_once_and_for_its_own_site(session) -> None:
    request = session.authorize("github")
    for headers in ({"Origin": "https://evil.example"}, {"Origin": "null"}, {"Sec-Fetch-Site": "cross-site"}):
        assert httpx.post(request.redirect_url, data={"secret": SECRET}, headers=headers).status_code in (403, 404)
    assert httpx.post(request.redirect_url, data={"secret": "x" * 1_000_000}).status_code == 413
    assert fill(request.redirect_url, secret=SECRET).status_code == 200
    assert fill(request.redirect_url, secret="another-secret").status_code == 404
    assert httpx.get(request.redirect_url).status_code == 404


def test_another_users_account_is_not_there(session, own_gateway: Gateway) -> None:
    request = session.authorize("github")
    key = own_gateway.command("keys", "add", "eve", "--user", "eve", "--scope", "session").strip()
    other = composio.Composio(api_key=key, base_url=own_gateway.url, allow_tracking=False)
    for _ in range(2):
        with pytest.raises(composio_client.NotFoundError):
            other.connected_accounts.get(request.id)
        fill(request.redirect_url, secret=SECRET)


def test_neither_secret_nor_token_is_told(session, own_gateway: Gateway) -> None:
    request = session.authorize("github", alias="<script>alert(1)</script>")
    token = request.redirect_url.split("link_token=")[1]
    page = httpx.get(request.redirect_url)
    assert "<script" not in page.text and "&lt;script&gt;" in page.text
    refused = fill(request.redirect_url, secret=SECRET + " with a blank")
    assert refused.status_code == 400 and SECRET not in refused.text
    assert fill(request.redirect_url, secret=SECRET).status_code == 200
    account = httpx.get(f"{own_gateway.url}/api/v3.1/connected_accounts/{request.id}", headers={"x-api-key": own_gateway.token})
    for seen in (account.text, json.dumps(own_gateway.log)):
        assert SECRET not in seen and token not in seen
