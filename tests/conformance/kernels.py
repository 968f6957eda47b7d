"""The kernel `cellgate` as it is run: by its kernelspec alone, and forked into a box by the gateway."""

import json
import os
import shutil
import signal
import tempfile
from pathlib import Path

from jupyter_client.kernelspec import KernelSpecManager
from jupyter_client.manager import KernelManager

from support.direct import DirectChannels
from support.gateway import KERNELS, Gateway
from support.processes import TELL_PID, is_alive, numbered_here
from support.waiting import eventually

# Another kernel may be held against the same tests.
NAME = os.environ.get("TEST_KERNELSPEC", "cellgate")


def connection_file(gateway: Gateway, kernel: str) -> Path:
    """The file for clients outside: directly in the kernel's directory, whose name begins with the kernel's id."""
    found = eventually(lambda: [path for path in (gateway.directory / "run").rglob("*.json")
                                if path.parent.name == kernel[:8] and path.stat().st_size > 0], 30, "there is a connection file")
    assert len(found) == 1, found
    return found[0]


class Kernel:
    """A running kernel: its process, and its connection file."""

    pid: int
    connection_file: Path

    def connect(self, timeout: float = 30, unread: int = 0) -> DirectChannels:
        channels = DirectChannels(self.connection_file, timeout, unread)
        try:
            return channels.wait_until_heard()
        except TimeoutError as problem:
            channels.close()
            raise AssertionError(f"{problem}; where its threads were:\n{self.end_and_tell()}") from problem

    def end_and_tell(self) -> str:
        """Ends a kernel that hangs; the end of what it says then, which is where each of its threads was."""
        os.kill(self.pid, signal.SIGABRT)
        eventually(lambda: not self.is_alive(), 10, "the kernel has ended")
        return self.said()[-8000:]

    def said(self) -> str:
        """What its process wrote where nobody captured it."""
        return self.log()

    def signal(self) -> None:
        os.kill(self.pid, signal.SIGINT)

    def is_alive(self) -> bool:
        return is_alive(self.pid)

    def log(self) -> str:
        raise NotImplementedError

    def close(self) -> None:
        raise NotImplementedError


class StartedBySpec(Kernel):
    """As any Jupyter program starts it, over tcp."""

    def __init__(self, **environment: str) -> None:
        self._directory = Path(tempfile.mkdtemp(prefix="ck", dir="/tmp"))
        specs = KernelSpecManager(kernel_dirs=[str(KERNELS / "share" / "jupyter" / "kernels")], ensure_native_kernel=False)
        self._manager = KernelManager(kernel_name=NAME, kernel_spec_manager=specs,
                                      connection_file=str(self._directory / "connection.json"))
        self._log = (self._directory / "log").open("wb")
        variables = {name: value for name, value in os.environ.items() if not name.startswith("PYTHON")}
        self._manager.start_kernel(stdout=self._log, stderr=self._log, cwd=str(self._directory),
                                   env=variables | {"HOME": str(self._directory)} | environment)
        self.connection_file = Path(self._manager.connection_file)
        self.pid = self._manager.provisioner.pid

    def exit_status(self) -> int | None:
        return self._manager.provisioner.process.poll()

    def is_alive(self) -> bool:
        return self.exit_status() is None

    def log(self) -> str:
        return (self._directory / "log").read_text(errors="replace")

    def close(self) -> None:
        self._manager.shutdown_kernel(now=True)
        self._manager.cleanup_resources()
        self._log.close()
        shutil.rmtree(self._directory, ignore_errors=True)


class ForkedIntoABox(Kernel):
    """As the gateway starts it; it is spoken to past the gateway, over ipc."""

    def __init__(self, **environment: str) -> None:
        self.gateway = Gateway(kernels__client_env=["KERNEL_*", "CELLGATE_KERNEL_*", "MPLBACKEND"])
        self._jupyter = self.gateway.jupyter()
        self.id = self._jupyter.start_kernel(NAME, env=environment)
        self.connection_file = connection_file(self.gateway, self.id)
        with self.connect() as channels:
            self.pid = numbered_here(*json.loads(channels.run(TELL_PID, store_history=False).text()))

    def log(self) -> str:
        return "".join(self.gateway.log)

    def said(self) -> str:
        return "".join(path.read_text(errors="replace") for path in (self.gateway.directory / "run").rglob("output.log"))

    def close(self) -> None:
        self.gateway.finish()
        self.gateway.remove()


WAYS = {"spec": StartedBySpec, "forked": ForkedIntoABox}
