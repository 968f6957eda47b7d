"""Gateways for the tests of the whole."""

from collections.abc import Callable, Iterator

import pytest

from support.api_service import ApiService
from support.gateway import Gateway


@pytest.hookimpl(tryfirst=True, hookwrapper=True)
def pytest_runtest_makereport(item, call):
    """A failed test's report ends with what its gateways logged."""
    outcome = yield
    report = outcome.get_result()
    if report.failed:
        for gateway in getattr(item, "gateways", []):
            report.sections.append(("gateway log", "".join(gateway.log[-200:])))


def preset_of(request: pytest.FixtureRequest) -> str:
    """dev, with its sanitizers, unless the test or its module is marked as one that moves a lot of data."""
    return "release" if request.node.get_closest_marker("release") else "dev"


@pytest.fixture
def start_gateway(request: pytest.FixtureRequest) -> Iterator[Callable[..., Gateway]]:
    """Starts gateways with settings of their own; all are ended and checked after the test."""
    started: list[Gateway] = []
    request.node.gateways = started

    def start(**settings) -> Gateway:
        started.append(Gateway(preset=preset_of(request), **settings))
        return started[-1]

    yield start
    for gateway in started:
        gateway.finish()
    for gateway in started:
        gateway.remove()


@pytest.fixture(scope="module")
def module_gateways() -> Iterator[Callable[[str], Gateway]]:
    """A gateway of each preset with the defaults, started when it is first asked for."""
    started: dict[str, Gateway] = {}

    def find(preset: str) -> Gateway:
        if preset not in started or started[preset].process.poll() is not None:
            started[preset] = Gateway(preset=preset)
        return started[preset]

    yield find
    for gateway in started.values():
        gateway.finish()
        gateway.remove()


@pytest.fixture(scope="module")
def module_gateway(module_gateways: Callable[[str], Gateway]) -> Gateway:
    return module_gateways("dev")


@pytest.fixture
def gateway(module_gateways: Callable[[str], Gateway], request: pytest.FixtureRequest) -> Iterator[Gateway]:
    """A gateway with the defaults, shared by the tests of a module; a test's kernels and sessions end with the test."""
    shared = module_gateways(preset_of(request))
    request.node.gateways = [shared]
    yield shared
    jupyter, agent = shared.jupyter(), shared.agent()
    for kernel in jupyter.kernels():
        jupyter.call("DELETE", f"/api/kernels/{kernel['id']}")
    for session in agent.call("GET", "/sessions", 200).json()["items"]:
        agent.call("DELETE", f"/sessions/{session['id']}")


@pytest.fixture
def service() -> Iterator[ApiService]:
    """What accounts are connected to."""
    made = ApiService()
    yield made
    made.close()
