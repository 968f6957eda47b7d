"""What is measured: this project's release build, the newest jupyter_kernel_gateway, and a WebSocket echo."""

import os
import secrets
import socket
import subprocess
from pathlib import Path

os.environ.setdefault("TEST_PRESET", "release")  # before support.gateway is imported

from bench.socket_client import Rest
from support.gateway import BUILD, KERNELS, LISTENING, ROOT, Gateway
from support.waiting import eventually

PEER = ROOT / ".venv" / "peer"
PYTHON = KERNELS / "bin" / "python"


class Target:
    """A gateway that runs: `rest` to talk to it, `pid` to look at it."""

    def __init__(self, name: str, url: str, key: str, pid: int, kernel: str) -> None:
        self.name, self.url, self.key, self.pid = name, url, key, pid
        self.rest = Rest(url, key, kernel)

    def cpu_seconds(self) -> float:
        """Of all its threads, from the scheduler's own count: /proc/PID/stat has ticks of 10 ms."""
        tasks = Path(f"/proc/{self.pid}/task").iterdir()
        return sum(int((task / "schedstat").read_text().split()[0]) for task in tasks) / 1e9

    def resident_megabytes(self) -> float:
        for line in Path(f"/proc/{self.pid}/status").read_text().splitlines():
            if line.startswith("VmRSS:"):
                return int(line.split()[1]) / 1024
        return 0.0

    def close(self) -> None:
        raise NotImplementedError


class Cellgate(Target):
    """With ipykernel, as the peer has it; or with our own kernel."""

    def __init__(self, kernel: str = "ipykernel", **settings: object) -> None:
        self._gateway = Gateway(**settings)
        super().__init__("Cellgate", self._gateway.url, self._gateway.token, self._gateway.pid, kernel)

    def close(self) -> None:
        self._gateway.finish()
        self._gateway.remove()


class Peer(Target):
    """jupyter_kernel_gateway as its documentation starts it, with the same kernelspecs, and with leave to list kernels."""

    def __init__(self) -> None:
        key, port = secrets.token_hex(16), free_port()
        environment = {**os.environ, "JUPYTER_PATH": str(KERNELS / "share" / "jupyter"), "KG_AUTH_TOKEN": key}
        self._process = subprocess.Popen(
            [PEER / "bin" / "jupyter-kernelgateway", "--KernelGatewayApp.ip=127.0.0.1", f"--KernelGatewayApp.port={port}",
             "--JupyterWebsocketPersonality.list_kernels=True"],
            env=environment, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        super().__init__("jupyter_kernel_gateway " + peer_version(), f"http://127.0.0.1:{port}", key, self._process.pid, "python3")
        eventually(self._answers, 60, "jupyter_kernel_gateway answers")

    def _answers(self) -> bool:
        if self._process.poll() is not None:
            raise RuntimeError(f"jupyter_kernel_gateway ended with {self._process.returncode}")
        try:
            return bool(self.rest.call("GET", "/api"))
        except OSError:
            return False

    def close(self) -> None:
        self._process.terminate()
        try:
            self._process.wait(60)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()


def free_port() -> int:
    """jupyter_kernel_gateway does not tell which port it chose for 0."""
    with socket.create_server(("127.0.0.1", 0)) as listener:
        return listener.getsockname()[1]


def version_of(environment: Path, package: str) -> str:
    code = f"import importlib.metadata as m; print(m.version({package!r}))"
    return subprocess.run([environment / "bin" / "python", "-c", code], capture_output=True, text=True, check=True).stdout.strip()


def peer_version() -> str:
    return version_of(PEER, "jupyter-kernel-gateway")


class Echo:
    """cellgate-echo: what a WebSocket through this HTTP layer costs at the least."""

    def __init__(self) -> None:
        subprocess.run(["cmake", "--build", BUILD, "--target", "cellgate-echo", "--", "--quiet"], check=True)
        self._process = subprocess.Popen([BUILD / "tests" / "support" / "cellgate-echo"], stdout=subprocess.PIPE, text=True)
        self.url = LISTENING.search(self._process.stdout.readline())[1].rstrip("/")

    def close(self) -> None:
        self._process.terminate()
        self._process.wait(10)
