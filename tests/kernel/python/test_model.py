"""invoke_llm against a helper socket: what it sends, what it returns, when it tries again."""

from concurrent.futures import ThreadPoolExecutor

import pytest
from cellgate_kernel import gateway, retry, settings
from cellgate_kernel.model import invoke_llm


@pytest.fixture(autouse=True)
def connected(helper_socket):
    settings.keep(settings.Settings("the-key", helper_socket.path, 20))
    helper_socket.answer = lambda request: (200, {"text": "about " + request["query"]})
    yield
    settings._current = None


@pytest.fixture
def pauses(monkeypatch):
    """The pauses between tries, without their time."""
    taken = []
    monkeypatch.setattr(retry.time, "sleep", taken.append)
    return taken


def test_an_answer_is_a_text_and_an_empty_error(helper_socket):
    assert invoke_llm("bees") == ("about bees", "")
    assert helper_socket.requests == [{"query": "bees"}]
    assert (helper_socket.paths, helper_socket.keys) == (["/v1/llm"], ["the-key"])


@pytest.mark.parametrize("effort", ["low", "medium", "high"])
def test_the_effort_goes_along(helper_socket, effort):
    invoke_llm("bees", effort)
    invoke_llm("bees", reasoning_effort=effort)
    assert helper_socket.requests == [{"query": "bees", "reasoning_effort": effort}] * 2


@pytest.mark.parametrize(
    "query, effort, said",
    [
        (None, None, "query must be a text"),
        (b"bees", None, "query must be a text"),
        ("", None, "not an empty one"),
        (" \n", None, "not an empty one"),
        ("\ud800", None, "UTF-8"),
        ("bees", "huge", '"low", "medium" or "high"'),
        ("bees", ["low"], '"low", "medium" or "high"'),
    ],
)
def test_bad_arguments_are_an_error_and_never_an_exception(helper_socket, query, effort, said):
    text, error = invoke_llm(query, effort)
    assert text == "" and said in error
    assert helper_socket.requests == []


def test_a_cut_answer_comes_with_its_error(helper_socket):
    helper_socket.answer = lambda request: (200, {"text": "half", "incomplete": "the answer is cut"})
    assert invoke_llm("bees") == ("half", "the answer is cut")


def test_a_refusal_is_its_message(helper_socket):
    helper_socket.answer = lambda request: (404, {"error": {"code": "not_found", "message": "no model is configured"}})
    assert invoke_llm("bees") == ("", "no model is configured")


@pytest.mark.parametrize("answer", [(200, b"<html>"), (200, [1]), (500, b""), (502, {}), (502, "no")])
def test_an_answer_that_makes_no_sense_is_an_error(helper_socket, answer):
    helper_socket.answer = lambda request: answer
    text, error = invoke_llm("bees")
    assert text == "" and "invoke_llm failed" in error


def test_a_rate_limit_is_waited_for_as_long_as_it_asks(helper_socket, pauses):
    answers = [(429, {"error": {"message": "slow down"}}, {"Retry-After": "7"}), (429, {"error": {}}), (200, {"text": "ok"})]
    helper_socket.answer = lambda request: answers.pop(0)
    assert invoke_llm("bees") == ("ok", "")
    assert 7 <= pauses[0] <= 7.5 and 4 <= pauses[1] <= 4.5


def test_retries_end(helper_socket, pauses):
    helper_socket.answer = lambda request: (429, {"error": {"message": "slow down"}})
    assert invoke_llm("bees") == ("", "slow down")
    assert len(helper_socket.requests) == 4 and len(pauses) == 3


def test_a_pause_that_is_too_long_is_told_instead(helper_socket, pauses):
    helper_socket.answer = lambda request: (429, {"error": {"message": "slow down"}}, {"Retry-After": "3600"})
    assert invoke_llm("bees") == ("", "slow down (try again in 3600 s)")
    assert pauses == []


@pytest.mark.parametrize("status", [400, 403, 500, 502, 504])
def test_nothing_else_is_tried_again(helper_socket, pauses, status):
    helper_socket.answer = lambda request: (status, {"error": {"message": "rate limit"}})
    assert invoke_llm("bees")[1] == "rate limit"
    assert len(helper_socket.requests) == 1


def test_an_answer_about_rate_limits_is_an_answer(helper_socket):
    helper_socket.answer = lambda request: (200, {"text": "too many requests"})
    assert invoke_llm("what is HTTP 429?") == ("too many requests", "")


def test_without_settings_the_error_says_where_it_works():
    settings._current = None
    text, error = invoke_llm("bees")
    assert text == "" and "invoke_llm works in a session's own kernel" in error


def test_an_interrupt_passes_through(monkeypatch):
    def interrupted(*_):
        raise KeyboardInterrupt

    monkeypatch.setattr(gateway, "send", interrupted)
    with pytest.raises(KeyboardInterrupt):
        invoke_llm("bees")


def test_a_hundred_questions_of_ten_threads_each_get_their_answer(helper_socket):
    with ThreadPoolExecutor(10) as pool:
        answers = list(pool.map(lambda number: invoke_llm(str(number)), range(100)))
    assert answers == [("about %d" % number, "") for number in range(100)]
