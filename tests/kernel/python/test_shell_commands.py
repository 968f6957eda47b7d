"""Shell commands in cells: `!command`."""

import os
import time

import pytest
from shell_client import wait_until


def test_the_output_of_a_command_is_printed(shell):
    assert shell.run("!echo $((1 + 1)); echo err >&2").text() == "2\nerr\n"


def test_its_exit_status_is_kept(shell):
    assert shell.run("!exit 3\n_exit_code").result == "3"
    assert shell.run("!kill -9 $$\n_exit_code").result == "-9"
    assert shell.run("!true\n_exit_code").result == "0"


def test_variables_of_the_cell_are_put_in(shell):
    assert shell.run("x = 5\n!echo {x + 1} $x $$HOME").text() == f"6 5 {shell.home}\n"


def test_output_comes_while_the_command_runs(shell, tmp_path):
    os.mkfifo(tmp_path / "go")
    name = shell.start(f"!echo first; cat {tmp_path}/go")
    assert shell.next("stream")["content"]["text"] == "first\n"
    with open(tmp_path / "go", "w") as go:
        go.write("second\n")
    assert shell.finish(name).text() == "second\n"


def test_much_output_is_whole(shell):
    assert shell.run("!seq 100000").text() == "".join(f"{n}\n" for n in range(1, 100001))


def test_text_that_is_no_utf8_is_shown_as_far_as_it_is(shell):
    assert shell.run("!printf 'a\\303\\251\\377b\\303'").text() == "aé�b�"


def test_a_command_finds_a_terminal_and_no_input(shell):
    assert shell.run("!test -t 1 && echo terminal; cat; stty size <&1").text() == "terminal\n24 80\n"


def test_a_command_that_leaves_a_process_behind_is_not_waited_for(shell):
    began = time.monotonic()
    assert shell.run("!(sleep 20 &) ; echo done").text() == "done\n"
    assert time.monotonic() - began < 15


@pytest.mark.parametrize("command", ["sleep 30", "cat /dev/zero > /dev/null", "sleep 30 | sleep 30", "trap '' INT; sleep 30"])
def test_an_interrupt_ends_the_command_and_the_cell(shell, command):
    name = shell.start(f"!echo $$; {command}\nprint('not reached')")
    process = int(shell.next("stream")["content"]["text"])
    shell.interrupt()
    cell = shell.finish(name)
    assert cell.reply["ename"] == "KeyboardInterrupt" and "not reached" not in cell.text()
    wait_until(lambda: not os.path.exists(f"/proc/{process}"))
    assert shell.run("1").result == "1"


def test_what_an_interrupted_command_says_last_is_shown(shell):
    name = shell.start("!trap 'echo cleaned; exit 1' INT; echo ready; while :; do sleep 0.01; done")
    shell.next("stream")
    shell.interrupt()
    assert "cleaned\n" in shell.finish(name).text()


def test_descriptors_are_closed_again(shell):
    shell.run("import os\ncount = lambda: len(os.listdir('/proc/self/fd'))\n!true")
    assert shell.run("before = count()\nfor _ in range(20): get_ipython().system('true')\ncount() - before").result == "0"


def test_a_commands_output_can_be_assigned(shell):
    assert shell.run("lines = !printf 'a\\nb\\n'\nlist(lines)").result == "['a', 'b']"


def test_a_bash_cell_can_be_interrupted(shell):
    name = shell.start("%%bash\necho ready\nsleep 30")
    shell.next("stream")
    shell.interrupt()
    shell.finish(name)
    assert shell.run("1").result == "1"


@pytest.mark.parametrize(
    "code",
    [
        "import os; os.system('true')",
        "import subprocess; subprocess.run(['true'])",
        "import subprocess; subprocess.check_output(['true'])",
        "import os; os.waitpid(os.posix_spawn('/bin/true', ['true'], {}), 0)",
        "import multiprocessing as m; p = m.get_context('fork').Process(target=print); p.start(); p.join()",
        "import asyncio; await (await asyncio.create_subprocess_exec('true')).wait()",
    ],
)
def test_what_a_child_wrote_comes_before_what_is_printed_then(shell, code):
    types = shell.run(f"print('before')\n{code};\nprint('after')").trace
    assert "drained" in types and types.index("stream") < types.index("drained")
    assert "stream" in types[types.index("drained") :]
