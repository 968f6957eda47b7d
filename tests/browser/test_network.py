"""The network between JupyterLab's server and the gateway fails while a cell prints; the cell is complete afterwards."""

from collections.abc import Callable

import pytest
from playwright.sync_api import Page

from browser.notebook import Notebook, open_notebook
from support.agent import Agent
from support.gateway import Gateway
from support.proxy import Proxy
from support.waiting import Stopwatch, eventually

LINES = 120
PRINTS = f"import time\nfor i in range({LINES}):\n    print(f'line {{i}} of {LINES}', flush=True)\n    time.sleep(0.1)"
CUT_SECONDS = 5


def lines_in_gateway(agent: Agent) -> int:
    """What the kernel has printed by now, as the gateway knows it."""
    cells = [cell for session in agent.call("GET", "/sessions", 200).json()["items"] for cell in agent.cells(session["id"])]
    return max((cell["stdout"].count("\n") for cell in cells), default=0)


def let_the_cell_print(agent: Agent) -> None:
    """The cell goes on for as long as the cut lasts, with nobody there to see it."""
    begin, elapsed = lines_in_gateway(agent), Stopwatch()
    eventually(lambda: lines_in_gateway(agent) >= begin + CUT_SECONDS * 8 and elapsed.seconds >= CUT_SECONDS,
               what="the cell prints on while the network is cut")


def reset(proxy: Proxy, agent: Agent) -> None:
    proxy.refuse()
    proxy.cut()
    let_the_cell_print(agent)
    proxy.refuse(False)


def black_hole(proxy: Proxy, agent: Agent) -> None:
    proxy.swallow()
    let_the_cell_print(agent)
    proxy.pass_on()


def black_hole_that_ends_in_a_reset(proxy: Proxy, agent: Agent) -> None:
    proxy.swallow()
    let_the_cell_print(agent)
    proxy.cut()
    proxy.pass_on()


def printed(notebook: Notebook) -> list[str]:
    return [line for line in notebook.text(0).splitlines() if line]


@pytest.mark.parametrize("fail", [reset, black_hole, black_hole_that_ends_in_a_reset], ids=lambda fail: fail.__name__)
def test_a_cell_is_complete_after_five_seconds_without_network(
        gateway: Gateway, start_lab, page: Page, fail: Callable[[Proxy, Agent], None]) -> None:
    agent = gateway.agent()
    with Proxy(gateway.url) as proxy:
        lab = start_lab(proxy.url, gateway.token)
        lab.write_notebook("prints.ipynb", [PRINTS, "'still ' + 'alive'"])
        notebook = open_notebook(page, lab.address("/tree/prints.ipynb")).wait_until_idle()
        notebook.run(0)
        notebook.expect_output(0, "line 10 ")
        fail(proxy, agent)
        notebook.expect_output(0, f"line {LINES - 1} ")
        notebook.wait_until_done(0)
        lines = printed(notebook)
        # What was under way when the connection died may come twice, nothing may be missing.
        assert list(dict.fromkeys(lines)) == [f"line {i} of {LINES}" for i in range(LINES)]
        assert len(lines) - LINES <= 10, "more than the unacknowledged moment came twice"
        notebook.run(1)
        notebook.expect_output(1, "still alive")
