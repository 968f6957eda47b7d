"""Fixtures for the Python package inside the kernels."""

import pathlib
import sys

import pytest

sys.path.insert(0, str(pathlib.Path(__file__).parent))

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
