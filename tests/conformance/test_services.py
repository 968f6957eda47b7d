"""@jupyterlab/services in Node: one test of node/services.test.mjs each."""

import pytest

from conformance.node_tests import names_of, run_script
from support.gateway import Gateway

SCRIPT = "services.test.mjs"


@pytest.fixture(scope="module")
def results(module_gateway: Gateway) -> dict[str, str]:
    """The name of each test, and what went wrong in it."""
    return run_script(SCRIPT, {"GATEWAY_URL": module_gateway.url, "GATEWAY_KEY": module_gateway.token}, 120)


@pytest.mark.xdist_group("services")
@pytest.mark.parametrize("name", names_of(SCRIPT))
def test_row_51_jupyterlabs_client(results: dict[str, str], name: str) -> None:
    assert results[name] == ""
