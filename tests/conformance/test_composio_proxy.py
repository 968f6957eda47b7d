"""Both SDKs call a service with a connected account: what it is sent, and what the client sees. See docs/accounts.md."""

import base64
import json
from collections.abc import Callable, Iterator

import composio
import composio_client
import pytest

from conformance.node_tests import names_of, run_script
from support.api_service import ApiService
from support.gateway import Gateway

SECRET = "the-secret-of-the-account"
USER = "user_123"
SCRIPT = "proxy.test.mjs"


@pytest.fixture(scope="module")
def own_gateway(start_module_gateway: Callable[..., Gateway], service: ApiService) -> Gateway:
    """One with an account of the SDKs' user."""
    made = start_module_gateway(accounts__allow_networks=["127.0.0.1"], accounts__plain_http=True)
    made.agent().call("POST", "/accounts", 201, json={"toolkit": "github", "base_url": service.url(), "auth_scheme": "bearer",
                                                      "secret": SECRET, "user_id": USER})
    return made


@pytest.fixture(scope="module")
def results(own_gateway: Gateway) -> dict[str, str]:
    variables = {"GATEWAY_URL": own_gateway.url, "GATEWAY_KEY": own_gateway.token, "HOME": str(own_gateway.directory),
                 "USER_ID": USER, "SECRET": SECRET}
    return run_script(SCRIPT, variables, 120)


@pytest.fixture(scope="module")
def client(own_gateway: Gateway) -> composio.Composio:
    return composio.Composio(api_key=own_gateway.token, base_url=own_gateway.url, allow_tracking=False)


@pytest.fixture(scope="module")
def session(client: composio.Composio) -> Iterator[object]:
    made = client.create(user_id=USER)
    yield made
    made.delete()


def call(session, method: str, endpoint: str, **more: object) -> dict:
    return session.proxy_execute(toolkit="github", method=method, endpoint=endpoint, **more)


def header(asked: dict, name: str) -> str:
    return next(value for each, value in asked["headers"].items() if each.lower() == name)


@pytest.mark.xdist_group("composio_proxy")
@pytest.mark.parametrize("name", names_of(SCRIPT))
def test_the_typescript_sdk(results: dict[str, str], name: str) -> None:
    assert results[name] == ""


@pytest.mark.xdist_group("composio_proxy")
def test_an_answer_comes_with_its_status_and_headers(session, service: ApiService) -> None:
    answer = call(session, "GET", "/user")
    assert (answer["status"], answer["data"], answer["result_type"]) == (200, {"login": "ada"}, "completed")
    assert answer["headers"]["content-type"] == "application/json" and "binary_data" not in answer
    assert header(service.requests[-1], "authorization") == f"Bearer {SECRET}"


@pytest.mark.xdist_group("composio_proxy")
@pytest.mark.parametrize("method", ["GET", "POST", "PUT", "PATCH", "DELETE"])
def test_method_query_and_headers_are_sent(session, service: ApiService, method: str) -> None:
    call(session, method, "/echo/below?begun=1", parameters=[
        {"name": "q", "value": "a b&c=ü", "in": "query"}, {"name": "page", "value": 2, "type": "query"},
        {"name": "X-Mark", "value": "of the client"}])
    asked = service.requests[-1]
    assert (asked["method"], asked["path"]) == (method, "/echo/below")
    assert asked["query"] == {"begun": ["1"], "q": ["a b&c=ü"], "page": ["2"]}
    assert header(asked, "x-mark") == "of the client"


@pytest.mark.xdist_group("composio_proxy")
@pytest.mark.parametrize("body", [{"name": "ü\U0001f600", "list": [1, 2.5, None, True], "nested": {"empty": {}}}, [], 0, False])
def test_a_body_is_sent_as_json(session, service: ApiService, body: object) -> None:
    assert call(session, "POST", "/echo", body=body)["status"] == 200
    asked = service.requests[-1]
    assert json.loads(asked["body"]) == body and header(asked, "content-type") == "application/json"


@pytest.mark.xdist_group("composio_proxy")
def test_a_body_that_is_a_text_is_sent_as_it_is(session, service: ApiService) -> None:
    call(session, "PUT", "/echo", body="plain")
    asked = service.requests[-1]
    assert asked["body"] == b"plain" and header(asked, "content-type").startswith("text/plain")


@pytest.mark.xdist_group("composio_proxy")
def test_bytes_come_as_an_address_that_has_them_all(session) -> None:
    answer = call(session, "GET", "/picture")
    told = answer["binary_data"]
    assert (answer["status"], answer["data"], told["content_type"], told["size"]) == (200, None, "image/png", 9)
    begin, _, encoded = told["url"].partition(",")
    assert begin == "data:image/png;base64" and base64.b64decode(encoded) == b"\x89PNG\r\n\x1a\n\x00"


@pytest.mark.xdist_group("composio_proxy")
def test_the_services_own_failure_is_an_answer(session) -> None:
    answer = call(session, "GET", "/missing")
    assert (answer["status"], answer["data"]) == (404, {"message": "there is no such thing"})


@pytest.mark.xdist_group("composio_proxy")
def test_a_call_that_cannot_be_made_is_refused_before_anything_is_sent(session, service: ApiService) -> None:
    before = len(service.requests)
    with pytest.raises(composio_client.BadRequestError, match="no connected account for gitlab"):
        session.proxy_execute(toolkit="gitlab", method="GET", endpoint="/user")
    with pytest.raises(composio_client.BadRequestError, match="none of the hosts"):
        call(session, "GET", "https://elsewhere.example/user")
    with pytest.raises(composio_client.BadRequestError, match="cannot be set"):
        call(session, "GET", "/user", parameters=[{"name": "Authorization", "value": "Bearer mine"}])
    assert len(service.requests) == before


@pytest.mark.xdist_group("composio_proxy")
def test_a_call_that_broke_off_is_not_made_again(results: dict[str, str], session, service: ApiService) -> None:
    with pytest.raises(composio_client.InternalServerError, match="broke off"):
        call(session, "POST", "/cut/python", body={})
    made = [asked["path"] for asked in service.requests if asked["path"].startswith("/cut/")]
    assert sorted(made) == ["/cut/python", "/cut/typescript"]


@pytest.mark.xdist_group("composio_proxy")
def test_another_users_account_is_not_used(client: composio.Composio, service: ApiService) -> None:
    before, other = len(service.requests), client.create(user_id="user_456")
    try:
        with pytest.raises(composio_client.BadRequestError, match="no connected account for github"):
            call(other, "GET", "/user")
        assert len(service.requests) == before
    finally:
        other.delete()


@pytest.mark.xdist_group("composio_proxy")
def test_the_client_sees_no_secret_also_where_the_service_tells_it(client: composio.Composio, session, own_gateway: Gateway) -> None:
    told = call(session, "GET", "/echo")
    assert told["data"]["headers"]["authorization"] == "Bearer (hidden)" == told["headers"]["x-echo"]
    assert "set-cookie" not in told["headers"]
    seen = [told, call(session, "GET", "/missing"), client.use(session.session_id).config.model_dump(), own_gateway.log]
    assert SECRET not in json.dumps(seen, default=str)
