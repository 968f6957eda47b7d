"""@jupyterlab/services in Node: one test of node/services.test.mjs each."""

import re
import subprocess
import xml.etree.ElementTree as xml
from collections.abc import Iterator
from pathlib import Path

import pytest

from support.gateway import LAB, Gateway

SCRIPT = Path(__file__).parent / "node" / "services.test.mjs"
NAMES = re.findall(r'^test\("([^"]+)"', SCRIPT.read_text(), re.MULTILINE)


@pytest.fixture(scope="module")
def results(module_gateway: Gateway) -> Iterator[dict[str, str]]:
    """The name of each test, and what went wrong in it."""
    done = subprocess.run(
        [LAB / "bin" / "node", "--test", "--test-force-exit", "--test-timeout=120000", "--test-reporter=junit", SCRIPT.name],
        cwd=SCRIPT.parent, env={"GATEWAY_URL": module_gateway.url, "GATEWAY_KEY": module_gateway.token},
        capture_output=True, text=True, timeout=170)
    cases = {case.get("name"): case for case in xml.fromstring(done.stdout).iter("testcase")}
    yield {name: "it did not run: " + done.stdout[-3000:] + done.stderr[-3000:] if name not in cases
           else "".join(failure.text or "" for failure in cases[name].iter("failure")) for name in NAMES}


@pytest.mark.xdist_group("services")
@pytest.mark.parametrize("name", NAMES)
def test_row_51_jupyterlabs_client(results: dict[str, str], name: str) -> None:
    assert results[name] == ""
