"""Fixtures for the Python package inside the kernels."""

import pathlib
import sys
import threading

import pytest

sys.path.insert(0, str(pathlib.Path(__file__).parent))

from correcting import Shell  # noqa: E402
from debug_client import DebugClient  # noqa: E402
from helper_socket import HelperSocket  # noqa: E402
from real_kernel import Kernel  # noqa: E402
from shell_client import Zygote  # noqa: E402


@pytest.fixture
def helper_socket(tmp_path):
    made = HelperSocket(tmp_path / "h.sock")
    yield made
    made.close()


@pytest.fixture
def kernel():
    made = Kernel()
    yield made
    made.stop()


@pytest.fixture(scope="session")
def zygote():
    """One that has preloaded nothing."""
    made = Zygote()
    yield made
    made.stop()


@pytest.fixture
def shell(zygote):
    """A forked child of it: a kernel's Python side, without C++."""
    made = zygote.fork()
    yield made
    made.stop()


@pytest.fixture
def start_debuggee():
    """Starts mini-kernels with a debugger; they are ended after the test."""
    started = []

    def start(*options):
        started.append(DebugClient(*options))
        return started[-1]

    yield start
    for client in started:
        client.stop()


@pytest.fixture
def idle_debuggee(start_debuggee):
    """A client of a mini-kernel in which nobody has begun to debug."""
    return start_debuggee()


@pytest.fixture
def debuggee(idle_debuggee):
    """A client that has attached to a mini-kernel."""
    idle_debuggee.start()
    return idle_debuggee


@pytest.fixture(scope="module")
def correcting_shell():
    made = Shell()
    yield made
    made.close()


@pytest.fixture
def correcting(correcting_shell, monkeypatch):
    """IPython in this process, empty, in cells of which errors are corrected."""
    monkeypatch.setattr(threading, "excepthook", threading.__excepthook__)  # pytest has one of its own
    correcting_shell.begin()
    return correcting_shell
