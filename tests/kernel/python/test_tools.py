"""run_composio_tool against a helper socket: what it sends, what it returns, when it tries again."""

import multiprocessing
import threading
from concurrent.futures import ThreadPoolExecutor

import pytest
from cellgate_kernel import gateway, names, settings, tools
from cellgate_kernel.tools import run_composio_tool

FAST = {"max_retries": 2, "delay_ms": 1}


@pytest.fixture(autouse=True)
def connected(helper_socket):
    settings.keep(settings.Settings("the-key", helper_socket.path, 20))
    yield
    settings._current = None


def test_a_success_is_the_whole_answer_and_an_empty_error(helper_socket):
    result, error = run_composio_tool(" everything_echo ", {"message": "hi"})
    assert (result, error) == ({"data": {"message": "hi"}, "error": None, "log_id": "log_1"}, "")
    assert helper_socket.requests == [{"tool_slug": "EVERYTHING_ECHO", "arguments": {"message": "hi"}}]
    assert helper_socket.keys == ["the-key"]


def test_the_account_goes_along(helper_socket):
    run_composio_tool("A_B", {}, account="work")
    assert helper_socket.requests[0]["account"] == "work"


@pytest.mark.parametrize(
    "slug, arguments, options, said",
    [
        (None, {}, {}, "tool_slug must be a string"),
        ("  ", {}, {}, "tool_slug must be a string"),
        ("A_B", None, {}, "arguments must be a dict"),
        ("A_B", [1], {}, "arguments must be a dict"),
        ("A_B", {"x": {1}}, {}, "cannot be sent as JSON"),
        ("A_B", {"x": float("nan")}, {}, "cannot be sent as JSON"),
        ("A_B", {"x": b"1"}, {}, "cannot be sent as JSON"),
        ("A_B", {}, {"retry_params": 3}, "retry_params must be a dict"),
        ("A_B", {}, {"retry_params": {"retries": 3}}, "max_retries and delay_ms"),
        ("A_B", {}, {"retry_params": {"delay_ms": "1"}}, "must be a number"),
        ("A_B", {}, {"account": 7}, "account must be a string"),
    ],
)
def test_bad_arguments_are_an_error_and_never_an_exception(helper_socket, slug, arguments, options, said):
    result, error = run_composio_tool(slug, arguments, **options)
    assert result == {} and said in error
    assert helper_socket.requests == []


def test_arguments_that_contain_themselves_are_an_error():
    arguments = {}
    arguments["self"] = arguments
    result, error = run_composio_tool("A_B", arguments)
    assert result == {} and "cannot be sent as JSON" in error


def test_a_tools_own_error_comes_with_the_answer(helper_socket):
    helper_socket.answer = lambda request: (200, {"data": {}, "error": "no such file", "log_id": "log_2"})
    result, error = run_composio_tool("A_B", {})
    assert error == "no such file" and result["log_id"] == "log_2"


def test_an_http_error_comes_with_the_gateways_text(helper_socket):
    helper_socket.answer = lambda request: (404, {"data": {}, "error": "no tool A_B", "log_id": "log_3"})
    result, error = run_composio_tool("A_B", {})
    assert (result, error) == ({}, "no tool A_B [log_3]")


def test_a_refusal_in_the_gateways_own_shape_is_read_too(helper_socket):
    helper_socket.answer = lambda request: (413, {"error": {"code": "too_large", "message": "the body is over 9 bytes"}})
    assert run_composio_tool("A_B", {}) == ({}, "the body is over 9 bytes")


def test_a_call_that_needs_input_says_so(helper_socket):
    helper_socket.answer = lambda request: (200, {"result_type": "input_required", "input_requests": {"a": 1}})
    result, error = run_composio_tool("A_B", {})
    assert result == {"result_type": "input_required", "input_requests": {"a": 1}} and "needs input" in error


def test_a_failed_result_type_is_an_error_even_without_a_text(helper_socket):
    helper_socket.answer = lambda request: (200, {"data": {}, "error": None, "result_type": "failed"})
    assert run_composio_tool("A_B", {})[1] != ""


@pytest.mark.parametrize("body", [b"<html>", b"", b"\xff\xfe"])
def test_an_answer_that_is_not_json_is_an_error(helper_socket, body):
    helper_socket.answer = lambda request: (200, body)
    result, error = run_composio_tool("A_B", {})
    assert result == {} and error.startswith("Composio tool request failed: ")


def test_an_answer_that_is_no_object_is_an_error(helper_socket):
    helper_socket.answer = lambda request: (200, [1])
    result, error = run_composio_tool("A_B", {})
    assert result == {} and "not a JSON object" in error


@pytest.mark.parametrize(
    "status, error",
    [
        (429, "slow down"),
        (200, "Rate limit exceeded"),
        (200, "ratelimit"),
        (200, "Too many requests"),
        (200, "quota exceeded for today"),
        (200, "RESOURCE_EXHAUSTED"),
    ],
)
def test_a_rate_limit_is_tried_again_until_it_passes(helper_socket, status, error):
    answers = [(status, {"data": {}, "error": error}), (200, {"data": {"ok": True}, "error": None})]
    helper_socket.answer = lambda request: answers.pop(0)
    result, told = run_composio_tool("A_B", {}, FAST)
    assert result["data"] == {"ok": True} and told == ""


def test_retries_end(helper_socket):
    helper_socket.answer = lambda request: (429, {"data": {}, "error": "slow down"})
    _, error = run_composio_tool("A_B", {}, FAST)
    assert error == "slow down" and len(helper_socket.requests) == 3


@pytest.mark.parametrize("status, error", [(500, "rate limit"), (504, "timeout"), (200, "no such file")])
def test_nothing_else_is_tried_again(helper_socket, status, error):
    helper_socket.answer = lambda request: (status, {"data": {}, "error": error})
    run_composio_tool("A_B", {}, FAST)
    assert len(helper_socket.requests) == 1


def test_the_delay_doubles_with_little_jitter():
    rules = tools.RetryRules.parse({"delay_ms": 1000})
    for attempt, least in enumerate([1, 2, 4, 8]):
        assert least <= rules.delay_s(attempt) <= least + min(least * 0.2, 0.5)


def test_an_absent_gateway_is_an_error_that_is_not_tried_again(tmp_path):
    settings.keep(settings.Settings("k", str(tmp_path / "none.sock"), 1))
    result, error = run_composio_tool("A_B", {})
    assert result == {} and "cannot be reached" in error


def test_a_gateway_that_says_nothing_ends_at_the_timeout(helper_socket, monkeypatch):
    release = threading.Event()
    helper_socket.answer = lambda request: (release.wait(30), (200, {}))[1]
    monkeypatch.setattr(gateway, "GRACE_S", 0.1)
    settings.keep(settings.Settings("k", helper_socket.path, 0.1))
    result, error = run_composio_tool("A_B", {})
    release.set()
    assert result == {} and "no answer from the gateway within 0.2 s" in error


def test_without_settings_the_error_says_where_it_works():
    settings._current = None
    result, error = run_composio_tool("A_B", {})
    assert result == {} and "from a cell" in error


def test_forty_threads_each_get_their_own_answer(helper_socket):
    everyone = threading.Barrier(40)

    def call(number):
        everyone.wait(20)
        return run_composio_tool("A_B", {"number": number})

    with ThreadPoolExecutor(40) as pool:
        answers = list(pool.map(call, range(40)))
    assert [result["data"]["number"] for result, _ in answers] == list(range(40))
    assert [error for _, error in answers] == [""] * 40


def test_a_forked_child_may_call(helper_socket):
    context = multiprocessing.get_context("fork")
    with context.Pool(1) as pool:
        assert pool.apply(run_composio_tool, ("A_B", {"child": 1}))[0]["data"] == {"child": 1}


def test_an_interrupt_passes_through(monkeypatch):
    def interrupted(*_):
        raise KeyboardInterrupt

    monkeypatch.setattr(gateway, "send", interrupted)
    with pytest.raises(KeyboardInterrupt):
        run_composio_tool("A_B", {})


def test_the_shape_of_the_answer_is_printed_on_request(helper_socket, capsys):
    helper_socket.answer = lambda request: (200, {"data": {"items": [{"id": 1}], "none": []}, "error": None})
    run_composio_tool("A_B", {}, print_schema_for_tool=True)
    printed = capsys.readouterr().out
    assert "A_B answers" in printed and "items: [1 items like" in printed and "id: int" in printed


def test_a_print_of_the_settings_does_not_show_the_key():
    assert "the-key" not in repr(settings.current())


def test_composio_helper_offers_the_same_functions():
    import composio_helper

    assert composio_helper.run_composio_tool is run_composio_tool
    assert sorted(composio_helper.__all__) == sorted(helper.__name__ for helper in names.HELPERS)
