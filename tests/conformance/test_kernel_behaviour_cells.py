"""What running a cell means: results, errors, counts, await, what queued cells become, payloads, history."""

import pytest

from conformance.kernels import Kernel
from support.direct import DirectChannels
from support.waiting import eventually


def test_a_cell_may_await(channels: DirectChannels) -> None:
    cell = channels.run("import asyncio\nawait asyncio.sleep(0.05)\nprint('awaited')")
    assert cell.status == "ok" and cell.text() == "awaited\n"


def test_a_task_of_an_awaiting_cell_goes_on_after_it(channels: DirectChannels) -> None:
    channels.run("import asyncio\nasync def tick():\n    await asyncio.sleep(0.1)\n    print('ticked')\n")
    cell = channels.run("await asyncio.sleep(0)\ntask = asyncio.create_task(tick())")
    printed = channels.wait_for(lambda message: message["header"]["msg_type"] == "stream", 5)
    assert printed["content"]["text"] == "ticked\n" and printed["parent_header"]["msg_id"] == cell.msg_id


def test_a_cell_without_await_may_make_a_task(channels: DirectChannels) -> None:
    channels.run("import asyncio\nran = []\nasync def run_later(): ran.append(1)")
    assert channels.run("task = asyncio.create_task(run_later())").status == "ok"
    eventually(lambda: channels.run("ran").result == "[1]", 5, "the task ran between cells")


def test_a_cell_that_stops_its_loop_goes_on_and_has_its_count_to_itself(channels: DirectChannels) -> None:
    first = channels.run("import asyncio\nasyncio.get_event_loop().stop()\nawait asyncio.sleep(0.01, 'slept')")
    assert first.result == "'slept'" and "loop" not in first.text("stderr")
    second, count = channels.run("'after the stop'"), first.reply["content"]["execution_count"]
    assert second.reply["content"]["execution_count"] == count + 1
    told = channels.request("history_request", {"hist_access_type": "tail", "n": 2, "raw": True, "output": False})["history"]
    assert [entry[1] for entry in told] == [count, count + 1] and told[1][2] == "'after the stop'"


def test_a_cell_whose_loop_is_lost_has_its_count_to_itself(channels: DirectChannels) -> None:
    channels.run("shell = get_ipython()\nusual = shell.loop_runner\ndef lose(cell):\n    usual(cell)\n    raise RuntimeError('lost')\n"
                 "shell.loop_runner = lose")
    lost = channels.run("import asyncio\nawait asyncio.sleep(0)")
    following = channels.run("shell.loop_runner = usual")
    assert lost.error == "RuntimeError"
    assert following.reply["content"]["execution_count"] == lost.reply["content"]["execution_count"] + 1


def test_the_last_expression_is_the_result(channels: DirectChannels) -> None:
    cell = channels.run("2\n40 + 2")
    assert cell.result == "42" and len(cell.of("execute_result")) == 1
    assert channels.run("_ + 1").result == "43"


def test_reply_input_and_result_have_the_same_count(channels: DirectChannels) -> None:
    first, second = channels.run("1"), channels.run("2")
    for cell in (first, second):
        counts = {content["execution_count"] for content in [*cell.of("execute_input"), *cell.of("execute_result"), cell.reply["content"]]}
        assert len(counts) == 1, counts
    assert second.reply["content"]["execution_count"] == first.reply["content"]["execution_count"] + 1


def test_a_cell_that_is_not_stored_leaves_the_count(channels: DirectChannels) -> None:
    before = channels.run("1").reply["content"]["execution_count"]
    unstored = channels.run("'unstored'", store_history=False)
    assert unstored.result == "'unstored'" and unstored.status == "ok"
    assert channels.run("2").reply["content"]["execution_count"] == before + 1


def test_a_silent_cell_shows_nothing_and_leaves_the_count(channels: DirectChannels) -> None:
    before = channels.run("1").reply["content"]["execution_count"]
    silent = channels.run("seen = 7\nseen", silent=True)
    assert silent.status == "ok" and {message["header"]["msg_type"] for message in silent.messages} <= {"status", "execute_reply"}
    assert channels.run("seen").reply["content"]["execution_count"] == before + 1


def test_user_expressions_are_evaluated_each_for_itself(channels: DirectChannels) -> None:
    cell = channels.run("y = 3", user_expressions={"double": "y * 2", "wrong": "no_such_name"})
    values = cell.reply["content"]["user_expressions"]
    assert values["double"]["data"]["text/plain"] == "6" and values["double"]["status"] == "ok"
    assert values["wrong"]["status"] == "error" and values["wrong"]["ename"] == "NameError"


def test_an_error_has_its_name_and_the_line_that_caused_it(channels: DirectChannels) -> None:
    cell = channels.run("def divide():\n    return 1 / 0\ndivide()")
    shown, = cell.of("error")
    assert cell.error == shown["ename"] == "ZeroDivisionError" and shown["evalue"] == "division by zero"
    assert any("1 / 0" in line or "\x1b" in line and "0" in line for line in shown["traceback"])
    assert "ZeroDivisionError" in shown["traceback"][-1]


def test_the_traceback_shows_no_frame_of_the_kernel(channels: DirectChannels) -> None:
    shown, = channels.run("1 / 0").of("error")
    text = "".join(shown["traceback"])
    assert "cellgate" not in text and "interactiveshell" not in text


def test_a_syntax_error_is_an_error_of_the_cell(channels: DirectChannels) -> None:
    cell = channels.run("1 +")
    assert cell.error == "SyntaxError" and len(cell.of("error")) == 1


def test_a_failing_repr_is_reported(channels: DirectChannels) -> None:
    cell = channels.run("class Broken:\n    def __repr__(self): raise ValueError('no repr')\nBroken()")
    told = cell.text("stderr") + "".join("".join(content["traceback"]) for content in cell.of("error"))
    assert "no repr" in told
    assert channels.run("1 + 1").result == "2"


def test_sys_exit_ends_the_cell_and_not_the_kernel(channels: DirectChannels, kernel: Kernel) -> None:
    cell = channels.run("kept = 5\nimport sys\nsys.exit(3)")
    assert cell.error == "SystemExit"
    assert channels.run("kept").result == "5" and kernel.is_alive()


def test_an_exception_without_arguments_and_one_of_two_bases_are_told(channels: DirectChannels) -> None:
    assert channels.run("raise RuntimeError").error == "RuntimeError"
    assert channels.run("class Two(KeyError, AttributeError): pass\nraise Two('é')").error == "Two"
    group = channels.run("raise ExceptionGroup('both', [ValueError('a'), TypeError('b')])")
    assert group.error == "ExceptionGroup"


def test_cells_queued_behind_a_failing_one_are_aborted_each_with_its_idle(channels: DirectChannels) -> None:
    first = channels.begin("import time\ntime.sleep(0.5)\n1 / 0")
    queued = [channels.begin(f"print({number})") for number in range(3)]
    channels.collect(first, *queued)
    assert first.status == "error" and [cell.status for cell in queued] == ["aborted"] * 3
    for cell in queued:
        states = [content["execution_state"] for content in cell.of("status")]
        assert states == ["busy", "idle"] and cell.text() == ""
    assert channels.run("print('next')").text() == "next\n"


def test_cells_queued_behind_one_that_may_fail_run(channels: DirectChannels) -> None:
    first = channels.begin("import time\ntime.sleep(0.2)\n1 / 0", stop_on_error=False)
    second = channels.begin("6 * 7")
    channels.collect(first, second)
    assert first.status == "error" and second.result == "42"


def test_other_requests_behind_a_failing_cell_are_answered(channels: DirectChannels) -> None:
    first = channels.begin("import time\ntime.sleep(0.3)\n1 / 0")
    reply = channels.request("kernel_info_request", {})
    assert reply["status"] == "ok"
    del first


def test_busy_comes_first_and_idle_last(channels: DirectChannels) -> None:
    cell = channels.run("print('x')\n5")
    published = [message for message in cell.messages if message["channel"] == "iopub"]
    kinds = [message["header"]["msg_type"] for message in published]
    assert kinds == ["status", "execute_input", "stream", "execute_result", "status"]
    assert [published[0]["content"], published[-1]["content"]] == [{"execution_state": "busy"}, {"execution_state": "idle"}]


def test_load_puts_the_file_into_the_next_cell(channels: DirectChannels) -> None:
    channels.run("import pathlib, tempfile\nscript = pathlib.Path(tempfile.mkdtemp()) / 'script.py'\nscript.write_text(\"print('loaded')\\n\")")
    payload, = channels.run("%load {script}").reply["content"]["payload"]
    assert payload["source"] == "set_next_input" and "print('loaded')" in payload["text"] and payload["replace"] is True


def test_a_question_mark_pages_the_description(channels: DirectChannels) -> None:
    payload, = channels.run("zip?").reply["content"]["payload"]
    assert payload["source"] == "page" and "Docstring" in payload["data"]["text/plain"]


def test_an_unknown_request_kills_nothing(channels: DirectChannels) -> None:
    channels.send("no_such_request", {})
    channels.send("no_such_request", {}, channel="control")
    assert channels.run("1 + 1").result == "2"


@pytest.mark.parametrize("content", [{}, {"code": 5}, {"code": None, "silent": "perhaps"}])
def test_a_request_with_content_that_makes_no_sense_kills_nothing(channels: DirectChannels, content: dict) -> None:
    channels.send("execute_request", content)
    channels.send("complete_request", content)
    assert channels.run("1 + 1").result == "2"


class TestHistory:
    def ask(self, channels: DirectChannels, **content) -> list:
        asked = {"output": False, "raw": True, "session": 0, "start": 0, "stop": None, "n": 0, "pattern": "", "unique": False}
        return channels.request("history_request", asked | content)["history"]

    def test_the_tail_is_the_newest_cells(self, channels: DirectChannels) -> None:
        channels.run("'older'")
        channels.run("'newer'")
        tail = self.ask(channels, hist_access_type="tail", n=2)
        assert [entry[2] for entry in tail] == ["'older'", "'newer'"]
        assert tail[1][1] == tail[0][1] + 1

    def test_a_range_of_this_session_has_its_number(self, channels: DirectChannels) -> None:
        count = channels.run("'for a range'").reply["content"]["execution_count"]
        session = self.ask(channels, hist_access_type="tail", n=1)[0][0]
        assert self.ask(channels, hist_access_type="range", session=session, start=count, stop=count + 1) == \
            [[session, count, "'for a range'"]]

    def test_with_output_the_output_comes_along(self, channels: DirectChannels) -> None:
        channels.run("6 * 7")
        (_, _, pair), = self.ask(channels, hist_access_type="tail", n=1, output=True)
        assert pair[0] == "6 * 7" and pair[1] in ("42", ["42"], None)

    def test_a_search_finds_by_pattern(self, channels: DirectChannels) -> None:
        channels.run("needle_in_a_haystack = 1")
        found = self.ask(channels, hist_access_type="search", pattern="needle_in*", n=5)
        assert [entry[2] for entry in found] == ["needle_in_a_haystack = 1"]
