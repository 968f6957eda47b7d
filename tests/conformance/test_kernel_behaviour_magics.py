"""The magics that people use."""

import pytest

from support.direct import DirectChannels

PRINTING = {
    "%timeit -n1 -r1 1 + 1": "loop",
    "%%time\nsum(range(100))": "Wall time",
    "%%bash\necho from bash": "from bash\n",
    "%%sh\necho from sh": "from sh\n",
    "%%python3\nprint('from python')": "from python\n",
    "%lsmagic\nprint('listed')": "listed",
    "%whos": "Variable",
    "%history -n -l 1": "",
    "%pwd\nprint('where')": "where",
    "%connect_info": "shell_port",
    "%pinfo2 len": "",
    "%prun -q sum(range(10))": "",
    "for line in !echo one; echo two\n": "",
}
SILENT = ["%load_ext autoreload\n%autoreload 2", "spare = 5\n%xdel spare", "%config InlineBackend.figure_format = 'png'",
          "%precision 3\n%precision %r", "%colors nocolor", "%xmode Context", "%logstate", "%alias_magic t timeit", "%gui"]


@pytest.mark.parametrize("code", [code for code, text in PRINTING.items() if text])
def test_a_magic_prints(channels: DirectChannels, code: str) -> None:
    cell = channels.run("one_variable = 1\n" * code.startswith("%whos") + code)
    assert cell.status == "ok", cell.of("error")
    assert PRINTING[code] in cell.text().replace("\r\n", "\n")


@pytest.mark.parametrize("code", SILENT)
def test_a_magic_works(channels: DirectChannels, code: str) -> None:
    cell = channels.run(code)
    assert cell.status == "ok", cell.of("error")


def test_a_cells_text_can_be_captured(channels: DirectChannels) -> None:
    cell = channels.run("%%capture captured\nprint(5)\ndisplay(6)")
    assert cell.status == "ok" and not cell.of("stream") and not cell.of("display_data")
    assert channels.run("captured.stdout, len(captured.outputs)").result == "('5\\n', 1)"


def test_shell_lines_become_a_list(channels: DirectChannels) -> None:
    assert channels.run("lines = !echo one; echo two\nlist(lines)").result == "['one', 'two']"


def test_a_shell_line_knows_the_variables(channels: DirectChannels) -> None:
    assert channels.run("word = 'given'\n!echo {word} $word").text().strip() == "given given"


def test_who_ls_lists_names(channels: DirectChannels) -> None:
    channels.run("a_new_name = 1")
    assert "'a_new_name'" in channels.run("%who_ls").result


def test_run_runs_a_script(channels: DirectChannels) -> None:
    channels.run("import pathlib, tempfile\nscript = pathlib.Path(tempfile.mkdtemp()) / 'script.py'\nscript.write_text(\"print('it ran')\\nleft = 7\")")
    assert channels.run("%run {script}").text() == "it ran\n"
    assert channels.run("left").result == "7"


def test_writefile_writes_a_file(channels: DirectChannels) -> None:
    channels.run("import tempfile\nwhere = tempfile.mkdtemp() + '/written'")
    assert channels.run("%%writefile {where}\nsome text").status == "ok"
    assert channels.run("open(where).read()").result == "'some text\\n'"


@pytest.mark.parametrize("kind, mime", [("html", "text/html"), ("javascript", "application/javascript"), ("latex", "text/latex"),
                                        ("markdown", "text/markdown"), ("svg", "image/svg+xml")])
def test_a_cell_of_another_language_is_shown(channels: DirectChannels, kind: str, mime: str) -> None:
    cell = channels.run(f"%%{kind}\n<svg/>")
    assert mime in cell.of("display_data")[0]["data"]


def test_env_gives_the_environment(channels: DirectChannels) -> None:
    assert "/" in channels.run("%env HOME").result


def test_connect_info_names_the_connection(channels: DirectChannels) -> None:
    cell = channels.run("%connect_info")
    assert cell.status == "ok" and '"key"' in cell.text() and '"iopub_port"' in cell.text()


def test_the_shell_has_a_kernel(channels: DirectChannels) -> None:
    assert channels.run("get_ipython().kernel is not None").result == "True"


def test_debug_asks_after_a_failure(channels: DirectChannels) -> None:
    channels.run("def fail():\n    inner = 41\n    1 / 0\nfail()")
    cell = channels.begin("%debug", allow_stdin=True)
    for line in ("p inner + 1", "q"):
        asked: list = []
        channels.collect(cell, until=lambda message: message["header"]["msg_type"] == "input_request" and not asked.append(message))
        channels.answer_input(line, asked[0])
    channels.collect(cell)
    assert "42" in cell.text()
