"""Requests that are not what the protocol says: an error that names what is wrong, and nothing in anybody's cell."""

import pytest

from support.conversation import Cell
from support.direct import DirectChannels

MALFORMED = [
    ("execute_request", {"code": 7}, '"code" of execute_request must be a string'),
    ("execute_request", {"code": "1", "silent": "yes"}, '"silent" of execute_request must be true or false'),
    ("execute_request", {"code": "1", "user_expressions": ["x"]}, '"user_expressions" of execute_request must be an object'),
    ("complete_request", {"code": "x", "cursor_pos": "1"}, '"cursor_pos" of complete_request must be a whole number of at most 32 bits'),
    ("inspect_request", {"code": [], "cursor_pos": 1}, '"code" of inspect_request must be a string'),
    ("is_complete_request", {"code": {}}, '"code" of is_complete_request must be a string'),
    ("history_request", {"hist_access_type": 1}, '"hist_access_type" of history_request must be a string'),
    ("history_request", [], "the content of history_request must be a JSON object"),
]


@pytest.mark.parametrize("msg_type, content, told", MALFORMED)
def test_it_is_answered_by_an_error_and_not_on_stderr(channels: DirectChannels, msg_type: str, content: object, told: str) -> None:
    asked = Cell(channels.send(msg_type, content))
    channels.collect(asked)
    reply = asked.reply["content"]
    assert asked.reply["header"]["msg_type"] == msg_type.replace("request", "reply")
    assert (reply["status"], reply["ename"], reply["evalue"]) == ("error", "ValueError", told)
    assert [content["execution_state"] for content in asked.of("status")] == ["busy", "idle"]
    following = channels.run("1 + 1")
    assert following.result == "2" and following.text("stderr") == "" and asked.text("stderr") == ""


def test_a_cell_that_runs_meanwhile_sees_nothing_of_it(channels: DirectChannels) -> None:
    subshell = channels.request("create_subshell_request", {}, channel="control")["subshell_id"]
    running = channels.run_until_printed("import threading\ngate = threading.Event()\nprint('begun', flush=True)\ngate.wait(30)", "begun")
    for msg_type, content, _ in MALFORMED:
        assert channels.request(msg_type, content, subshell=subshell, beside=(running,))["status"] == "error"
    channels.collect(channels.begin("gate.set()", subshell), running)
    assert (running.text(), running.text("stderr")) == ("begun\n", "")
    channels.request("delete_subshell_request", {"subshell_id": subshell}, channel="control")


def test_null_counts_as_absent(channels: DirectChannels) -> None:
    cell = channels.begin("1 + 1", silent=None, store_history=None, user_expressions=None, allow_stdin=None, stop_on_error=None)
    channels.collect(cell)
    assert cell.result == "2"
    assert channels.request("history_request", {"hist_access_type": "range", "session": 0, "start": 1, "stop": None,
                                                "raw": True, "output": False})["status"] == "ok"
