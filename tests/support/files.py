"""A session's files over HTTP, and requests that no HTTP library would send."""

import http.client
import json
import socket
import struct
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from urllib.parse import quote, urlsplit

import requests

from support.agent import Agent
from support.gateway import Gateway
from support.processes import resident_bytes


class Files:
    """The files of one session. Paths are percent-encoded here."""

    def __init__(self, agent: Agent, session: str) -> None:
        self.agent, self.session = agent, session
        self.base = f"/sessions/{session}/files"

    def url(self, path: str) -> str:
        return f"{self.base}/{quote(path)}"

    def put(self, path: str, data: Any, expected: int | None = None, **headers: str) -> requests.Response:
        named = {name.replace("_", "-"): value for name, value in headers.items()}
        return self.agent.call("PUT", self.url(path), expected, data=data, headers=named)

    def get(self, path: str, expected: int | None = 200, **headers: str) -> requests.Response:
        return self.agent.call("GET", self.url(path), expected, headers={k.replace("_", "-"): v for k, v in headers.items()})

    def delete(self, path: str, expected: int | None = None) -> requests.Response:
        return self.agent.call("DELETE", self.url(path), expected)

    def page(self, **query: Any) -> dict[str, Any]:
        return self.agent.call("GET", self.base, 200, params=query).json()

    def paths(self, **query: Any) -> list[str]:
        return [item["path"] for item in self.page(**query)["items"]]

    def run(self, code: str) -> str:
        """What a cell of the session prints."""
        cell = self.agent.execute(self.session, code)
        assert cell["status"] == "ok", cell
        return cell["stdout"]

    def directory(self, gateway: Gateway) -> Path:
        """Where the session's files and uploads lie on this machine: the only place with a file of this mark."""
        mark = f"mark-{self.session}"
        self.put(mark, b"")
        found = gateway.placed(f"files/{mark}")[0].parent.parent
        self.delete(mark, 200)
        return found

    def link(self, path: str, method: str = "GET", **fields: Any) -> str:
        made = self.agent.call("POST", f"/sessions/{self.session}/links", 201, json={"path": path, "method": method, **fields})
        return made.json()["url"]


def raw(url: str, method: str, target: str, key: str = "", body: bytes = b"", headers: dict[str, str] | None = None) -> tuple[int, Any]:
    """Sends the target as it is, dots and all: the status, and the JSON of the answer when it is some."""
    address = urlsplit(url)
    connection = http.client.HTTPConnection(address.hostname, address.port, timeout=60)
    credentials = {"Authorization": f"Bearer {key}"} if key else {}
    try:
        connection.putrequest(method, target, skip_accept_encoding=True)
        for name, value in {**credentials, **(headers or {}), "Content-Length": str(len(body))}.items():
            connection.putheader(name, value)
        connection.endheaders(body)
        answer = connection.getresponse()
        text = answer.read()
    finally:
        connection.close()
    try:
        return answer.status, json.loads(text)
    except ValueError:
        return answer.status, text


@contextmanager
def begun_upload(url: str, target: str, key: str, announced: int, sent: bytes) -> Iterator[socket.socket]:
    """An upload of which only the beginning has been sent."""
    address = urlsplit(url)
    peer = socket.create_connection((address.hostname, address.port), timeout=60)
    try:
        peer.sendall(f"PUT {target} HTTP/1.1\r\nHost: {address.netloc}\r\nAuthorization: Bearer {key}\r\n"
                     f"Content-Length: {announced}\r\n\r\n".encode() + sent)
        yield peer
    finally:
        peer.close()


def cut(peer: socket.socket) -> None:
    peer.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    peer.close()


class Zeros:
    """A body of that many zeros, of which no more than a piece is in memory."""

    def __init__(self, size: int) -> None:
        self.left = size
        self._piece = bytes(1 << 20)

    def __len__(self) -> int:
        return self.left

    def read(self, count: int = -1) -> bytes:
        count = min(self.left, len(self._piece) if count < 0 else min(count, len(self._piece)))
        self.left -= count
        return self._piece[:count]


class PeakMemory:
    """The most that a process had resident while the block ran, in bytes; looked at a hundred times a second."""

    def __init__(self, pid: int) -> None:
        self._pid = pid
        self._ended = threading.Event()
        self._watch = threading.Thread(target=self._run, daemon=True)
        self.before = self.bytes = resident_bytes(pid)

    def _run(self) -> None:
        while not self._ended.wait(0.01):
            self.bytes = max(self.bytes, resident_bytes(self._pid))

    @property
    def growth(self) -> int:
        return self.bytes - self.before

    def __enter__(self) -> "PeakMemory":
        self._watch.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._ended.set()
        self._watch.join()
