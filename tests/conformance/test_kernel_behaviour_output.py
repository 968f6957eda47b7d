"""What cells print and show: whose it is, in which order, and that none of it is lost or breaks a message."""

import base64

import pytest

from support.direct import DirectChannels


def shown(cell, mime: str) -> list:
    return [content["data"][mime] for content in cell.of("display_data") if mime in content["data"]]


def kinds(cell) -> list[str]:
    return [message["header"]["msg_type"] for message in cell.messages
            if message["header"]["msg_type"] not in ("status", "execute_input", "execute_reply")]


def test_both_streams_are_told_apart(channels: DirectChannels) -> None:
    cell = channels.run("import sys\nprint('out')\nprint('err', file=sys.stderr)")
    assert cell.text() == "out\n" and cell.text("stderr") == "err\n"


def test_text_and_displays_keep_their_order(channels: DirectChannels) -> None:
    cell = channels.run("for i in range(3):\n    print(i)\n    display(i)\nprint('end', end='')")
    assert kinds(cell) == ["stream", "display_data"] * 3 + ["stream"]


def test_a_lot_of_short_lines_all_come(channels: DirectChannels) -> None:
    cell = channels.run("for i in range(20000): print(i)")
    assert cell.text() == "".join(f"{i}\n" for i in range(20000))
    assert len(cell.of("stream")) < 2000, "text is put together"


def test_flushed_text_comes_while_the_cell_runs(channels: DirectChannels) -> None:
    cell = channels.run_until_printed("import threading\nprint('first', flush=True)\nthreading.Event().wait(0.5)\nprint('second')", "first")
    assert not cell.done and "second" not in cell.text()
    channels.collect(cell)
    assert cell.text() == "first\nsecond\n"


def test_unflushed_text_comes_while_the_cell_runs(channels: DirectChannels) -> None:
    cell = channels.run_until_printed("import threading\nprint('first')\nthreading.Event().wait(1)\nprint('second')", "first")
    assert not cell.done and "second" not in cell.text()
    channels.collect(cell)


def test_stdout_has_what_programs_ask_of_a_stream(channels: DirectChannels) -> None:
    cell = channels.run("import io, sys\n[isinstance(sys.stdout, io.TextIOBase), sys.stdout.encoding.lower(), sys.stdout.writable(),\n"
                        " sys.stdout.isatty(), sys.stdout.readable(), sys.stdout.closed, type(sys.stdout.fileno()), sys.stdout.write('') ]")
    assert cell.result == "[True, 'utf-8', True, False, False, False, int, 0]"


@pytest.mark.parametrize("code", [
    "!echo from outside",
    "import os\nos.system('echo from outside');",
    "import subprocess\nsubprocess.run(['echo', 'from outside'], check=True);",
    "import os\nos.write(1, b'from outside\\n');",
    "import ctypes\nlibc = ctypes.CDLL(None)\nlibc.puts(b'from outside')\nlibc.fflush(None);",
], ids=["shell", "system", "subprocess", "descriptor", "C"])
def test_what_others_write_into_the_cells_output_is_in_it(channels: DirectChannels, code: str) -> None:
    assert channels.run(code).text().replace("\r\n", "\n") == "from outside\n"


def test_errors_of_subprocesses_are_stderr(channels: DirectChannels) -> None:
    cell = channels.run("import subprocess\nsubprocess.run('echo wrong >&2', shell=True);")
    assert cell.text("stderr") == "wrong\n" and cell.text() == ""


def test_bytes_of_a_subprocess_that_are_no_text_become_a_mark(channels: DirectChannels) -> None:
    cell = channels.run("import subprocess\nsubprocess.run(['printf', r'a\\377b\\n']);")
    assert cell.text() == "a\N{REPLACEMENT CHARACTER}b\n"


def test_a_character_that_arrives_in_two_pieces_stays_whole(channels: DirectChannels) -> None:
    cell = channels.run("import os, time\nos.write(1, b'\\xe2\\x82')\ntime.sleep(0.2)\nos.write(1, b'\\xac\\n');")
    assert cell.text() == "€\n"


def test_a_lone_surrogate_breaks_no_message(channels: DirectChannels) -> None:
    cell = channels.run("print('a \\udc80 b')")
    assert cell.status == "ok" and cell.text().startswith("a ")
    cell.text().encode()
    assert channels.run("'\\udc80'").status == "ok"
    assert channels.run("print('well')").text() == "well\n"


@pytest.mark.parametrize("number", ["nan", "inf", "-inf"])
def test_a_number_that_json_lacks_breaks_no_message(channels: DirectChannels, number: str) -> None:
    cell = channels.run(f"display({{'application/json': {{'a': float('{number}')}}}}, raw=True)")
    assert cell.status == "ok" and len(cell.of("display_data")) == 1
    assert channels.run(f"float('{number}')").result == number


def test_a_display_is_updated_by_its_id(channels: DirectChannels) -> None:
    cell = channels.run("from IPython.display import HTML\nhandle = display(HTML('a'), display_id='one')\nhandle.update(HTML('b'))")
    first, second = cell.of("display_data")[0], cell.of("update_display_data")[0]
    assert first["data"]["text/html"] == "a" and second["data"]["text/html"] == "b"
    assert first["transient"] == second["transient"] == {"display_id": "one"}


def test_a_display_of_an_earlier_cell_can_be_updated(channels: DirectChannels) -> None:
    channels.run("handle = display('a', display_id=True)")
    assert len(channels.run("handle.update('b')").of("update_display_data")) == 1


def test_output_can_be_cleared(channels: DirectChannels) -> None:
    cell = channels.run("from IPython.display import clear_output\nprint('gone')\nclear_output(wait=True)\nprint('there')")
    assert kinds(cell) == ["stream", "clear_output", "stream"] and cell.of("clear_output") == [{"wait": True}]


def test_a_table_is_shown_as_html(channels: DirectChannels) -> None:
    result, = channels.run("import pandas\npandas.DataFrame({'a': [1, 2]})", timeout=60).of("execute_result")
    assert "<table" in result["data"]["text/html"] and "text/plain" in result["data"]


def test_figures_are_shown_with_and_without_show(channels: DirectChannels) -> None:
    cell = channels.run("%matplotlib inline\nimport matplotlib.pyplot as plt\nplt.plot([1, 2, 3]);\nplt.show()", timeout=60)
    assert len(shown(cell, "image/png")) == 1
    cell = channels.run("plt.plot([3, 2, 3]);")
    assert len(shown(cell, "image/png")) == 1 and shown(cell, "image/png")[0].startswith("iVBOR")
    assert shown(channels.run("1"), "image/png") == [], "it is shown once"


def test_figures_are_shown_without_the_magic(channels: DirectChannels) -> None:
    cell = channels.run("import matplotlib.pyplot as plt\nplt.figure()\nplt.plot([1]);", timeout=60)
    assert len(shown(cell, "image/png")) == 1


def test_an_image_is_shown(channels: DirectChannels) -> None:
    result, = channels.run("from PIL import Image\nImage.new('RGB', (4, 4), 'red')", timeout=60).of("execute_result")
    assert result["data"]["image/png"].startswith("iVBOR")


def test_a_threads_text_belongs_to_the_cell_that_started_it(channels: DirectChannels) -> None:
    first = channels.run("import threading\ngo = threading.Event()\ndef late():\n    go.wait(30)\n    print('late')\n"
                         "thread = threading.Thread(target=late)\nthread.start()")
    second = channels.begin("go.set()\nthread.join()\nprint('second')")
    channels.collect(first, second)
    assert first.text() == "late\n" and second.text() == "second\n"


def test_warnings_and_logs_are_on_stderr(channels: DirectChannels) -> None:
    cell = channels.run("import logging, warnings\nwarnings.warn('careful')\nlogging.getLogger().warning('look')")
    assert "careful" in cell.text("stderr") and "look" in cell.text("stderr")


def test_a_large_result_comes_whole(channels: DirectChannels) -> None:
    cell = channels.run("display({'text/plain': 'é' * 5_000_000}, raw=True)")
    assert cell.of("display_data")[0]["data"]["text/plain"] == "é" * 5_000_000


def test_large_texts_come_whole_in_their_places(channels: DirectChannels) -> None:
    cell = channels.run("display({'a': 'first', 'text/plain': '\\0\"\\\\é' * 1_000_000, 'text/html': 'x\\n' * 1_000_000,\n"
                        "         'image/png': b'\\x89' * 2_000_000, 'half': '\\ud800' * 1_500_000, 'z': [1]}, raw=True)")
    data = cell.of("display_data")[0]["data"]
    assert list(data) == ["a", "text/plain", "text/html", "image/png", "half", "z"]
    assert data["text/plain"] == '\0"\\é' * 1_000_000 and data["text/html"] == "x\n" * 1_000_000
    assert base64.b64decode(data["image/png"]) == b"\x89" * 2_000_000
    assert set(data["half"]) == {"\ufffd"} and data["z"] == [1]


def test_binary_data_is_shown_as_base64(channels: DirectChannels) -> None:
    cell = channels.run("display({'image/png': b'\\x89PNG'}, raw=True)")
    assert shown(cell, "image/png")[0].strip() == "iVBORw=="


THREE_THREADS = """
import threading
going = True
def talk(name):
    while going:
        print(name * 20)
threads = [threading.Thread(target=talk, args=(name,)) for name in 'abc']
for thread in threads: thread.start()
"""


def run_beside_three_printing_threads(channels: DirectChannels) -> None:
    """Every message is checked as it comes: its signature, its JSON."""
    channels.run(THREE_THREADS)
    try:
        for number in range(300):
            cell = channels.run(f"{number} + 1", timeout=30)
            assert cell.result == str(number + 1) and cell.text() == ""
    finally:
        channels.run("going = False\nfor thread in threads: thread.join()")
    assert channels.run("print('quiet')").text() == "quiet\n"


def test_cells_run_beside_three_printing_threads(channels: DirectChannels) -> None:
    run_beside_three_printing_threads(channels)


@pytest.mark.soak
@pytest.mark.parametrize("turn", range(20))
def test_cells_run_beside_three_printing_threads_again_and_again(channels: DirectChannels, turn: int) -> None:
    run_beside_three_printing_threads(channels)
