"""`jupyter server --gateway-url` in front of the gateway: what JupyterLab's own server does, without a browser."""

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from support.conversation import Cell
from support.gateway import LAB, Gateway
from support.jupyter import Jupyter
from support.jupyter_servers import JupyterServers, in_front_of
from support.proxy import Proxy
from support.waiting import eventually


@pytest.fixture
def start_front(tmp_path: Path) -> Iterator[Callable[..., Jupyter]]:
    """Starts jupyter servers in front of a URL; a client of each."""
    with JupyterServers(tmp_path) as servers:
        yield lambda url, key: servers.start(LAB, *in_front_of(url, key))


def test_it_lists_kernelspecs_and_their_logos(gateway: Gateway, start_front) -> None:
    front = start_front(gateway.url, gateway.token)
    front.get("/api/kernelspecs")  # the first answer still has the default of a jupyter_server alone
    specs = front.get("/api/kernelspecs")
    assert specs["default"] == gateway.jupyter().get("/api/kernelspecs")["default"]
    logo = specs["kernelspecs"]["python3"]["resources"]["logo-64x64"]
    assert front.call("GET", logo, 200).content[:4] == b"\x89PNG"
    assert front.get("/api/kernelspecs/python3")["spec"]["language"] == "python"


def test_it_starts_runs_interrupts_restarts_and_deletes(gateway: Gateway, start_front) -> None:
    front = start_front(gateway.url, gateway.token)
    kernel = front.start_kernel("python3")
    assert [model["id"] for model in front.kernels()] == [kernel]
    with front.connect(kernel) as channels:
        assert channels.run("x = 41; x + 1").result == "42"
        cell = channels.run_until_printed("print('begun', flush=True)\nwhile True: pass", "begun")
        front.interrupt(kernel)
        channels.collect(cell)
        assert cell.error == "KeyboardInterrupt"
        front.restart(kernel)
        assert channels.run("'x' in globals()").result == "False"
    front.delete(kernel)
    assert gateway.jupyter().kernels() == []


@pytest.mark.release
def test_every_line_of_a_long_output_comes_through(gateway: Gateway, start_front) -> None:
    front = start_front(gateway.url, gateway.token)
    with front.connect(front.start_kernel("python3")) as channels:
        cell = channels.run("for i in range(20000): print(i, flush=True)", timeout=150)
        assert cell.text() == "".join(f"{i}\n" for i in range(20000))


def test_a_session_is_entered_by_its_attach_spec(gateway: Gateway, start_front) -> None:
    agent = gateway.agent()
    session = agent.start_session(name="shared")["id"]
    agent.execute(session, "x = 41")
    front = start_front(gateway.url, gateway.token)
    alias = front.start_kernel(f"attach-{session}")
    with front.connect(alias) as channels:
        assert channels.run("x + 1").result == "42"
    front.delete(alias)
    assert agent.execute(session, "x + 1")["result"]["text/plain"] == "42"


def test_a_notebooks_session_is_shown_by_the_notebooks_name(gateway: Gateway, start_front, tmp_path: Path) -> None:
    front = start_front(gateway.url, gateway.token)
    (tmp_path / "work").mkdir()
    kernel = front.call("POST", "/api/sessions", 201, json={
        "path": "work/rides.ipynb", "name": "rides.ipynb", "type": "notebook", "kernel": {"name": "python3"}}).json()["kernel"]
    specs = gateway.jupyter().get("/api/kernelspecs")["kernelspecs"].values()
    names = [spec["spec"]["display_name"] for spec in specs if spec["name"].startswith("attach-")]
    assert names == [f"Attach: rides.ipynb in {tmp_path / 'work'}"]
    front.delete(kernel["id"])


def test_a_front_that_ends_takes_its_own_kernels_and_no_session(gateway: Gateway, start_front) -> None:
    agent, jupyter = gateway.agent(), gateway.jupyter()
    session = agent.start_session()["id"]
    agent.execute(session, "x = 41")
    front = start_front(gateway.url, gateway.token)
    front.start_kernel("python3")
    front.start_kernel(f"attach-{session}")
    front.call("POST", "/api/shutdown", 200)
    eventually(lambda: jupyter.kernels() == [], 60, "its kernels are gone")
    assert agent.execute(session, "x + 1")["result"]["text/plain"] == "42"


@pytest.mark.parametrize("how", ["reset", "black hole"])
def test_a_cut_between_the_two_loses_nothing(start_gateway, start_front, how: str) -> None:
    """The connection is away for 5 s while a cell prints; the browser's own connection stays."""
    gateway = start_gateway()
    with Proxy(gateway.url) as proxy:
        front = start_front(proxy.url, gateway.token)
        with front.connect(front.start_kernel("python3"), timeout=120) as channels:
            cell = channels.run_until_printed(
                "import time\nfor i in range(1200):\n    print(i, flush=True)\n    time.sleep(0.01)", "200\n")
            rest = Cell(cell.msg_id)
            proxy.refuse()
            proxy.cut() if how == "reset" else proxy.swallow()
            with pytest.raises(TimeoutError):
                channels.collect(rest, timeout=5)
            proxy.pass_on()
            proxy.refuse(False)
            channels.collect(rest, timeout=100)
        text = cell.text() + rest.text()
        assert sorted(set(map(int, text.split()))) == list(range(1200))
        assert rest.status == "ok"
