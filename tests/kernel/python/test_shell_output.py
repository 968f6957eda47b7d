"""Streams, display, what JSON cannot hold."""

import base64
import json

import pytest


def test_print_goes_to_the_stream(shell):
    cell = shell.run("import sys; print('a'); print('b', file=sys.stderr)")
    assert (cell.text(), cell.text("stderr")) == ("a\n", "b\n")


def test_output_comes_in_order(shell):
    assert shell.run("print(1); display(2); print(3); 4").types == [
        "stream", "stream", "display_data", "stream", "stream", "execute_result",
    ]  # fmt: skip


def test_stdout_is_a_text_file_of_utf8(shell):
    cell = shell.run("import sys; o = sys.stdout; o.encoding, o.fileno(), o.isatty(), o.writable(), o.readable(), o.name")
    assert cell.result == "('utf-8', 1, False, True, False, 'stdout')"


def test_stdout_can_be_reconfigured_and_not_closed(shell):
    assert shell.run("import sys; sys.stdout.reconfigure(encoding='utf-8'); sys.stdout.close(); print(1)").text() == "1\n"


def test_bytes_written_to_stdout_are_utf8_also_in_pieces(shell):
    code = "import sys\nfor b in 'aé€'.encode(): sys.stdout.buffer.write(bytes([b]))"
    assert shell.run(code + ";").text() == "aé€"


def test_only_text_can_be_written(shell):
    assert shell.execute("import sys; sys.stdout.write(b'x')").reply["ename"] == "TypeError"


def test_a_half_character_can_be_printed(shell):
    assert shell.run("print('\\udc80x')").text() == "?x\n"


def test_a_half_character_in_a_display_is_replaced(shell):
    cell = shell.run("display({'text/plain': 'a\\udc80b', 'x/y': '\\ud83d\\ude00'}, raw=True)")
    assert cell.of("display_data")[0]["data"] == {"text/plain": "a�b", "x/y": "😀"}


def test_numbers_that_json_lacks_become_text(shell):
    cell = shell.run("display({'application/json': {'a': float('nan'), 'b': [float('-inf'), 1.5]}}, raw=True)")
    assert cell.of("display_data")[0]["data"] == {"application/json": {"a": "nan", "b": ["-inf", 1.5]}}


def test_keys_become_text_and_sets_lists(shell):
    cell = shell.run("display({'application/json': {(1, 2): {3}, 4: range(2)}}, raw=True)")
    assert cell.of("display_data")[0]["data"] == {"application/json": {"(1, 2)": [3], "4": [0, 1]}}


def test_an_image_is_base64(shell):
    png = base64.b64decode("iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==")
    cell = shell.run(f"from IPython.display import Image; Image({png!r})")
    shown = cell.of("execute_result")[0]["data"]["image/png"]
    assert base64.b64decode(shown) == png


def test_dates_are_iso(shell):
    cell = shell.run("import datetime as d; display({'application/json': [d.date(2020, 1, 2)]}, raw=True)")
    assert cell.of("display_data")[0]["data"] == {"application/json": ["2020-01-02"]}


def test_what_has_no_json_form_is_an_error_of_the_cell(shell):
    assert shell.execute("display({'application/json': object()}, raw=True)").reply["ename"] == "TypeError"


def test_a_display_can_be_updated_by_its_id(shell):
    cell = shell.run("h = display('a', display_id='d1'); h.update('b')")
    first, second = cell.messages
    assert (first["type"], second["type"]) == ("display_data", "update_display_data")
    assert first["content"]["transient"] == second["content"]["transient"] == {"display_id": "d1"}


def test_output_can_be_cleared(shell):
    cell = shell.run("from IPython.display import clear_output; clear_output(); clear_output(wait=True)")
    assert cell.of("clear_output") == [{"wait": False}, {"wait": True}]


def test_metadata_of_a_display_is_sent(shell):
    cell = shell.run("display({'text/plain': 'x'}, metadata={'text/plain': {'a': 1}}, raw=True)")
    assert cell.of("display_data")[0]["metadata"] == {"text/plain": {"a": 1}}


def test_rich_results_have_every_form(shell):
    cell = shell.run("class H:\n    def _repr_html_(self): return '<b>'\n    def __repr__(self): return 'h'\nH()")
    assert cell.of("execute_result")[0]["data"] == {"text/plain": "h", "text/html": "<b>"}


def test_a_hook_may_change_or_take_a_display(shell):
    shell.run(
        "def shout(m):\n"
        "    m['content']['data']['text/plain'] = 'A'\n"
        "    return None if m['msg_type'] == 'clear_output' else m\n"
        "get_ipython().display_pub.register_hook(shout)"
    )
    cell = shell.run("from IPython.display import clear_output\ndisplay('a')")
    assert cell.of("display_data")[0]["data"] == {"text/plain": "A"}
    assert shell.run("get_ipython().display_pub.unregister_hook(shout)").result == "True"
    assert shell.run("display('a')").of("display_data")[0]["data"] == {"text/plain": "'a'"}


def test_captured_output_is_not_published(shell):
    shell.run("%%capture seen\nprint(1)\ndisplay(2)\n3")
    assert shell.run("seen.stdout, len(seen.outputs)").result == "('1\\n', 2)"


def test_a_forked_process_writes_to_its_descriptors(shell, tmp_path):
    code = (
        "import os, sys\n"
        "if (child := os.fork()) == 0:\n"
        f"    out = os.open({str(tmp_path / 'out')!r}, os.O_CREAT | os.O_WRONLY)\n"
        "    os.dup2(out, 1)\n"
        "    print('from the child')\n"
        "    display('not to be sent')\n"
        "    os._exit(0)\n"
        "os.waitpid(child, 0)[1]"
    )
    cell = shell.run(code)
    assert (cell.types, cell.result) == (["execute_result"], "0")
    assert (tmp_path / "out").read_text() == "from the child\n"


@pytest.mark.parametrize("size", [1, 1 << 20])
def test_a_result_of_any_size_is_whole(shell, size):
    assert len(json.loads(shell.run(f"'x' * {size}").result.replace("'", '"'))) == size


@pytest.mark.parametrize("ending, status", [("", 0), ("import sys; sys.exit(3)", 3), ("1 / 0", 1)])
def test_a_process_that_a_cell_forks_ends_with_the_cell_and_not_as_a_kernel(shell, ending, status):
    forked = shell.run(f"import os\nchild = os.fork()\nif child == 0:\n    os.getpid()\n    {ending or 'pass'}")
    assert forked.reply["status"] == "ok"
    done = shell.run("print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))")
    assert done.text() == f"{status}\n"
    assert shell.run("1 + 1").reply["status"] == "ok"
