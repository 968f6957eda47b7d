"""Cells that start processes, set signals, use debuggers' prompts, or do what shakes an interpreter."""

import pytest

from conformance.kernels import Kernel
from support.direct import DirectChannels
from support.framing import Message


def run(channels: DirectChannels, code: str) -> str:
    cell = channels.run(code, timeout=30)
    assert cell.status == "ok", cell.of("error")
    return cell.text()


def test_a_forked_child_prints_into_the_cell(channels: DirectChannels) -> None:
    text = run(channels, "import os, sys\nchild = os.fork()\nif child == 0:\n    print('child', flush=True)\n    os._exit(0)\n"
                         "os.waitpid(child, 0)\nprint('parent')")
    assert sorted(text.split()) == ["child", "parent"]


def test_a_pool_of_forked_processes_works(channels: DirectChannels) -> None:
    text = run(channels, "import multiprocessing\ndef square(x):\n    print('in a child', x)\n    return x * x\n"
                         "with multiprocessing.get_context('fork').Pool(2) as pool:\n    print(pool.map(square, range(4)))")
    assert "[0, 1, 4, 9]" in text and text.count("in a child") == 4


def test_an_executor_of_processes_works(channels: DirectChannels) -> None:
    text = run(channels, "from concurrent.futures import ProcessPoolExecutor\ndef cube(x): return x ** 3\n"
                         "with ProcessPoolExecutor(2) as pool: print(list(pool.map(cube, range(4))))")
    assert text == "[0, 1, 8, 27]\n"


def test_a_forked_child_that_ends_like_a_program_leaves_the_kernel(channels: DirectChannels, kernel: Kernel) -> None:
    run(channels, "import os, sys\nchild = os.fork()\nif child == 0:\n    try:\n        sys.exit(0)\n    finally:\n        os._exit(7)\n"
                  "print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))")
    assert channels.run("6 * 7").result == "42" and kernel.is_alive()


def test_an_alarm_goes_off(channels: DirectChannels) -> None:
    text = run(channels, "import signal, threading\nold = signal.signal(signal.SIGALRM, lambda *_: print('rang'))\n"
                         "signal.setitimer(signal.ITIMER_REAL, 0.1)\nimport time\ntime.sleep(0.4)\nsignal.signal(signal.SIGALRM, old)")
    assert text == "rang\n"


def test_a_cells_own_handler_of_interrupts_is_called_and_is_gone_after_it(channels: DirectChannels, kernel: Kernel) -> None:
    cell = channels.run_until_printed("import signal, time\nheard = []\nsignal.signal(signal.SIGINT, lambda *_: heard.append(1))\n"
                                      "print('begun', flush=True)\nuntil = time.monotonic() + 10\n"
                                      "while not heard and time.monotonic() < until: time.sleep(0.01)\nheard", "begun")
    kernel.signal()
    channels.collect(cell)
    assert cell.result == "[1]"
    looping = channels.run_until_printed("print('begun', flush=True)\nwhile True: pass", "begun")
    kernel.signal()
    channels.collect(looping)
    assert looping.error == "KeyboardInterrupt"


def test_endless_recursion_is_an_error(channels: DirectChannels, kernel: Kernel) -> None:
    assert channels.run("def again(): return again()\nagain()").error == "RecursionError"
    assert kernel.is_alive()


def test_too_much_memory_is_an_error(channels: DirectChannels) -> None:
    assert channels.run("b'x' * (1 << 60)").error == "MemoryError"


def test_redirected_output_goes_where_it_is_sent(channels: DirectChannels) -> None:
    text = run(channels, "import contextlib, io\nwith contextlib.redirect_stdout(io.StringIO()) as taken:\n    print('hidden')\n"
                         "print(repr(taken.getvalue()))")
    assert text == "'hidden\\n'\n"


def test_a_replaced_stdout_harms_only_itself(channels: DirectChannels) -> None:
    channels.run("import sys\nkept = sys.stdout\nsys.stdout = None\nprint('nowhere')")
    channels.run("sys.stdout = kept")
    assert run(channels, "print('back')") == "back\n"


@pytest.mark.parametrize("code", ["breakpoint()", "import pdb\npdb.set_trace()"])
def test_a_debuggers_prompt_asks_the_client(channels: DirectChannels, code: str) -> None:
    cell = channels.begin(f"inner = 41\n{code}\nprint('done')", allow_stdin=True)
    for line in ("p inner + 1", "c"):
        asked: list[Message] = []
        channels.collect(cell, until=lambda message: message["header"]["msg_type"] == "input_request" and not asked.append(message))
        channels.answer_input(line, asked[0])
    channels.collect(cell)
    assert cell.status == "ok" and "42" in cell.text() and "done" in cell.text()


def test_quit_asks_the_client_to_end_it(channels: DirectChannels) -> None:
    payload = channels.run("quit(keep_kernel=True)").reply["content"]["payload"]
    assert [item["source"] for item in payload] == ["ask_exit"] and payload[0]["keepkernel"] is True


def test_code_of_a_megabyte_runs(channels: DirectChannels) -> None:
    assert channels.run("x = '" + "a" * 1_000_000 + "'\nlen(x)").result == "1000000"


def test_a_nested_loop_is_refused_and_a_thread_may_have_one(channels: DirectChannels) -> None:
    channels.run("import asyncio, threading\nasync def answer(): return 42")
    assert channels.run("asyncio.run(answer())").error in ("RuntimeError", None)
    text = run(channels, "thread = threading.Thread(target=lambda: print(asyncio.run(answer())))\nthread.start()\nthread.join()")
    assert text == "42\n"


def test_a_generator_left_open_and_a_task_that_failed_are_told_of_quietly(channels: DirectChannels, kernel: Kernel) -> None:
    channels.run("import asyncio\nasync def fail(): raise ValueError('in a task')\ntask = asyncio.create_task(fail())")
    channels.run("del task\nimport gc\ngc.collect()")
    assert channels.run("1 + 1").result == "2" and kernel.is_alive()


def test_a_child_process_does_not_have_the_kernels_sockets(channels: DirectChannels) -> None:
    text = run(channels, "import subprocess\nprint(subprocess.run(['ls', '/proc/self/fd'], capture_output=True, text=True).stdout)")
    assert len(text.split()) <= 4, "0, 1, 2 and the directory"
    shell = run(channels, "!ls /proc/self/fd")
    assert len(shell.split()) <= 5
