"""Completion, inspection, is_complete and kernel_info: what an editor asks."""

from typing import Any

import pytest

from support.direct import DirectChannels

ASTRAL = "word = 'é𝒳'; "


def complete(channels: DirectChannels, code: str, cursor: int | None = None) -> dict[str, Any]:
    return channels.request("complete_request", {"code": code, "cursor_pos": len(code) if cursor is None else cursor})


def inspect(channels: DirectChannels, code: str, cursor: int, detail: int = 0) -> dict[str, Any]:
    return channels.request("inspect_request", {"code": code, "cursor_pos": cursor, "detail_level": detail})


def test_attributes_are_completed(channels: DirectChannels) -> None:
    channels.run("import os")
    reply = complete(channels, "os.path.exi")
    assert reply["status"] == "ok" and any("exists" in match for match in reply["matches"])
    assert reply["cursor_end"] == len("os.path.exi")


def test_completions_have_types(channels: DirectChannels) -> None:
    channels.run("import os")
    kinds = complete(channels, "os.path.exi")["metadata"]["_jupyter_types_experimental"]
    assert any(kind["text"].endswith("exists") and kind["type"] == "function" for kind in kinds), kinds
    assert all({"start", "end", "text", "type"} <= set(kind) for kind in kinds)


def test_magics_are_completed(channels: DirectChannels) -> None:
    assert "%timeit" in complete(channels, "%timei")["matches"]


def test_own_names_are_completed(channels: DirectChannels) -> None:
    channels.run("a_rather_long_name = 1")
    assert complete(channels, "a_rather_l")["matches"] == ["a_rather_long_name"]


def test_cursors_count_characters_and_not_bytes(channels: DirectChannels) -> None:
    channels.run("import os")
    code = ASTRAL + "os.path.exi"
    reply = complete(channels, code + " + 1", len(code))
    assert any("exists" in match for match in reply["matches"]) and reply["cursor_end"] == len(code)
    assert code[reply["cursor_start"]:reply["cursor_end"]] in ("exi", "os.path.exi")


@pytest.mark.parametrize("cursor", [-1, 0, 10_000])
def test_a_cursor_outside_the_code_kills_nothing(channels: DirectChannels, cursor: int) -> None:
    assert "status" in complete(channels, "os", cursor)
    assert "status" in inspect(channels, "os", cursor)
    assert channels.run("1 + 1").result == "2"


def test_a_function_is_described(channels: DirectChannels) -> None:
    channels.run("import os")
    reply = inspect(channels, "os.path.exists(", len("os.path.exists("))
    assert reply["found"] is True and "Test whether a path exists" in reply["data"]["text/plain"]


def test_its_source_is_shown_in_detail(channels: DirectChannels) -> None:
    channels.run("def doubled(number):\n    return number * 2  # the source")
    assert "the source" not in inspect(channels, "doubled", 3)["data"]["text/plain"]
    assert "the source" in inspect(channels, "doubled", 3, 1)["data"]["text/plain"]


def test_an_astral_character_before_it_moves_nothing(channels: DirectChannels) -> None:
    channels.run("def doubled(number):\n    'Twice of it.'")
    code = ASTRAL + "doubled(1)"
    assert "Twice of it." in inspect(channels, code, len(ASTRAL) + 3)["data"]["text/plain"]


def test_an_unknown_name_is_not_found(channels: DirectChannels) -> None:
    reply = inspect(channels, "no_such_name", 5)
    assert reply["status"] == "ok" and reply["found"] is False and reply["data"] == {}


@pytest.mark.parametrize("code, status", [("1 + 1", "complete"), ("print('''begun", "incomplete"), ("def f(x):", "incomplete"),
                                          ("import = 7q", "invalid"), ("%timeit 1", "complete")])
def test_it_says_whether_code_is_complete(channels: DirectChannels, code: str, status: str) -> None:
    assert channels.request("is_complete_request", {"code": code})["status"] == status


def test_incomplete_code_comes_with_its_indentation(channels: DirectChannels) -> None:
    assert channels.request("is_complete_request", {"code": "for i in range(3):"})["indent"] == "    "


@pytest.mark.parametrize("channel", ["shell", "control"])
def test_the_kernel_says_what_it_is(channels: DirectChannels, channel: str) -> None:
    info = channels.request("kernel_info_request", {}, channel=channel)
    assert info["status"] == "ok" and info["implementation"] and "Python 3.11" in info["banner"]
    assert info["protocol_version"] == "5.5" and info["implementation_version"]
    language = info["language_info"]
    assert (language["name"], language["file_extension"], language["mimetype"]) == ("python", ".py", "text/x-python")
    assert language["version"].startswith("3.11.") and language["pygments_lexer"] == "ipython3" and language["codemirror_mode"]


def test_the_features_it_names_are_those_it_has(channels: DirectChannels) -> None:
    features = set(channels.request("kernel_info_request", {})["supported_features"])
    assert {"debugger", "kernel subshells"} <= features
    made = channels.request("create_subshell_request", {}, channel="control")
    assert made["status"] == "ok"
    channels.request("delete_subshell_request", {"subshell_id": made["subshell_id"]}, channel="control")
    assert channels.request("debug_request", {"type": "request", "seq": 1, "command": "debugInfo", "arguments": {}},
                            channel="control")["success"] is True
