"""Datalayer's jupyter-mcp-server: an agent works in notebooks whose kernels are ours.

A kernel gateway has no notebooks, so these are on a Jupyter server with jupyter-collaboration: beside the gateway
(`--document-url`, `--code-sandbox-url`), or in front of it (`--jupyter-url`, and the Jupyter server's own `--gateway-url`).
"""

import os
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from conformance.mcp_client import Talk, talk
from support.gateway import CLIENTS, Gateway
from support.jupyter import Jupyter
from support.jupyter_servers import JupyterServers, in_front_of

PIXEL = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="
SHOW = f"from IPython.display import Image, display\nfrom base64 import b64decode\ndisplay(Image(b64decode('{PIXEL}')))\n1/0"
BOOK = {"notebook_name": "book"}
CREATE = ("use_notebook", {**BOOK, "notebook_path": "book.ipynb", "mode": "create"})


@dataclass
class Place:
    """Where an agent works."""

    options: list[str]  # of jupyter-mcp-server
    kernels: Jupyter  # where its kernels are started
    directory: Path

    def tell(self, *calls: tuple[str, dict]) -> Talk:
        return talk("mcp_calls.py", list(calls),
                    command=[str(CLIENTS / "bin" / "jupyter-mcp-server"), "--transport", "stdio", *self.options],
                    env={"HOME": str(self.directory), "PATH": os.environ["PATH"]})


@pytest.fixture(params=["beside the gateway", "in front of the gateway"])
def place(request: pytest.FixtureRequest, gateway: Gateway, tmp_path: Path) -> Iterator[Place]:
    gateway.warm_up()
    with JupyterServers(tmp_path) as servers:
        if request.param == "beside the gateway":
            notebooks = servers.start(CLIENTS)
            options = ["--document-url", notebooks.url, "--document-token", notebooks.token,
                       "--code-sandbox-url", gateway.url, "--code-sandbox-token", gateway.token]
            yield Place(options, gateway.jupyter(), tmp_path)
        else:
            front = servers.start(CLIENTS, *in_front_of(gateway.url, gateway.token))
            yield Place(["--jupyter-url", front.url, "--jupyter-token", front.token], front, tmp_path)


def test_an_agent_works_in_a_notebook(place: Place) -> None:
    told = place.tell(
        CREATE,
        ("insert_execute_code_cell", {"cell_index": 0, "cell_source": "x = 41\nprint('hello')\nx"}),
        ("execute_code", {"code": "x + 1"}),
        ("insert_execute_code_cell", {"cell_index": 1, "cell_source": SHOW}),
        ("read_cell", {"cell_index": 0, "include_outputs": True}),
        ("list_kernels", {}),
        ("restart_notebook", BOOK),
        ("execute_code", {"code": "'x' in globals()"}),
        ("unuse_notebook", BOOK))
    created, first, later, shown, read, kernels, restarted, after, closed = told.answers
    assert not any(answer.error for answer in told.answers)
    assert "Successfully activate notebook" in created.text
    assert "hello" in first.text and "41" in first.text
    assert later.text == "42"
    assert [PIXEL] == [image.replace("\n", "") for image in shown.images] and "ZeroDivisionError" in shown.text
    assert "x = 41" in read.text and "hello" in read.text
    assert "idle" in kernels.text
    assert "restarted successfully" in restarted.text and after.text == "False"
    assert "unused successfully" in closed.text


def test_an_agent_enters_a_living_session(gateway: Gateway, place: Place) -> None:
    agent = gateway.agent()
    session = agent.start_session(name="shared")["id"]
    agent.execute(session, "x = 41")
    tool, arguments = CREATE
    told = place.tell(
        (tool, {**arguments, "kernel_id": place.kernels.start_kernel(f"attach-{session}")}),
        ("insert_execute_code_cell", {"cell_index": 0, "cell_source": "x += 1\nprint(x)"}))
    assert "42" in told.answers[1].text, told
    assert agent.execute(session, "x")["result"]["text/plain"] == "42"
    assert [cell["origin"] for cell in agent.cells(session) if "x += 1" in cell["code"]] == ["jupyter"]
