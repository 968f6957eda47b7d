"""What is too large is refused by a status and a message of its own that names the setting, before it is kept."""

from collections.abc import Callable

import pytest

from support.bystander import Bystander
from support.gateway import Gateway
from support.waiting import eventually
from support.wire import Wire

HEAD, BODY = 8192, 65_536
SESSIONS = "POST /api/v1/sessions HTTP/1.1"


@pytest.fixture(scope="module")
def narrow() -> Gateway:
    gateway = Gateway(server__max_header_bytes=HEAD, server__max_body_bytes=BODY)
    yield gateway
    gateway.finish()
    gateway.remove()


def refused(gateway: Gateway, make: Callable[[Wire], bytes], status: int, setting: str) -> None:
    with Wire(gateway) as client:
        client.try_send(make(client))
        answer = client.answer()
        assert answer.status == status and setting in answer.body and '"too_large"' in answer.body, answer
        assert answer.headers["connection"] == "close"


def test_20_heads_over_the_limit(narrow: Gateway) -> None:
    name = "server.max_header_bytes"
    refused(narrow, lambda client: client.head("GET /api?" + "x" * 2 * HEAD + " HTTP/1.1"), 414, name)
    refused(narrow, lambda client: b"G" * 2 * HEAD, 414, name)
    refused(narrow, lambda client: client.head("GET /api HTTP/1.1", "X: " + "x" * HEAD), 431, name)
    refused(narrow, lambda client: client.head("GET /api HTTP/1.1", "x" * HEAD + ": x"), 431, name)
    refused(narrow, lambda client: client.head("GET /api HTTP/1.1", *["a:"] * HEAD), 431, name)
    refused(narrow, lambda client: client.head("GET /api?" + "x" * (HEAD // 2) + " HTTP/1.1", "X: " + "x" * (HEAD // 2)), 431, name)


def test_20_a_head_of_just_the_limit_is_taken(narrow: Gateway) -> None:
    with Wire(narrow) as client:
        line = "GET /api HTTP/1.1"
        exact = client.head(line, "X: " + "x" * (HEAD - len(client.head(line, "X: "))))
        assert len(exact) == HEAD
        client.send(exact)
        assert client.answer().status == 200
        refused(narrow, lambda _: exact.replace(b"X: x", b"X: xx"), 431, "server.max_header_bytes")


def test_bodies_over_the_limit(narrow: Gateway) -> None:
    name = "server.max_body_bytes"
    chunk = b"1000\r\n" + b"x" * 4096 + b"\r\n"
    refused(narrow, lambda client: client.head(SESSIONS, f"Content-Length: {BODY + 1}"), 413, name)
    refused(narrow, lambda client: client.head(SESSIONS, f"Content-Length: {BODY + 1}") + bytes(BODY + 1), 413, name)
    refused(narrow, lambda client: client.head(SESSIONS, "Transfer-Encoding: chunked") + chunk * 17, 413, name)
    refused(narrow, lambda client: client.head(SESSIONS, "Transfer-Encoding: chunked") + b"fffffff\r\n", 413, name)
    refused(narrow, lambda client: client.head(SESSIONS, "Expect: 100-continue", "Content-Length: 18446744073709551615"), 413, name)


def test_what_stands_between_chunks_is_limited_too(narrow: Gateway) -> None:
    chunked = "Transfer-Encoding: chunked"
    for endless in (b"1;" + b"x" * (1 << 20), b"0" * (1 << 20), b'1;a="' + b"x" * (1 << 20), b"0\r\nX: " + b"x" * (1 << 20),
                    b"0\r\n" + b"X: x\r\n" * (1 << 18), (b"1;" + b"x" * 1000 + b"\r\nx\r\n") * 1000):
        refused(narrow, lambda client: client.head(SESSIONS, chunked) + endless, 413, "server.max_header_bytes")


def test_20_many_heads_of_64_kilobytes_at_once(start_gateway) -> None:
    """Of the largest size that the defaults take, and a little more, by clients without a key too."""
    gateway = start_gateway()
    bystander = Bystander(gateway)
    before = gateway.resident_bytes()
    with bystander.goes_on():
        clients = [Wire(gateway) for _ in range(200)]
        for client in clients:
            client.send(client.head("GET /api HTTP/1.1", "X: " + "x" * 65_000)[:-2])
        for client in clients[::2]:
            client.send(b"\r\n")
            assert client.answer().status == 200
        for client in clients[1::2]:
            client.try_send(b"Y: " + b"y" * 1000)
            assert client.answer().status == 431
        grown = gateway.resident_bytes() - before
    print(f"200 heads of 64 KiB: {grown / 200 / 1024:.0f} KiB each")
    assert grown < 200 * 512 << 10
    for client in clients:
        client.close()
    eventually(lambda: gateway.jupyter().call("GET", "/api/kernels").status_code == 200, 10)
