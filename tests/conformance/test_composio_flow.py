"""Both SDKs from create to delete, files and all, against a gateway whose public_url they take for public."""

import os
import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from conformance.node_tests import names_of, run_script
from support.blob_network import ADDRESS, BlobNetwork
from support.gateway import LAB, Gateway
from support.toolkits import everything

FLOW = "flow.test.mjs"
PORT = 8888  # nothing else is in that network


@pytest.fixture(scope="module")
def network() -> Iterator[BlobNetwork]:
    made = BlobNetwork()
    yield made
    made.close()


@pytest.fixture(scope="module")
def own_gateway(network: BlobNetwork, start_module_gateway: Callable[..., Gateway]) -> Gateway:
    return start_module_gateway(config=everything(), within=network.enter, server__host="0.0.0.0", server__port=PORT,
                                server__public_url=f"http://{ADDRESS}:{PORT}", server__allow_remote_access=True)


@pytest.fixture(scope="module")
def variables(own_gateway: Gateway) -> dict[str, str]:
    # Keys go over plain HTTP to this machine alone, files to public addresses alone.
    return {"GATEWAY_URL": f"http://127.0.0.1:{PORT}", "GATEWAY_KEY": own_gateway.token, "HOME": str(own_gateway.directory),
            "PATH": os.environ["PATH"]}


@pytest.fixture(scope="module")
def results(network: BlobNetwork, variables: dict[str, str]) -> dict[str, str]:
    return run_script(FLOW, variables, 120, within=network.enter)


@pytest.mark.xdist_group("composio_flow")
@pytest.mark.parametrize("name", names_of(FLOW))
def test_the_typescript_sdk(results: dict[str, str], name: str) -> None:
    assert results[name] == ""


@pytest.mark.xdist_group("composio_flow")
def test_the_python_sdk(network: BlobNetwork, variables: dict[str, str]) -> None:
    script = Path(__file__).with_name("sdk_flow.py")
    done = subprocess.run([*network.enter, LAB / "bin" / "python", script], env=variables, capture_output=True, text=True,
                          timeout=150)
    assert done.stdout == "done\n", done.stdout + done.stderr
