"""MCP clients of other people: Python's, the OpenAI Agents SDK's, and the Inspector's command line, at a session and at /mcp."""

import json
import os
import subprocess
from pathlib import Path
from typing import Any

import pytest

from conformance.mcp_client import Talk, talk
from support.gateway import LAB, Gateway

INSPECTOR = Path(__file__).parent / "node/node_modules/@modelcontextprotocol/inspector/clients/launcher/build/index.js"
WORKBENCH = "COMPOSIO_REMOTE_WORKBENCH"
# How the Inspector ends.
RAISED = 5  # a tool's result is an error
UNAUTHORIZED = 3


@pytest.fixture
def endpoint(gateway: Gateway) -> dict[str, Any]:
    session = gateway.agent().start_session()["id"]
    return {"url": f"{gateway.url}/tool_router/{session}/mcp", "headers": {"x-api-key": gateway.token}}


def run_inspector(endpoint: dict[str, Any], home: Path, *words: str) -> subprocess.CompletedProcess[str]:
    header = [word for name, value in endpoint["headers"].items() for word in ("--header", f"{name}: {value}")]
    return subprocess.run([LAB / "bin" / "node", INSPECTOR, "--cli", endpoint["url"], "--transport", "http", *header, *words],
                          text=True, capture_output=True, timeout=120, cwd=home,
                          env={"PATH": f"{LAB / 'bin'}:{os.environ['PATH']}", "HOME": str(home)})


def inspect(endpoint: dict[str, Any], home: Path, *words: str, status: int = 0) -> dict[str, Any]:
    done = run_inspector(endpoint, home, *words)
    assert done.returncode == status, done.stdout[-3000:] + done.stderr[-3000:]
    return json.loads(done.stdout)


CLIENTS_AND_REVISIONS = pytest.mark.parametrize("script, mode, revision", [
    ("mcp_calls.py", "auto", "2026-07-28"), ("mcp_calls.py", "legacy", "2025-11-25"), ("agents_calls.py", "auto", "2026-07-28")])


def run_code(talked: Talk) -> list[dict[str, Any]]:
    return [json.loads(answer.text) for answer in talked.answers]


@CLIENTS_AND_REVISIONS
def test_a_python_client_lists_and_calls(endpoint: dict[str, Any], script: str, mode: str, revision: str) -> None:
    codes = ["x = 41", "x + 1", "print('hello')\n1/0"]
    told = talk(script, [(WORKBENCH, {"code_to_execute": code}) for code in codes], mode=mode, **endpoint)
    assert told.revision == revision and WORKBENCH in told.tools
    _, second, third = run_code(told)
    assert second["successful"] and second["data"]["results"] == "42"
    assert "hello" in third["data"]["stdout"] and "ZeroDivisionError" in third["error"]
    assert [answer.error for answer in told.answers] == [False, False, True]


@CLIENTS_AND_REVISIONS
def test_a_python_client_makes_a_session_of_its_own(gateway: Gateway, script: str, mode: str, revision: str) -> None:
    text = "month,sum\nMärz,7\n"
    told = talk(script, [
        ("create_session", {"name": "work"}),
        ("write_file", {"session": "work", "path": "sales.csv", "text": text}),
        ("execute", {"session": "work", "code": "import pandas\npandas.read_csv('/mnt/files/sales.csv')['sum'].sum()"}),
        ("execute", {"session": "work", "code": "open('/mnt/files/report.txt', 'w').write('done')"}),
        ("bash", {"session": "work", "command": "wc -l < sales.csv", "cwd": "/mnt/files"}),
        ("read_file", {"session": "work", "path": "report.txt"}),
        ("end_session", {"session": "work"}),
        ("execute", {"session": "work", "code": "1"})],
        mode=mode, url=f"{gateway.url}/mcp", headers={"Authorization": f"Bearer {gateway.token}"})
    assert told.revision == revision
    created, _, summed, _, counted, read, _, late = told.answers
    assert json.loads(created.text)["id"].startswith("ses_")
    assert "7" in json.loads(summed.text)["result"]
    assert json.loads(counted.text)["stdout"].strip() == "2" and json.loads(counted.text)["exit_code"] == 0
    assert "done" in read.text
    assert [answer.error for answer in told.answers] == [False] * 7 + [True] and "session_not_found" in late.text


@pytest.mark.parametrize("era", ["legacy", "modern"])
def test_the_inspector_lists_tools_whose_schemas_are_portable(endpoint: dict[str, Any], tmp_path: Path, era: str) -> None:
    tools = inspect(endpoint, tmp_path, "--protocol-era", era, "--method", "tools/list", "--strict")["tools"]
    assert WORKBENCH in [tool["name"] for tool in tools]
    assert all(tool["inputSchema"]["type"] == "object" for tool in tools)


@pytest.mark.parametrize("era", ["legacy", "modern"])
def test_the_inspector_calls(endpoint: dict[str, Any], tmp_path: Path, era: str) -> None:
    call = ["--protocol-era", era, "--method", "tools/call", "--tool-name", WORKBENCH, "--tool-arg"]
    inspect(endpoint, tmp_path, *call, "code_to_execute=x = 41")
    answer = inspect(endpoint, tmp_path, *call, "code_to_execute=x + 1")
    assert json.loads(answer["content"][0]["text"])["data"]["results"] == "42"
    raised = inspect(endpoint, tmp_path, *call, "code_to_execute=1/0", status=RAISED)
    assert raised["isError"] and "ZeroDivisionError" in raised["content"][0]["text"]


def test_a_wrong_key_is_told(endpoint: dict[str, Any], tmp_path: Path) -> None:
    wrong = {**endpoint, "headers": {"x-api-key": "wrong"}}
    assert run_inspector(wrong, tmp_path, "--method", "tools/list").returncode == UNAUTHORIZED
