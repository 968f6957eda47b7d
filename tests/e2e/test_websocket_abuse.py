"""WebSocket clients that break the protocol or lean on it. Numbers in names: docs/security.md."""

import socket
import struct
import threading
from contextlib import suppress

import pytest

from support.bystander import Bystander
from support.gateway import Gateway
from support.wire import BINARY, CLOSE, CONTINUATION, PING, PONG, TEXT, FrameWire, frame

STATUS = b'{"jsonrpc":"2.0","id":1,"method":"status"}'
LIMIT = 20_000

BROKEN = {
    **{f"opcode {number}": (1002, [frame(number)]) for number in (3, 7, 11, 15)},
    **{f"reserved bits {bits}": (1002, [frame(TEXT, b"x", reserved=bits)]) for bits in (1, 2, 4, 7)},
    "no mask": (1002, [frame(TEXT, STATUS, masked=False)]),
    "no mask on a ping": (1002, [frame(PING, masked=False)]),
    "a long ping": (1002, [frame(PING, bytes(126))]),
    "a long close": (1002, [frame(CLOSE, b"\x03\xe8" + b"x" * 124)]),
    "a ping in pieces": (1002, [frame(PING, b"x", last=False)]),
    "a close in pieces": (1002, [frame(CLOSE, last=False)]),
    "a rest without a begin": (1002, [frame(CONTINUATION, b"x")]),
    "a text in a text": (1002, [frame(TEXT, b"x", last=False), frame(TEXT, b"y")]),
    "half a close code": (1002, [frame(CLOSE, b"\x03")]),
    "a close code that is none": (1002, [frame(CLOSE, struct.pack("!H", 999))]),
    "a close code for nobody to send": (1002, [frame(CLOSE, struct.pack("!H", 1006))]),
    "a length in too many bytes": (1002, [bytes([0x81, 0xFE]) + struct.pack("!H", 5) + bytes(9)]),
    "a text that is not UTF-8": (1007, [frame(TEXT, b"\xff")]),
    "an overlong text": (1007, [frame(TEXT, b"\xc0\xaf")]),
    "a surrogate in a text": (1007, [frame(TEXT, b"\xed\xa0\x80")]),
    "half a letter at the end": (1007, [frame(TEXT, b"\xc3", last=False), frame(CONTINUATION)]),
    "a close reason that is not UTF-8": (1002, [frame(CLOSE, b"\x03\xe8\xff")]),
    "a message over the limit": (1009, [frame(TEXT, b"x" * (LIMIT + 1))]),
    "pieces over the limit": (1009, [frame(TEXT, b"x", last=False), *[frame(CONTINUATION, b"x" * 1000, last=False)] * 21]),
    "pieces of a byte over the limit": (1009, [frame(TEXT, b"x", last=False) + frame(CONTINUATION, b"x", last=False) * LIMIT]),
    "a binary over the limit": (1009, [frame(BINARY, bytes(LIMIT + 1))]),
}


@pytest.fixture(scope="module")
def narrow() -> Gateway:
    gateway = Gateway(server__ws_max_message_bytes=LIMIT)
    yield gateway
    gateway.finish()
    gateway.remove()


@pytest.fixture(scope="module")
def bystander(narrow: Gateway) -> Bystander:
    return Bystander(narrow)


def places(gateway: Gateway, session: str) -> list[str]:
    kernel = gateway.agent().session(session)["kernel"]["id"]
    return [f"/api/v1/sessions/{session}/ws", f"/api/kernels/{kernel}/channels"]


def test_68_what_breaks_the_protocol_is_closed_with_its_code(narrow: Gateway, bystander: Bystander) -> None:
    with bystander.goes_on():
        for place in places(narrow, bystander.session):
            for name, (code, frames) in BROKEN.items():
                with FrameWire(narrow) as client:
                    assert client.upgrade(place).status == 101
                    client.try_send(b"".join(frames))
                    closed, reason = client.read_to_close()
                    assert closed == code, (name, closed, reason)
                    assert code != 1009 or "server.ws_max_message_bytes" in reason
                    with suppress(OSError):  # the gateway's end may be here already
                        client.socket.shutdown(socket.SHUT_WR)
                    assert client.is_closed(), "nothing follows the close"


def test_68_pages_of_other_origins_get_no_web_socket(narrow: Gateway, bystander: Bystander) -> None:
    for place in places(narrow, bystander.session):
        for origin in ("https://evil.example", "http://localhost.evil.example", "null", "http://localhost:1", "file://", "x"):
            with FrameWire(narrow) as client:
                answer = client.upgrade(place, f"Origin: {origin}")
                assert answer.status == 403 and "server.allow_origin" in answer.body, origin
        own = narrow.url.rsplit(":", 1)[1]
        with FrameWire(narrow) as client:
            assert client.upgrade(place, "Origin: http://localhost").status == 101
        with FrameWire(narrow) as client:
            key = b"Host: localhost"
            client.head = lambda *lines, head=client.head: head(*lines).replace(key, key + f":{own}".encode())
            assert client.upgrade(place, f"Origin: http://localhost:{own}").status == 101


def test_68_63_a_key_in_a_query_is_in_no_log_and_no_error(start_gateway) -> None:
    gateway = start_gateway(server__log_level="debug")
    session = gateway.agent().start_session()["id"]
    with FrameWire(gateway) as client:
        client.key = "none"
        assert client.upgrade(f"/api/v1/sessions/{session}/ws?token={gateway.token}").status in (101, 401)
    for place in (f"/api/v1/sessions/{session}/ws", "/nothing/here", "/api/kernels/%zz", "//", "/api/v1/sessions/%00"):
        for query in (f"?token={gateway.token}", f"?x=1&token={gateway.token}#f", f"?Token={gateway.token}"):
            with FrameWire(gateway) as client:
                client.key = "none"
                answer = client.upgrade(place + query, "Origin: https://evil.example")
                assert answer.status >= 400 and gateway.token not in answer.body + str(answer.headers)
    gateway.finish()  # looks for the key in the log too
    assert not any("token=" in line or gateway.token in line for line in gateway.log + gateway.output)
    assert any("/nothing/here" in line for line in gateway.log), "requests are logged"


def test_68_compression_is_not_agreed_to(narrow: Gateway, bystander: Bystander) -> None:
    """So there is nothing to unpack: what would be a bomb breaks the protocol."""
    with FrameWire(narrow) as client:
        answer = client.upgrade(places(narrow, bystander.session)[0], "Sec-WebSocket-Extensions: permessage-deflate; client_max_window_bits")
        assert answer.status == 101 and "sec-websocket-extensions" not in answer.headers
        client.send_frame(TEXT, bytes(5_000), reserved=4)
        assert client.read_to_close()[0] == 1002


def test_68_pieces_without_an_end_hold_nobody_up(narrow: Gateway, bystander: Bystander) -> None:
    """Empty ones: no limit on size ends them. The socket still hears a ping, and its close."""
    with FrameWire(narrow) as client, bystander.goes_on():
        assert client.upgrade(places(narrow, bystander.session)[0]).status == 101
        client.send_frame(TEXT, last=False)
        for _ in range(200):
            client.send(frame(CONTINUATION, last=False) * 1000)
        client.send_frame(PING, b"here")
        assert client.read_frame() == (PONG, b"here")
        client.send_frame(CLOSE, b"\x03\xe8")
        assert client.read_to_close()[0] == 1000


def ping(gateway: Gateway, bystander: Bystander, count: int) -> None:
    with FrameWire(gateway) as client, bystander.goes_on():
        assert client.upgrade(places(gateway, bystander.session)[0]).status == 101
        sender = threading.Thread(target=lambda: [client.send(frame(PING, b"12345678") * 1000) for _ in range(count // 1000)])
        sender.start()
        pongs = 0
        while pongs < count:
            opcode, payload = client.read_frame()
            assert (opcode, payload) in ((PONG, b"12345678"), (PING, b""))
            pongs += opcode == PONG
        sender.join(60)
        client.send_frame(TEXT, STATUS)
        assert b'"result"' in client.read_frame()[1]


def test_68_fifty_thousand_pings(narrow: Gateway, bystander: Bystander) -> None:
    ping(narrow, bystander, 50_000)


@pytest.mark.release
def test_68_a_million_pings(gateway: Gateway) -> None:
    ping(gateway, Bystander(gateway), 1_000_000)


@pytest.mark.release
def test_68_pings_whose_answers_nobody_reads_cost_no_memory(gateway: Gateway) -> None:
    bystander = Bystander(gateway)
    before = gateway.resident_bytes()
    with FrameWire(gateway, receive_buffer=4096, timeout=2) as client, bystander.goes_on():
        assert client.upgrade(places(gateway, bystander.session)[0]).status == 101
        with pytest.raises(TimeoutError):  # the gateway takes no more than it answers
            while True:
                client.send(frame(PING, bytes(125)) * 1000)
        assert gateway.resident_bytes() < before + (32 << 20)


def test_68_a_client_that_never_reads_while_output_floods(narrow: Gateway, bystander: Bystander) -> None:
    """20 MB for somebody who takes none of it: others read it all meanwhile."""
    agent = narrow.agent()
    session = agent.start_session()["id"]
    agent.execute(session, "1")
    deaf = [FrameWire(narrow, receive_buffer=4096) for _ in range(10)]
    for client, place in zip(deaf, places(narrow, session) * 5):
        assert client.upgrade(place).status == 101
        client.send_frame(TEXT, b'{"jsonrpc":"2.0","id":1,"method":"attach","params":{"after_seq":0}}') if "v1" in place else None
    with bystander.goes_on(), agent.connect(session) as reader:
        cell = reader.begin("for i in range(20_000): print('x' * 999)")
        assert reader.finished(cell, 120)["status"] == "ok"
        assert len(reader.text(cell)) == 20_000_000
    for client in deaf:
        client.close()
