"""The page is reloaded while a cell runs."""

import json

import nbformat
from playwright.sync_api import Page, expect

from browser.notebook import LONG, Notebook, open_notebook
from support.gateway import Gateway
from support.waiting import eventually

ANSWER = """([question, value]) => {
    const kernel = window.jupyterapp.shell.currentWidget.context.sessionContext.session.kernel;
    kernel.sendInputReply({status: 'ok', value}, question);
}"""
PRINTS = """import pathlib, time
kept, printed = 7, 0
while not pathlib.Path('/mnt/files/enough').exists():
    print(f'line {printed}', flush=True)
    printed += 1
    time.sleep(0.1)"""


def the_session(gateway: Gateway) -> dict:
    (session,) = gateway.agent().call("GET", "/sessions", 200).json()["items"]
    return session


def let_it_end(gateway: Gateway, kernel_id: str) -> None:
    (gateway.placed("files", kernel_id)[0] / "enough").touch()


def lines_printed_in(notebook: dict) -> list[str]:
    streams = [output for cell in notebook["cells"] for output in cell["outputs"] if output["output_type"] == "stream"]
    lines = "".join("".join(stream["text"]) for stream in streams).splitlines()
    return [line for line in lines if line.startswith("line ")]


def reload(page: Page) -> Notebook:
    page.reload()
    dialog = page.locator(".jp-Dialog .jp-mod-accept")  # unsaved work is not asked for: the page was saved
    assert dialog.count() == 0
    return Notebook(page)


def test_status_variables_and_the_next_cell_are_right_after_a_reload(gateway: Gateway, start_lab, page: Page) -> None:
    lab = start_lab(gateway.url, gateway.token)
    lab.write_notebook("work.ipynb", [PRINTS, "print(kept * 6, 'after', printed)"])
    notebook = open_notebook(page, lab.address("/tree/work.ipynb")).wait_until_idle()
    notebook.run(0)
    notebook.expect_output(0, "line 5")
    notebook.command("docmanager:save")
    notebook = reload(page).wait_for_status("busy")
    notebook.run(1)
    session = the_session(gateway)
    let_it_end(gateway, session["kernel"]["id"])
    notebook.expect_output(1, "42 after ")
    notebook.wait_until_idle()
    printed = int(notebook.text(1).split()[-1])
    exported = gateway.agent().notebook(session["id"])
    nbformat.validate(nbformat.from_dict(exported))
    assert lines_printed_in(exported) == [f"line {i}" for i in range(printed)]


def test_a_pending_input_is_asked_again_after_a_reload(gateway: Gateway, start_lab, page: Page) -> None:
    lab = start_lab(gateway.url, gateway.token)
    lab.write_notebook("work.ipynb", ["name = input('who? ')", "'hello ' + name"])
    notebook = open_notebook(page, lab.address("/tree/work.ipynb")).wait_until_idle()
    notebook.command("docmanager:save")
    notebook.run(0)
    expect(page.locator(".jp-Stdin-input")).to_be_visible(timeout=LONG)
    question = asked_again_after_reload(page)
    assert question["content"]["prompt"] == "who? "
    notebook = Notebook(page).wait_for_status("busy")
    page.evaluate(ANSWER, [question["header"], "Grace"])
    notebook.wait_until_idle()
    notebook.run(1)
    notebook.expect_output(1, "hello Grace")


def asked_again_after_reload(page: Page) -> dict:
    """JupyterLab's own prompt belongs to the cell that asked, which a reload forgets: what must come again is the
    message."""
    questions: list[dict] = []

    def look_at(frame: str | bytes) -> None:
        if isinstance(frame, str) and '"input_request"' in frame:
            questions.append(json.loads(frame))

    page.on("websocket", lambda socket: socket.on("framereceived", look_at))
    page.reload()
    # Playwright hands events over only while one of its calls runs.
    eventually(lambda: page.evaluate("0") or questions, 60, "the input_request comes again")
    return questions[0]
