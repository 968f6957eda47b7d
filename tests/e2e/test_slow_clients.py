"""Clients that are slow, silent or gone, many at once, while somebody else works. Numbers in names: docs/security.md."""

import ctypes
import os
import select
import subprocess
import threading

import pytest

from support.bystander import Bystander
from support.gateway import Gateway
from support.processes import connections
from support.waiting import eventually
from support.wire import FrameWire, Wire

MANY = 100
QUICK = {"server__request_header_timeout_s": 2, "server__idle_connection_timeout_s": 2, "server__stall_timeout_s": 2,
         "server__min_bytes_per_s": 1000, "server__ws_ping_interval_s": 1}
CLONE_NEWNET = 0x40000000


@pytest.fixture
def quick(start_gateway) -> Gateway:
    """It waits for two seconds where the defaults wait for minutes."""
    return start_gateway(**QUICK)


@pytest.fixture
def bystander(quick: Gateway) -> Bystander:
    return Bystander(quick)


def trickle(clients: list[Wire], data: bytes) -> None:
    """A byte of each client in turn, until the gateway has said or done something to every one."""
    waiting = {client.socket: client for client in clients}
    for at in range(len(data)):
        for ready in select.select(list(waiting), [], [], 0.02)[0]:
            del waiting[ready]
        if not waiting:
            return
        for client in waiting.values():
            client.try_send(data[at:at + 1])
    raise AssertionError(f"{len(waiting)} clients may go on after {len(data)} bytes")


def refused(clients: list[Wire]) -> set[tuple[int, bool]]:
    """The answers' statuses, and whether they name a setting."""
    found = set()
    for client in clients:
        answer = client.answer()
        found.add((answer.status, "server." in answer.body))
        assert client.is_closed()
    return found


def test_20_heads_that_come_byte_by_byte(quick: Gateway, bystander: Bystander) -> None:
    before = connections(quick.pid)
    clients = [Wire(quick) for _ in range(MANY)]
    with bystander.goes_on():
        trickle(clients, clients[0].head()[:-2] + b"X: " + b"x" * 5000)
        assert refused(clients) == {(408, True)}
    eventually(lambda: connections(quick.pid) <= before, 30, "the slow connections are gone")


@pytest.mark.parametrize("how", ["Content-Length: 100000", "Transfer-Encoding: chunked"])
def test_20_bodies_that_come_byte_by_byte(quick: Gateway, bystander: Bystander, how: str) -> None:
    before = connections(quick.pid)
    clients = [Wire(quick) for _ in range(MANY)]
    for client in clients:
        client.send(client.head(f"POST /api/v1/sessions/{bystander.session}/execute HTTP/1.1", how))
    with bystander.goes_on():
        trickle(clients, b"1\r\nx\r\n" * 2000)
        assert refused(clients) == {(408, True)}
    eventually(lambda: connections(quick.pid) <= before, 30, "the slow connections are gone")


def test_20_uploads_that_come_byte_by_byte_leave_no_file(quick: Gateway, bystander: Bystander) -> None:
    clients = [Wire(quick) for _ in range(20)]
    path = f"/api/v1/sessions/{bystander.session}/files"
    for number, client in enumerate(clients):
        client.send(client.head(f"PUT {path}/slow{number} HTTP/1.1", "Content-Length: 100000"))
    with bystander.goes_on():
        trickle(clients, b"x" * 10_000)
        assert refused(clients) == {(408, True)}
    assert "slow" not in quick.agent().call("GET", path.removeprefix("/api/v1"), 200).text


def test_20_a_body_that_is_slow_but_fast_enough_is_taken(start_gateway) -> None:
    gateway = start_gateway(**{**QUICK, "server__min_bytes_per_s": 10})
    body = b'{"name": "' + b"x" * 90 + b'"}'
    with Wire(gateway) as client:
        client.send(client.head("POST /api/v1/sessions HTTP/1.1", f"Content-Length: {len(body)}"))
        for at in range(len(body)):
            select.select([client.socket], [], [], 0.03)  # about 30 bytes a second, for longer than the silence
            client.send(body[at:at + 1])
        assert client.answer().status == 201


def test_20_answers_that_nobody_reads(quick: Gateway, bystander: Bystander) -> None:
    agent = quick.agent()
    agent.call("PUT", f"/sessions/{bystander.session}/files/large", 201, data=bytes(32 << 20))
    before = connections(quick.pid)
    clients = [Wire(quick, receive_buffer=4096) for _ in range(MANY)]
    with bystander.goes_on():
        for client in clients[::2]:
            client.send(client.head(f"GET /api/v1/sessions/{bystander.session}/files/large HTTP/1.1"))
        for client in clients[1::2]:
            client.socket.settimeout(0.5)
            try:  # requests without end, and no answer is taken
                while client.try_send(client.head("GET /api/v1/openapi.json HTTP/1.1") * 100):
                    pass
            except TimeoutError:
                pass
        eventually(lambda: connections(quick.pid) <= before, 60, "the clients that do not read are gone")


def test_20_idle_connections_end(quick: Gateway, bystander: Bystander) -> None:
    before = connections(quick.pid)
    clients = [Wire(quick) for _ in range(MANY)]
    for client in clients[::2]:
        client.send(client.head())
        assert client.answer().status == 200
    with bystander.goes_on():
        assert all(client.is_closed() for client in clients)
    eventually(lambda: connections(quick.pid) <= before, 30, "they are gone")


def test_20_half_open_web_sockets_end(quick: Gateway, bystander: Bystander) -> None:
    """They read, and answer no ping."""
    before = connections(quick.pid)
    clients = [FrameWire(quick) for _ in range(MANY)]
    for client in clients:
        assert client.upgrade(f"/api/v1/sessions/{bystander.session}/ws").status == 101
    with bystander.goes_on():
        for client in clients:
            with pytest.raises(EOFError):
                while True:
                    client.read_frame()
    eventually(lambda: connections(quick.pid) <= before, 30, "the half-open sockets are gone")


def in_network_of(pid: int, work) -> list:
    """What `work` gives in a thread that lives in the process's network; its sockets stay there."""
    found = []

    def run() -> None:
        descriptor = os.open(f"/proc/{pid}/ns/net", os.O_RDONLY)
        try:
            libc = ctypes.CDLL(None, use_errno=True)
            if libc.setns(descriptor, CLONE_NEWNET) != 0:
                raise OSError(ctypes.get_errno(), "setns")
            found.extend(work())
        finally:
            os.close(descriptor)

    thread = threading.Thread(target=run)
    thread.start()
    thread.join(120)
    return found


@pytest.mark.skipif(os.getuid() != 0, reason="a network of one's own that the test can enter needs root")
def test_20_clients_that_vanish_without_a_word(start_gateway) -> None:
    """All of them in a network that then goes down: no FIN, no reset, no answer to anything. An idle connection, half a
    head, half a body, an answer and a stream under way, and WebSockets, quiet and told things."""
    enter = ["unshare", "--net", "sh", "-c", 'ip link set lo up && exec "$@"', "-"]
    gateway = start_gateway(within=enter, **QUICK)

    def connect() -> list[Wire]:
        agent = gateway.agent()
        session = agent.start_session()["id"]
        agent.execute(session, "1")
        agent.call("PUT", f"/sessions/{session}/files/large", 201, data=bytes(32 << 20))
        quiet, told = FrameWire(gateway), FrameWire(gateway)
        for client in (quiet, told):
            assert client.upgrade(f"/api/v1/sessions/{session}/ws").status == 101
        told.send_frame(1, b'{"jsonrpc":"2.0","id":1,"method":"execute","params":{"code":'
                           b'"import time\\nfor i in range(600): print(i, flush=True); time.sleep(0.1)"}}')
        told.read_frame()
        idle, head, body, answer, waits = (Wire(gateway, receive_buffer=4096) for _ in range(5))
        head.send(head.head()[:20])
        body.send(body.head("POST /api/v1/sessions HTTP/1.1", "Content-Length: 100") + b"{")
        answer.send(answer.head(f"GET /api/v1/sessions/{session}/files/large HTTP/1.1"))
        waits.send(waits.head(f"POST /api/v1/sessions/{session}/execute HTTP/1.1", "Content-Length: 12") + b'{"code":"1"}')
        return [quiet, told, idle, head, body, answer, waits]

    before = connections(gateway.pid)
    clients = in_network_of(gateway.pid, connect)
    assert len(clients) == 7
    eventually(lambda: connections(gateway.pid) >= before + 7, 1, "all are accepted")
    subprocess.run(["nsenter", f"--net=/proc/{gateway.pid}/ns/net", "ip", "link", "set", "lo", "down"], check=True)
    eventually(lambda: connections(gateway.pid) <= before, 60, "all seven are gone")
    for client in clients:
        client.close()
