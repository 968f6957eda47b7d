"""Corrections in real kernels: a forked one of ours, and ipykernel."""

import re
import threading

import pytest
from package_path import PACKAGE_DIR
from test_debugger_kernel import debugging  # noqa: F401

WRONG = 'd = {"api_key": 1}\nd["apiKey"]'
TOLD = 'cellgate: line 2: d["apiKey"] read as d["api_key"]\n'
INSTALL = "import cellgate_kernel; cellgate_kernel.install(%r)"


def asking(mode):
    return {"cellgate": {"error_correction": mode, "install": False}}


class Ours:
    """A forked child; the shell's Python side of cellgate-kernel."""

    def __init__(self, shell, path):
        self.shell = shell
        self.install(path)

    def install(self, path, **settings):
        self.shell.run(INSTALL % {"helper_key": "k", "socket": path, **settings}, silent=True)

    def execute(self, code, mode=None, **how):
        """(reply, stderr, the result's text, the request's id)"""
        name = self.shell.start(code, metadata={} if mode is None else asking(mode), **how)
        cell = self.shell.finish(name)
        results = [content["data"]["text/plain"] for content in cell.of("execute_result")]
        return cell.reply, cell.text("stderr"), "".join(results), name


class Peers:
    """An ipykernel."""

    def __init__(self, kernel, path):
        self.kernel = kernel
        self.install(path)

    def install(self, path, **settings):
        code = "import sys; sys.path.append(%r); " % PACKAGE_DIR + INSTALL % {"helper_key": "k", "socket": path, **settings}
        reply, _ = self.kernel.finish(self.kernel.send(code, silent=True))
        assert reply["status"] == "ok", reply

    def execute(self, code, mode=None, **how):
        name = self.kernel.send(code, metadata=None if mode is None else asking(mode), **how)
        reply, messages = self.kernel.finish(name)
        of = lambda kind: [m["content"] for m in messages if m["msg_type"] == kind]  # noqa: E731
        told = "".join(content["text"] for content in of("stream") if content["name"] == "stderr")
        return reply, told, "".join(content["data"]["text/plain"] for content in of("execute_result")), name


@pytest.fixture(params=["ours", "ipykernel"])
def correcting_kernel(request, helper_socket):
    helper_socket.answer = lambda asked: (200, {})
    if request.param == "ours":
        return Ours(request.getfixturevalue("shell"), helper_socket.path)
    return Peers(request.getfixturevalue("kernel"), helper_socket.path)


def test_a_cell_is_corrected_and_the_gateway_is_told(correcting_kernel, helper_socket):
    reply, told, result, name = correcting_kernel.execute(WRONG, True)
    assert reply["status"] == "ok" and (told, result) == (TOLD, "1")
    assert helper_socket.requests == [
        {"parent": name, "line": 2, "column": 0, "written": 'd["apiKey"]', "used": 'd["api_key"]', "kind": "field_name"}
    ]
    assert helper_socket.keys == ["k"]


def test_a_jupyter_client_gets_the_error_with_a_note(correcting_kernel, helper_socket):
    reply, told, _, _ = correcting_kernel.execute(WRONG)
    assert reply["ename"] == "KeyError" and told == ""
    assert "cellgate: did you mean d" in "".join(reply["traceback"])
    assert helper_socket.requests == []


def test_each_cell_has_the_mode_of_its_request(correcting_kernel):
    modes = [correcting_kernel.execute(WRONG, mode)[0] for mode in (False, True, "report", False)]
    assert [reply["status"] for reply in modes] == ["error", "ok", "error", "error"]
    assert ["cellgate" in "".join(reply.get("traceback", "")) for reply in modes] == [False, False, True, False]


def test_the_session_can_be_set_to_correct_everything(correcting_kernel, helper_socket):
    correcting_kernel.install(helper_socket.path, error_correction=True)
    assert correcting_kernel.execute(WRONG)[2] == "1"
    assert correcting_kernel.execute(WRONG, False)[0]["status"] == "error"


def test_cells_that_await_threads_and_tasks(correcting_kernel, helper_socket):
    code = (
        "import asyncio, threading\n"
        'd = {"api_key": 1}\n'
        "async def f(): await asyncio.sleep(0); return d['apiKey']\n"
        "a = await asyncio.gather(f(), f())\n"
        "b = []\n"
        "t = threading.Thread(target=lambda: b.append(d['apiKey'])); t.start(); t.join()\n"
        "if a: return a + b"
    )
    reply, told, result, name = correcting_kernel.execute(code, True)
    assert result == "[1, 1, 1]", reply
    assert [request["line"] for request in helper_socket.requests] == [7, 3, 6]
    assert {request["parent"] for request in helper_socket.requests} == {name}


def test_a_column_of_a_data_frame(shell, helper_socket):
    ours = Ours(shell, helper_socket.path)
    shell.run('import pandas as pd\ndf = pd.DataFrame({"user_id": [1, 2], "user": [3, 4], "x": [5, 6]})', silent=True)
    assert ours.execute('int(df["userId"].sum())', True)[1:3] == ('cellgate: line 1: df["userId"] read as df["user_id"]\n', "3")
    assert ours.execute('df["userId"] = [7, 8]\nlist(df.columns)', True)[2] == "['user_id', 'user', 'x', 'userId']"
    for code in ('df["X1"]', 'df.iloc[0]["User_Id"]', 'df["x"]["User"]', 'df.groupby("x")["User"]', 'df.loc["User"]'):
        reply, told, _, _ = ours.execute(code, True)
        assert (reply["status"], told) == ("error", ""), code
    both = [ours.execute('df["zzz"]', mode)[0]["traceback"] for mode in (False, True)]
    assert len(both[0]) > 5 and [re.sub(r"In\[\d+\]", "", line) for line in both[0]] == [re.sub(r"In\[\d+\]", "", line) for line in both[1]]


def test_a_gateway_that_does_not_answer_or_refuses_breaks_nothing(correcting_kernel, helper_socket):
    for answer in ((404, {"error": "no such route"}), (429, {}), (500, b"what?")):
        helper_socket.answer = lambda asked, answer=answer: answer
        assert correcting_kernel.execute(WRONG + '\nd["ApiKey"]', True)[2] == "1"
    assert len(helper_socket.requests) == 3  # after a refusal a cell sends no more
    correcting_kernel.install("/nowhere.sock")
    assert correcting_kernel.execute(WRONG, True)[1:3] == (TOLD, "1")


def test_a_correction_is_known_before_the_cell_ends(correcting_kernel, helper_socket):
    answered = threading.Event()

    def answer(asked):
        answered.set()
        return 200, {}

    helper_socket.answer = answer
    correcting_kernel.execute(WRONG, True)
    assert answered.is_set()


def test_a_thousand_places_and_no_more(correcting_kernel, helper_socket):
    code = 'd = {"api_key": 1}\n' + "d['apiKey']\n" * 1005
    assert correcting_kernel.execute(code, True)[0]["status"] == "ok"
    assert len(helper_socket.requests) == 1000


def test_subshells_have_modes_of_their_own(shell, helper_socket):
    helper_socket.answer = lambda asked: (200, {})
    ours = Ours(shell, helper_socket.path)
    shell.start_shell("second")
    shell.run("import threading\nmeet = threading.Barrier(2)\nd = {'api_key': 1}", silent=True)
    code = "meet.wait(20)\nd['apiKey']"
    first = shell.start(code, metadata=asking(True))
    second = shell.start(code, metadata=asking(False), shell="second")
    assert shell.finish(first).reply["status"] == "ok"
    assert shell.finish(second).reply["status"] == "error"
    assert ours.execute("d['apiKey']", True)[2] == "1"


def test_two_children_of_a_zygote_are_apart(zygote, helper_socket):
    helper_socket.answer = lambda asked: (200, {})
    children = [zygote.fork(), zygote.fork()]
    try:
        ours = [Ours(child, helper_socket.path) for child in children]
        assert ours[0].execute(WRONG, True)[2] == "1"
        assert ours[1].execute("d = {}\nd['apiKey']", True)[0]["status"] == "error"
        assert ours[1].execute("d = {'api_key': 2}\nd['apiKey']", True)[2] == "2"
    finally:
        for child in children:
            child.stop()


LINES = "x = [{'api_key': 1}]\ny = x[0]['apiKey']\nfor r in x:\n    z = r['apiKey']\n    w = [\n        r['apiKey'],\n        r['api_key']]\nlast = 1\n"


@pytest.mark.parametrize("step", ["next", "stepIn"])
def test_a_debugger_steps_over_the_same_lines(shell, debugging, helper_socket, step):
    helper_socket.answer = lambda asked: (200, {})
    Ours(shell, helper_socket.path)
    plain = LINES.replace("apiKey", "api_key")
    seen = []
    for code in (plain, LINES):
        path = debugging.do("dumpCell", code=code)["sourcePath"]
        debugging.do("setBreakpoints", source={"path": path}, breakpoints=[{"line": 1}])
        cell = shell.start(code, metadata=asking(True))
        lines = []
        while not lines or lines[-1][1] != 8:
            thread = debugging.event("stopped")["content"]["body"]["threadId"]
            frame = debugging.do("stackTrace", threadId=thread)["stackFrames"][0]
            lines.append((frame["name"], frame["line"]))
            assert len(lines) < 30
            debugging.do("continue" if frame["line"] == 8 else step, threadId=thread)
        shell.finish(cell)
        seen.append(lines)
    assert seen[0] == seen[1] and len(seen[0]) >= 7
    assert len(helper_socket.requests) == 3

