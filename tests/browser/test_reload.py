"""The page is reloaded while a cell runs."""

import nbformat
from playwright.sync_api import Page, expect

from browser.notebook import LONG, Notebook, open_notebook
from support.gateway import Gateway
from support.waiting import eventually

PRINTS = "import time\nkept = 7\nfor i in range(60):\n    print(f'line {i}', flush=True)\n    time.sleep(0.1)"


def the_session(gateway: Gateway) -> str:
    (session,) = gateway.agent().call("GET", "/sessions", 200).json()["items"]
    return session["id"]


def printed_in(notebook: dict) -> str:
    return "".join(output["text"] for cell in notebook["cells"] for output in cell["outputs"] if output["output_type"] == "stream")


def reload(page: Page) -> Notebook:
    page.reload()
    dialog = page.locator(".jp-Dialog .jp-mod-accept")  # unsaved work is not asked for: the page was saved
    assert dialog.count() == 0
    return Notebook(page)


def test_status_variables_and_the_next_cell_are_right_after_a_reload(gateway: Gateway, start_lab, page: Page) -> None:
    lab = start_lab(gateway.url, gateway.token)
    lab.write_notebook("work.ipynb", [PRINTS, "kept * 6"])
    notebook = open_notebook(page, lab.address("/tree/work.ipynb")).wait_until_idle()
    notebook.run(0)
    notebook.expect_output(0, "line 5")
    notebook.command("docmanager:save")
    notebook = reload(page).wait_for_status("busy")
    notebook.run(1)
    notebook.expect_output(1, "42")
    notebook.wait_until_idle()
    session = the_session(gateway)
    exported = gateway.agent().notebook(session)
    nbformat.validate(nbformat.from_dict(exported))
    assert printed_in(exported) == "".join(f"line {i}\n" for i in range(60))


def test_a_pending_input_is_asked_again_after_a_reload(gateway: Gateway, start_lab, page: Page) -> None:
    lab = start_lab(gateway.url, gateway.token)
    lab.write_notebook("work.ipynb", ["name = input('who? ')", "'hello ' + name"])
    notebook = open_notebook(page, lab.address("/tree/work.ipynb")).wait_until_idle()
    notebook.command("docmanager:save")
    notebook.run(0)
    expect(page.locator(".jp-Stdin-input")).to_be_visible(timeout=LONG)
    asked_again = ask_again_after_reload(page, gateway)
    assert asked_again == "who? "
    notebook = Notebook(page).wait_until_idle()
    notebook.run(1)
    notebook.expect_output(1, "hello Grace")


def ask_again_after_reload(page: Page, gateway: Gateway) -> str:
    """The page's own prompt is bound to the cell that asked, which a reload forgets; the message itself must come again.
    Answers it over the page's connection, and returns the prompt."""
    frames: list[str] = []
    page.on("websocket", lambda socket: socket.on("framereceived", lambda frame: frames.append(str(frame))))
    page.reload()
    eventually(lambda: page.wait_for_timeout(50) or any("input_request" in frame for frame in frames), 60,
               "the input_request comes again")
    session = the_session(gateway)
    with gateway.agent().connect(session) as agent:
        asked = agent.call("attach", after_seq=0) or {}
        event = agent.wait_for(lambda each: each["method"] == "input_request")
        agent.call("input", cell_id=event["cell_id"], value="Grace")
    return event["prompt"]
