"""@composio/core and MCP's TypeScript clients in Node: one test each of node/{composio,mcp,agent_mcp}.test.mjs."""

from collections.abc import Callable

import pytest

from conformance.node_tests import names_of, run_script
from support.gateway import Gateway
from support.toolkits import everything

# A client gives up after a part of what the cell takes, as the SDK does after 60 s; test_composio_long.py has
# those very times.
TIMES = {"LONG_CELL_S": "4", "CLIENT_TIMEOUT_MS": "1500"}


@pytest.fixture(scope="module")
def own_gateway(start_module_gateway: Callable[..., Gateway]) -> Gateway:
    return start_module_gateway(config=everything())


@pytest.fixture(scope="module")
def sdk_results(own_gateway: Gateway) -> dict[str, str]:
    variables = {"GATEWAY_URL": own_gateway.url, "GATEWAY_KEY": own_gateway.token, "HOME": str(own_gateway.directory)}
    return run_script("composio.test.mjs", variables | TIMES, 120)


@pytest.fixture(scope="module")
def mcp_results(own_gateway: Gateway) -> dict[str, str]:
    session = own_gateway.agent().start_session()["id"]
    variables = {"MCP_URL": f"{own_gateway.url}/tool_router/{session}/mcp", "GATEWAY_KEY": own_gateway.token}
    return run_script("mcp.test.mjs", variables, 120)


@pytest.fixture(scope="module")
def agent_mcp_results(own_gateway: Gateway) -> dict[str, str]:
    variables = {"MCP_URL": f"{own_gateway.url}/mcp", "GATEWAY_KEY": own_gateway.token}
    return run_script("agent_mcp.test.mjs", variables, 120)


@pytest.mark.xdist_group("composio")
@pytest.mark.parametrize("name", names_of("composio.test.mjs"))
def test_the_tool_routers_sdk(sdk_results: dict[str, str], name: str) -> None:
    assert sdk_results[name] == ""


@pytest.mark.xdist_group("composio")
@pytest.mark.parametrize("name", names_of("mcp.test.mjs"))
def test_mcps_client(mcp_results: dict[str, str], name: str) -> None:
    assert mcp_results[name] == ""


@pytest.mark.xdist_group("composio")
@pytest.mark.parametrize("name", names_of("agent_mcp.test.mjs"))
def test_mcps_newest_client(agent_mcp_results: dict[str, str], name: str) -> None:
    assert agent_mcp_results[name] == ""
