"""JupyterLab with everything of its own, its kernels behind a gateway: what a user gets from `jupyter lab --gateway-url`."""

import json
import os
import secrets
import shutil
import signal
import socket
import subprocess
import tempfile
from pathlib import Path

import nbformat
import requests

from support.gateway import LAB
from support.waiting import eventually

# What would cover the page, or hide cells that are not in view from the test.
SETTINGS = {
    "apputils-extension/notification": {"fetchNews": "false", "checkForUpdates": False},
    "notebook-extension/tracker": {"windowingMode": "none", "autoStartDefaultKernel": True},
    "completer-extension/manager": {"autoCompletion": False},
}


def free_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as listener:
        return listener.getsockname()[1]


class Lab:
    def __init__(self, gateway_url: str, gateway_key: str) -> None:
        self.directory = Path(tempfile.mkdtemp(prefix="cl", dir="/tmp"))
        self.notebooks = self.directory / "notebooks"
        self.notebooks.mkdir()
        self.token = secrets.token_hex(16)
        self.url = f"http://127.0.0.1:{free_port()}"
        self._write_settings()
        self._log = (self.directory / "log.txt").open("w+")
        self.process = subprocess.Popen(
            [LAB / "bin" / "jupyter-lab", f"--gateway-url={gateway_url}", f"--GatewayClient.auth_token={gateway_key}",
             "--no-browser", "--allow-root", "--expose-app-in-browser", "--ServerApp.ip=127.0.0.1",
             f"--ServerApp.port={self.url.rsplit(':', 1)[1]}", "--ServerApp.port_retries=0",
             f"--IdentityProvider.token={self.token}", f"--ServerApp.root_dir={self.notebooks}"],
            env=self._environment(), cwd=self.notebooks, stdin=subprocess.DEVNULL, stdout=self._log, stderr=subprocess.STDOUT)
        eventually(self._answers, 90, "JupyterLab answers")

    def _environment(self) -> dict[str, str]:
        own = {name: str(self.directory / name.lower()) for name in (
            "JUPYTER_CONFIG_DIR", "JUPYTER_DATA_DIR", "JUPYTER_RUNTIME_DIR", "JUPYTERLAB_SETTINGS_DIR",
            "JUPYTERLAB_WORKSPACES_DIR")}
        return {"PATH": os.environ["PATH"], "HOME": str(self.directory), "LANG": "C.UTF-8", **own}

    def _write_settings(self) -> None:
        for name, values in SETTINGS.items():
            file = self.directory / "jupyterlab_settings_dir" / "@jupyterlab" / f"{name}.jupyterlab-settings"
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(json.dumps(values))

    def _answers(self) -> bool:
        assert self.process.poll() is None, f"JupyterLab ended:\n{self.log}"
        try:
            return requests.get(f"{self.url}/api", timeout=5).ok
        except requests.ConnectionError:
            return False

    @property
    def log(self) -> str:
        return (self.directory / "log.txt").read_text()

    def write_notebook(self, name: str, cells: list[str]) -> str:
        """Saves a notebook that asks for the Python kernel; its name."""
        notebook = nbformat.v4.new_notebook(
            cells=[nbformat.v4.new_code_cell(source) for source in cells],
            metadata={"kernelspec": {"name": "python3", "display_name": "Python 3 (ipykernel)", "language": "python"}})
        nbformat.write(notebook, self.notebooks / name)
        return name

    def address(self, path: str = "") -> str:
        return f"{self.url}/lab{path}?token={self.token}"

    def quit(self) -> None:
        """As its user ends it: it ends the kernels that it knows. Its process is not waited for: now and then
        jupyter_server 2.21 has done all this, and is kept by a worker thread of anyio's that nobody stops."""
        self.process.send_signal(signal.SIGTERM)

    def remove(self) -> None:
        if self.process.poll() is None:
            self.process.kill()
            self.process.wait()
        self._log.close()
        shutil.rmtree(self.directory, ignore_errors=True)
