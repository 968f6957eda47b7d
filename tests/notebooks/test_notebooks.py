"""The notebooks of notebooks/ run from their first cell to their last, through the gateway."""

import subprocess
from pathlib import Path

import nbformat

from support.gateway import LAB, ROOT

RUN = """
import sys, nbformat
from nbclient import NotebookClient
from jupyter_server.gateway.gateway_client import GatewayClient
from jupyter_server.gateway.managers import GatewayKernelManager
GatewayClient.instance().url = sys.argv[1]
notebook = nbformat.read(sys.argv[2], 4)
NotebookClient(notebook, kernel_manager_class=GatewayKernelManager, timeout=100, iopub_timeout=60).execute(kernel_name=sys.argv[4])
nbformat.write(notebook, sys.argv[3])
"""

TOOLS = f"""
[tools.toolkits.everything]
command = ["{LAB}/bin/node", "{ROOT}/tests/conformance/node/node_modules/@modelcontextprotocol/server-everything/dist/index.js", "stdio"]
"""


def run(url: str, name: str, kernel_name: str, directory: Path) -> list[nbformat.NotebookNode]:
    done_file = directory / "done.ipynb"
    done = subprocess.run([LAB / "bin" / "python", "-c", RUN, url, ROOT / "notebooks" / f"{name}.ipynb", done_file, kernel_name],
                          capture_output=True, text=True, timeout=170)
    assert done.returncode == 0, done.stderr[-4000:]
    return [cell for cell in nbformat.read(done_file, 4).cells if cell.cell_type == "code"]


def text_of(cell: nbformat.NotebookNode) -> str:
    return "".join(output.get("text", "") for output in cell.outputs if output.output_type == "stream")


def test_the_quickstart_runs(start_gateway, tmp_path: Path) -> None:
    gateway = start_gateway(config=TOOLS, server__auth="none", server__token="")
    gateway.warm_up("")
    cells = run(gateway.url, "quickstart", "python3", tmp_path)
    assert any("image/png" in output.get("data", {}) for cell in cells for output in cell.outputs), "the plot"
    assert any("42" in text_of(cell) for cell in cells), "the tool's answer"
    assert text_of(cells[-1]) == "".join(f"{line}\n" for line in range(20_000))


def test_an_agents_session_is_debugged_in_a_notebook(start_gateway, tmp_path: Path) -> None:
    gateway = start_gateway(server__auth="none", server__token="")
    agent = gateway.agent("")
    session = agent.call("POST", "/sessions", 201, json={"name": "worker"}).json()
    failing = "def read(record):\n    wanted = 'apiKey'\n    return record[wanted]\n\nread({'api_key': 'x'})"
    cell = agent.call("POST", "/sessions/worker/execute", 200, json={"code": failing}).json()
    assert cell["error"]["ename"] == "KeyError"
    cells = run(gateway.url, "debug_an_agents_session", f"attach-{session['id']}", tmp_path)
    everything = "".join(text_of(each) for each in cells)
    assert "record[wanted]" in everything, "the history"
    assert "in read at line" in everything and "wanted = 'apiKey'" in everything, "the failure"
    seen = agent.call("POST", "/sessions/worker/execute", 200, json={"code": "note_from_a_person"}).json()
    assert "api_key" in seen["result"]["text/plain"], "the session lives on, with what the person set"


def test_a_batch_goes_on_from_its_checkpoints(start_gateway, tmp_path: Path) -> None:
    gateway = start_gateway(server__auth="none", server__token="")
    gateway.warm_up("")
    cells = run(gateway.url, "batch_with_checkpoints", "python3", tmp_path)
    everything = "".join(text_of(each) for each in cells)
    assert everything.count("cleaned: computed") == everything.count("summary: computed") == 1
    assert everything.count("from its checkpoint") == 2
    report = text_of(cells[-1]).split()
    assert report[0] == "region,units,revenue" and {line.split(",")[0] for line in report[1:]} == {"north", "south", "west", "east"}


def test_tools_are_called_in_parallel(start_gateway, tmp_path: Path) -> None:
    gateway = start_gateway(config=TOOLS, server__auth="none", server__token="")
    gateway.warm_up("")
    cells = run(gateway.url, "tools_in_parallel", "python3", tmp_path)
    everything = "".join(text_of(each) for each in cells)
    assert "100 done, 0 failed" in everything and "1007" in everything
    assert "21 answers, 1 of them an error" in everything


def test_documents_become_text(start_gateway, tmp_path: Path) -> None:
    gateway = start_gateway(server__auth="none", server__token="")
    gateway.warm_up("")
    cells = run(gateway.url, "documents_to_text", "python3", tmp_path)
    everything = "".join(text_of(each) for each in cells)
    assert "please pay within 14 days" in everything and "paper,12.5" in everything
    assert everything.count("Receipt number 815") == 2, "alone, and in the archive"
    assert "not read: /mnt/files/damaged.pdf: it is damaged, or no PDF after all" in everything
