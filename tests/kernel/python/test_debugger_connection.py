"""The connection to a debugger, against one that answers as the test says."""

import json
import socket
import threading

import pytest

import package_path  # noqa: F401
from cellgate_shell.dap_connection import DapConnection, DapError, read_message


class FakeDebugger:
    """The other end of a connection."""

    def __init__(self):
        ours, theirs = socket.socketpair()
        self.events = []
        self.connection = DapConnection(theirs, self.events.append)
        self._socket, self._in = ours, ours.makefile("rb")

    def read(self):
        return read_message(self._in)

    def say(self, **message):
        body = json.dumps(message).encode()
        self.say_raw(b"Content-Length: %d\r\n\r\n%b" % (len(body), body))

    def say_raw(self, data):
        self._socket.sendall(data)

    def answer(self, request, **body):
        self.say(type="response", request_seq=request["seq"], success=True, command=request["command"], body=body)

    def hang_up(self):
        self._in.close()
        self._socket.close()


@pytest.fixture
def fake():
    made = FakeDebugger()
    yield made
    made.hang_up()
    made.connection.close(5)
    assert not made.connection._reader.is_alive()


def asking(connection, *commands):
    """Asks on threads of their own; what they got, in a list per command."""
    got = {command: [] for command in commands}

    def ask(command):
        try:
            got[command].append(connection.request(command, timeout=5)["body"])
        except DapError as problem:
            got[command].append(str(problem))

    threads = [threading.Thread(target=ask, args=(command,)) for command in commands]
    for thread in threads:
        thread.start()
    return got, lambda: [thread.join(10) for thread in threads]


def test_each_asker_gets_its_own_answer_whatever_their_order(fake):
    got, wait = asking(fake.connection, "one", "two")
    for request in sorted((fake.read(), fake.read()), key=lambda request: request["command"], reverse=True):
        fake.answer(request, of=request["command"])
    wait()
    assert got == {"one": [{"of": "one"}], "two": [{"of": "two"}]}


def test_events_are_passed_on_before_the_answer_that_follows_them(fake):
    got, wait = asking(fake.connection, "next")
    request = fake.read()
    fake.say(type="event", event="continued")
    fake.say(type="event", event="stopped")
    fake.answer(request)
    wait()
    assert [event["event"] for event in fake.events] == ["continued", "stopped"] and got["next"] == [{}]


def test_an_answer_that_does_not_come_is_missed_in_time_and_dropped_when_it_comes(fake):
    with pytest.raises(DapError, match="has not answered threads within 0.01 s"):
        fake.connection.request("threads", timeout=0.01)
    late = fake.read()
    got, wait = asking(fake.connection, "scopes")
    fake.answer(late, of="threads")
    fake.answer(fake.read(), of="scopes")
    wait()
    assert got["scopes"] == [{"of": "scopes"}]


@pytest.mark.parametrize("end", [b"", b"Content-Length: 9\r\n\r\n{", b"Content-Length: 2\r\n\r\n[]", b"\r\n",
                                 b"Content-Length: x\r\n\r\n", b"Content-Length: 3\r\n\r\n\xff\xff\xff"])
def test_the_end_of_the_debugger_is_told_to_who_waits_and_to_who_comes(fake, end):
    got, wait = asking(fake.connection, "scopes")
    fake.read()
    fake.say_raw(end)
    fake.hang_up()
    wait()
    assert "ended before it answered scopes" in got["scopes"][0]
    with pytest.raises(DapError, match="has ended"):
        fake.connection.request("threads")
