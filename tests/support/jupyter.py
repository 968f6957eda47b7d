"""A Jupyter client of the gateway: REST calls, and the channels of a kernel over one WebSocket."""

import socket
import struct
import time
import uuid
from dataclasses import dataclass, field
from datetime import datetime, timezone
from typing import Any
from urllib.parse import quote

import requests
import websocket

from support.framing import V1, Message, decode_default, decode_v1, encode_default, encode_v1


class Closed(Exception):
    """The gateway closed the socket; `code` is 1006 when it just ended."""

    def __init__(self, code: int, reason: str) -> None:
        super().__init__(f"closed with {code} {reason}")
        self.code, self.reason = code, reason


@dataclass
class Cell:
    """All that came back for one request."""

    msg_id: str
    messages: list[Message] = field(default_factory=list)
    reply: Message | None = None
    idle: bool = False

    @property
    def done(self) -> bool:
        return self.idle and self.reply is not None

    def of(self, msg_type: str) -> list[Message]:
        return [message["content"] for message in self.messages if message["header"]["msg_type"] == msg_type]

    def text(self, name: str = "stdout") -> str:
        return "".join(content["text"] for content in self.of("stream") if content["name"] == name)

    @property
    def result(self) -> str | None:
        return next((content["data"]["text/plain"] for content in self.of("execute_result")), None)

    @property
    def status(self) -> str:
        return self.reply["content"]["status"] if self.reply else "no reply"

    @property
    def error(self) -> str | None:
        return self.reply["content"].get("ename") if self.reply else None


class Channels:
    """One WebSocket to one kernel. Every wait ends at `timeout` seconds with an exception."""

    def __init__(self, url: str, *, headers: list[str], subprotocols: list[str], timeout: float = 60) -> None:
        self.timeout = timeout
        self.socket = websocket.WebSocket(enable_multithread=True, skip_utf8_validation=True)
        self.socket.connect(url, header=headers, subprotocols=subprotocols, timeout=timeout)
        self.subprotocol = self.socket.getsubprotocol() or ""
        v1 = self.subprotocol == V1
        self._encode, self._decode = (encode_v1, decode_v1) if v1 else (encode_default, decode_default)
        self.session = uuid.uuid4().hex
        self.pings = 0

    def send(self, msg_type: str, content: dict[str, Any], *, channel: str = "shell", buffers: tuple = (),
             parent: Message | None = None, metadata: dict[str, Any] | None = None, msg_id: str | None = None) -> str:
        header = {"msg_id": msg_id or uuid.uuid4().hex, "msg_type": msg_type, "session": self.session, "username": "test",
                  "version": "5.3", "date": datetime.now(timezone.utc).isoformat()}
        self.send_message({"header": header, "parent_header": parent["header"] if parent else {}, "metadata": metadata or {},
                           "content": content, "channel": channel, "buffers": list(buffers)})
        return header["msg_id"]

    def send_message(self, message: Message) -> None:
        frame = self._encode(message)
        if isinstance(frame, str):
            self.socket.send(frame)
        else:
            self.socket.send_binary(frame)

    def receive(self, timeout: float | None = None) -> Message:
        """The next message; TimeoutError when none comes in time, Closed when the gateway closed."""
        deadline = time.monotonic() + (self.timeout if timeout is None else timeout)
        while True:
            self.socket.settimeout(max(0.001, deadline - time.monotonic()))
            try:
                kind, data = self.socket.recv_data(control_frame=True)
            except websocket.WebSocketTimeoutException:
                raise TimeoutError("no message in time") from None
            except (websocket.WebSocketConnectionClosedException, OSError) as error:
                raise Closed(1006, str(error)) from None
            if kind == websocket.ABNF.OPCODE_CLOSE:
                code = struct.unpack("!H", data[:2])[0] if len(data) >= 2 else 1005
                raise Closed(code, data[2:].decode())
            if kind == websocket.ABNF.OPCODE_PING:  # the library has sent the pong
                self.pings += 1
            if kind == websocket.ABNF.OPCODE_TEXT:
                return self._decode(data.decode())
            if kind == websocket.ABNF.OPCODE_BINARY:
                return self._decode(data)

    def wait_for(self, condition, timeout: float | None = None) -> Message:
        """Reads until a message meets the condition."""
        deadline = time.monotonic() + (self.timeout if timeout is None else timeout)
        while True:
            message = self.receive(max(0.001, deadline - time.monotonic()))
            if condition(message):
                return message

    def wait_for_closed(self, timeout: float | None = None) -> Closed:
        try:
            self.wait_for(lambda message: False, timeout)
        except Closed as closed:
            return closed
        raise AssertionError("unreachable")

    def wait_for_status(self, state: str, timeout: float | None = None) -> Message:
        return self.wait_for(lambda message: message["header"]["msg_type"] == "status"
                             and message["content"]["execution_state"] == state, timeout)

    def begin(self, code: str, **content: Any) -> Cell:
        """Sends a cell without waiting for anything."""
        asked = {"code": code, "silent": False, "store_history": True, "user_expressions": {}, "allow_stdin": False,
                 "stop_on_error": True, **content}
        return Cell(self.send("execute_request", asked))

    def collect(self, *cells: Cell, timeout: float | None = None, until=None) -> None:
        """Gives each cell its messages, until all are done (or `until` is true of a message of theirs)."""
        by_id = {cell.msg_id: cell for cell in cells}
        deadline = time.monotonic() + (self.timeout if timeout is None else timeout)
        while not all(cell.done for cell in cells):
            message = self.receive(max(0.001, deadline - time.monotonic()))
            cell = by_id.get(message["parent_header"].get("msg_id", ""))
            if cell is None:
                continue
            cell.messages.append(message)
            if message["channel"] in ("shell", "control"):
                cell.reply = message
            if message["header"]["msg_type"] == "status" and message["content"]["execution_state"] == "idle":
                cell.idle = True
            if until and until(message):
                return

    def run(self, code: str, timeout: float | None = None, **content: Any) -> Cell:
        cell = self.begin(code, **content)
        self.collect(cell, timeout=timeout)
        return cell

    def run_until_printed(self, code: str, text: str, **content: Any) -> Cell:
        """Begins a cell and reads until its output holds `text`; the cell goes on."""
        cell = self.begin(code, **content)
        self.collect(cell, until=lambda _: text in cell.text())
        return cell

    def request(self, msg_type: str, content: dict[str, Any], channel: str = "shell", timeout: float | None = None) -> dict[str, Any]:
        """The content of the reply."""
        cell = Cell(self.send(msg_type, content, channel=channel))
        self.collect(cell, timeout=timeout, until=lambda _: cell.reply is not None)
        return cell.reply["content"]

    def answer_input(self, value: str, asked: Message) -> None:
        self.send("input_reply", {"value": value, "status": "ok"}, channel="stdin", parent=asked)

    def cut(self) -> None:
        """Ends the TCP connection by a reset, without a close frame."""
        raw = self.socket.sock
        raw.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        raw.close()

    def close(self) -> None:
        self.socket.close(timeout=2)

    def __enter__(self) -> "Channels":
        return self

    def __exit__(self, *_: object) -> None:
        try:
            self.socket.shutdown()
        except OSError:
            pass


class Jupyter:
    def __init__(self, url: str, token: str) -> None:
        self.url, self.token = url, token
        self.http = requests.Session()
        self.http.trust_env = False
        if token:
            self.http.headers["Authorization"] = f"token {token}"

    def call(self, method: str, path: str, expected: int | None = None, timeout: float = 120, **arguments: Any) -> requests.Response:
        answer = self.http.request(method, self.url + path, timeout=timeout, **arguments)
        if expected is not None:
            assert answer.status_code == expected, f"{method} {path}: {answer.status_code} {answer.text[:2000]}"
        return answer

    def get(self, path: str, **arguments: Any) -> Any:
        return self.call("GET", path, 200, **arguments).json()

    def start_kernel(self, name: str | None = None, env: dict[str, str] | None = None, **body: Any) -> str:
        asked = {**({"name": name} if name else {}), **({"env": env} if env else {}), **body}
        return self.call("POST", "/api/kernels", 201, json=asked).json()["id"]

    def kernels(self) -> list[dict[str, Any]]:
        return self.get("/api/kernels")

    def kernel(self, kernel_id: str) -> dict[str, Any]:
        return self.get(f"/api/kernels/{kernel_id}")

    def state(self, kernel_id: str) -> str:
        return self.kernel(kernel_id)["execution_state"]

    def interrupt(self, kernel_id: str) -> None:
        self.call("POST", f"/api/kernels/{kernel_id}/interrupt", 204)

    def restart(self, kernel_id: str) -> dict[str, Any]:
        return self.call("POST", f"/api/kernels/{kernel_id}/restart", 200).json()

    def delete(self, kernel_id: str) -> None:
        self.call("DELETE", f"/api/kernels/{kernel_id}", 204)

    def connect(self, kernel_id: str, session_id: str | None = None, *, v1: bool = False, url: str | None = None,
                timeout: float = 60, headers: list[str] | None = None, subprotocols: list[str] | None = None) -> Channels:
        base = (url or self.url).replace("http", "ws", 1)
        query = f"?session_id={quote(session_id)}" if session_id else ""
        if headers is None:
            headers = [f"Authorization: token {self.token}"] if self.token else []
        return Channels(f"{base}/api/kernels/{kernel_id}/channels{query}", headers=headers, timeout=timeout,
                        subprotocols=subprotocols if subprotocols is not None else ([V1] if v1 else []))
