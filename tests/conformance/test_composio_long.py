"""A cell that takes longer than the SDKs wait: 60 s, after which they would send it again. Both at a time."""

from concurrent.futures import ThreadPoolExecutor

import composio
import pytest

from conformance.node_tests import run_script
from support.gateway import Gateway

SECONDS = 70
CODE = f"import time\ntimes = globals().get('times', 0) + 1\ntime.sleep({SECONDS})\ntimes"


def by_typescript(gateway: Gateway) -> dict[str, str]:
    variables = {"GATEWAY_URL": gateway.url, "GATEWAY_KEY": gateway.token, "HOME": str(gateway.directory), "LONG_CELL_S": str(SECONDS)}
    return run_script("composio.test.mjs", variables, 150, only="survives a client's timeout and runs the cell once")


def by_python(gateway: Gateway) -> str:
    client = composio.Composio(api_key=gateway.token, base_url=gateway.url, allow_tracking=False)
    session = client.create(user_id="user_123")
    return session.execute("COMPOSIO_REMOTE_WORKBENCH", arguments={"code_to_execute": CODE}).data["results"]


@pytest.mark.xdist_group("composio_long")
@pytest.mark.timeout(200)
def test_a_cell_of_70_s_outlives_the_sdks_own_60_and_runs_once(gateway: Gateway) -> None:
    with ThreadPoolExecutor(2) as both:
        typescript, python = both.submit(by_typescript, gateway), both.submit(by_python, gateway)
        assert python.result() == "1"
        assert set(typescript.result().values()) == {""}
