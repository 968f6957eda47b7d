"""Completion, inspection, is_complete, history, info."""

import json
import os

import pytest
from shell_client import wait_until


def test_completion_has_types(shell):
    reply = shell.ask("complete", "import os; os.path.exi", 22)
    assert "exists" in reply["matches"]
    assert (reply["cursor_start"], reply["cursor_end"]) == (19, 22)
    (typed,) = [c for c in reply["metadata"]["_jupyter_types_experimental"] if c["text"] == "exists"]
    assert typed["type"] == "function" and typed["signature"]


def test_completion_knows_the_users_names_and_magics(shell):
    shell.run("my_long_name = 1; class_ = type('T', (), {'attribute_of_it': 2})()")
    assert shell.ask("complete", "my_lo", 5)["matches"] == ["my_long_name"]
    assert "attribute_of_it" in "".join(shell.ask("complete", "class_.attr", 11)["matches"])
    assert "%timeit" in shell.ask("complete", "%timei", 6)["matches"]


def test_completion_counts_characters(shell):
    code = "a='é𝒳'; import os; os.path.exi"
    assert shell.ask("complete", code, len(code))["cursor_end"] == len(code)


def test_nothing_to_complete_is_ok(shell):
    reply = shell.ask("complete", "zzz_nothing", 11)
    assert (reply["status"], reply["matches"], reply["cursor_start"], reply["cursor_end"]) == ("ok", [], 11, 11)


def test_inspection_finds_what_the_cursor_is_on(shell):
    shell.run("def f(x):\n    'Says.'")
    reply = shell.ask("inspect", "f(1)", 1, 0)
    assert reply["found"] and "Says." in reply["data"]["text/plain"]
    assert "Source" in shell.ask("inspect", "f(1)", 1, 1)["data"]["text/plain"]


def test_what_is_not_known_is_not_found(shell):
    assert shell.ask("inspect", "nosuchname", 5, 0) == {"status": "ok", "found": False, "data": {}, "metadata": {}}


@pytest.mark.parametrize(
    "code, reply",
    [
        ("1 + 1", {"status": "complete"}),
        ("for i in range(3):", {"status": "incomplete", "indent": "    "}),
        ("print('''a", {"status": "incomplete", "indent": ""}),
        ("import = 7", {"status": "invalid"}),
        ("%time 1", {"status": "complete"}),
    ],
)
def test_a_cell_is_complete_or_not(shell, code, reply):
    assert shell.ask("is_complete", code) == reply


def _history(shell, **content):
    reply = shell.ask("history", json.dumps({"output": False, "raw": True, **content}))
    assert reply["status"] == "ok"
    return reply["history"]


def test_the_tail_of_the_history(shell):
    for code in ("1", "x = 2", "x"):
        shell.run(code)
    assert [(line, text) for _, line, text in _history(shell, hist_access_type="tail", n=2)] == [(2, "x = 2"), (3, "x")]


def test_history_with_output(shell):
    shell.run("6 * 7")
    session = _history(shell, hist_access_type="tail", n=1)[0][0]
    shown = [[session, 1, ["6 * 7", "42"]]]
    assert _history(shell, hist_access_type="tail", n=1, output=True) == shown
    assert _history(shell, hist_access_type="range", session=0, start=1, stop=2, output=True) == shown


def test_a_range_of_the_current_session_bears_its_number(shell):
    for code in ("1", "2", "3"):
        shell.run(code)
    session = _history(shell, hist_access_type="tail", n=1)[0][0]
    assert session > 0
    expected = [[session, 1, "1"], [session, 2, "2"]]
    assert _history(shell, hist_access_type="range", session=0, start=1, stop=3) == expected
    assert _history(shell, hist_access_type="range", session=session, start=1, stop=3) == expected
    assert _history(shell, hist_access_type="range", session=0, start=-2) == [[session, 2, "2"], [session, 3, "3"]]


def test_earlier_sessions_are_reached_by_number_and_from_the_end(zygote, shell):
    shell.run("'of the first'")
    first = _history(shell, hist_access_type="tail", n=1)[0][0]
    shell.close()
    shell.next("ended")
    second = zygote.fork(HOME=shell.home)
    second.run("'of the second'")
    expected = [[first, 1, "'of the first'"]]
    assert _history(second, hist_access_type="range", session=-1, start=0) == expected
    assert _history(second, hist_access_type="range", session=first, start=1) == expected
    assert [text for _, _, text in _history(second, hist_access_type="tail", n=5)] == ["'of the first'", "'of the second'"]
    second.stop()


def test_history_can_be_searched(shell):
    for code in ("a = 1", "b = 2", "a = 1", "a = 3"):
        shell.run(code)
    found = lambda **how: [text for _, _, text in _history(shell, hist_access_type="search", **how)]  # noqa: E731
    assert found(pattern="a*") == ["a = 1", "a = 1", "a = 3"]
    assert found(pattern="a*", unique=True) == ["a = 1", "a = 3"]
    assert found(pattern="?*=*", n=2) == ["a = 1", "a = 3"]
    assert found(pattern="none*") == []


def test_an_unknown_kind_of_history_is_an_error(shell):
    assert "hist_access_type" in shell.ask("history", '{"hist_access_type": "all"}')["raised"]


def test_a_home_that_cannot_be_written_has_a_history_in_memory(zygote):
    shell = zygote.fork(HOME="/proc/nowhere")
    shell.run("'here'")
    assert [text for _, _, text in _history(shell, hist_access_type="tail", n=5)] == ["'here'"]
    assert "here" in shell.run("%history").text()
    shell.stop()


def test_quiet_time_writes_the_history_to_the_disk(zygote, shell):
    shell.run("'kept'")
    database = os.path.join(shell.home, ".ipython", "profile_default", "history.sqlite")
    assert not os.path.exists(database), "no cell waits for the disk"
    wait_until(lambda: os.path.exists(database))


def test_history_magics(shell):
    shell.run("x = 41")
    assert shell.run("%history -n 1").text() == "   1: x = 41\n"
    assert shell.run("%recall 1").reply["payload"] == [{"source": "set_next_input", "text": "x = 41", "replace": False}]


def test_the_kernel_says_what_it_is(shell):
    info = shell.ask("info")
    assert (info["status"], info["protocol_version"], info["implementation"]) == ("ok", "5.5", "ipython")
    assert info["supported_features"] == ["kernel subshells", "debugger"] and info["debugger"] is True
    assert info["language_info"]["name"] == "python" and info["language_info"]["file_extension"] == ".py"
    assert info["banner"].startswith("Cellgate") and all(link["url"] for link in info["help_links"])


def test_usage_is_told(shell):
    usage = shell.ask("handle", "usage_request", "{}", "{}", [], "{}")
    assert usage["pid"] == shell.pid and usage["kernel_memory"] > 1 << 20


def test_an_unknown_request_is_an_error(shell):
    assert "flush_request" in shell.ask("handle", "flush_request", "{}", "{}", [], "{}")["raised"]
