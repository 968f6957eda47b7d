"""An agent client of the gateway: REST calls, and one JSON-RPC WebSocket a session."""

import itertools
import json
import socket
import struct
import time
from typing import Any

import requests
import websocket

Event = dict[str, Any]


class CallFailed(Exception):
    def __init__(self, error: dict[str, Any]) -> None:
        super().__init__(json.dumps(error))
        self.error = error
        self.code = error.get("data", {}).get("code", error.get("code"))


class AgentSocket:
    """Notifications are kept in `events`, in the order in which they came."""

    def __init__(self, url: str, key: str, timeout: float = 60) -> None:
        self.timeout = timeout
        self.socket = websocket.WebSocket(enable_multithread=True)
        self.socket.connect(url, header=[f"Authorization: Bearer {key}"] if key else [], timeout=timeout)
        self.events: list[Event] = []
        self._answers: dict[int, dict[str, Any]] = {}
        self._ids = itertools.count(1)

    def read(self, timeout: float | None = None) -> None:
        """Takes one message off the socket."""
        self.socket.settimeout(self.timeout if timeout is None else max(0.001, timeout))
        try:
            text = self.socket.recv()
        except websocket.WebSocketTimeoutException:
            raise TimeoutError("no message in time") from None
        self._take(json.loads(text))

    def read_to_close(self, timeout: float = 30) -> int:
        """The code that the gateway closes with; what it tells before is kept."""
        self.socket.settimeout(timeout)
        while True:
            kind, data = self.socket.recv_data(control_frame=True)
            if kind == websocket.ABNF.OPCODE_CLOSE:
                return struct.unpack("!H", data[:2])[0]
            if kind == websocket.ABNF.OPCODE_TEXT:
                self._take(json.loads(data))

    def _take(self, message: dict[str, Any]) -> None:
        if "method" in message:
            self.events.append({"method": message["method"], **message["params"]})
        else:
            self._answers[message["id"]] = message

    def start_call(self, method: str, **params: Any) -> int:
        number = next(self._ids)
        self.socket.send(json.dumps({"jsonrpc": "2.0", "id": number, "method": method, "params": params}))
        return number

    def finish_call(self, number: int) -> Any:
        while number not in self._answers:
            self.read()
        answer = self._answers.pop(number)
        if "error" in answer:
            raise CallFailed(answer["error"])
        return answer["result"]

    def call(self, method: str, **params: Any) -> Any:
        return self.finish_call(self.start_call(method, **params))

    def wait_for(self, condition, timeout: float | None = None) -> Event:
        """The first event, past ones included, that meets the condition."""
        deadline = time.monotonic() + (self.timeout if timeout is None else timeout)
        seen = 0
        while True:
            for event in self.events[seen:]:
                if condition(event):
                    return event
            seen = len(self.events)
            self.read(deadline - time.monotonic())

    def begin(self, code: str, **params: Any) -> str:
        return self.call("execute", code=code, **params)["cell_id"]

    def finished(self, cell_id: str, timeout: float | None = None) -> Event:
        return self.wait_for(lambda event: event["method"] == "cell_finished" and event["cell_id"] == cell_id, timeout)

    def run(self, code: str, timeout: float | None = None, **params: Any) -> Event:
        """The cell's end."""
        return self.finished(self.begin(code, **params), timeout)

    def command_finished(self, command_id: str, timeout: float | None = None) -> Event:
        return self.wait_for(lambda event: event["method"] == "command_finished" and event["command_id"] == command_id, timeout)

    def command_text(self, command_id: str, name: str = "stdout") -> str:
        return "".join(event["text"] for event in self.events if event["method"] == "command_output"
                       and event["command_id"] == command_id and event["name"] == name)

    def outputs(self, cell_id: str) -> list[Event]:
        return [event for event in self.events if event["method"] == "output" and event["cell_id"] == cell_id]

    def text(self, cell_id: str, name: str = "stdout") -> str:
        return "".join(event["text"] for event in self.outputs(cell_id) if event["type"] == "stream" and event["name"] == name)

    @property
    def last_seq(self) -> int:
        return max((event["seq"] for event in self.events), default=0)

    def cut(self) -> None:
        raw = self.socket.sock
        raw.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        raw.close()

    def close(self) -> None:
        self.socket.close(timeout=2)

    def __enter__(self) -> "AgentSocket":
        return self

    def __exit__(self, *_: object) -> None:
        try:
            self.socket.shutdown()
        except OSError:
            pass


class Agent:
    def __init__(self, url: str, key: str) -> None:
        self.url, self.key = url, key
        self.http = requests.Session()
        self.http.trust_env = False
        if key:
            self.http.headers["Authorization"] = f"Bearer {key}"

    def call(self, method: str, path: str, expected: int | None = None, timeout: float = 120, **arguments: Any) -> requests.Response:
        answer = self.http.request(method, f"{self.url}/api/v1{path}", timeout=timeout, **arguments)
        if expected is not None:
            assert answer.status_code == expected, f"{method} {path}: {answer.status_code} {answer.text[:2000]}"
        return answer

    def start_session(self, **body: Any) -> dict[str, Any]:
        return self.call("POST", "/sessions", 201, json=body).json()

    def session(self, session: str) -> dict[str, Any]:
        return self.call("GET", f"/sessions/{session}", 200).json()

    def end_session(self, session: str) -> None:
        self.call("DELETE", f"/sessions/{session}", 200)

    def execute(self, session: str, code: str, timeout: float = 300, **body: Any) -> dict[str, Any]:
        return self.call("POST", f"/sessions/{session}/execute", 200, timeout=timeout, json={"code": code, **body}).json()

    def bash(self, session: str, command: str | list[str], timeout: float = 300, **body: Any) -> dict[str, Any]:
        """The command's end; a list is its exact arguments."""
        what = {"command": command} if isinstance(command, str) else {"argv": command}
        return self.call("POST", f"/sessions/{session}/bash", 200, timeout=timeout, json={**what, **body}).json()

    def command(self, session: str, command_id: str) -> dict[str, Any]:
        return self.call("GET", f"/sessions/{session}/commands/{command_id}", 200).json()

    def cells(self, session: str) -> list[dict[str, Any]]:
        return self.call("GET", f"/sessions/{session}/cells", 200).json()["items"]

    def notebook(self, session: str) -> dict[str, Any]:
        return self.call("GET", f"/sessions/{session}/notebook", 200).json()

    def connect(self, session: str, timeout: float = 60) -> AgentSocket:
        return AgentSocket(f"{self.url.replace('http', 'ws', 1)}/api/v1/sessions/{session}/ws", self.key, timeout)
