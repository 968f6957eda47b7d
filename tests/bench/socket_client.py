"""A WebSocket and Jupyter client with little cost of its own: what is measured is the other side."""

import base64
import http.client
import json
import os
import socket
import struct
import time
import uuid
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlsplit

V1 = "v1.kernel.websocket.jupyter.org"
now = time.perf_counter

TEXT, BINARY, CLOSE, PING, PONG = 1, 2, 8, 9, 10


class Gone(Exception):
    """The other side closed or cut the connection."""


class Socket:
    """A WebSocket. Its frames are masked with zeros, which costs a client nothing and a server the same."""

    def __init__(self, url: str, key: str = "", subprotocol: str = "", quickack: bool = False, timeout: float = 60) -> None:
        parts = urlsplit(url)
        self._quickack = quickack
        self._socket = socket.create_connection((parts.hostname, parts.port), timeout=timeout)
        self._socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self._buffer = bytearray()
        self._shake_hands(parts, key, subprotocol)

    def _shake_hands(self, parts, key: str, subprotocol: str) -> None:
        path = parts.path + (f"?{parts.query}" if parts.query else "")
        lines = [f"GET {path} HTTP/1.1", f"Host: {parts.netloc}", "Upgrade: websocket", "Connection: Upgrade",
                 f"Sec-WebSocket-Key: {base64.b64encode(os.urandom(16)).decode()}", "Sec-WebSocket-Version: 13"]
        lines += [f"Authorization: token {key}"] if key else []
        lines += [f"Sec-WebSocket-Protocol: {subprotocol}"] if subprotocol else []
        self._socket.sendall(("\r\n".join(lines) + "\r\n\r\n").encode())
        while (end := self._buffer.find(b"\r\n\r\n")) < 0:
            self._fill()
        head = bytes(self._buffer[:end])
        del self._buffer[:end + 4]
        if b" 101 " not in head.split(b"\r\n", 1)[0]:
            raise Gone(head.decode(errors="replace"))

    def settimeout(self, seconds: float) -> None:
        self._socket.settimeout(seconds)

    def _fill(self) -> None:
        if self._quickack:
            self._socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_QUICKACK, 1)
        try:
            data = self._socket.recv(1 << 18)
        except ConnectionError as error:
            raise Gone(str(error)) from None
        if not data:
            raise Gone("end of stream")
        self._buffer += data

    def _take(self, count: int) -> bytes | bytearray:
        if count > 1 << 20:
            return self._take_large(count)
        while len(self._buffer) < count:
            self._fill()
        taken = bytes(self._buffer[:count])
        del self._buffer[:count]
        return taken

    def _take_large(self, count: int) -> bytearray:
        whole = bytearray(count)
        have = min(count, len(self._buffer))
        whole[:have] = self._buffer[:have]
        del self._buffer[:have]
        view = memoryview(whole)
        while have < count:
            try:
                got = self._socket.recv_into(view[have:])
            except ConnectionError as error:
                raise Gone(str(error)) from None
            if not got:
                raise Gone("end of stream")
            have += got
        return whole

    def send(self, payload: bytes, kind: int = BINARY) -> None:
        size = len(payload)
        if size < 126:
            head = struct.pack("!BB", 0x80 | kind, 0x80 | size)
        elif size < 1 << 16:
            head = struct.pack("!BBH", 0x80 | kind, 0x80 | 126, size)
        else:
            head = struct.pack("!BBQ", 0x80 | kind, 0x80 | 127, size)
        try:
            self._socket.sendall(head + b"\0\0\0\0" + payload if size < 1 << 16 else head + b"\0\0\0\0")
            if size >= 1 << 16:
                self._socket.sendall(payload)
        except ConnectionError as error:
            raise Gone(str(error)) from None

    def receive(self) -> bytes | bytearray:
        """The next message; pings are answered on the way."""
        message = b""
        while True:
            first, second = self._take(2)
            size = second & 127
            if size == 126:
                (size,) = struct.unpack("!H", self._take(2))
            elif size == 127:
                (size,) = struct.unpack("!Q", self._take(8))
            payload = self._take(size)
            kind = first & 15
            if kind == PING:
                self.send(payload, PONG)
            elif kind == CLOSE:
                raise Gone(f"closed: {payload[:80]!r}")
            elif kind in (TEXT, BINARY, 0):
                message = message + payload if message else payload
                if first & 0x80:
                    return message

    def close(self) -> None:
        self._socket.close()


@dataclass
class Received:
    channel: str
    msg_type: str
    parent: str
    content: bytes | memoryview


@dataclass
class Finished:
    reply_at: float
    idle_at: float

    @property
    def done_at(self) -> float:
        return max(self.reply_at, self.idle_at)


def request_parts(msg_type: str, content: dict[str, Any], session: str, metadata: bytes = b"{}") -> tuple[str, list[bytes]]:
    """The id and the four JSON parts of a message."""
    msg_id = uuid.uuid4().hex
    header = {"msg_id": msg_id, "msg_type": msg_type, "session": session, "username": "bench", "version": "5.3",
              "date": time.strftime("%Y-%m-%dT%H:%M:%S.000000Z", time.gmtime())}
    return msg_id, [json.dumps(header).encode(), b"{}", metadata, json.dumps(content).encode()]


def execute_content(code: str) -> dict[str, Any]:
    return {"code": code, "silent": False, "store_history": False, "user_expressions": {}, "allow_stdin": False,
            "stop_on_error": True}


def is_idle(message: Received) -> bool:
    return message.msg_type == "status" and b'"idle"' in message.content


class Cells:
    """Runs cells over anything that can send parts and receive a message; the same code for every target."""

    def __init__(self) -> None:
        self.session = uuid.uuid4().hex

    def send_parts(self, channel: str, parts: list[bytes]) -> None:
        raise NotImplementedError

    def receive(self) -> Received:
        raise NotImplementedError

    def request(self, msg_type: str, content: dict[str, Any], metadata: bytes = b"{}") -> str:
        msg_id, parts = request_parts(msg_type, content, self.session, metadata)
        self.send_parts("shell", parts)
        return msg_id

    def run(self, code: str, on_output=None, metadata: bytes = b"{}") -> Finished:
        """Until the reply and the idle are there; `on_output` gets every other message of the cell."""
        msg_id = self.request("execute_request", execute_content(code), metadata)
        reply_at = idle_at = 0.0
        while not (reply_at and idle_at):
            message = self.receive()
            if message.parent != msg_id:
                continue
            if message.msg_type == "execute_reply":
                reply_at = now()
            elif is_idle(message):
                idle_at = now()
            elif on_output:
                on_output(message)
        return Finished(reply_at, idle_at)


class KernelSocket(Cells):
    """A kernel's channels over a gateway's WebSocket, in Jupyter's v1 form."""

    def __init__(self, url: str, key: str, kernel_id: str, quickack: bool = False) -> None:
        super().__init__()
        self.kernel_id = kernel_id
        base = url.replace("http", "ws", 1)
        self.socket = Socket(f"{base}/api/kernels/{kernel_id}/channels?session_id={self.session}", key, V1, quickack)

    def send_parts(self, channel: str, parts: list[bytes]) -> None:
        all_parts = [channel.encode(), *parts]
        offset, offsets = 8 * (len(all_parts) + 2), []
        for part in all_parts:
            offsets.append(offset)
            offset += len(part)
        self.socket.send(struct.pack(f"<{len(all_parts) + 2}Q", len(all_parts) + 1, *offsets, offset) + b"".join(all_parts))

    def receive(self) -> Received:
        frame = self.socket.receive()
        (count,) = struct.unpack_from("<Q", frame)
        at = struct.unpack_from(f"<{count}Q", frame, 8)
        parent = json.loads(frame[at[2]:at[3]]).get("msg_id", "")
        content = frame[at[4]:at[5]] if isinstance(frame, bytes) else memoryview(frame)[at[4]:at[5]]  # a large one is not copied
        return Received(frame[at[0]:at[1]].decode(), json.loads(frame[at[1]:at[2]])["msg_type"], parent, content)

    def close(self) -> None:
        self.socket.close()


class Rest:
    """The REST calls of a gateway; a connection each, as a fresh client makes them, but for those of `kept()`."""

    def __init__(self, url: str, key: str, kernel: str) -> None:
        self.url, self.key = url, key
        self.kernel = kernel  # the name of the kernelspec that start() starts

    def call(self, method: str, path: str, body: Any = None) -> Any:
        with self.kept() as send:
            text = send(method, path, body)
        return json.loads(text) if text else None

    @contextmanager
    def kept(self) -> Iterator[Callable[..., bytes]]:
        """Sends over one connection, and gives the body of each answer."""
        parts = urlsplit(self.url)
        connection = http.client.HTTPConnection(parts.hostname, parts.port, timeout=300)
        headers = {"Authorization": f"token {self.key}", "Content-Type": "application/json"}

        def send(method: str, path: str, body: Any = None) -> bytes:
            connection.request(method, parts.path + path, None if body is None else json.dumps(body), headers)
            answer = connection.getresponse()
            text = answer.read()
            if answer.status >= 300:
                raise RuntimeError(f"{method} {path}: {answer.status} {text[:500]!r}")
            return text

        with closing(connection):
            yield send

    def start(self) -> str:
        return self.call("POST", "/api/kernels", {"name": self.kernel})["id"]

    def end(self, kernel_id: str) -> None:
        self.call("DELETE", f"/api/kernels/{kernel_id}")
