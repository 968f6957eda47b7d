"""Nothing that a kernel prints is lost. Numbers in names are the rows of docs/jupyter-rows.md."""

import itertools
import pytest

from support.gateway import Gateway
from support.waiting import Stopwatch

pytestmark = pytest.mark.release
FLUSHED_PRINTS = "for i in range({count}): print(i, flush=True)"

# The log's cap, as much again for what is on its way to disk, and what the allocator keeps.
CAP = (64 + 64 + 64) << 20


def lines(count: int) -> str:
    return "".join(f"{i}\n" for i in range(count))


@pytest.mark.parametrize("v1", [False, True], ids=["default", "v1"])
def test_row_01_flushed_prints_arrive_complete_and_in_order(gateway: Gateway, v1: bool) -> None:
    jupyter = gateway.jupyter()
    with jupyter.connect(jupyter.start_kernel(), v1=v1) as channels:
        cell = channels.run(FLUSHED_PRINTS.format(count=20_000), timeout=120)
        assert cell.text() == lines(20_000)
        assert cell.idle and cell.status == "ok"


def test_row_01_flushed_prints_reach_an_agent_complete_and_in_order(gateway: Gateway) -> None:
    agent = gateway.agent()
    session = agent.start_session()["id"]
    with agent.connect(session) as socket:
        finished = socket.run(FLUSHED_PRINTS.format(count=20_000), timeout=120)
        assert finished["status"] == "ok"
        assert socket.text(finished["cell_id"]) == lines(20_000)


@pytest.mark.timeout(400)
def test_row_02_idle_and_reply_arrive_behind_200000_messages(gateway: Gateway) -> None:
    jupyter = gateway.jupyter()
    with jupyter.connect(jupyter.start_kernel(), v1=True) as channels:
        cell = channels.run(FLUSHED_PRINTS.format(count=200_000), timeout=380)
        assert cell.idle and cell.status == "ok"
        assert cell.text() == lines(200_000)


def prints_in_many_kernels(gateway: Gateway, kernels: int, prints: int) -> None:
    jupyter = gateway.jupyter()
    sockets = [jupyter.connect(jupyter.start_kernel(), v1=True, timeout=300) for _ in range(kernels)]
    cells = [channels.begin(FLUSHED_PRINTS.format(count=prints)) for channels in sockets]
    for channels, cell in zip(sockets, cells):
        channels.collect(cell)
        assert cell.text() == lines(prints)
        channels.close()


def test_row_03_twelve_kernels_print_at_once(start_gateway) -> None:
    prints_in_many_kernels(start_gateway(kernels__launch_timeout_s=170), kernels=12, prints=2000)


@pytest.mark.soak
@pytest.mark.timeout(1200)
def test_row_03_sixty_four_kernels_print_at_once(start_gateway) -> None:
    prints_in_many_kernels(start_gateway(kernels__launch_timeout_s=600), kernels=64, prints=5000)


def test_row_30_five_megabytes_of_prints_meet_no_rate_limit(gateway: Gateway) -> None:
    jupyter = gateway.jupyter()
    with jupyter.connect(jupyter.start_kernel()) as channels:
        cell = channels.run("for i in range(5000): print(f'{i:06}' + 'x' * 993)", timeout=120)
        assert cell.text() == "".join(f"{i:06}" + "x" * 993 + "\n" for i in range(5000))
        assert cell.text("stderr") == ""


@pytest.mark.timeout(400)
def test_row_31_a_slow_client_gets_few_large_messages(gateway: Gateway) -> None:
    """200,000 prints to a client that reads nothing until the kernel is done: at most 2,000 messages, the text equal."""
    jupyter = gateway.jupyter()
    kernel = jupyter.start_kernel()
    slow = jupyter.connect(kernel, "slow", v1=True)
    slow.run("1")
    with jupyter.connect(kernel, "fast", v1=True) as fast:
        cell = slow.begin(FLUSHED_PRINTS.format(count=200_000))
        fast.wait_for(lambda message: message["parent_header"].get("msg_id") == cell.msg_id
                      and message["content"].get("execution_state") == "idle", timeout=380)
    slow.collect(cell, timeout=60)
    assert cell.text() == lines(200_000)
    assert len(cell.of("stream")) <= 2000
    slow.close()


def first_outputs(gateway: Gateway, times: int) -> None:
    jupyter = gateway.jupyter()
    for _ in range(times):
        kernel = jupyter.start_kernel()
        with jupyter.connect(kernel, v1=True) as channels:
            cell = channels.run("print('first')\n'result'")
            assert [message["header"]["msg_type"] for message in cell.messages if message["channel"] == "iopub"] == [
                "status", "execute_input", "stream", "execute_result", "status"]
        jupyter.delete(kernel)


def test_a_client_that_draws_all_text_anew_gets_few_messages_of_a_long_output(gateway: Gateway) -> None:
    jupyter = gateway.jupyter()
    with jupyter.connect(jupyter.start_kernel(), v1=True) as channels:
        cell = channels.run("for number in range(100_000): print(f'{number:099}')", timeout=120)
        assert cell.text() == "".join(f"{number:099}\n" for number in range(100_000))
        streams = [message for message in cell.messages if message["header"]["msg_type"] == "stream"]
        assert len(streams) <= 20


def test_row_36_the_first_output_is_never_missed(gateway: Gateway) -> None:
    first_outputs(gateway, 10)


@pytest.mark.soak
@pytest.mark.timeout(1200)
def test_row_36_the_first_output_is_never_missed_a_hundred_times(gateway: Gateway) -> None:
    first_outputs(gateway, 100)


def test_row_53_each_channel_keeps_its_order(gateway: Gateway) -> None:
    """What one socket of the kernel sent comes in that order: iopub from busy to idle, and replies as asked."""
    jupyter = gateway.jupyter()
    with jupyter.connect(jupyter.start_kernel(), v1=True) as channels:
        cells = [channels.begin(f"print({i})") for i in range(50)]
        seen: list[tuple[str, str, str]] = []
        channels.collect(*cells, until=lambda message: seen.append(
            (message["channel"], message["parent_header"]["msg_id"], message["header"]["msg_type"])))
    replies = [msg_id for channel, msg_id, _ in seen if channel == "shell"]
    assert replies == [cell.msg_id for cell in cells]
    # ipykernel may cut one print into two stream messages.
    iopub = [pair for pair, _ in itertools.groupby((msg_id, kind) for channel, msg_id, kind in seen if channel == "iopub")]
    assert iopub == [(cell.msg_id, kind) for cell in cells for kind in ("status", "execute_input", "stream", "status")]


def test_output_waits_for_a_reader_that_stalls_ten_seconds(gateway: Gateway) -> None:
    jupyter = gateway.jupyter()
    kernel = jupyter.start_kernel()
    with jupyter.connect(kernel, "stalls", v1=True) as stalled, jupyter.connect(kernel, "reads", v1=True) as reader:
        cell = stalled.begin("import time\nend = time.time() + 10\nn = 0\nwhile time.time() < end or n < 20000:\n"
                             "    print(n, flush=True)\n    n += 1")
        reader.wait_for(lambda message: message["content"].get("execution_state") == "idle"
                        and message["parent_header"].get("msg_id") == cell.msg_id, timeout=120)
        stalled.collect(cell)
        printed = cell.text().splitlines()
        assert printed == [str(i) for i in range(len(printed))] and len(printed) >= 20_000


def gigabytes_without_a_reader(gateway: Gateway, megabytes: int, cap: int) -> None:
    agent = gateway.agent()
    session = agent.start_session()["id"]
    agent.execute(session, "1")
    block = "x" * 99 + "\n"
    code = f"block = {block!r} * 10_000\nfor i in range({megabytes}): print(f'{{i:09}}', block, sep='\\n', end='', flush=True)"
    before = gateway.resident_bytes()
    with agent.connect(session) as socket:
        cell = socket.begin(code, timeout_s=3000)
    highest = before
    watch = Stopwatch()
    while agent.call("GET", f"/sessions/{session}/cells/{cell}", 200).json()["status"] in ("queued", "running"):
        highest = max(highest, gateway.resident_bytes())
        assert watch.seconds < 3000
    assert highest - before < cap
    with agent.connect(session, timeout=600) as late:
        late.call("attach", after_seq=0)
        received, expected = 0, 0
        finished = False
        while not finished:
            late.read()
            for event in late.events:
                assert event["method"] != "gap"
                finished |= event["method"] == "cell_finished" and event["cell_id"] == cell
                if event["method"] == "output" and event["cell_id"] == cell:
                    received += len(event["text"])
            late.events.clear()
        expected = megabytes * (10 + 1_000_000)
        assert received == expected


@pytest.mark.timeout(600)
def test_row_08_a_hundred_megabytes_wait_for_a_late_reader(start_gateway) -> None:
    gigabytes_without_a_reader(start_gateway(), 100, cap=CAP)


@pytest.mark.soak
@pytest.mark.timeout(3600)
def test_row_08_a_gigabyte_waits_for_a_late_reader(start_gateway) -> None:
    gigabytes_without_a_reader(start_gateway(), 1000, cap=CAP)


def test_row_08_past_the_logs_size_there_is_an_explicit_gap(start_gateway) -> None:
    gateway = start_gateway(output_log__memory_bytes=1 << 20, output_log__disk_bytes=4 << 20)
    agent = gateway.agent()
    session = agent.start_session()["id"]
    agent.execute(session, "for i in range(20_000): print(f'{i:06}' + 'x' * 993)")
    with agent.connect(session) as late:
        late.call("attach", after_seq=0)
        gap = late.wait_for(lambda event: event["method"] == "gap")
        assert gap["from"] <= gap["to"]
        text = "x\n"
        while not text.endswith("019999" + "x" * 993 + "\n"):
            late.read()
            text += "".join(event["text"] for event in late.events if event["method"] == "output" and event["type"] == "stream")
            late.events.clear()
