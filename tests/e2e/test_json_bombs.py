"""JSON that is there to cost time or memory, at every door that takes JSON: refused, or taken for what it says, and
nobody else waits. Numbers in names: docs/security.md."""

import json

import pytest

from support.bystander import Bystander
from support.gateway import Gateway
from support.waiting import Stopwatch
from support.wire import FrameWire, Wire

MANY, FEWER = 1_000_000, 100_000  # the sanitized build takes ten times as long
# Of a machine that others use; docs/security.md has what a quiet one takes.
MOST_SECONDS = 20
# Fields that a call does not have mean nothing to Jupyter's.
TAKEN = {("kernels", "a million decimals")}


def many_keys(count: int) -> bytes:
    return b"{" + b",".join(b'"k%d":0' % number for number in range(count)) + b"}"


BOMBS = {
    "deep lists": lambda many: b"[" * many + b"]" * many,
    "deep lists without an end": lambda many: b"[" * many,
    "deep objects": lambda many: b'{"a":' * many + b"1" + b"}" * many,
    "deep inside a field": lambda many: b'{"code":"1","name":' + b"[" * (many // 5) + b"]" * (many // 5) + b"}",
    "deep inside metadata": lambda many: b'{"jsonrpc":"2.0","id":1,"method":"status","params":' + b'{"a":' * (many // 10) + b"1" + b"}" * (many // 10 + 1),
    "a million keys": many_keys,
    "a million keys in a field": lambda many: b'{"code":"1","env":' + many_keys(many) + b"}",
    "a million empty lists": lambda many: b'{"name":[' + b"[]," * many + b"[]]}",
    "a million digits": lambda many: b'{"code":"1","timeout_s":' + b"1" * many + b"}",
    "a million decimals": lambda many: b'{"code":"1","timeout_s":0.' + b"1" * many + b"}",
    "a huge exponent": lambda many: b'{"code":"1","timeout_s":1e999999999}',
    "a huge negative exponent in an id": lambda many: b'{"jsonrpc":"2.0","id":1e400,"method":"status"}',
    "a huge id": lambda many: b'{"jsonrpc":"2.0","id":' + b"1" * many + b',"method":"status"}',
    "a huge string": lambda many: b'{"name":"' + b"x" * 16 * many + b'"}',
    "a string of escapes": lambda many: b'{"name":"' + rb"\u0000" * many + b'"}',
    "a string without an end": lambda many: b'{"name":"' + b"x" * many,
    "not UTF-8": lambda many: b'{"name":"\xff\xfe\xc0\xaf"}',
    "a surrogate alone": lambda many: rb'{"name":"\ud800"}',
    "NaN": lambda many: b'{"code":"1","timeout_s":NaN}',
    "Infinity": lambda many: b'{"code":"1","timeout_s":-Infinity}',
    "NULs": lambda many: b"\0" * many,
    "a byte order mark": lambda many: b'\xef\xbb\xbf{"name":1}',
    "something behind": lambda many: b'{"name":1}{"name":2}',
    "a million spaces": lambda many: b" " * many + b"]",
    "a million commas": lambda many: b"[" + b"," * many + b"]",
    "quotes without end": lambda many: b'"' * many,
}
DOORS = {
    "kernels": "/api/kernels",
    "notebook sessions": "/api/sessions",
    "sessions": "/api/v1/sessions",
    "execute": "/api/v1/sessions/{}/execute",
    "bash": "/api/v1/sessions/{}/bash",
    "accounts": "/api/v1/accounts",
    "tool router": "/api/v3.1/tool_router/session",
    "mcp": "/mcp",
}


@pytest.fixture(scope="module")
def bystander(module_gateway: Gateway) -> Bystander:
    return Bystander(module_gateway)


def post(gateway: Gateway, path: str, body: bytes) -> tuple[int, str, float]:
    with Wire(gateway) as client:
        client.send(client.head(f"POST {path} HTTP/1.1", "Content-Type: application/json", "Accept: application/json, text/event-stream",
                                "Connection: close", f"Content-Length: {len(body)}") + body)
        watch = Stopwatch()
        answer = client.answer()
        return answer.status, answer.body, watch.seconds


@pytest.mark.parametrize("door", DOORS)
def test_19_bombs_are_refused(module_gateway: Gateway, bystander: Bystander, door: str) -> None:
    path = DOORS[door].format(bystander.session)
    longest = (0.0, "")
    with bystander.goes_on():
        for name, make in BOMBS.items():
            status, body, seconds = post(module_gateway, path, make(FEWER))
            longest = max(longest, (seconds, name))
            assert 400 <= status < 500 or (door, name) in TAKEN, f"{name}: {status} {body[:500]}"
            assert (status < 400 or json.loads(body)["error"]["message"]) and len(body) < 4096, name
            assert seconds < MOST_SECONDS, name
    print(f"{door}: at most {longest[0] * 1000:.0f} ms, {longest[1]}")


@pytest.mark.release
def test_19_bombs_are_refused_by_the_release_build(gateway: Gateway) -> None:
    """Median of three each: a neighbour of the test's is none of the gateway's. A message of MCP's may have 16 MiB, and is
    read whole, beside the loop."""
    session = gateway.agent().start_session()["id"]
    bombs = {name: make(MANY) for name, make in BOMBS.items()}
    times = {(door, name): sorted(post(gateway, path.format(session), body)[2] for _ in range(3))[1]
             for door, path in DOORS.items() for name, body in bombs.items()}
    for where in sorted(times, key=times.get)[-3:]:
        print(f"{where}: {times[where] * 1000:.0f} ms")
    assert max(seconds for (door, _), seconds in times.items() if door != "mcp") < 0.5


def test_19_bombs_by_json_rpc(module_gateway: Gateway, bystander: Bystander) -> None:
    """Each is answered by an error, in order, and the same socket goes on."""
    with FrameWire(module_gateway) as client, bystander.goes_on():
        assert client.upgrade(f"/api/v1/sessions/{bystander.session}/ws").status == 101
        for name, make in BOMBS.items():
            try:
                text = make(FEWER).decode()
            except UnicodeDecodeError:
                continue  # no text frame: test_websocket_abuse.py
            watch = Stopwatch()
            client.send_frame(1, text.encode())
            opcode, payload = client.read_frame()
            answer = json.loads(payload)
            first = answer[0] if isinstance(answer, list) else answer
            assert opcode == 1 and first["error"]["message"], (name, payload[:500])
            assert watch.seconds < MOST_SECONDS, name
        client.send_frame(1, b'{"jsonrpc":"2.0","id":7,"method":"status"}')
        assert json.loads(client.read_frame()[1])["result"]["id"] == bystander.session


def test_19_bombs_to_a_kernels_channels(module_gateway: Gateway, bystander: Bystander) -> None:
    """What is no message closes its connection with 1007, and only that one."""
    kernel = module_gateway.agent().session(bystander.session)["kernel"]["id"]
    with bystander.goes_on():
        for name, make in BOMBS.items():
            with FrameWire(module_gateway) as client:
                assert client.upgrade(f"/api/kernels/{kernel}/channels").status == 101
                client.send_frame(1, make(FEWER))
                assert client.read_to_close()[0] == 1007, name


def test_19_of_a_name_that_is_there_often_the_last_counts(gateway: Gateway) -> None:
    session = gateway.agent().start_session()["id"]
    body = b"{" + b'"code":"1",' * 10_000 + b'"code":"6*7"}'
    status, answer, _ = post(gateway, f"/api/v1/sessions/{session}/execute", body)
    assert status == 200 and json.loads(answer)["result"]["text/plain"] == "42"
