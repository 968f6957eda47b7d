"""proxy_execute against a helper socket."""

import base64
import email.utils
from datetime import datetime, timedelta, timezone

import pytest
from cellgate_kernel import settings
from cellgate_kernel.proxy import proxy_execute

GOOD = {"status": 200, "headers": {}, "data": {"login": "ada"}}


@pytest.fixture(autouse=True)
def connected(helper_socket):
    helper_socket.answer = lambda request: (200, GOOD)
    settings.keep(settings.Settings("the-key", helper_socket.path, 20))
    yield
    settings._current = None


def test_the_data_of_an_answer_and_an_empty_error(helper_socket):
    assert proxy_execute("get", " /user ", " GitHub ") == ({"login": "ada"}, "")
    assert helper_socket.paths == ["/v1/proxy"] and helper_socket.keys == ["the-key"]
    assert helper_socket.requests == [{"toolkit_slug": "github", "endpoint": "/user", "method": "GET", "parameters": []}]


def test_all_that_a_call_can_say_goes_along(helper_socket):
    proxy_execute("POST", "/x", "github", {"a": 1, "b": ["x", True]}, {"n": [1.5]}, {"X-A": "v"}, account="work")
    assert helper_socket.requests[0]["parameters"] == [
        {"name": "a", "type": "query", "value": "1"},
        {"name": "b", "type": "query", "value": "x"},
        {"name": "b", "type": "query", "value": "true"},
        {"name": "X-A", "type": "header", "value": "v"},
    ]
    proxy_execute("GET", "/x", "github", {"a": None, "b": ["x", None]}, headers={"X-A": None})
    assert helper_socket.requests[1]["parameters"] == [{"name": "b", "type": "query", "value": "x"}]
    assert helper_socket.requests[0]["body"] == {"n": [1.5]} and helper_socket.requests[0]["account"] == "work"


def test_bytes_go_as_they_are(helper_socket):
    proxy_execute("PUT", "/x", "github", body=b"\x00\xff", headers={"Content-Type": "image/png"})
    assert base64.b64decode(helper_socket.requests[0]["binary_body"]["base64"]) == b"\x00\xff"


def test_an_answer_that_is_no_text_comes_as_bytes(helper_socket):
    binary = {"base64": "AP8=", "content_type": "image/png", "size": 2}
    helper_socket.answer = lambda request: (200, {"status": 200, "headers": {}, "binary_data": binary})
    assert proxy_execute("GET", "/x", "github") == (b"\x00\xff", "")


def test_an_empty_answer_is_none(helper_socket):
    helper_socket.answer = lambda request: (200, {"status": 204, "headers": {}, "data": None})
    assert proxy_execute("DELETE", "/x", "github") == (None, "")


def test_a_status_of_an_error_is_an_error_with_what_was_answered(helper_socket):
    helper_socket.answer = lambda request: (200, {"status": 404, "headers": {"a": "b"}, "data": {"message": "no such"}})
    data, error = proxy_execute("GET", "/x", "github")
    assert data == {"status": 404, "headers": {"a": "b"}, "data": {"message": "no such"}}
    assert error == 'API returned status 404: {"message": "no such"}'


def test_a_refusal_is_its_message(helper_socket):
    helper_socket.answer = lambda request: (400, {"error": {"message": "there are several accounts: ca_1, ca_2"}})
    assert proxy_execute("GET", "/x", "github") == (None, "there are several accounts: ca_1, ca_2")


def test_too_many_requests_are_tried_again(helper_socket, monkeypatch):
    monkeypatch.setattr("time.sleep", lambda seconds: None)
    answers = iter([(429, {"error": {"message": "slow down"}}), (200, GOOD)])
    helper_socket.answer = lambda request: next(answers)
    assert proxy_execute("GET", "/x", "github") == ({"login": "ada"}, "")


@pytest.mark.parametrize(
    "asked, least, most",
    [("7", 7, 7.5), (None, 2, 2.5), ("soon", 2, 2.5), ("a date", 20, 31)],
)
def test_a_service_that_has_too_many_requests_is_asked_again(helper_socket, monkeypatch, asked, least, most):
    slept = []
    monkeypatch.setattr("time.sleep", slept.append)
    if asked == "a date":
        asked = email.utils.format_datetime(datetime.now(timezone.utc) + timedelta(seconds=30))
    limited = {"status": 429, "headers": {"retry-after": asked} if asked else {}, "data": "slow down"}
    answers = iter([(200, limited), (200, GOOD)])
    helper_socket.answer = lambda request: next(answers)
    assert proxy_execute("POST", "/x", "github", body={}) == ({"login": "ada"}, "")
    assert len(slept) == 1 and least <= slept[0] <= most, slept


def test_a_service_that_stays_so_is_told_as_it_answered(helper_socket, monkeypatch):
    monkeypatch.setattr("time.sleep", lambda seconds: None)
    limited = {"status": 429, "headers": {"retry-after": "1"}, "data": "slow down"}
    helper_socket.answer = lambda request: (200, limited)
    assert proxy_execute("GET", "/x", "github") == (limited, "API returned status 429: slow down")
    assert len(helper_socket.requests) == 4
    limited["headers"]["retry-after"] = "3600"
    assert proxy_execute("GET", "/x", "github")[0] == limited
    assert len(helper_socket.requests) == 5, "an hour is not waited for"


@pytest.mark.parametrize(
    "arguments, says",
    [
        (("TRACE", "/x", "github"), "method must be"),
        ((None, "/x", "github"), "method must be"),
        (("GET", "", "github"), "endpoint must be"),
        (("GET", 5, "github"), "endpoint must be"),
        (("GET", "/x", "  "), "toolkit must be"),
        (("GET", "/x", "github", [1]), "query_params must be a dict"),
        (("GET", "/x", "github", {"a": {}}), "query_params['a']"),
        (("GET", "/x", "github", None, {}), "has no body"),
        (("DELETE", "/x", "github", None, "x"), "has no body"),
        (("POST", "/x", "github"), "needs a body"),
        (("PATCH", "/x", "github"), "needs a body"),
        (("POST", "/x", "github", None, {"a": object()}), "cannot be sent as JSON"),
        (("POST", "/x", "github", None, {"a": float("nan")}), "cannot be sent as JSON"),
        (("GET", "/x", "github", None, None, "x"), "headers must be a dict"),
        (("GET", "/x", "github", None, None, {"a": ["b"]}), "headers['a']"),
    ],
)
def test_a_wrong_call_is_an_error_and_never_an_exception(helper_socket, arguments, says):
    data, error = proxy_execute(*arguments)
    assert data is None and says in error
    assert helper_socket.requests == []


def test_a_wrong_account_is_an_error(helper_socket):
    assert "account must be" in proxy_execute("GET", "/x", "github", account=7)[1]


@pytest.mark.parametrize("answer", [(200, b"[]"), (200, b"nonsense"), (500, b"5")])
def test_nonsense_is_an_error(helper_socket, answer):
    helper_socket.answer = lambda request: answer
    data, error = proxy_execute("GET", "/x", "github")
    assert data is None and error


def test_without_a_gateway_it_says_so():
    settings._current = None
    assert "no connection" in proxy_execute("GET", "/x", "github")[1]
