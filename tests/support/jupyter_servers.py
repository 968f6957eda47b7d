"""Jupyter's own servers: with kernels of their own, or in front of a gateway."""

import os
import secrets
import socket
import subprocess
from pathlib import Path

import requests

from support.jupyter import Jupyter
from support.waiting import eventually


def free_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        return taken.getsockname()[1]


def in_front_of(url: str, key: str) -> list[str]:
    """The options of a server whose kernels are a gateway's."""
    return [f"--gateway-url={url}", f"--GatewayClient.auth_token={key}", "--GatewayClient.allowed_envs=JPY_SESSION_NAME"]


class JupyterServers:
    """All serve `directory`, and end with this."""

    def __init__(self, directory: Path) -> None:
        self._directory = directory
        self._started: list[subprocess.Popen] = []

    def start(self, environment: Path, *options: str) -> Jupyter:
        """The one of that Python environment, once it answers; a client of it."""
        port, token = free_port(), secrets.token_hex(8)
        with (self._directory / f"jupyter-server-{port}.log").open("w") as log:
            self._started.append(subprocess.Popen(
                [environment / "bin" / "jupyter-server", "--no-browser", "--allow-root", "--ip=127.0.0.1", f"--port={port}",
                 f"--IdentityProvider.token={token}", f"--ServerApp.root_dir={self._directory}", *options],
                cwd=self._directory, stdout=log, stderr=log,
                env={"PATH": os.environ["PATH"], "HOME": str(self._directory),
                     "JUPYTER_CONFIG_DIR": str(self._directory / "config")}))
        client = Jupyter(f"http://127.0.0.1:{port}", token)

        def answers() -> bool:
            try:
                return client.call("GET", "/api/status").status_code == 200
            except requests.ConnectionError:
                return False

        eventually(answers, 60, "the Jupyter server answers")
        return client

    def __enter__(self) -> "JupyterServers":
        return self

    def __exit__(self, *_: object) -> None:
        for process in self._started:
            process.terminate()
            try:
                process.wait(60)
            finally:
                process.kill()
