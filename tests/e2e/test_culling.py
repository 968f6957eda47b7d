"""Kernels that nobody uses end, by rules of their own. Numbers in names are the rows of docs/jupyter-rows.md."""

import pytest

from support.gateway import Gateway
from support.jupyter import Jupyter
from support.waiting import Stopwatch, eventually


def gone(jupyter: Jupyter, kernel: str) -> bool:
    return jupyter.call("GET", f"/api/kernels/{kernel}").status_code == 404


def test_row_24_an_idle_kernel_is_culled(start_gateway) -> None:
    jupyter = start_gateway(culling__idle_timeout_s=2, culling__interval_s=1).jupyter()
    kernel = jupyter.start_kernel()
    with jupyter.connect(kernel) as channels:
        channels.run("1")
    eventually(lambda: gone(jupyter, kernel), 60, "the idle kernel is culled")


def test_row_24_a_connected_kernel_stays(start_gateway) -> None:
    jupyter = start_gateway(culling__idle_timeout_s=1, culling__interval_s=1).jupyter()
    kernel = jupyter.start_kernel()
    with jupyter.connect(kernel) as channels:
        channels.run("x = 41")
        watch = Stopwatch()
        while watch.seconds < 4:
            with pytest.raises(TimeoutError):
                channels.receive(timeout=1)
        assert channels.run("x + 1").result == "42"
    eventually(lambda: gone(jupyter, kernel), 60, "culled once nobody is connected")


def test_row_24_a_connected_kernel_is_culled_when_so_configured(start_gateway) -> None:
    jupyter = start_gateway(culling__idle_timeout_s=1, culling__interval_s=1, culling__connected=True).jupyter()
    kernel = jupyter.start_kernel()
    with jupyter.connect(kernel) as channels:
        channels.run("1")
        assert channels.wait_for_closed().code == 1000
    assert gone(jupyter, kernel)


def test_row_24_a_busy_kernel_stays_under_the_idle_timeout(start_gateway) -> None:
    jupyter = start_gateway(culling__idle_timeout_s=1, culling__interval_s=1, culling__connected=True).jupyter()
    with jupyter.connect(jupyter.start_kernel()) as channels:
        assert channels.run("import time; time.sleep(5); 'done'").result == "'done'"


def test_row_24_a_busy_kernel_has_a_timeout_of_its_own(start_gateway) -> None:
    jupyter = start_gateway(culling__busy_timeout_s=2, culling__interval_s=1, culling__connected=True).jupyter()
    idle, busy = jupyter.start_kernel(), jupyter.start_kernel()
    with jupyter.connect(idle) as rests, jupyter.connect(busy) as works:
        rests.run("1")
        works.begin("while True: pass")
        assert works.wait_for_closed().code == 1000
        assert rests.run("1 + 1").result == "2"
    assert gone(jupyter, busy)


def test_row_24_an_agents_session_is_not_culled_by_the_jupyter_rules(start_gateway) -> None:
    gateway = start_gateway(culling__idle_timeout_s=1, culling__interval_s=1, culling__connected=True)
    jupyter, agent = gateway.jupyter(), gateway.agent()
    session = agent.start_session()["id"]
    agent.execute(session, "x = 41")
    kernel = jupyter.start_kernel()
    eventually(lambda: gone(jupyter, kernel), 60, "the Jupyter kernel is culled")
    assert agent.execute(session, "x + 1")["result"]["text/plain"] == "42"


def test_row_44_a_culled_kernel_is_a_plain_404_that_says_so(start_gateway) -> None:
    jupyter = start_gateway(culling__idle_timeout_s=1, culling__interval_s=1).jupyter()
    kernel = jupyter.start_kernel()
    # An answer of 404 is false in Python.
    text = eventually(lambda: (found := jupyter.call("GET", f"/api/kernels/{kernel}")).status_code == 404 and found.text, 60)
    assert "culled" in text
    assert jupyter.call("POST", f"/api/kernels/{kernel}/interrupt").status_code == 404
    assert jupyter.call("POST", f"/api/kernels/{kernel}/restart").status_code == 404
    with pytest.raises(Exception, match="404"):
        jupyter.connect(kernel)


def test_row_44_a_lost_kernel_of_a_session_says_why(gateway: Gateway) -> None:
    agent = gateway.agent()
    session = agent.start_session()["id"]
    cell = agent.execute(session, "import os; os._exit(1)")
    assert (cell["status"], cell["reason"]) == ("lost", "crashed")
    assert agent.execute(session, "1 + 1")["status"] == "ok"
