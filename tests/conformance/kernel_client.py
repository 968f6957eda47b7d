"""A jupyter_client KernelClient whose channels travel over one WebSocket to the gateway."""

import json
import queue
import threading
from typing import Any

from jupyter_client.client import KernelClient
from jupyter_client.jsonutil import extract_dates, json_default

from support.jupyter import Channels, Closed, Jupyter


class Channel:
    def __init__(self, name: str, socket: Channels) -> None:
        self.name, self._socket = name, socket
        self.received: queue.Queue[dict[str, Any]] = queue.Queue()

    def send(self, message: dict[str, Any]) -> None:
        plain = json.loads(json.dumps({part: message[part] for part in ("header", "parent_header", "metadata", "content")},
                                      default=json_default))
        self._socket.send_message({**plain, "channel": self.name, "buffers": message.get("buffers", [])})

    def get_msg(self, timeout: float | None = None) -> dict[str, Any]:
        """queue.Empty when there is none in time."""
        return self.received.get(timeout=timeout)

    def start(self) -> None: ...

    def stop(self) -> None: ...

    def is_alive(self) -> bool:
        return True


class WebSocketKernelClient(KernelClient):
    """The verbs of jupyter_client (execute, complete, …); messages are read by a thread."""

    def __init__(self, jupyter: Jupyter, kernel_id: str, v1: bool) -> None:
        super().__init__()
        self._socket = jupyter.connect(kernel_id, self.session.session, v1=v1, timeout=3600)
        self.channels = {name: Channel(name, self._socket) for name in ("shell", "iopub", "stdin", "control")}
        threading.Thread(target=self._read, daemon=True).start()
        self._wait_for_ready()

    def _wait_for_ready(self) -> None:
        """As jupyter_client's start_new_kernel does: the kernel's first words are not part of any answer."""
        asked = self.kernel_info()
        self.get_shell_msg(timeout=60)
        while (message := self.get_iopub_msg(timeout=60))["parent_header"].get("msg_id") != asked \
                or message["content"].get("execution_state") != "idle":
            pass

    def _read(self) -> None:
        while True:
            try:
                message = self._socket.receive()
            except Closed:
                return
            header = extract_dates(message["header"])
            message |= {"header": header, "parent_header": extract_dates(message["parent_header"]),
                        "msg_id": header["msg_id"], "msg_type": header["msg_type"]}
            self.channels[message.pop("channel")].received.put(message)

    shell_channel = property(lambda self: self.channels["shell"])
    iopub_channel = property(lambda self: self.channels["iopub"])
    stdin_channel = property(lambda self: self.channels["stdin"])
    control_channel = property(lambda self: self.channels["control"])

    def get_shell_msg(self, timeout: float | None = None) -> dict[str, Any]:
        return self.shell_channel.get_msg(timeout)

    def get_iopub_msg(self, timeout: float | None = None) -> dict[str, Any]:
        return self.iopub_channel.get_msg(timeout)

    def stop_channels(self) -> None:
        self._socket.close()
