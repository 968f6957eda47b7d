"""What a page of another site makes a browser send: it changes nothing. Numbers in names: docs/security.md."""

import re

import pytest
import requests

from support.gateway import Gateway

# What a browser sends across sites without asking first (a "simple request"), and what it asks for.
KINDS = ("application/x-www-form-urlencoded", "multipart/form-data; boundary=x", "text/plain", "application/json", None)
# A page of another site, of another port of this machine, of a sandbox or a file, and one that hides where it is.
PAGES = ({"Origin": "https://evil.example", "Sec-Fetch-Site": "cross-site"}, {"Origin": "https://evil.example"},
         {"Origin": "http://localhost:1", "Sec-Fetch-Site": "same-site"}, {"Origin": "null"}, {"Sec-Fetch-Site": "cross-site"},
         {"Sec-Fetch-Site": "same-site"}, {"Origin": "https://evil.example", "Sec-Fetch-Site": "same-origin"})


@pytest.fixture(scope="module")
def open_gateway() -> Gateway:
    """Whoever reaches it is its administrator: the case in which nothing else would hold a browser back."""
    gateway = Gateway(server__auth="none", server__token="")
    gateway.token = "a-key-that-it-does-not-have"
    yield gateway
    gateway.finish()
    gateway.remove()


def changes(gateway: Gateway) -> list[tuple[str, str]]:
    """Every method and path that is not for reading, of the description, of Jupyter's API and of the others."""
    described = requests.get(f"{gateway.url}/api/v1/openapi.json", timeout=60).json()["paths"]
    found = [(method.upper(), re.sub(r"\{[^}]*\}", "x", path)) for path, methods in described.items()
             for method in methods if method in ("post", "put", "patch", "delete")]
    return [*found, ("POST", "/api/kernels"), ("DELETE", "/api/kernels/x"), ("POST", "/api/kernels/x/interrupt"),
            ("POST", "/api/kernels/x/restart"), ("POST", "/api/sessions"), ("PATCH", "/api/sessions/x"), ("DELETE", "/api/sessions/x"),
            ("POST", "/mcp"), ("POST", "/api/v3.1/tool_router/session"), ("POST", "/connect/x")]


def send(gateway: Gateway, method: str, path: str, kind: str | None, page: dict[str, str], body: str = "{}") -> requests.Response:
    headers = {**page, **({"Content-Type": kind} if kind else {})}
    return requests.request(method, gateway.url + path, headers=headers, data=body.encode(), timeout=60)


def sessions(gateway: Gateway) -> list[str]:
    return [item["id"] for item in requests.get(f"{gateway.url}/api/v1/sessions", timeout=60).json()["items"]]


def test_72_other_sites_change_nothing(open_gateway: Gateway) -> None:
    everything = changes(open_gateway)
    assert len(everything) > 25
    for method, path in everything:
        for page in PAGES:
            answer = send(open_gateway, method, path, KINDS[len(path) % len(KINDS)], page)
            assert answer.status_code in (403, 404), (method, path, page)
            assert "pages of this origin are not served" in answer.text or "a page of another site" in answer.text, answer.text
            assert "Access-Control-Allow-Origin" not in answer.headers
    assert sessions(open_gateway) == []


def test_72_forms_and_simple_requests_run_nothing(open_gateway: Gateway) -> None:
    session = requests.post(f"{open_gateway.url}/api/v1/sessions", json={}, timeout=60).json()["id"]
    run = '{"code": "open(\'/mnt/files/marked\', \'w\').close()"}'
    for page in PAGES:
        for kind in KINDS:
            for path, body in ((f"/api/v1/sessions/{session}/execute", run), (f"/api/v1/sessions/{session}/bash", '{"command": "touch /mnt/files/marked"}'),
                               ("/api/v1/sessions", "{}"), ("/api/kernels", "{}")):
                assert send(open_gateway, "POST", path, kind, page, body).status_code in (403, 404)
        assert send(open_gateway, "PUT", f"/api/v1/sessions/{session}/files/marked", None, page).status_code in (403, 404)
        assert send(open_gateway, "DELETE", f"/api/v1/sessions/{session}", None, page).status_code in (403, 404)
    assert sessions(open_gateway) == [session]
    assert requests.get(f"{open_gateway.url}/api/kernels", timeout=60).json() == []
    files = requests.get(f"{open_gateway.url}/api/v1/sessions/{session}/files", timeout=60).text
    assert "marked" not in files
    requests.delete(f"{open_gateway.url}/api/v1/sessions/{session}", timeout=60)


def test_72_reading_changes_nothing(open_gateway: Gateway) -> None:
    """A link, an image or a script of another site is a GET without an Origin."""
    for method, path in changes(open_gateway):
        answer = send(open_gateway, "GET", path, None, {"Sec-Fetch-Site": "cross-site"}, "")
        assert answer.status_code in (200, 302, 403, 404, 405, 426) and "Access-Control-Allow-Origin" not in answer.headers, (path, answer.text)
    assert sessions(open_gateway) == []


def test_72_a_preflight_of_another_site_is_not_granted(open_gateway: Gateway) -> None:
    for asked in ("content-type", "authorization", "x-api-key", ""):
        headers = {"Origin": "https://evil.example", "Access-Control-Request-Method": "POST", "Access-Control-Request-Headers": asked}
        answer = requests.options(f"{open_gateway.url}/api/v1/sessions", headers=headers, timeout=60)
        assert "Access-Control-Allow-Origin" not in answer.headers and "Access-Control-Allow-Methods" not in answer.headers


def test_72_no_method_is_hidden_in_a_header(open_gateway: Gateway) -> None:
    session = requests.post(f"{open_gateway.url}/api/v1/sessions", json={}, timeout=60).json()["id"]
    for name in ("X-HTTP-Method-Override", "X-HTTP-Method", "X-Method-Override"):
        requests.get(f"{open_gateway.url}/api/v1/sessions/{session}?_method=DELETE", headers={name: "DELETE"}, timeout=60)
    assert sessions(open_gateway) == [session]
    assert requests.delete(f"{open_gateway.url}/api/v1/sessions/{session}", timeout=60).status_code == 200


def test_72_the_gateways_own_pages_and_programs_may(open_gateway: Gateway) -> None:
    own = {"Origin": open_gateway.url, "Sec-Fetch-Site": "same-origin"}
    for page in (own, {"Sec-Fetch-Site": "same-origin"}, {"Sec-Fetch-Site": "none"}, {}):
        for kind in KINDS:
            made = send(open_gateway, "POST", "/api/v1/sessions", kind, page)
            assert made.status_code == 201, (page, kind, made.text)
            assert requests.delete(f"{open_gateway.url}/api/v1/sessions/{made.json()['id']}", timeout=60).status_code == 200


def test_72_a_key_in_a_query_lets_no_foreign_page_in(gateway: Gateway) -> None:
    """Only a key in a header does: a page that can set that was given it."""
    answer = send(gateway, "POST", f"/api/v1/sessions?token={gateway.token}", "text/plain", {"Origin": "https://evil.example"})
    assert answer.status_code == 404 and "pages of this origin" in answer.text
    assert send(gateway, "POST", f"/api/v1/sessions?token={gateway.token}", "text/plain", {}).status_code in (201, 400)
