"""The scene that this project is for: an agent and a person in one live session, through stock JupyterLab."""

from pathlib import Path

from playwright.sync_api import Page, expect

from browser.notebook import LONG, Notebook, open_launcher, open_notebook, start_from_launcher
from support.agent import AgentSocket
from support.gateway import Gateway
from support.waiting import eventually

ANALYSIS = """import pandas as pd
rides = pd.DataFrame({'hour': range(24), 'rides': [h * (24 - h) for h in range(24)]})
print(f'loaded {len(rides)} rows')"""
COUNT = "import time\nfor i in range(80):\n    print(f'step {i}', flush=True)\n    time.sleep(0.05)"


def cell_with(agent: AgentSocket, code: str) -> dict:
    """The end of the cell that has this code, as the agent's log shows it."""
    queued = agent.wait_for(lambda event: event["method"] in ("cell_queued", "cell_started") and event.get("code") == code)
    return agent.finished(queued["cell_id"])


def attach_in_lab(page: Page, lab, title: str) -> Notebook:
    open_launcher(page, lab.address())
    return start_from_launcher(page, title).wait_until_idle()


def test_a_person_enters_the_session_of_an_agent(gateway: Gateway, start_lab, page: Page, images: Path) -> None:
    api = gateway.agent()
    session = api.start_session(name="ride-analysis")["id"]
    lab = start_lab(gateway.url, gateway.token)
    with api.connect(session) as agent:
        agent.call("attach", after_seq=0)
        agent.run(ANALYSIS)

        notebook = attach_in_lab(page, lab, "Attach: ride-analysis")
        notebook.run_source(0, "%whos DataFrame")
        notebook.expect_output(0, "rides")
        person_code = "rides.plot(x='hour', y='rides', title='rides in a day');"
        notebook.add_cell_below()
        notebook.run_source(1, person_code)
        expect(notebook.output(1).locator("img")).to_be_visible(timeout=LONG)
        notebook.wait_until_done(1)
        seen = cell_with(agent, person_code)
        assert (seen["origin"], seen["status"]) == ("jupyter", "ok")
        page.screenshot(path=images / "shared-session.png")

        # The agent's socket is cut in the middle of a cell, and it comes back.
        cell = agent.begin(COUNT)
        agent.wait_for(lambda event: event["method"] == "output" and "step 10" in event.get("text", ""))
        last, before = agent.last_seq, agent.text(cell)
        agent.cut()
    with api.connect(session) as agent:
        agent.call("attach", after_seq=last)
        agent.finished(cell)
        assert before + agent.text(cell) == "".join(f"step {i}\n" for i in range(80))

        lab.quit()
        eventually(lambda: gateway.jupyter().kernels() == [], what="Lab's alias goes with it")
        assert api.session(session)["state"] == "idle"
        assert agent.run("len(rides)")["status"] == "ok"


def test_an_agent_enters_the_session_that_a_lab_started(gateway: Gateway, start_lab, page: Page) -> None:
    api = gateway.agent()
    lab = start_lab(gateway.url, gateway.token)
    lab.write_notebook("work.ipynb", ["secret_number = 42", "from_agent"])
    notebook = open_notebook(page, lab.address("/tree/work.ipynb")).wait_until_idle()
    notebook.run(0)
    notebook.wait_until_done(0)
    (session,) = api.call("GET", "/sessions", 200).json()["items"]
    with api.connect(session["id"]) as agent:
        agent.call("attach", after_seq=0)
        assert cell_with(agent, "secret_number = 42")["status"] == "ok"
        ended = agent.run("from_agent = secret_number * 2\nfrom_agent")
        assert ended["status"] == "ok"
    notebook.run(1)
    notebook.expect_output(1, "84")
    lab.quit()
    eventually(lambda: api.call("GET", f"/sessions/{session['id']}").status_code == 404, what="it ends with its Lab")


def test_two_people_in_one_session_see_the_same_variables(gateway: Gateway, start_lab, browser, page: Page) -> None:
    session = gateway.agent().start_session(name="pair")["id"]
    labs = [start_lab(gateway.url, gateway.token) for _ in range(2)]
    second_page = browser.new_context().new_page()
    first, second = (attach_in_lab(on, lab, "Attach: pair") for on, lab in zip((page, second_page), labs))
    first.run_source(0, "shared = 'written by the first'")
    first.wait_until_done(0)
    second.run_source(0, "shared")
    second.expect_output(0, "written by the first")
    labs[0].quit()
    eventually(lambda: len(gateway.jupyter().kernels()) == 1, what="one Lab's alias goes, the other's stays")
    second.run_source(0, "shared.upper()")
    second.expect_output(0, "WRITTEN BY THE FIRST")
    assert gateway.agent().session(session)["state"] in ("idle", "busy")
    second_page.context.close()
