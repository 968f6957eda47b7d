"""Gateways for the tests of the whole."""

from collections.abc import Callable, Iterator

import pytest

from support.gateway import Gateway


@pytest.hookimpl(tryfirst=True, hookwrapper=True)
def pytest_runtest_makereport(item, call):
    """A failed test's report ends with what its gateways logged."""
    outcome = yield
    report = outcome.get_result()
    if report.failed:
        for gateway in getattr(item, "gateways", []):
            report.sections.append(("gateway log", "".join(gateway.log[-200:])))


@pytest.fixture
def start_gateway(request: pytest.FixtureRequest) -> Iterator[Callable[..., Gateway]]:
    """Starts gateways with settings of their own; all are ended and checked after the test."""
    started: list[Gateway] = []
    request.node.gateways = started

    def start(**settings) -> Gateway:
        started.append(Gateway(**settings))
        return started[-1]

    yield start
    for gateway in started:
        gateway.finish()
    for gateway in started:
        gateway.remove()


@pytest.fixture(scope="module")
def module_gateway() -> Iterator[Gateway]:
    gateway = Gateway()
    yield gateway
    gateway.finish()
    gateway.remove()


@pytest.fixture
def gateway(module_gateway: Gateway, request: pytest.FixtureRequest) -> Iterator[Gateway]:
    """A gateway with the defaults, shared by the tests of a module; a test's kernels and sessions end with the test."""
    request.node.gateways = [module_gateway]
    yield module_gateway
    jupyter, agent = module_gateway.jupyter(), module_gateway.agent()
    for kernel in jupyter.kernels():
        jupyter.call("DELETE", f"/api/kernels/{kernel['id']}")
    for session in agent.call("GET", "/sessions", 200).json()["items"]:
        agent.call("DELETE", f"/sessions/{session['id']}")
