"""A cell that asks its client: input(), getpass(), and what may happen meanwhile."""

import pytest

from conformance.kernels import Kernel
from support.conversation import Cell
from support.direct import DirectChannels
from support.framing import Message


def begin_question(channels: DirectChannels, code: str) -> tuple[Cell, Message]:
    """The cell, and what it asks."""
    asked: list[Message] = []
    cell = channels.begin(code, allow_stdin=True)
    channels.collect(cell, until=lambda message: message["header"]["msg_type"] == "input_request" and not asked.append(message))
    assert asked, f"it did not ask: {cell.of('error')}"
    return cell, asked[0]


def test_input_asks_and_gets_the_answer(channels: DirectChannels) -> None:
    cell, asked = begin_question(channels, "name = input('name? ')\nprint('hello', name)")
    assert asked["content"] == {"prompt": "name? ", "password": False}
    channels.answer_input("böb", asked)
    channels.collect(cell)
    assert cell.text() == "hello böb\n"


def test_getpass_asks_for_a_password(channels: DirectChannels) -> None:
    cell, asked = begin_question(channels, "import getpass\nprint(getpass.getpass('secret? ') == 'open')")
    assert asked["content"] == {"prompt": "secret? ", "password": True}
    channels.answer_input("open", asked)
    channels.collect(cell)
    assert cell.text() == "True\n"


def test_what_was_printed_before_is_seen_before_the_question(channels: DirectChannels) -> None:
    cell, asked = begin_question(channels, "print('think')\ninput('? ')")
    while cell.text() != "think\n":
        channels.collect(cell, until=lambda _: True)
    channels.answer_input("", asked)
    channels.collect(cell)
    assert cell.result == "''"


def test_it_asks_twice_in_a_cell(channels: DirectChannels) -> None:
    cell, asked = begin_question(channels, "input('one') + input('two')")
    channels.answer_input("1", asked)
    again: list[Message] = []
    channels.collect(cell, until=lambda message: message["header"]["msg_type"] == "input_request" and not again.append(message))
    channels.answer_input("2", again[-1])
    channels.collect(cell)
    assert cell.result == "'12'"


@pytest.mark.parametrize("code", ["input('x')", "import getpass\ngetpass.getpass()"])
def test_a_client_that_cannot_answer_is_not_asked(channels: DirectChannels, code: str) -> None:
    assert channels.run(code, allow_stdin=False).error == "StdinNotImplementedError"


def test_other_threads_run_while_it_waits(channels: DirectChannels) -> None:
    channels.run("import threading\nticks = 0\ngoing = True\ndef tick():\n    global ticks\n    while going:\n        ticks += 1\n"
                 "        threading.Event().wait(0.001)\nthread = threading.Thread(target=tick)\nthread.start()")
    cell, asked = begin_question(channels, "before = ticks\ninput('?')\nafter = ticks\ngoing = False\nthread.join()\nafter - before > 20")
    with pytest.raises(TimeoutError):  # nothing comes while the answer is thought about
        channels.wait_for(lambda message: message["header"]["msg_type"] == "execute_reply", 0.5)
    channels.answer_input("", asked)
    channels.collect(cell)
    assert cell.result == "True"


def test_a_question_goes_to_the_client_whose_cell_asks(channels: DirectChannels, kernel: Kernel) -> None:
    with kernel.connect() as other:
        cell, asked = begin_question(other, "input('other?')")
        other.answer_input("mine", asked)
        other.collect(cell)
        assert cell.result == "'mine'"
    with pytest.raises(TimeoutError):
        channels.wait_for(lambda message: message["channel"] == "stdin", 0.2)


def test_an_answer_that_nobody_waits_for_is_forgotten(channels: DirectChannels) -> None:
    cell, asked = begin_question(channels, "input('first')")
    channels.answer_input("right", asked)
    channels.answer_input("stale", asked)
    channels.collect(cell)
    cell, asked = begin_question(channels, "input('second')")
    channels.answer_input("fresh", asked)
    channels.collect(cell)
    assert cell.result == "'fresh'"


@pytest.mark.parametrize("where", ["main", "subshell"])
def test_an_interrupt_is_raised_once(channels: DirectChannels, where: str) -> None:
    subshell = channels.request("create_subshell_request", {}, channel="control")["subshell_id"] if where == "subshell" else None
    code = "try:\n    input()\nexcept KeyboardInterrupt:\n    print('left')\n    sum(range(100_000))\n    print('goes on')"
    for _ in range(20):
        cell = channels.begin(code, allow_stdin=True, subshell=subshell)
        channels.collect(cell, until=lambda message: message["header"]["msg_type"] == "input_request")
        channels.request("interrupt_request", {}, channel="control", subshell=subshell, beside=(cell,))
        channels.collect(cell)
        assert cell.status == "ok" and cell.text() == "left\ngoes on\n", cell.error
    if subshell:
        channels.request("delete_subshell_request", {"subshell_id": subshell}, channel="control")
