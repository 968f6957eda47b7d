"""That nothing a kernel publishes is lost: welcome, numbers, resending, and a writer that waits for its reader."""

from collections.abc import Callable

import pytest
from jupyter_client.blocking.client import BlockingKernelClient

from conformance.kernels import Kernel
from support.conversation import Cell
from support.direct import DirectChannels
from support.framing import Message
from support.memory import private_bytes
from support.processes import resident_bytes


def numbers(messages: list[Message]) -> list[int]:
    return [message["metadata"]["cellgate_seq"] for message in messages if message["channel"] == "iopub"]


def test_each_subscriber_is_welcomed_first(kernel: Kernel) -> None:
    for _ in range(3):
        with DirectChannels(kernel.connection_file) as channels:
            first = channels.wait_for(lambda message: message["channel"] == "iopub")
            assert first["header"]["msg_type"] == "iopub_welcome"
            assert first["content"] == {"subscription": ""} and first["parent_header"] == {}


def test_a_subscriber_of_a_topic_is_welcomed_to_it(kernel: Kernel) -> None:
    with DirectChannels(kernel.connection_file) as channels:
        channels.iopub.subscribe("a topic")
        topics = []
        while len(topics) < 2:
            message = channels.wait_for(lambda message: message["header"]["msg_type"] == "iopub_welcome")
            topics.append(message["content"]["subscription"])
        assert sorted(topics) == ["", "a topic"]


def test_messages_are_numbered_without_a_gap(channels: DirectChannels) -> None:
    cells = [channels.run(f"for i in range(3): print(i, flush=True); display(i)\n{turn}") for turn in range(100)]
    seen = numbers([message for cell in cells for message in cell.messages])
    assert len(seen) > 700 and seen == list(range(seen[0], seen[0] + len(seen)))


def test_numbers_begin_with_one(start_kernel: Callable[..., Kernel]) -> None:
    kernel = start_kernel()
    with kernel.connect() as channels:
        reply = channels.request("resend_request", {"after": 0}, channel="control")
        assert reply["status"] == "ok" and reply["first"] == 1


def ask_again(channels: DirectChannels, after: int, number: int) -> tuple[dict, list[Message]]:
    """The reply to a resend_request, and that number of messages that were sent again."""
    asked, again, replies = channels.send("resend_request", {"after": after}, channel="control"), [], []
    while len(again) < number or not replies:
        message = channels.wait_for(lambda message: message["channel"] == "control")
        if message["parent_header"].get("msg_id") == asked:
            replies.append(message["content"])
        else:
            again.append(message)
    return replies[0], again


def test_what_was_missed_is_sent_again_as_it_was(channels: DirectChannels) -> None:
    cell = channels.run("for i in range(50): print(i, flush=True); display({'text/plain': 'x' * i}, raw=True)")
    first = cell.messages[0]["metadata"]["cellgate_seq"]
    wanted = [message for message in cell.messages if message["channel"] == "iopub"]
    reply, again = ask_again(channels, first - 1, len(wanted))
    assert reply["status"] == "ok" and reply["first"] <= first
    for before, after in zip(wanted, again, strict=True):
        assert all(after[part] == before[part] for part in ("header", "parent_header", "content", "buffers"))
        assert after["metadata"].pop("cellgate_resent") > 0 and after["metadata"] == before["metadata"]


def test_nobody_else_gets_what_is_sent_again(channels: DirectChannels, kernel: Kernel) -> None:
    with kernel.connect() as other:
        channels.run("print('once')")
        ask_again(channels, 0, 10)
        cell = channels.begin("print('afterwards')")
        channels.collect(cell)
        seen, ended = [], False
        while not ended:
            message = other.receive()
            assert message["channel"] == "iopub"
            seen.append(message)
            ended = (message["parent_header"].get("msg_id") == cell.msg_id
                     and message["content"].get("execution_state") == "idle")
        assert numbers(seen) == sorted(set(numbers(seen))) and not any("cellgate_resent" in m["metadata"] for m in seen)


def test_a_strict_client_may_ask_twice(kernel: Kernel) -> None:
    """jupyter_client refuses a signature that it has seen."""
    client = BlockingKernelClient()
    client.load_connection_file(str(kernel.connection_file))
    client.start_channels()
    try:
        client.wait_for_ready(timeout=30)
        client.execute_interactive("print('seen')", timeout=30, output_hook=lambda message: None)
        for _ in range(2):
            client.control_channel.send(client.session.msg("resend_request", {"after": 0}))
            messages = [client.get_control_msg(timeout=30) for _ in range(10)]
            assert sum("cellgate_resent" in message["metadata"] for message in messages) >= 9
    finally:
        client.stop_channels()


def test_a_resend_of_nothing_says_what_there_is(channels: DirectChannels) -> None:
    last = channels.run("1").messages[-1]["metadata"].get("cellgate_seq", 0)
    reply = channels.request("resend_request", {"after": 10**12}, channel="control")
    assert reply["status"] == "ok" and reply["last"] >= last


@pytest.mark.parametrize("content", [{}, {"after": "x"}, {"after": -1}, {"after": None}])
def test_a_resend_request_that_makes_no_sense_is_an_error(channels: DirectChannels, content: dict) -> None:
    assert channels.request("resend_request", content, channel="control")["status"] == "error"


def test_a_resend_is_answered_while_c_keeps_the_lock(channels: DirectChannels) -> None:
    cell = channels.run_until_printed("import ctypes\nprint('begun', flush=True)\nctypes.PyDLL(None).sleep(60)", "begun")
    assert channels.request("resend_request", {"after": 10**12}, channel="control", timeout=15, beside=(cell,))["status"] == "ok"
    assert not cell.done
    channels.send("interrupt_request", {}, channel="control")
    channels.collect(cell)


LIMIT = 8 << 20
LINES = 200  # of a megabyte


@pytest.fixture
def limited(start_kernel: Callable[..., Kernel]) -> Kernel:
    """A kernel that lets 8 MiB be unsent."""
    return start_kernel(CELLGATE_KERNEL_UNSENT_LIMIT=str(LIMIT))


def begin_flood(slow: DirectChannels) -> Cell:
    """A cell that prints far more than may be unsent, to a client that does not read."""
    slow.hide("iopub")
    cell = slow.begin(f"for i in range({LINES}): print(f'{{i:07}}' + 'x' * 1_000_000)")
    with pytest.raises(TimeoutError):
        slow.collect(cell, timeout=3)
    assert cell.reply is None, "it waits for its reader"
    return cell


def test_a_cell_waits_for_its_reader_instead_of_growing(limited: Kernel) -> None:
    with limited.connect(timeout=120, unread=1) as slow:
        before = resident_bytes(limited.pid)
        cell = begin_flood(slow)
        # What is kept for a resend, what may be unsent, and what the last writes made of it.
        assert resident_bytes(limited.pid) - before < (64 << 20) + 3 * LIMIT + (24 << 20)
        slow.show("iopub")
        slow.collect(cell)
        assert [line[:7] for line in cell.text().splitlines()] == [f"{number:07}" for number in range(LINES)]
        assert len(cell.text()) == LINES * 1_000_008 and cell.status == "ok"


def test_a_cell_that_waits_for_its_reader_can_be_interrupted(limited: Kernel) -> None:
    with limited.connect(timeout=120, unread=1) as slow:
        cell = begin_flood(slow)
        assert slow.request("interrupt_request", {}, channel="control")["status"] == "ok"
        slow.collect(cell, until=lambda message: message["channel"] == "shell")
        assert cell.error == "KeyboardInterrupt"
        slow.show("iopub")
        slow.collect(cell)
        assert slow.run("1 + 1").result == "2"


def test_a_reader_that_goes_away_frees_the_writer(limited: Kernel) -> None:
    with limited.connect(timeout=60) as watching:
        with limited.connect(timeout=120, unread=1) as slow:
            begin_flood(slow)
        # The other client reads, and the one that did not is gone.
        cell = watching.begin("'after the flood'")
        watching.collect(cell)
        assert cell.result == "'after the flood'"


@pytest.mark.soak
@pytest.mark.timeout(1200)
def test_five_thousand_mixed_cells_leave_the_memory_flat(channels: DirectChannels, kernel: Kernel) -> None:
    codes = ["1 + 1", "print('x' * 1000)", "import pandas\npandas.DataFrame({'a': range(10)})", "1 / 0", "display({'text/plain': 'y' * 10000}, raw=True)",
             "import asyncio\nawait asyncio.sleep(0)", "!true", "import threading\nt = threading.Thread(target=print); t.start(); t.join()",
             "def f(x):\n    return x\nf(3)", "%timeit -n1 -r1 1"]

    def run(count: int) -> None:
        for turn in range(count):
            channels.run(codes[turn % len(codes)], store_history=False)

    run(1000)
    before = private_bytes(kernel.pid)
    run(4000)
    # 64 MiB are kept for resends; a thousand cells have not filled that.
    grown = private_bytes(kernel.pid) - before
    print(f"{grown / 2**20:.1f} MiB in 4,000 cells")
    assert grown < 32 << 20
