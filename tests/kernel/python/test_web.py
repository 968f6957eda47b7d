"""web_search against a helper socket."""

import pytest
from cellgate_kernel import settings
from cellgate_kernel.web import web_search


@pytest.fixture(autouse=True)
def connected(helper_socket):
    settings.keep(settings.Settings("the-key", helper_socket.path, 20))
    yield
    settings._current = None


def test_an_answer_is_a_text_and_an_empty_error(helper_socket):
    helper_socket.answer = lambda request: (200, {"answer": "in 2026", "sources": [{"title": "t", "url": "u"}]})
    assert web_search("eclipse?") == ("in 2026", "")
    assert (helper_socket.requests, helper_socket.paths) == ([{"query": "eclipse?"}], ["/v1/search"])


def test_nothing_found_is_no_error(helper_socket):
    helper_socket.answer = lambda request: (200, {"answer": "", "sources": []})
    assert web_search("xyzzy") == ("", "")


def test_a_failure_is_its_message(helper_socket):
    helper_socket.answer = lambda request: (502, {"error": {"message": "the search provider answered HTTP 500"}})
    assert web_search("eclipse?") == ("", "the search provider answered HTTP 500")


@pytest.mark.parametrize("query", [None, 5, "", "  "])
def test_a_query_that_is_none_is_an_error_and_never_an_exception(helper_socket, query):
    answer, error = web_search(query)
    assert answer == "" and "query must be a text" in error
    assert helper_socket.requests == []
