"""Ten thousand connections that say nothing: the others work, the limit holds and says so, and all of it is given back.
Numbers in names: docs/security.md."""

import resource
from collections.abc import Iterator

import pytest

from support.bystander import Bystander
from support.gateway import Gateway
from support.processes import connections, open_files
from support.waiting import eventually
from support.wire import FrameWire, Wire

MANY = 10_000
SPARE = 500  # descriptors of the tests' own


@pytest.fixture
def many() -> Iterator[int]:
    """How many connections this machine lets one process have, up to ten thousand."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))
    yield min(MANY, hard - SPARE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))


def open_idle(gateway: Gateway, count: int) -> list[Wire]:
    """Every other one has been answered once, the rest have not said a word. Of several addresses, for their ports."""
    clients = []
    for number in range(count):
        client = Wire(gateway, source=f"127.0.0.{2 + number // 5000}")
        if number % 2:
            client.send(client.head("GET /api HTTP/1.1"))
            assert client.answer().status == 200
        clients.append(client)
    return clients


def flood(gateway: Gateway, count: int) -> None:
    bystander = Bystander(gateway)
    files, memory = open_files(gateway.pid), gateway.resident_bytes()
    peaks = []
    for _ in range(2):
        with bystander.goes_on(10):
            clients = open_idle(gateway, count)
            eventually(lambda: connections(gateway.pid) >= min(count, MANY) * 0.99, 60, "they are accepted")
            peaks.append(gateway.resident_bytes())
            assert connections(gateway.pid) <= MANY + 150
        for client in clients:
            client.close()
        eventually(lambda: open_files(gateway.pid) <= files + 5, 60, "every descriptor is given back")
    print(f"{count} idle connections: {(peaks[0] - memory) / count / 1024:.1f} KiB each; "
          f"before {memory >> 20} MiB, then {peaks[0] >> 20} and {peaks[1] >> 20} MiB, after {gateway.resident_bytes() >> 20} MiB")
    assert peaks[0] - memory < count * (64 << 10)
    assert peaks[1] < peaks[0] + (peaks[0] - memory) * 0.25 + (8 << 20), "what the first ten thousand took was used again"


@pytest.mark.timeout(400)
def test_20_ten_thousand_idle_connections(start_gateway, many: int) -> None:
    flood(start_gateway(), many)


@pytest.mark.release
def test_20_ten_thousand_idle_connections_of_the_release_build(start_gateway, many: int) -> None:
    flood(start_gateway(), many)


def test_20_at_the_limit_the_longest_idle_makes_room(start_gateway) -> None:
    gateway = start_gateway(server__max_connections=20)
    silent = [Wire(gateway) for _ in range(100)]
    with Wire(gateway) as client:
        client.send(client.head())
        assert client.answer().status == 200
    assert all(client.is_closed() for client in silent[:80])
    assert connections(gateway.pid) <= 21 + 1
    said = [line for line in gateway.log if "server.max_connections" in line]
    assert len(said) == 1 and "20 connections are open" in said[0], "once, not for each of them"


def test_20_at_the_limit_who_is_served_stays_and_others_are_told(start_gateway) -> None:
    gateway = start_gateway(server__max_connections=5)
    session = gateway.agent().start_session()["id"]
    sockets = [FrameWire(gateway) for _ in range(5)]
    for socket in sockets:
        assert socket.upgrade(f"/api/v1/sessions/{session}/ws").status == 101
    for _ in range(20):
        with Wire(gateway) as client:
            client.send(client.head())
            answer = client.answer()
            assert answer.status == 503 and "server.max_connections" in answer.body and client.is_closed()
    for socket in sockets:
        socket.send_frame(1, b'{"jsonrpc":"2.0","id":1,"method":"status"}')
        assert b'"result"' in socket.read_frame()[1]
    sockets.pop().close()
    eventually(lambda: gateway.agent().call("GET", "/sessions").status_code == 200, 10, "there is room again")
