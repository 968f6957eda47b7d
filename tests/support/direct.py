"""A kernel's own ZeroMQ channels, without a gateway: strict about signatures, JSON and UTF-8."""

import hashlib
import hmac
import json
import time
from pathlib import Path
from typing import Any

import zmq

from support.conversation import Conversation
from support.framing import PARTS, Message

DELIMITER = b"<IDS|MSG>"


class BrokenMessage(AssertionError):
    """Something that no kernel may send: a wrong signature, JSON that is none, text that is not UTF-8."""


def _reject(constant: str) -> None:
    raise BrokenMessage(f"{constant} is not JSON")


def _parse(part: bytes) -> Any:
    return json.loads(part.decode(), parse_constant=_reject)


# One for all, never ended: a context that the collector finds before its sockets would wait for them for ever.
_CONTEXT = zmq.Context()


class DirectChannels(Conversation):
    """`unread` messages of iopub are taken off the connection before receive() asks for them; 0: all."""

    def __init__(self, connection_file: Path, timeout: float = 60, unread: int = 0) -> None:
        super().__init__(timeout)
        where = json.loads(connection_file.read_text())
        self._key = where["key"].encode()
        separator = "-" if where["transport"] == "ipc" else ":"
        base = f"{where['transport']}://{where['ip']}{separator}"
        identity = self.session.encode()
        self.iopub = self._connect(zmq.SUB, base + str(where["iopub_port"]), (zmq.RCVHWM, unread), (zmq.SUBSCRIBE, b""))
        self._sockets = {"iopub": self.iopub} | {
            name: self._connect(zmq.DEALER, base + str(where[f"{name}_port"]), (zmq.IDENTITY, identity))
            for name in ("shell", "control", "stdin")}
        self._heart = self._connect(zmq.REQ, base + str(where["hb_port"]))
        self._poller = zmq.Poller()
        for socket in self._sockets.values():
            self._poller.register(socket, zmq.POLLIN)

    def _connect(self, kind: int, address: str, *options: tuple[int, Any]) -> zmq.Socket:
        made = _CONTEXT.socket(kind)
        for option, value in [(zmq.LINGER, 0), (zmq.RECONNECT_IVL, 5), *options]:
            made.setsockopt(option, value)
        made.connect(address)
        return made

    def wait_until_heard(self) -> "DirectChannels":
        """Asks until both an answer and its broadcast came: from then on nothing is missed."""
        deadline = time.monotonic() + self.timeout
        while time.monotonic() < deadline:
            asked, answered, broadcast = self.send("kernel_info_request", {}), False, False
            try:
                while not (answered and broadcast):
                    message = self.receive(1)
                    if message["parent_header"].get("msg_id") == asked:
                        answered |= message["channel"] == "shell"
                        broadcast |= message["content"].get("execution_state") == "idle"
                return self
            except TimeoutError:
                pass
        raise TimeoutError("the kernel does not answer")

    def hide(self, channel: str) -> None:
        """receive() takes nothing from the channel any more."""
        self._poller.unregister(self._sockets[channel])

    def show(self, channel: str) -> None:
        self._poller.register(self._sockets[channel], zmq.POLLIN)

    def send_message(self, message: Message) -> None:
        parts = [json.dumps(message[part]).encode() for part in PARTS]
        self._sockets[message["channel"]].send_multipart([DELIMITER, self._sign(parts), *parts, *message["buffers"]])

    def receive(self, timeout: float | None = None) -> Message:
        ready = dict(self._poller.poll(1000 * (self.timeout if timeout is None else timeout)))
        if not ready:
            raise TimeoutError("no message in time")
        # Broadcasts first: what a cell published is then seen before the reply that ends it.
        channel, socket = next(pair for pair in self._sockets.items() if pair[1] in ready)
        frames = socket.recv_multipart()
        signature, *parts = frames[frames.index(DELIMITER) + 1:]
        if not hmac.compare_digest(signature, self._sign(parts[:4])):
            raise BrokenMessage(f"a wrong signature on {channel}: {frames}")
        return {**dict(zip(PARTS, map(_parse, parts))), "channel": channel, "buffers": parts[4:], "signature": signature}

    def _sign(self, parts: list[bytes]) -> bytes:
        return hmac.new(self._key, b"".join(parts), hashlib.sha256).hexdigest().encode()

    def beat(self, timeout: float) -> float:
        """Seconds that the heartbeat's echo took; TimeoutError when none comes in time."""
        begin = time.monotonic()
        self._heart.send(b"beat")
        if not self._heart.poll(1000 * timeout):
            raise TimeoutError("the heart does not beat")
        assert self._heart.recv() == b"beat"
        return time.monotonic() - begin

    def close(self) -> None:
        for socket in (*self._sockets.values(), self._heart):
            socket.close(linger=0)

    def __enter__(self) -> "DirectChannels":
        return self

    def __exit__(self, *_: object) -> None:
        self.close()
