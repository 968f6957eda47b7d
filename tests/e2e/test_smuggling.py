"""Requests that two readers could understand differently: each is refused as a whole, and what hides in it is never
answered as a request of its own."""

import pytest

from support.gateway import Gateway
from support.wire import FrameWire, Wire

SESSIONS = "POST /api/v1/sessions HTTP/1.1"
HIDDEN = b"DELETE /smuggled HTTP/1.1\r\nHost: localhost\r\n\r\n"

FRAMING = {
    "both": ["Content-Length: 5", "Transfer-Encoding: chunked"],
    "both, chunks first": ["Transfer-Encoding: chunked", "Content-Length: 5"],
    "two lengths": ["Content-Length: 0", "Content-Length: 5"],
    "the same length twice": ["Content-Length: 5", "Content-Length: 5"],
    "a list of lengths": ["Content-Length: 5, 5"],
    "a signed length": ["Content-Length: +5"],
    "a negative length": ["Content-Length: -5"],
    "a hexadecimal length": ["Content-Length: 0x5"],
    "a length over 64 bits": ["Content-Length: 18446744073709551621"],
    "an empty length": ["Content-Length:"],
    "a length with a space": ["Content-Length: 5 0"],
    "a space before the colon": ["Content-Length : 5"],
    "a tab before the colon": ["Transfer-Encoding\t: chunked"],
    "a folded header": ["X: y", " Content-Length: 5"],
    "a folded length": ["Content-Length:", " 5"],
    "a folded coding": ["Transfer-Encoding:", "\tchunked"],
    "another coding": ["Transfer-Encoding: identity"],
    "an unknown coding": ["Transfer-Encoding: xchunked"],
    "a coding before": ["Transfer-Encoding: gzip, chunked"],
    "a coding behind": ["Transfer-Encoding: chunked, identity"],
    "chunked twice": ["Transfer-Encoding: chunked, chunked"],
    "two codings": ["Transfer-Encoding: chunked", "Transfer-Encoding: identity"],
    "an empty coding": ["Transfer-Encoding:", "Content-Length: 5"],
    "an empty coding beside": ["Transfer-Encoding:", "Transfer-Encoding: chunked"],
    "a quoted coding": ['Transfer-Encoding: "chunked"'],
    "a coding with a vertical tab": ["Transfer-Encoding: \x0bchunked"],
    "a coding with a parameter": ["Transfer-Encoding: chunked;q=0.5"],
    "a NUL in a name": ["Content-\0Length: 5"],
    "a NUL in a value": ["X: a\0b"],
    "a control character": ["X: a\x08b"],
    "a delete": ["X: a\x7fb"],
    "a lone LF": ["X: y\nContent-Length: 5"],
    "a lone CR": ["X: y\rContent-Length: 5"],
    "two CRs": ["X: y\r"],
    "no name": [": 5"],
    "no colon": ["Content-Length"],
    "two hosts": ["Host: other"],
    "two credentials": ["Authorization: Bearer other"],
}

LINES = {
    "a lone LF": b"GET /api HTTP/1.1\nHost: localhost\n\n",
    "HTTP/0.9": b"GET /api\r\n",
    "HTTP/2": b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n",
    "HTTP/1.2": b"GET /api HTTP/1.2\r\nHost: localhost\r\n\r\n",
    "HTTP/3.1": b"GET /api HTTP/3.1\r\nHost: localhost\r\n\r\n",
    "http in lower case": b"GET /api http/1.1\r\nHost: localhost\r\n\r\n",
    "a long version": b"GET /api HTTP/1.10\r\nHost: localhost\r\n\r\n",
    "no version": b"GET /api \r\nHost: localhost\r\n\r\n",
    "two spaces": b"GET  /api HTTP/1.1\r\nHost: localhost\r\n\r\n",
    "a tab": b"GET\t/api HTTP/1.1\r\nHost: localhost\r\n\r\n",
    "a space in the target": b"GET /api /x HTTP/1.1\r\nHost: localhost\r\n\r\n",
    "a space before": b" GET /api HTTP/1.1\r\nHost: localhost\r\n\r\n",
    "an empty line before": b"\r\nGET /api HTTP/1.1\r\nHost: localhost\r\n\r\n",
    "a NUL in the target": b"GET /a\0pi HTTP/1.1\r\nHost: localhost\r\n\r\n",
    "a colon in the method": b"GE:T /api HTTP/1.1\r\nHost: localhost\r\n\r\n",
    "an absolute target and two hosts": b"GET http://localhost/api HTTP/1.1\r\nHost: localhost\r\nHost: localhost\r\n\r\n",
    "an absolute target and no host": b"GET http://localhost/api HTTP/1.1\r\n\r\n",
    "no host": b"GET /api HTTP/1.1\r\n\r\n",
    "chunks in HTTP/1.0": b"POST /api HTTP/1.0\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
    "TLS": bytes.fromhex("16030100c8010000c40303") + bytes(32),
    "SOCKS": b"\x05\x01\x00",
}

# Well framed: the connection goes on.
TARGETS = {
    "an authority": b"CONNECT localhost:22 HTTP/1.1\r\nHost: localhost\r\n\r\n",
    "a target without a slash": b"GET api HTTP/1.1\r\nHost: localhost\r\n\r\n",
    "another scheme": b"GET ftp://localhost/api HTTP/1.1\r\nHost: localhost\r\n\r\n",
    "an absolute target with a user": b"GET http://user@localhost/api HTTP/1.1\r\nHost: localhost\r\n\r\n",
}

CHUNKS = {
    "a prefix": b"0x5\r\nhello\r\n0\r\n\r\n",
    "a sign": b"+5\r\nhello\r\n0\r\n\r\n",
    "no size": b"\r\nhello\r\n0\r\n\r\n",
    "only an extension": b";a=b\r\nhello\r\n0\r\n\r\n",
    "a size over 64 bits": b"10000000000000005\r\nhello\r\n0\r\n\r\n",
    "a space in it": b"5 5\r\nhello\r\n0\r\n\r\n",
    "a longer chunk": b"5\r\nhello!\r\n0\r\n\r\n",
    "a chunk that ends with LF": b"5\r\nhello\n0\r\n\r\n",
    "a size that ends with CR": b"5\rhello\r\n0\r\n\r\n",
    "a NUL": b"5\0\r\nhello\r\n0\r\n\r\n",
    "LF in an extension": b'5;a="\n"\r\nhello\r\n0\r\n\r\n',
    "an unfinished extension": b"5;\r\nhello\r\n0\r\n\r\n",
    "framing in trailers": b"5\r\nhello\r\n0\r\nContent-Length: 50\r\n\r\n",
    "a coding in trailers": b"5\r\nhello\r\n0\r\nTransfer-Encoding: chunked\r\n\r\n",
    "a trailer that is no header": b"5\r\nhello\r\n0\r\nnonsense\r\n\r\n",
    "LF in trailers": b"5\r\nhello\r\n0\r\nX: y\n\r\n\r\n",
}


def refused(client: Wire) -> None:
    """One answer, 400 with a reason, and the end: what else was sent is no request."""
    found = client.answers()
    assert [answer.status for answer in found] == [400], found
    assert '"invalid_request"' in found[0].body and found[0].headers["connection"] == "close"


def works(gateway: Gateway) -> None:
    with Wire(gateway) as client:
        client.send(client.head())
        assert client.answer().status == 200


@pytest.mark.parametrize("name", FRAMING)
def test_framing_that_has_two_meanings_is_refused(gateway: Gateway, name: str) -> None:
    with Wire(gateway) as client:
        client.send(client.head(SESSIONS, *FRAMING[name]) + b"0\r\n\r\n" + HIDDEN)
        refused(client)
    works(gateway)


@pytest.mark.parametrize("name", LINES)
def test_what_is_no_http_1_1_is_refused(gateway: Gateway, name: str) -> None:
    with Wire(gateway) as client:
        client.send(LINES[name] + HIDDEN)
        refused(client)
    works(gateway)


@pytest.mark.parametrize("name", TARGETS)
def test_a_target_of_another_form_is_refused(gateway: Gateway, name: str) -> None:
    with Wire(gateway) as client:
        client.send(TARGETS[name] + client.head("GET /api HTTP/1.1"))
        assert [client.answer().status for _ in range(2)] == [400, 200]


@pytest.mark.parametrize("name", CHUNKS)
def test_chunks_that_have_two_meanings_are_refused(gateway: Gateway, name: str) -> None:
    with Wire(gateway) as client:
        client.send(client.head(SESSIONS, "Transfer-Encoding: chunked") + CHUNKS[name] + HIDDEN)
        refused(client)
    works(gateway)


def test_a_request_in_a_body_is_never_answered(gateway: Gateway) -> None:
    """The first is refused by its body, and by its missing key; the body is no request in either case."""
    for key in ("Authorization: Bearer none", ""):
        with Wire(gateway) as client:
            head = client.head(SESSIONS, f"Content-Length: {len(HIDDEN)}").replace(
                f"Authorization: Bearer {client.key}\r\n".encode(), f"{key}\r\n".encode() if key else b"")
            client.send(head + HIDDEN)
            assert [answer.status for answer in client.answers()] == [401]
    with Wire(gateway) as client:
        client.send(client.head(SESSIONS, f"Content-Length: {len(HIDDEN)}") + HIDDEN)
        assert client.answer().status == 400
        client.send(client.head("GET /api HTTP/1.1", "Connection: close"))
        assert [answer.status for answer in client.answers()] == [200]


def test_pipelined_requests_are_answered_in_order(gateway: Gateway) -> None:
    session = gateway.agent().start_session()["id"]
    with Wire(gateway) as client:
        run = b'{"code":"import time; time.sleep(0.5); 6*7"}'
        client.send(client.head(f"POST /api/v1/sessions/{session}/execute HTTP/1.1", f"Content-Length: {len(run)}") + run
                    + client.head(f"GET /api/v1/sessions/{session} HTTP/1.1") + client.head("GET /nothing HTTP/1.1")
                    + client.head("HEAD /api HTTP/1.1")[:-2] + b"Connection: close\r\n\r\n" + HIDDEN)
        first, second, third = client.answer(), client.answer(), client.answer()
        assert '"42"' in first.body and session in second.body and third.status == 404
        assert client.exactly(15) == b"HTTP/1.1 200 OK"  # HEAD, the last one: what follows is not answered
        assert b"HTTP/1.1" not in b"".join(iter(lambda: client.read(1 << 16), b""))


def test_http_1_0_ends_unless_asked_otherwise(gateway: Gateway) -> None:
    with Wire(gateway) as client:
        client.send(client.head("GET /api HTTP/1.0") + HIDDEN)
        assert [answer.status for answer in client.answers()] == [200]
    with Wire(gateway) as client:
        for _ in range(2):
            client.send(client.head("GET /api HTTP/1.0", "Connection: keep-alive"))
            assert client.answer().headers["connection"] == "keep-alive"


def test_a_body_that_is_invited_and_one_that_is_not(gateway: Gateway) -> None:
    with Wire(gateway) as client:
        client.send(client.head(SESSIONS, "Expect: 100-continue", "Content-Length: 2"))
        assert client.answer().status == 100
        client.send("{}")
        assert client.answer().status == 201
    with Wire(gateway) as client:
        client.send(client.head("POST /nothing HTTP/1.1", "Expect: 100-continue", f"Content-Length: {len(HIDDEN)}") + HIDDEN)
        assert [answer.status for answer in client.answers()] == [404]


def test_extensions_and_trailers_mean_nothing(gateway: Gateway) -> None:
    with Wire(gateway) as client:
        client.send(client.head(SESSIONS, "Transfer-Encoding: Chunked", "Trailer: Authorization")
                    + b'1;a\r\n{\r\n1 ; b="c\\"d" ;e=f\r\n}\r\n000\r\nX-Api-Key: other\r\nHost: evil.example\r\n\r\n'
                    + client.head("GET /api HTTP/1.1", "Connection: close"))
        assert [answer.status for answer in client.answers()] == [201, 200]


def test_an_upgrade_that_is_none_hides_nothing(gateway: Gateway) -> None:
    """A front end that believed in a 101 would send on whatever comes: so what is no upgrade must be seen to be none."""
    session = gateway.agent().start_session()["id"]
    path = f"/api/v1/sessions/{session}/ws"
    proper = ["Upgrade: websocket", "Connection: Upgrade", "Sec-WebSocket-Version: 13", "Sec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA=="]
    wrong = {"another version": (426, "GET", [*proper[:2], "Sec-WebSocket-Version: 8", proper[3]]),
             "no key": (426, "GET", proper[:3]), "two keys": (400, "GET", [*proper, proper[3]]),
             "no connection": (426, "GET", [proper[0], *proper[2:]]), "h2c": (426, "GET", ["Upgrade: h2c", "Connection: Upgrade"]),
             "a body": (400, "GET", [*proper, "Content-Length: 5"]), "POST": (405, "POST", proper), "WS": (405, "WS", proper)}
    for name, (status, method, headers) in wrong.items():
        with Wire(gateway) as client:
            client.send(client.head(f"{method} {path} HTTP/1.1", *headers))
            assert client.answer().status == status, name
    with Wire(gateway) as client:
        client.send(client.head(f"GET {path} HTTP/1.0", *proper) + HIDDEN)
        assert [answer.status for answer in client.answers()] == [426]
    with Wire(gateway) as client:  # not a WebSocket's place: an ordinary request, and the next one is answered too
        client.send(client.head("GET /api HTTP/1.1", *proper) + client.head("GET /api HTTP/1.1", "Connection: close"))
        assert [answer.status for answer in client.answers()] == [200, 200]
    with FrameWire(gateway) as client:
        assert client.upgrade(path).status == 101
        client.send(HIDDEN)  # frames now, and bad ones
        assert client.read_to_close()[0] == 1002
