"""A Jupyter client of the gateway: REST calls, and the channels of a kernel over one WebSocket."""

import socket
import struct
import time
from typing import Any
from urllib.parse import quote

import requests
import websocket

from support.conversation import Conversation
from support.framing import V1, Message, decode_default, decode_v1, encode_default, encode_v1


class Closed(Exception):
    """The gateway closed the socket; `code` is 1006 when it just ended."""

    def __init__(self, code: int, reason: str) -> None:
        super().__init__(f"closed with {code} {reason}")
        self.code, self.reason = code, reason


class Channels(Conversation):
    """One WebSocket to one kernel. Every wait ends at `timeout` seconds with an exception."""

    def __init__(self, url: str, *, headers: list[str], subprotocols: list[str], timeout: float = 60) -> None:
        super().__init__(timeout)
        self.socket = websocket.WebSocket(enable_multithread=True, skip_utf8_validation=True)
        self.socket.connect(url, header=headers, subprotocols=subprotocols, timeout=timeout)
        self.subprotocol = self.socket.getsubprotocol() or ""
        v1 = self.subprotocol == V1
        self._encode, self._decode = (encode_v1, decode_v1) if v1 else (encode_default, decode_default)
        self.pings = 0

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

    def wait_for_closed(self, timeout: float | None = None) -> Closed:
        try:
            self.wait_for(lambda message: False, timeout)
        except Closed as closed:
            return closed
        raise AssertionError("unreachable")

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
