"""%tools and %session: what they ask, what they show, and that nothing that a tool's maker writes becomes markup."""

import pytest
from cellgate_kernel import magics, settings
from cellgate_kernel.catalog import Tool, ToolList, kind_of
from IPython.core.error import UsageError

SUM = {
    "slug": "EVERYTHING_GET_SUM",
    "toolkit": "EVERYTHING",
    "description": "Adds two numbers\nand says so",
    "input_schema": {
        "type": "object",
        "required": ["a", "b"],
        "properties": {
            "note": {"type": ["string", "null"]},
            "a": {"type": "number", "description": "First\nnumber"},
            "b": {"type": "number"},
        },
    },
}
HOSTILE = {
    "slug": "X_<script>",
    "description": "<img src=x onerror=alert(1)>",
    "input_schema": {"properties": {"<b>": {"type": "<i>", "description": "'\"><script>"}}, "required": ["<b>"]},
}
SESSION = {
    "id": "ses_1",
    "name": "demo",
    "user_id": "<ana>",
    "state": "busy",
    "kernel": "cellgate",
    "created_at": "2026-11-29T14:51:30.270944Z",
    "cell_timeout_s": 180.0,
    "idle_timeout_s": None,
    "lifetime_s": 3600.0,
    "restarts": 2,
    "connections": {"jupyter": 1, "agents": 0},
    "tokens": {"prompt": 10, "completion": 4, "calls": 3},
    "searches": 5,
}


@pytest.fixture(autouse=True)
def connected(helper_socket):
    settings.keep(settings.Settings("the-key", helper_socket.path, 20))
    helper_socket.answer = lambda request: (200, {"tools": [SUM, HOSTILE], "left_out": 0})
    yield
    settings._current = None


def test_all_tools_are_listed_by_their_first_line(helper_socket):
    listed = magics.show_tools("")
    assert helper_socket.paths == ["/v1/tools"] and helper_socket.keys == ["the-key"]
    assert [tool.slug for tool in listed] == ["EVERYTHING_GET_SUM", "X_<script>"]
    assert repr(listed).splitlines()[0] == "EVERYTHING_GET_SUM  Adds two numbers"


def test_words_are_searched_for_by_the_gateway(helper_socket):
    magics.show_tools(" read file & more ")
    assert helper_socket.paths == ["/v1/tools?query=read%20file%20%26%20more"]


def test_a_slug_shows_one_tool_with_its_arguments():
    shown = repr(magics.show_tools("everything_get_sum")).splitlines()
    assert shown == [
        "EVERYTHING_GET_SUM",
        "  Adds two numbers",
        "  and says so",
        "    a     number  First number",
        "    b     number",
        "    note  string or null, optional",
        '  run_composio_tool("EVERYTHING_GET_SUM", {"a": ..., "b": ...})',
    ]


def test_what_a_tools_maker_wrote_is_text_in_html():
    for shown in (Tool(HOSTILE), ToolList([Tool(HOSTILE)])):
        text = shown._repr_html_()
        assert "&lt;script&gt;" in text
        for markup in ("<script", "<img", "<b>:", "<i>"):
            assert markup not in text


def test_an_empty_list_says_what_was_looked_for(helper_socket):
    helper_socket.answer = lambda request: (200, {"tools": [], "left_out": 0})
    assert repr(magics.show_tools("xyzzy")) == "no tool has the words 'xyzzy'"
    assert repr(magics.show_tools("")) == "this gateway has no tools"


def test_what_is_left_out_is_told(helper_socket):
    helper_socket.answer = lambda request: (200, {"tools": [SUM], "left_out": 7})
    assert "7 more are not shown" in repr(magics.show_tools("")) and "7 more" in magics.show_tools("")._repr_html_()


@pytest.mark.parametrize("described", [{}, {"input_schema": 5}, {"input_schema": {"properties": [], "required": 5}},
                                       {"slug": None, "input_schema": {"properties": {"a": 5}}}])
def test_a_description_that_is_no_good_is_shown_as_far_as_it_goes(described):
    assert isinstance(repr(Tool(described)), str) and isinstance(Tool(described)._repr_html_(), str)


@pytest.mark.parametrize(
    "schema, kind",
    [
        ({"type": "string"}, "string"),
        ({"enum": ["a", 1]}, 'one of "a", 1'),
        ({"type": "array", "items": {"type": "integer"}}, "list of integer"),
        ({"type": "array"}, "list"),
        ({"anyOf": [{"type": "string"}, {"type": "null"}, {"type": "string"}]}, "string or null"),
        ({}, "anything"),
        (True, "anything"),
    ],
)
def test_a_schema_in_a_few_words(schema, kind):
    assert kind_of(schema) == kind


def test_the_session_is_shown_with_its_limits_and_its_use(helper_socket):
    helper_socket.answer = lambda request: (200, SESSION)
    shown = magics.show_session("")
    assert helper_socket.paths == ["/v1/session"] and shown.data == SESSION
    text = repr(shown)
    for part in ("demo (ses_1)", "180 s", "3600 s", "3 calls, 10 + 4 tokens", "restarted 2 times"):
        assert part in text
    assert "<ana>" in text and "&lt;ana&gt;" in shown._repr_html_() and "<ana>" not in shown._repr_html_()


def test_a_failure_is_one_line_without_a_traceback(helper_socket):
    helper_socket.answer = lambda request: (401, {"error": {"message": "the session has ended"}})
    for magic in (magics.show_tools, magics.show_session):
        with pytest.raises(UsageError, match="the session has ended"):
            magic("")
    with pytest.raises(UsageError, match="no arguments"):
        magics.show_session("now")


def test_a_shell_without_magics_is_left_alone():
    magics.register(None)
    magics.register(object())
