"""Interrupts reach whatever the kernel is doing. Numbers in names are the rows of docs/jupyter-rows.md."""

from pathlib import Path

import pytest

from support.gateway import Gateway
from support.specs import IPYKERNEL, make_spec
from support.waiting import Stopwatch

BUSY = {
    "a loop": "print('begun', flush=True)\nwhile True: pass",
    "a sleep": "import time\nprint('begun', flush=True)\ntime.sleep(600)",
    "a child": "import subprocess\nprint('begun', flush=True)\nsubprocess.run(['sleep', '600'])",
}


@pytest.mark.parametrize("what", BUSY)
def test_row_39_an_interrupt_ends_the_cell(gateway: Gateway, what: str) -> None:
    jupyter = gateway.jupyter()
    kernel = jupyter.start_kernel()
    with jupyter.connect(kernel) as channels:
        cell = channels.run_until_printed(BUSY[what], "begun")
        watch = Stopwatch()
        jupyter.interrupt(kernel)
        channels.collect(cell)
        assert cell.error == "KeyboardInterrupt" and watch.seconds < 5
        assert channels.run("1 + 1").result == "2"


def test_row_39_an_interrupt_ends_a_cell_that_waits_for_input(gateway: Gateway) -> None:
    jupyter = gateway.jupyter()
    kernel = jupyter.start_kernel()
    with jupyter.connect(kernel) as channels:
        cell = channels.begin("input('? ')", allow_stdin=True)
        channels.wait_for(lambda message: message["header"]["msg_type"] == "input_request")
        jupyter.interrupt(kernel)
        channels.collect(cell)
        assert cell.error == "KeyboardInterrupt"
        assert channels.run("1 + 1").result == "2"


def test_row_39_an_interrupt_by_message_ends_the_cell(start_gateway, tmp_path: Path) -> None:
    make_spec(tmp_path, "by-message", IPYKERNEL, interrupt_mode="message")
    jupyter = start_gateway(kernels__kernelspec_dirs=[tmp_path]).jupyter()
    kernel = jupyter.start_kernel("by-message")
    with jupyter.connect(kernel) as channels:
        cell = channels.run_until_printed(BUSY["a loop"], "begun")
        jupyter.interrupt(kernel)
        channels.collect(cell)
        assert cell.error == "KeyboardInterrupt"


def test_an_interrupt_of_an_idle_kernel_harms_nothing(gateway: Gateway) -> None:
    jupyter = gateway.jupyter()
    kernel = jupyter.start_kernel()
    with jupyter.connect(kernel) as channels:
        channels.run("x = 41")
        jupyter.interrupt(kernel)
        assert channels.run("x + 1").result == "42"


def test_an_agents_interrupt_ends_its_cell(gateway: Gateway) -> None:
    agent = gateway.agent()
    session = agent.start_session()["id"]
    with agent.connect(session) as socket:
        cell = socket.begin(BUSY["a loop"])
        socket.wait_for(lambda event: "begun" in socket.text(cell))
        socket.call("interrupt")
        assert socket.finished(cell)["status"] == "interrupted"
        assert socket.run("1 + 1")["status"] == "ok"
