"""Connections are cut, and nothing is lost. Numbers in names are the rows of docs/jupyter-rows.md."""

import uuid

import pytest

from support.conversation import Cell
from support.gateway import Gateway
from support.jupyter import Channels, Jupyter
from support.proxy import Proxy
from support.waiting import Stopwatch, eventually

# One line every 2 ms: a cut falls in the middle.
SLOW_PRINTS = "import time\nfor i in range({count}):\n    print(i, flush=True)\n    time.sleep(0.002)"


def numbers(cell: Cell) -> list[int]:
    return [int(line) for line in cell.text().splitlines()]


def whole_lines(text: str) -> str:
    return text[:text.rfind("\n") + 1]


def assert_nothing_lost(before: Cell, after: Cell, count: int) -> None:
    """`after` goes on where `before` ended, or repeats at most what was not acknowledged: 64 KiB or 100 ms."""
    first, second = whole_lines(before.text()), after.text()
    seen = len(first.splitlines())
    resumed = numbers(after)
    assert resumed, "nothing came after the cut"
    assert resumed == list(range(resumed[0], count)), "the rest is not complete and in order"
    assert resumed[0] <= seen, f"lines {seen} to {resumed[0] - 1} are lost"
    repeated = len("".join(second.splitlines(keepends=True)[:seen - resumed[0]]))
    assert repeated <= 65_536 + 4096, f"{repeated} bytes are repeated"


def cut_in_the_middle(jupyter: Jupyter, kernel: str, first: Channels, session_id: str | None, count: int = 1500) -> None:
    before = first.run_until_printed(SLOW_PRINTS.format(count=count), "300\n")
    first.cut()
    # What runs while nobody is there.
    eventually(lambda: jupyter.kernel(kernel)["connections"] == 0, what="the gateway sees the cut")
    after = Cell(before.msg_id)
    with jupyter.connect(kernel, session_id, v1=first.subprotocol != "") as second:
        second.collect(after)
    assert after.idle and after.status == "ok"
    assert_nothing_lost(before, after, count)


@pytest.mark.parametrize("v1", [False, True], ids=["default", "v1"])
def test_row_04_the_same_session_id_gets_what_it_missed(gateway: Gateway, v1: bool) -> None:
    jupyter = gateway.jupyter()
    kernel = jupyter.start_kernel()
    cut_in_the_middle(jupyter, kernel, jupyter.connect(kernel, "tab-1", v1=v1), "tab-1")


def test_row_05_a_sole_client_without_session_id_gets_what_it_missed(gateway: Gateway) -> None:
    jupyter = gateway.jupyter()
    kernel = jupyter.start_kernel()
    cut_in_the_middle(jupyter, kernel, jupyter.connect(kernel), None)


def test_row_05_a_cell_that_ended_meanwhile_is_complete_too(gateway: Gateway) -> None:
    jupyter = gateway.jupyter()
    kernel = jupyter.start_kernel()
    channels = jupyter.connect(kernel)
    before = channels.run_until_printed(SLOW_PRINTS.format(count=500), "100\n")
    channels.cut()
    eventually(lambda: jupyter.state(kernel) == "idle", what="the cell ends")
    after = Cell(before.msg_id)
    with jupyter.connect(kernel) as second:
        second.collect(after)
    assert_nothing_lost(before, after, 500)


def test_row_06_one_of_two_clients_returns_and_has_missed_nothing(gateway: Gateway) -> None:
    jupyter = gateway.jupyter()
    kernel = jupyter.start_kernel()
    with jupyter.connect(kernel, "stays", v1=True) as stays:
        leaves = jupyter.connect(kernel, "leaves", v1=True)
        before = leaves.run_until_printed(SLOW_PRINTS.format(count=1500), "200\n")
        leaves.cut()
        watched = Cell(before.msg_id)
        stays.collect(watched, until=lambda _: "1200\n" in watched.text())
        after = Cell(before.msg_id)
        with jupyter.connect(kernel, "leaves", v1=True) as returned:
            returned.collect(after)
        assert_nothing_lost(before, after, 1500)
        assert after.status == "ok"
        rest = Cell(before.msg_id)
        stays.collect(rest, until=lambda _: rest.idle)
        assert watched.text() + rest.text() == "".join(f"{i}\n" for i in range(1500))


def test_the_same_session_id_replaces_its_older_connection(gateway: Gateway) -> None:
    jupyter = gateway.jupyter()
    kernel = jupyter.start_kernel()
    older = jupyter.connect(kernel, "tab-1")
    with jupyter.connect(kernel, "tab-1") as newer:
        older.wait_for_closed()
        assert newer.run("1 + 1").result == "2"
        assert jupyter.kernel(kernel)["connections"] == 1


def test_connections_without_session_id_replace_nobody(gateway: Gateway) -> None:
    jupyter = gateway.jupyter()
    kernel = jupyter.start_kernel()
    with jupyter.connect(kernel) as first, jupyter.connect(kernel) as second:
        assert first.run("1 + 1").result == "2"
        assert second.run("1 + 2").result == "3"
        assert jupyter.kernel(kernel)["connections"] == 2


def test_a_pending_input_is_asked_again_after_a_reload(gateway: Gateway) -> None:
    jupyter = gateway.jupyter()
    kernel = jupyter.start_kernel()
    channels = jupyter.connect(kernel, "tab-1")
    channels.begin("name = input('Who? ')", allow_stdin=True)
    channels.wait_for(lambda message: message["header"]["msg_type"] == "input_request")
    channels.cut()
    eventually(lambda: jupyter.kernel(kernel)["connections"] == 0)
    with jupyter.connect(kernel, "tab-2") as reloaded:
        asked = reloaded.wait_for(lambda message: message["header"]["msg_type"] == "input_request")
        assert asked["content"]["prompt"] == "Who? "
        reloaded.answer_input("Ana", asked)
        assert reloaded.run("name").result == "'Ana'"


@pytest.mark.release
def test_row_09_pings_are_answered_while_a_kernel_floods(gateway: Gateway) -> None:
    jupyter = gateway.jupyter()
    kernel = jupyter.start_kernel()
    with jupyter.connect(kernel, v1=True) as channels:
        cell = channels.begin("block = 'x' * 1_000_000\nfor i in range(300): print(block, flush=True)")
        pongs, watch = 0, Stopwatch()
        while pongs < 5:
            channels.socket.ping(f"{pongs}")
            while True:
                kind, data = channels.socket.recv_data(control_frame=True)
                if kind == 0xA:
                    assert data == f"{pongs}".encode()
                    break
                assert watch.seconds < 60
            pongs += 1
        channels.collect(cell)


def test_row_10_an_idle_socket_lives_behind_a_proxy_that_cuts_idle_ones(start_gateway) -> None:
    """The proportions of 30 s pings behind a proxy that cuts after 55 s, thirty times as fast."""
    gateway = start_gateway(server__ws_ping_interval_s=1)
    jupyter = gateway.jupyter()
    kernel = jupyter.start_kernel()
    with Proxy(gateway.url, idle_timeout=1.8) as proxy, jupyter.connect(kernel, url=proxy.url) as channels:
        channels.run("1")
        watch, pings = Stopwatch(), channels.pings
        while watch.seconds < 5:
            with pytest.raises(TimeoutError):
                channels.receive(timeout=1)
        assert channels.pings - pings >= 3
        assert channels.run("1 + 1").result == "2"


def test_row_10_a_dead_peer_is_noticed(start_gateway) -> None:
    gateway = start_gateway(server__ws_ping_interval_s=1)
    jupyter = gateway.jupyter()
    kernel = jupyter.start_kernel()
    with Proxy(gateway.url) as proxy:
        channels = jupyter.connect(kernel, url=proxy.url)
        channels.run("1")
        assert jupyter.kernel(kernel)["connections"] == 1
        proxy.swallow()
        eventually(lambda: jupyter.kernel(kernel)["connections"] == 0, 20, "the silent peer is dropped")


def test_row_11_a_gateway_that_ends_says_so_and_its_kernels_are_gone_later(start_gateway) -> None:
    gateway = start_gateway()
    jupyter = gateway.jupyter()
    kernel = jupyter.start_kernel()
    channels = jupyter.connect(kernel)
    channels.run("1")
    gateway.process.terminate()
    assert channels.wait_for_closed().code == 1012
    assert gateway.terminate() == 0
    again = gateway.restart()
    try:
        assert again.jupyter().call("GET", f"/api/kernels/{kernel}").status_code == 404
        with pytest.raises(Exception, match="404"):
            again.jupyter().connect(kernel)
    finally:
        again.finish()


def test_row_38_a_socket_to_a_busy_kernel_opens_at_once(gateway: Gateway) -> None:
    jupyter = gateway.jupyter()
    kernel = jupyter.start_kernel()
    with jupyter.connect(kernel, "tab-1") as busy:
        cell = busy.run_until_printed("import time\nprint('begun', flush=True)\ntime.sleep(60)", "begun")
        watch = Stopwatch()
        with jupyter.connect(kernel, "tab-2", timeout=20) as second:
            status = second.wait_for(lambda message: message["header"]["msg_type"] == "status", timeout=20)
            assert status["content"]["execution_state"] == "busy"
        assert watch.seconds < 2
        jupyter.interrupt(kernel)
        busy.collect(cell)
        assert cell.error == "KeyboardInterrupt"


def test_closed_sockets_are_reset_with_no_final_code(gateway: Gateway) -> None:
    """1000 and 1001 make JupyterLab give up: 1000 only says that the kernel was deleted."""
    jupyter = gateway.jupyter()
    kernel = jupyter.start_kernel()
    channels = jupyter.connect(kernel)
    channels.run("1")
    jupyter.delete(kernel)
    assert channels.wait_for_closed().code == 1000


def test_an_agent_that_was_cut_comes_back_and_gets_everything_once(gateway: Gateway) -> None:
    agent = gateway.agent()
    session = agent.start_session()["id"]
    first = agent.connect(session)
    first.call("attach", after_seq=0)
    cell = first.begin(SLOW_PRINTS.format(count=1000))
    first.wait_for(lambda event: "200\n" in first.text(cell))
    first.cut()
    eventually(lambda: agent.call("GET", f"/sessions/{session}/cells/{cell}", 200).json()["status"] == "ok")
    with agent.connect(session) as second:
        second.call("attach", after_seq=first.last_seq)
        second.finished(cell)
        assert min(event["seq"] for event in second.events) > first.last_seq
        assert first.text(cell) + second.text(cell) == "".join(f"{i}\n" for i in range(1000))


def test_an_unknown_kernel_is_refused_before_the_socket_opens(gateway: Gateway) -> None:
    with pytest.raises(Exception, match="404"):
        gateway.jupyter().connect(str(uuid.uuid4()))


def test_a_cut_client_of_many_cells_finds_every_end(gateway: Gateway) -> None:
    """Ten cuts while a queue of cells runs: each cell's reply and idle arrive, whichever connection saw them."""
    jupyter = gateway.jupyter()
    kernel = jupyter.start_kernel()
    channels = jupyter.connect(kernel, "tab-1", v1=True)
    cells = [channels.begin(f"import time; time.sleep(0.05); print({i})") for i in range(60)]
    for last in (5, 11, 17, 23, 29, 35, 41, 47, 53, 58):
        channels.collect(*cells[:last + 1])
        channels.cut()
        channels = jupyter.connect(kernel, "tab-1", v1=True)
    channels.collect(*cells)
    assert all(cell.status == "ok" and str(i) in cell.text() for i, cell in enumerate(cells))
    channels.close()
