"""A person follows a link and connects an account, as a browser sends the form and goes on. See docs/accounts.md."""

from collections.abc import Callable

import pytest
import requests
from playwright.sync_api import Page

from support.api_service import ApiService
from support.gateway import Gateway


@pytest.fixture
def gateway(start_gateway: Callable[..., Gateway], service: ApiService) -> Gateway:
    config = f'[accounts.services.jira]\nbase_url = "{service.url()}"\nauth_scheme = "basic"\n'
    return start_gateway(config=config, accounts__plain_http=True)


def link(gateway: Gateway, **asked: object) -> dict[str, str]:
    keys, url = {"x-api-key": gateway.token}, f"{gateway.url}/api/v3.1/tool_router/session"
    session = requests.post(url, json={"user_id": "ana"}, headers=keys, timeout=60).json()["session_id"]
    made = requests.post(f"{url}/{session}/link", json={"toolkit": "jira", **asked}, headers=keys, timeout=60)
    assert made.status_code == 201, made.text
    return made.json()


def status(gateway: Gateway, account: str) -> str:
    return requests.get(f"{gateway.url}/api/v3.1/connected_accounts/{account}", headers={"x-api-key": gateway.token}, timeout=60).json()["status"]


def fill(page: Page, username: str) -> None:
    page.get_by_label("User name").fill(username)
    page.get_by_label("Password").fill("open sesame")
    page.get_by_role("button", name="Connect").click()


def test_a_person_connects_an_account_and_goes_back(page: Page, gateway: Gateway, service: ApiService) -> None:
    # Another site, by its port.
    made = link(gateway, callback_url=f"{service.url()}/user?from=gateway")
    page.goto(made["redirect_url"])
    fill(page, "with:colon")
    assert "without a colon" in page.get_by_role("alert").inner_text()
    assert (page.get_by_label("User name").input_value(), page.get_by_label("Password").input_value()) == ("with:colon", "")
    fill(page, "ana")
    page.wait_for_url(f"{service.url()}/user?**")
    account = made["connected_account_id"]
    assert page.url.endswith(f"?from=gateway&status=success&connected_account_id={account}")
    came = next(asked for asked in service.requests if asked["path"] == "/user")
    assert not [value for name, value in came["headers"].items() if name.lower() == "referer"]
    assert status(gateway, account) == "ACTIVE"


def test_a_page_of_another_site_sends_no_form(page: Page, gateway: Gateway, service: ApiService) -> None:
    made = link(gateway)
    page.goto(f"{service.url()}/user")
    page.set_content(f'<form method="post" action="{made["redirect_url"]}"><input name="username" value="eve">'
                     '<input name="secret" value="of eve"><button>Send</button></form>')
    with page.expect_navigation() as sent:
        page.get_by_role("button").click()
    assert sent.value.status in (403, 404)
    assert status(gateway, made["connected_account_id"]) == "INITIATED"
