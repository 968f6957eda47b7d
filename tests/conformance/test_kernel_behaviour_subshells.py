"""Subshells (JEP 91): more than one thing at a time in one kernel, and each output where it belongs."""

from collections.abc import Iterator

import pytest

from support.conversation import Cell
from support.direct import DirectChannels
from support.framing import Message

WAIT = "import threading\ngate = threading.Event()\nprint('begun', flush=True)\ngate.wait(30)\nprint('main ends')\n'result of main'"


def create(channels: DirectChannels) -> str:
    reply = channels.request("create_subshell_request", {}, channel="control")
    assert reply["status"] == "ok", reply
    return reply["subshell_id"]


def delete(channels: DirectChannels, subshell: str) -> dict:
    return channels.request("delete_subshell_request", {"subshell_id": subshell}, channel="control")


def listed(channels: DirectChannels) -> list[str]:
    return channels.request("list_subshell_request", {}, channel="control")["subshell_id"]


@pytest.fixture
def subshell(channels: DirectChannels) -> Iterator[str]:
    made = create(channels)
    yield made
    delete(channels, made)


@pytest.fixture
def busy(channels: DirectChannels, subshell: str) -> Iterator[Cell]:
    """A cell of the main shell that goes on until the gate is set, which the fixture's end does."""
    cell = channels.run_until_printed(WAIT, "begun")
    yield cell
    opener = channels.begin("gate.set()", subshell)
    channels.collect(cell, opener)
    assert cell.text() == "begun\nmain ends\n" and cell.result == "'result of main'"


def run(channels: DirectChannels, code: str, subshell: str, **content) -> Cell:
    cell = channels.begin(code, subshell, **content)
    channels.collect(cell)
    return cell


def test_they_are_made_listed_and_deleted(channels: DirectChannels) -> None:
    before = listed(channels)
    first, second = create(channels), create(channels)
    assert first != second and set(listed(channels)) == {*before, first, second}
    assert delete(channels, first)["status"] == "ok"
    assert set(listed(channels)) == {*before, second}
    assert delete(channels, second)["status"] == "ok"


@pytest.mark.parametrize("msg_type, content", [("execute_request", {"code": "1"}), ("complete_request", {"code": "a", "cursor_pos": 1}),
                                               ("kernel_info_request", {})])
def test_a_request_to_an_unknown_one_is_an_error(channels: DirectChannels, msg_type: str, content: dict) -> None:
    reply = channels.request(msg_type, content, subshell="no such subshell")
    assert reply["status"] == "error" and "no such subshell" in reply["evalue"]
    assert channels.run("1 + 1").result == "2"


def test_deleting_an_unknown_one_is_an_error(channels: DirectChannels) -> None:
    assert delete(channels, "no such subshell")["status"] == "error"


def test_a_deleted_one_takes_no_requests(channels: DirectChannels) -> None:
    gone = create(channels)
    delete(channels, gone)
    assert channels.request("execute_request", {"code": "1"}, subshell=gone)["status"] == "error"


def test_they_share_the_variables(channels: DirectChannels, subshell: str) -> None:
    channels.run("shared = 20")
    assert run(channels, "shared += 1\nshared * 2", subshell).result == "42"
    assert channels.run("shared").result == "21"


def test_counts_are_given_once(channels: DirectChannels, subshell: str) -> None:
    counts = [channels.run("1").reply["content"]["execution_count"], run(channels, "2", subshell).reply["content"]["execution_count"],
              channels.run("3").reply["content"]["execution_count"]]
    assert counts == list(range(counts[0], counts[0] + 3))


def test_a_second_question_is_answered_meanwhile(channels: DirectChannels, busy: Cell, subshell: str) -> None:
    cell = run(channels, "print('aside')\n6 * 7", subshell)
    assert cell.result == "42" and cell.text() == "aside\n" and not busy.done


def test_a_completion_is_answered_meanwhile(channels: DirectChannels, busy: Cell, subshell: str) -> None:
    reply = channels.request("complete_request", {"code": "threading.Ev", "cursor_pos": 12}, subshell=subshell)
    assert any("Event" in match for match in reply["matches"]) and not busy.done


def test_an_inspection_is_answered_meanwhile(channels: DirectChannels, busy: Cell, subshell: str) -> None:
    assert channels.request("inspect_request", {"code": "zip", "cursor_pos": 2, "detail_level": 0}, subshell=subshell)["found"]
    assert not busy.done


def test_an_await_runs_meanwhile(channels: DirectChannels, busy: Cell, subshell: str) -> None:
    cell = run(channels, "import asyncio\nawait asyncio.sleep(0.05)\nprint('awaited')", subshell)
    assert cell.text() == "awaited\n" and cell.status == "ok" and not busy.done


def test_a_comm_is_called_back_meanwhile(channels: DirectChannels, subshell: str) -> None:
    channels.run("def opened(comm, message):\n    comm.on_msg(lambda message: (print('called'), comm.send({'answer': 1})))\n"
                 "get_ipython().kernel.comm_manager.register_target('aside', opened)")
    opened = Cell(channels.send("comm_open", {"comm_id": "aside", "target_name": "aside", "data": {}}))
    channels.collect(opened, until=lambda _: opened.idle)
    main = channels.run_until_printed(WAIT, "begun")
    called = Cell(channels.send("comm_msg", {"comm_id": "aside", "data": {}}, subshell=subshell))
    channels.collect(called, until=lambda _: called.idle)
    assert called.text() == "called\n" and called.of("comm_msg")[0]["data"] == {"answer": 1} and not main.done
    channels.collect(main, channels.begin("gate.set()", subshell))


def test_output_has_the_right_parent_when_both_print(channels: DirectChannels, subshell: str) -> None:
    code = "import time\nfor i in range(200):\n    print('{0}', flush=i % 10 == 0)\n    time.sleep(0.001)\ndisplay('{0} shown')\n'{0} result'"
    main, aside = channels.begin(code.format("main")), channels.begin(code.format("aside"), subshell)
    channels.collect(main, aside)
    for cell, name in ((main, "main"), (aside, "aside")):
        assert cell.text() == f"{name}\n" * 200 and cell.result == f"'{name} result'"
        assert cell.of("display_data")[0]["data"]["text/plain"] == f"'{name} shown'"


def test_the_output_of_a_threads_children_has_the_subshells_parent(channels: DirectChannels, busy: Cell, subshell: str) -> None:
    cell = run(channels, "import threading\nthread = threading.Thread(target=lambda: print('from a thread'))\nthread.start()\nthread.join()",
               subshell)
    assert cell.text() == "from a thread\n" and "thread" not in busy.text()


def test_two_of_them_run_at_once(channels: DirectChannels, subshell: str) -> None:
    other = create(channels)
    channels.run("import threading\nmeeting = threading.Barrier(2)")
    cells = [channels.begin("meeting.wait(20)", each) for each in (subshell, other)]
    channels.collect(*cells)
    assert [cell.status for cell in cells] == ["ok", "ok"]
    delete(channels, other)


def test_an_interrupt_of_it_ends_its_loop_and_not_mains(channels: DirectChannels, busy: Cell, subshell: str) -> None:
    looping = channels.begin("print('loops', flush=True)\nwhile True: pass", subshell)
    channels.collect(looping, until=lambda _: "loops" in looping.text())
    interrupting = Cell(channels.send("interrupt_request", {}, channel="control", subshell=subshell))
    channels.collect(looping, interrupting)
    assert looping.error == "KeyboardInterrupt" and not busy.done
    assert run(channels, "'goes on'", subshell).result == "'goes on'"


def test_an_interrupt_of_main_leaves_it_alone(channels: DirectChannels, subshell: str) -> None:
    main = channels.run_until_printed(WAIT, "begun")
    aside = channels.begin("print('aside', flush=True)\nresult = gate.wait(30)", subshell)
    channels.collect(aside, until=lambda _: "aside" in aside.text())
    channels.send("interrupt_request", {}, channel="control")
    channels.collect(main, timeout=15)
    assert main.error == "KeyboardInterrupt" and not aside.done
    opener = channels.begin("gate.set()")
    channels.collect(aside, opener)
    assert aside.status == "ok"


def test_a_failure_aborts_only_what_waits_behind_it_there(channels: DirectChannels, subshell: str) -> None:
    failing = channels.begin("import time\ntime.sleep(0.4)\n1 / 0", subshell)
    behind, beside = channels.begin("2", subshell), channels.begin("3")
    channels.collect(failing, behind, beside)
    assert failing.status == "error" and behind.status == "aborted" and beside.result == "3"


def test_it_asks_its_own_client(channels: DirectChannels, busy: Cell, subshell: str) -> None:
    asked: list[Message] = []
    cell = channels.begin("input('aside? ')", subshell, allow_stdin=True)
    channels.collect(cell, until=lambda message: message["header"]["msg_type"] == "input_request" and not asked.append(message))
    channels.answer_input("yes", asked[0])
    channels.collect(cell)
    assert cell.result == "'yes'" and not busy.done


def test_it_may_be_deleted_while_it_waits(channels: DirectChannels) -> None:
    for _ in range(20):
        assert delete(channels, create(channels))["status"] == "ok"
    assert channels.run("import threading\nthreading.active_count() < 20").result == "True"
