"""HTTP/1.1 and WebSocket frames byte by byte: a client that checks nothing, so that a test can send anything."""

import base64
import os
import socket
import struct
from dataclasses import dataclass
from urllib.parse import urlsplit

from support.gateway import Gateway

CONTINUATION, TEXT, BINARY, CLOSE, PING, PONG = 0, 1, 2, 8, 9, 10


@dataclass
class Answer:
    status: int
    headers: dict[str, str]
    body: str


class Wire:
    """One connection. `receive_buffer`: for a client whose window closes early; `source`: its address."""

    def __init__(self, gateway: Gateway, receive_buffer: int = 0, source: str = "", timeout: float = 30) -> None:
        to = urlsplit(gateway.url)
        self.key = gateway.token
        self.socket = socket.socket()
        if receive_buffer:
            self.socket.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, receive_buffer)
        if source:
            self.socket.bind((source, 0))
        self.socket.settimeout(timeout)
        self.socket.connect((to.hostname, to.port))
        self._incoming = self.socket.makefile("rb")

    def head(self, line: str = "GET /api/v1/sessions HTTP/1.1", *headers: str) -> bytes:
        """A head that passes, with the key."""
        lines = [line, "Host: localhost", f"Authorization: Bearer {self.key}", *headers, "", ""]
        return "\r\n".join(lines).encode()

    def send(self, data: bytes | str) -> None:
        self.socket.sendall(data.encode() if isinstance(data, str) else data)

    def try_send(self, data: bytes) -> bool:
        """As far as the gateway takes it; False when it has closed."""
        try:
            self.socket.sendall(data)
            return True
        except (BrokenPipeError, ConnectionResetError):
            return False

    def read(self, count: int) -> bytes:
        """So many bytes, or as many as there are until the gateway closes."""
        try:
            return self._incoming.read(count)
        except ConnectionResetError:
            return b""

    def _line(self) -> str:
        try:
            line = self._incoming.readline()
        except ConnectionResetError:
            line = b""
        if not line.endswith(b"\r\n"):
            raise EOFError(f"closed after {line!r}")
        return line[:-2].decode()

    def exactly(self, count: int) -> bytes:
        data = self.read(count)
        if len(data) < count:
            raise EOFError(f"closed after {data!r}")
        return data

    def answer(self) -> Answer:
        """The next one, whole; 100 Continue is one too."""
        first, *lines = iter(self._line, "")
        headers = {name.lower(): value for name, value in (line.split(": ", 1) for line in lines)}
        status = int(first.split(" ")[1])
        if "content-length" in headers:
            return Answer(status, headers, self.exactly(int(headers["content-length"])).decode())
        chunks = []
        while headers.get("transfer-encoding") == "chunked" and (not chunks or chunks[-1]):
            chunks.append(self.exactly(int(self._line(), 16) + 2)[:-2])
        return Answer(status, headers, b"".join(chunks).decode())

    def answers(self) -> list[Answer]:
        """All until the gateway closes."""
        found = []
        while True:
            try:
                found.append(self.answer())
            except EOFError:
                return found

    def is_closed(self) -> bool:
        """Waits for the gateway's close; False when something else comes."""
        return not self.read(1)

    def close(self) -> None:
        self._incoming.close()
        self.socket.close()

    def __enter__(self) -> "Wire":
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


class FrameWire(Wire):
    """A WebSocket of a session, or at another path."""

    def upgrade(self, path: str, *headers: str) -> Answer:
        key = base64.b64encode(os.urandom(16)).decode()
        self.send(self.head(f"GET {path} HTTP/1.1", "Upgrade: websocket", "Connection: Upgrade", "Sec-WebSocket-Version: 13",
                            f"Sec-WebSocket-Key: {key}", *headers))
        return self.answer()

    def send_frame(self, opcode: int, payload: bytes = b"", *, last: bool = True, reserved: int = 0, masked: bool = True,
                   size: int | None = None) -> None:
        self.send(frame(opcode, payload, last=last, reserved=reserved, masked=masked, size=size))

    def read_frame(self) -> tuple[int, bytes]:
        first, second = self.exactly(2)
        size = second & 0x7F
        if size == 126:
            (size,) = struct.unpack("!H", self.exactly(2))
        elif size == 127:
            (size,) = struct.unpack("!Q", self.exactly(8))
        return first & 0x0F, self.exactly(size)

    def read_to_close(self) -> tuple[int, str]:
        """The code and the reason that it is closed with."""
        while True:
            opcode, payload = self.read_frame()
            if opcode == CLOSE:
                return (struct.unpack("!H", payload[:2])[0], payload[2:].decode()) if payload else (1005, "")


def frame(opcode: int, payload: bytes = b"", *, last: bool = True, reserved: int = 0, masked: bool = True,
          size: int | None = None) -> bytes:
    """As a client sends it; `size` announces another one than it has. The mask is zeros: the payload stays readable."""
    size = len(payload) if size is None else size
    head = bytes([(0x80 if last else 0) | reserved << 4 | opcode])
    mark = 0x80 if masked else 0
    if size < 126:
        head += bytes([mark | size])
    elif size < 1 << 16:
        head += struct.pack("!BH", mark | 126, size)
    else:
        head += struct.pack("!BQ", mark | 127, size)
    return head + (bytes(4) if masked else b"") + payload
