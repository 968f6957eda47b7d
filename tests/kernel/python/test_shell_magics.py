"""Magics."""

import json

import pytest
from shell_client import INTERPRETER


def test_connect_info_is_the_connection_file(shell):
    text = shell.run("%connect_info").text()
    assert json.loads(text[: text.index("}") + 1])["key"] == "the-signing-key"


@pytest.mark.parametrize("code", ["%timeit -n1 -r1 1+1", "%%timeit -n1 -r1\n1+1"])
def test_timeit(shell, code):
    assert "loop" in shell.run(code).text()


def test_time(shell):
    assert "Wall time" in shell.run("%%time\nsum(range(100))").text()


def test_bash_prints_into_each_cell(shell):
    for number in range(3):
        name = shell.start(f"%%bash\necho {number}; echo e{number} >&2")
        cell = shell.finish(name)
        assert (cell.text(), cell.text("stderr")) == (f"{number}\n", f"e{number}\n")
        assert {message["parent"]["msg_id"] for message in cell.messages} == {name}


def test_load_sets_the_cells_text(shell, tmp_path):
    (tmp_path / "f.py").write_text("print('loaded')\n")
    (payload,) = shell.run(f"%load {tmp_path}/f.py").reply["payload"]
    assert payload["source"] == "set_next_input" and payload["replace"] and "print('loaded')" in payload["text"]


def test_run_a_script(shell, tmp_path):
    (tmp_path / "f.py").write_text("made = 6 * 7\nprint(__name__)\n")
    assert shell.run(f"%run {tmp_path}/f.py").text() == "__main__\n"
    assert shell.run("made").result == "42"


def test_edit_asks_the_client(shell, tmp_path):
    (tmp_path / "f.py").write_text("x = 1\n")
    (payload,) = shell.run(f"%edit -n 3 {tmp_path}/f.py").reply["payload"]
    assert payload == {"source": "edit_magic", "filename": f"{tmp_path}/f.py", "line_number": "3"}


def test_less_pages_a_file(shell, tmp_path):
    (tmp_path / "f.txt").write_text("the text")
    (payload,) = shell.run(f"%less {tmp_path}/f.txt").reply["payload"]
    assert payload == {"source": "page", "data": {"text/plain": "the text"}, "start": 0}


@pytest.mark.parametrize("magic, kind", [("html", "text/html"), ("javascript", "application/javascript"), ("latex", "text/latex")])
def test_cells_in_another_language_are_shown(shell, magic, kind):
    assert kind in shell.run(f"%%{magic}\n<b>1</b>").of("display_data")[0]["data"]


def test_autoreload(shell, tmp_path):
    (tmp_path / "reloaded.py").write_text("def f(): return 'first'\n")
    shell.run(f"%load_ext autoreload\n%autoreload 2\nimport sys; sys.path.insert(0, {str(tmp_path)!r}); import reloaded")
    (tmp_path / "reloaded.py").write_text("def f(): return 'the second'\n")
    assert shell.run("reloaded.f()").result == "'the second'"


def test_pip_is_run_by_the_kernels_own_interpreter(shell):
    assert "pip" in shell.run("%pip --version").text()
    assert shell.run("import sys; sys.executable").result == repr(str(INTERPRETER))


def test_store_keeps_a_variable_for_the_next_session(zygote, shell):
    shell.run("kept = [1, 2]\n%store kept")
    other = zygote.fork(HOME=shell.home)
    other.run("%store -r kept")
    assert other.run("kept").result == "[1, 2]"
    other.stop()


@pytest.mark.parametrize(
    "code", ["%who_ls", "%whos", "%env HOME", "%lsmagic", "x = 5\n%xdel x", "%cd -q /", "%pwd", "%subshell", "%%writefile -a /dev/null\nx"]
)
def test_it_works(shell, code):
    shell.run("1")
    shell.run(code)


def test_a_magic_that_is_not_there_is_said(shell):
    cell = shell.execute("%nosuchmagic")
    assert cell.reply["status"] == "error" and "nosuchmagic" in cell.text("stderr") + str(cell.of("error"))


def test_a_gui_toolkit_is_refused_with_a_hint(shell):
    assert "%matplotlib inline" in shell.execute("%gui qt").text("stderr")


def test_a_background_command_is_refused_with_a_hint(shell):
    assert "subprocess.Popen" in shell.execute("!sleep 1 &").reply["evalue"]


def test_a_librarys_question_whether_this_is_a_notebook_is_answered(shell):
    assert shell.run("get_ipython().__class__.__name__").result == "'ZMQInteractiveShell'"
    assert shell.run("'IPKernelApp' in get_ipython().config").result == "True"
