"""schemathesis reads the served description, and calls every route of it: what it gets must be as described."""

import json
import subprocess
from pathlib import Path
from typing import Any

import pytest

from support.gateway import CLIENTS, Gateway

SETTINGS = Path(__file__).parent / "schemathesis.toml"
HOOKS = Path(__file__).parent / "schemathesis_hooks.py"


def examine(gateway: Gateway, tmp_path: Path, *options: str, timeout: float) -> dict[str, Any]:
    """Its report; its failures fail the test."""
    report = tmp_path / "report.json"
    done = subprocess.run(
        [CLIENTS / "bin" / "st", "--config-file", SETTINGS, "run", f"{gateway.url}/api/v1/openapi.json", "--no-color",
         "--continue-on-failure", "--report", "json", "--report-json-path", report, *options],
        env={"GATEWAY_KEY": gateway.token, "SCHEMATHESIS_HOOKS": str(HOOKS), "PATH": "/usr/bin:/bin", "HOME": str(tmp_path)},
        cwd=tmp_path, capture_output=True, text=True, timeout=timeout)
    assert done.returncode == 0, done.stdout[-20_000:] + done.stderr[-3000:]
    return json.loads(report.read_text())


def assert_all_was_tried(gateway: Gateway, report: dict[str, Any]) -> None:
    """Each route was called rightly at least once, so that a description which nobody can follow is no success."""
    described = gateway.agent().call("GET", "/openapi.json", 200).json()["paths"]
    operations = {f"{method.upper()} {path}" for path, item in described.items() for method in item if method != "parameters"}
    operations -= {"GET /api/v1/openapi.json"}  # read at the beginning
    assert report["complete"] and set(report["valid_rates"]) == operations
    accepted = {operation: sum(phase["accepted"] for phase in phases.values())
                for operation, phases in report["valid_rates"].items()}
    assert [operation for operation, count in accepted.items() if count == 0 and not operation.endswith("/ws")] == []


def test_every_answer_is_as_described(start_gateway, tmp_path: Path) -> None:
    gateway = start_gateway()
    report = examine(gateway, tmp_path, "--max-examples", "12", "--seed", "1", timeout=150)
    assert_all_was_tried(gateway, report)


@pytest.mark.soak
@pytest.mark.timeout(1300)
def test_every_answer_is_as_described_for_long(start_gateway, tmp_path: Path) -> None:
    """With another seed each time; the report names it."""
    gateway = start_gateway()
    report = examine(gateway, tmp_path, "--max-examples", "300", timeout=1200)
    assert_all_was_tried(gateway, report)
