"""The floor: the same kernel without a gateway, over its own ZeroMQ sockets; and started without one."""

import hashlib
import hmac
import json
import os
import secrets
import shutil
import subprocess
import tempfile
from pathlib import Path

import zmq

from bench.socket_client import Cells, Received

DELIMITER = b"<IDS|MSG>"
CHANNELS = {"shell": 1, "iopub": 2, "stdin": 3, "control": 4, "hb": 5}


class DirectKernel(Cells):
    """Starts `python -m ipykernel_launcher` over ipc, and speaks Jupyter's wire protocol to it."""

    def __init__(self, python: Path) -> None:
        super().__init__()
        self._directory = Path(tempfile.mkdtemp(prefix="cb", dir="/tmp"))
        self._key = secrets.token_hex(16).encode()
        self._context = zmq.Context()
        connection = {f"{name}_port": number for name, number in CHANNELS.items()}
        connection |= {"transport": "ipc", "ip": str(self._directory / "k"), "key": self._key.decode(),
                       "signature_scheme": "hmac-sha256", "kernel_name": "python3"}
        file = self._directory / "connection.json"
        file.write_text(json.dumps(connection))
        self._shell = self._connect("shell", zmq.DEALER)
        self._iopub = self._connect("iopub", zmq.SUB)
        self._process = subprocess.Popen([python, "-m", "ipykernel_launcher", "-f", file], stdin=subprocess.DEVNULL,
                                         stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, env=dict(os.environ))
        self._poller = zmq.Poller()
        self._poller.register(self._shell, zmq.POLLIN)
        self._poller.register(self._iopub, zmq.POLLIN)
        self._wait_until_heard()

    def _connect(self, channel: str, kind: int) -> zmq.Socket:
        made = self._context.socket(kind)
        made.setsockopt(zmq.LINGER, 0)
        made.setsockopt(zmq.RECONNECT_IVL, 5)
        if kind == zmq.SUB:
            made.setsockopt(zmq.RCVHWM, 0)
            made.setsockopt(zmq.SUBSCRIBE, b"")
        made.connect(f"ipc://{self._directory}/k-{CHANNELS[channel]}")
        return made

    def _wait_until_heard(self) -> None:
        """Asks until an answer and a first broadcast came: from then on nothing is missed."""
        self.request("kernel_info_request", {})
        seen = set()
        while len(seen) < 2:
            seen.add(self.receive(60).channel)

    def send_parts(self, channel: str, parts: list[bytes]) -> None:
        signature = hmac.new(self._key, b"".join(parts), hashlib.sha256).hexdigest().encode()
        self._shell.send_multipart([DELIMITER, signature, *parts])

    def receive(self, seconds: float = 60) -> Received:
        ready = dict(self._poller.poll(seconds * 1000))
        if not ready:
            raise TimeoutError("the kernel does not answer")
        channel, source = ("iopub", self._iopub) if self._iopub in ready else ("shell", self._shell)
        frames = source.recv_multipart()
        signature, header, parent, metadata, content = frames[frames.index(DELIMITER) + 1:][:5]
        expected = hmac.new(self._key, header + parent + metadata + content, hashlib.sha256).hexdigest().encode()
        if not hmac.compare_digest(signature, expected):
            raise RuntimeError("a message with a wrong signature")
        return Received(channel, json.loads(header)["msg_type"], json.loads(parent).get("msg_id", ""), content)

    def close(self) -> None:
        self._process.kill()
        self._process.wait()
        self._context.destroy(linger=0)
        shutil.rmtree(self._directory, ignore_errors=True)
