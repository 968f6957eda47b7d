"""A cell ends at its deadline plus at most the grace, whatever it does, with its output and the truth."""

import pytest

from support.agent import CallFailed
from support.gateway import Gateway
from support.waiting import Stopwatch

BEGIN = "x = 1\nprint('begun', flush=True)\n"
# What obeys SIGINT keeps the variables; what does not costs the kernel.
OBEYS = {
    "a loop": BEGIN + "while True: pass",
    "a sleep": BEGIN + "import time; time.sleep(999)",
    "a child": BEGIN + "import subprocess; subprocess.run(['sleep', '999'])",
}
IGNORES = {
    # The call keeps the interpreter's lock, without which ipykernel's sender gets no word out, not even a flushed one: let it
    # go first (a client straight on the kernel's sockets misses the line in the same runs).
    "a C call that ignores signals": BEGIN + "import time; time.sleep(0.5); sum(range(10**15))",
    "blocked signals": BEGIN + "import signal, time; signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGINT]); time.sleep(999)",
    # Not `pass`: CPython 3.11 leaves a short loop's jump, where the interrupt is raised, out of the try block.
    "a swallowed interrupt": BEGIN + "import time\nwhile True:\n    try:\n        while True: time.sleep(9)\n"
                                     "    except KeyboardInterrupt: pass",
}


@pytest.mark.parametrize("what", OBEYS)
def test_a_cell_that_can_be_interrupted_keeps_the_variables(gateway: Gateway, what: str) -> None:
    agent = gateway.agent()
    session = agent.start_session()["id"]
    agent.execute(session, "kept = 41")
    watch = Stopwatch()
    cell = agent.execute(session, OBEYS[what], timeout_s=2)
    assert (cell["status"], cell["reason"]) == ("timeout", "deadline")
    assert cell["stdout"] == "begun\n" and not cell["kernel_restarted"]
    assert watch.seconds < 2 + 2 + 5
    assert agent.execute(session, "kept + x")["result"]["text/plain"] == "42"


@pytest.mark.parametrize("what", IGNORES)
def test_a_cell_that_cannot_be_interrupted_costs_the_kernel(gateway: Gateway, what: str) -> None:
    agent = gateway.agent()
    session = agent.start_session()["id"]
    agent.execute(session, "kept = 41")
    watch = Stopwatch()
    cell = agent.execute(session, IGNORES[what], timeout_s=2)
    assert (cell["status"], cell["reason"]) == ("timeout", "deadline")
    assert cell["stdout"] == "begun\n" and cell["kernel_restarted"]
    assert watch.seconds < 2 + 2 + 5
    assert agent.execute(session, "'kept' in globals()")["result"]["text/plain"] == "False"


# The kernel gets no word out, not even that it is busy: only the gateway's own clock ends these.
SILENT = {
    "the interpreter's lock": "x = 7 ** (10 ** 9)",
    "a stopped process": "import os, signal; os.kill(os.getpid(), signal.SIGSTOP)",
    "an event loop that is blocked": "import asyncio, time; asyncio.get_event_loop().call_later(0.2, lambda: time.sleep(600))",
}


@pytest.mark.parametrize("what", SILENT)
def test_a_cell_that_silences_its_kernel_ends_and_so_do_the_next(gateway: Gateway, what: str) -> None:
    agent = gateway.agent()
    session = agent.start_session()["id"]
    agent.execute(session, "kept = 41")
    for code in (SILENT[what], "import time; time.sleep(0.5)", "1"):
        watch = Stopwatch()
        assert agent.execute(session, code, timeout_s=2)["status"] in ("ok", "timeout")
        assert watch.seconds < 2 + 2 + 5
    assert agent.execute(session, "6 * 7")["result"]["text/plain"] == "42"


def test_a_cell_that_is_cancelled_as_it_ends_has_one_end_and_blocks_nothing(gateway: Gateway) -> None:
    """The interrupt may hit the kernel between the cell and its reply."""
    agent = gateway.agent()
    session = agent.start_session()["id"]
    agent.execute(session, "1")
    with agent.connect(session) as socket:
        for _ in range(30):
            cell = socket.begin("4", timeout_s=5)
            try:
                socket.call("cancel", cell_id=cell)
            except CallFailed:
                pass  # it has ended
            assert socket.finished(cell, timeout=20)["status"] in ("ok", "interrupted", "cancelled")
        assert socket.run("6 * 7")["status"] == "ok"


def test_a_cell_that_ends_its_kernel_at_once_is_lost_not_cancelled(gateway: Gateway) -> None:
    """`cancelled` says that it never began: an agent would run it again."""
    agent = gateway.agent()
    session = agent.start_session()["id"]
    for number in range(8):
        cell = agent.execute(session, f"import os; os.mkdir('/mnt/files/{number}'); os._exit(1)")
        assert cell["status"] == "lost", cell
        agent.execute(session, "'a cell that ends well keeps it from counting as a crash loop'")


def test_a_deadline_whose_interrupt_ends_the_kernel_is_a_timeout(gateway: Gateway) -> None:
    agent = gateway.agent()
    session = agent.start_session(kernel_name="xpython")["id"]
    cell = agent.execute(session, "import time; time.sleep(30)", timeout_s=1)
    assert (cell["status"], cell["reason"]) == ("timeout", "deadline")


def test_an_unanswered_input_ends_at_the_deadline(gateway: Gateway) -> None:
    agent = gateway.agent()
    session = agent.start_session()["id"]
    with agent.connect(session) as socket:
        finished = socket.run(BEGIN + "input('? ')", timeout_s=2)
        assert (finished["status"], finished["reason"]) == ("timeout", "deadline")
        assert socket.run("x + 1")["status"] == "ok"


def test_input_over_rest_fails_at_once(gateway: Gateway) -> None:
    agent = gateway.agent()
    session = agent.start_session()["id"]
    cell = agent.execute(session, "input('? ')")
    assert cell["status"] == "error" and cell["error"]["ename"] == "StdinNotImplementedError"


def test_a_jupyter_cell_behind_an_overdue_one_is_not_interrupted_in_its_place(gateway: Gateway) -> None:
    jupyter, agent = gateway.jupyter(), gateway.agent()
    session = agent.start_session()["id"]
    agent.execute(session, "1")
    alias = jupyter.start_kernel(f"attach-{session}")
    with jupyter.connect(alias) as channels, agent.connect(session) as socket:
        overdue = socket.begin(OBEYS["a loop"], timeout_s=3)
        socket.wait_for(lambda event: "begun" in socket.text(overdue))
        behind = channels.begin("import time; time.sleep(1); 'not interrupted'")
        assert socket.finished(overdue)["status"] == "timeout"
        channels.collect(behind)
        assert behind.result == "'not interrupted'"


def test_after_a_kill_a_jupyter_cell_behind_gets_its_error_and_idle(gateway: Gateway) -> None:
    jupyter, agent = gateway.jupyter(), gateway.agent()
    session = agent.start_session()["id"]
    agent.execute(session, "1")
    alias = jupyter.start_kernel(f"attach-{session}")
    with jupyter.connect(alias) as channels, agent.connect(session) as socket:
        overdue = socket.begin(IGNORES["blocked signals"], timeout_s=2)
        socket.wait_for(lambda event: "begun" in socket.text(overdue))
        behind = channels.begin("'never runs'")
        finished = socket.finished(overdue)
        assert finished["status"] == "timeout" and finished["kernel_restarted"]
        channels.collect(behind)
        assert behind.status == "error" and behind.idle
        assert channels.run("1 + 1").result == "2"


@pytest.mark.parametrize("redirect", ["sys.stdout = sys.stderr = io.StringIO()", "contextlib.redirect_stdout(io.StringIO()).__enter__()"])
def test_what_a_cell_redirected_before_its_deadline_is_undone(gateway: Gateway, redirect: str) -> None:
    agent = gateway.agent()
    session = agent.start_session()["id"]
    overdue = agent.execute(session, f"import sys, io, contextlib, time\n{redirect}\ntime.sleep(60)", timeout_s=1)
    assert overdue["status"] == "timeout"
    after = agent.execute(session, "import sys; print('seen'); print('heard', file=sys.stderr)")
    assert (after["stdout"], after["stderr"]) == ("seen\n", "heard\n")
