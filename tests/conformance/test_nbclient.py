"""nbclient runs notebooks through jupyter_server's GatewayKernelManager, which sends no credentials."""

import subprocess
from pathlib import Path

import nbformat
import pytest
from nbformat.v4 import new_code_cell, new_notebook

from support.gateway import LAB, Gateway

# A process of its own: the gateway's URL is a singleton in jupyter_server.
RUN = """
import sys, nbformat
from nbclient import NotebookClient
from jupyter_server.gateway.gateway_client import GatewayClient
from jupyter_server.gateway.managers import GatewayKernelManager
GatewayClient.instance().url = sys.argv[1]
notebook = nbformat.read(sys.argv[2], 4)
NotebookClient(notebook, kernel_manager_class=GatewayKernelManager, timeout=100, iopub_timeout=60).execute()
nbformat.write(notebook, sys.argv[2])
"""


def execute(url: str, cells: list[str], directory: Path) -> list[nbformat.NotebookNode]:
    path = directory / "notebook.ipynb"
    notebook = new_notebook(cells=[new_code_cell(code) for code in cells])
    notebook.metadata.kernelspec = {"name": "python3", "display_name": "Python 3"}
    nbformat.write(notebook, path)
    done = subprocess.run([LAB / "bin" / "python", "-c", RUN, url, path], capture_output=True, text=True, timeout=150)
    assert done.returncode == 0, done.stderr[-4000:]
    return nbformat.read(path, 4).cells


@pytest.fixture
def gateway(start_gateway) -> Gateway:
    made = start_gateway(server__auth="none", server__token="")
    made.warm_up("")
    return made


def test_nbclient_runs_a_notebook(gateway: Gateway, tmp_path: Path) -> None:
    cells = execute(gateway.url, ["x = 6", "print(x * 7)", "x * 7", "from IPython.display import HTML; HTML('<b>x</b>')"], tmp_path)
    assert cells[1].outputs[0].text == "42\n"
    assert cells[2].outputs[0].data["text/plain"] == "42"
    assert cells[3].outputs[0].data["text/html"] == "<b>x</b>"
    assert [cell.execution_count for cell in cells] == [1, 2, 3, 4]
    assert gateway.jupyter("").kernels() == [], "its kernel is shut down"


@pytest.mark.release
@pytest.mark.timeout(200)
def test_nbclient_gets_every_line_of_a_long_output(gateway: Gateway, tmp_path: Path) -> None:
    cells = execute(gateway.url, ["for i in range(20000): print(i, flush=True)"], tmp_path)
    assert "".join(output.text for output in cells[0].outputs) == "".join(f"{i}\n" for i in range(20000))


def test_nbclient_is_told_of_an_error(gateway: Gateway, tmp_path: Path) -> None:
    with pytest.raises(AssertionError, match="ZeroDivisionError"):
        execute(gateway.url, ["1 / 0"], tmp_path)


def test_nbclient_is_told_when_the_kernel_dies(gateway: Gateway, tmp_path: Path) -> None:
    with pytest.raises(AssertionError, match="DeadKernelError"):
        execute(gateway.url, ["import os; os._exit(1)"], tmp_path)
