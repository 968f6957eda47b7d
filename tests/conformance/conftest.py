"""Kernels for the tests of what a kernel does: each test runs with one started by its kernelspec and with a forked one.

And gateways with settings of their own, for the tests of a module.
"""

from collections.abc import Callable, Iterator

import pytest

from conformance.kernels import WAYS, Kernel
from support.api_service import ApiService
from support.direct import DirectChannels
from support.gateway import Gateway


@pytest.fixture(scope="module", params=WAYS)
def kernel(request: pytest.FixtureRequest) -> Iterator[Kernel]:
    """Shared by the tests of a module."""
    running = WAYS[request.param]()
    yield running
    running.close()


@pytest.fixture
def channels(kernel: Kernel) -> Iterator[DirectChannels]:
    """A client of the module's kernel."""
    assert kernel.is_alive(), f"a test before this one ended the kernel:\n{kernel.log()[-3000:]}"
    with kernel.connect() as connected:
        yield connected


@pytest.fixture(params=WAYS)
def start_kernel(request: pytest.FixtureRequest) -> Iterator[Callable[..., Kernel]]:
    """Starts kernels of the test's own, with environment variables."""
    started: list[Kernel] = []

    def start(**environment: str) -> Kernel:
        started.append(WAYS[request.param](**environment))
        return started[-1]

    yield start
    for running in started:
        running.close()


@pytest.fixture(scope="module")
def start_module_gateway() -> Iterator[Callable[..., Gateway]]:
    """Starts gateways with settings of their own; all are ended and checked after the module."""
    started: list[Gateway] = []

    def start(**settings: object) -> Gateway:
        started.append(Gateway(**settings))
        return started[-1]

    yield start
    for gateway in started:
        gateway.finish()
        gateway.remove()


@pytest.fixture(scope="module")
def service() -> Iterator[ApiService]:
    """What accounts are connected to."""
    made = ApiService()
    yield made
    made.close()
