"""An interrupt ends what a cell does, and only that."""

import pytest

_SAY = "import asyncio; display('ready')\n"
_SAY_WHILE_WAITING = "import asyncio; asyncio.get_running_loop().call_later(0.01, display, 'ready')\n"


def _interrupted(shell, code, **how):
    name = shell.start(_SAY + code, **how)
    shell.next("display_data")
    shell.interrupt()
    return shell.finish(name).reply


@pytest.mark.parametrize(
    "code",
    [
        "while True: pass",
        "import time; time.sleep(30)",
        "import threading; threading.Event().wait()",
        "import asyncio\nawait asyncio.sleep(30)",
        "import asyncio\nwhile True: await asyncio.sleep(0)",
        "import asyncio\nawait asyncio.sleep(0)\nwhile True: pass",
        "import subprocess; subprocess.run(['sleep', '30'])",
        "import asyncio\nasync def spin():\n    while True: pass\nt = asyncio.create_task(spin())\nawait asyncio.sleep(30)",
    ],
)
def test_an_interrupt_ends_the_cell(shell, code):
    reply = _interrupted(shell, code)
    assert (reply["status"], reply["ename"]) == ("error", "KeyboardInterrupt")
    assert shell.run("1").result == "1"


def test_an_interrupted_await_publishes_one_error(shell):
    name = shell.start(_SAY_WHILE_WAITING + "await asyncio.sleep(30)")
    shell.next("display_data")
    shell.interrupt()
    (error,) = shell.finish(name).of("error")
    assert error["ename"] == "KeyboardInterrupt" and "sleep" in "".join(error["traceback"])


def test_what_awaits_may_clean_up(shell):
    name = shell.start(_SAY_WHILE_WAITING + "try: await asyncio.sleep(30)\nfinally: print('cleaned')")
    shell.next("display_data")
    shell.interrupt()
    assert "cleaned" in shell.finish(name).text()


def test_other_tasks_survive_an_interrupted_await(shell):
    shell.run("import asyncio\ngo = asyncio.Event()\nt = asyncio.create_task(go.wait())")
    assert _interrupted(shell, "await asyncio.sleep(30)")["ename"] == "KeyboardInterrupt"
    assert shell.run("go.set(); await t").result == "True"


def test_an_error_after_a_cancellation_that_nobody_asked_for_is_told_as_such(shell):
    assert shell.execute("import asyncio\nraise asyncio.CancelledError").reply["ename"] == "CancelledError"


def test_an_idle_kernel_ignores_interrupts(shell):
    for _ in range(5):
        shell.interrupt()
    assert shell.run("1").result == "1"
    for _ in range(5):
        shell.interrupt()
    assert shell.run("2").result == "2"


def test_tasks_between_cells_are_not_interrupted(shell):
    shell.run("import asyncio\nasync def f(): print('runs'); await asyncio.sleep(0.05); print('through')\nt = asyncio.create_task(f())")
    shell.next("stream")
    shell.interrupt()
    assert shell.run("await t; 5").result == "5"


def test_a_cell_has_pythons_own_handler(shell):
    assert shell.run("import signal; signal.getsignal(2) is signal.default_int_handler").result == "True"


def test_input_can_be_interrupted(shell):
    name = shell.start("input('? ')", allow_stdin=True)
    shell.next("input_request")
    shell.interrupt()
    assert shell.finish(name).reply["ename"] == "KeyboardInterrupt"
    assert shell.run("1").result == "1"


def test_user_expressions_can_be_interrupted(shell):
    shell.run("def forever():\n    print('ready')\n    while True: pass")
    name = shell.start("1", user_expressions={"a": "forever()"})
    shell.next("stream")
    shell.interrupt()
    reply = shell.finish(name).reply
    assert "KeyboardInterrupt" in (reply.get("ename"), reply["user_expressions"].get("a", {}).get("ename"))


def test_many_interrupts_at_any_moment_leave_the_kernel_whole(shell):
    shell.run("import time")
    for _ in range(50):
        name = shell.start("for i in range(2000): pass\ntime.sleep(0.001)")
        shell.interrupt()
        shell.interrupt()
        assert shell.finish(name).reply["status"] in ("ok", "error")
    assert shell.run("1").result == "1"


@pytest.mark.parametrize(
    "code",
    [
        "while True: pass",
        "import asyncio\nawait asyncio.sleep(30)",
        "import asyncio\nwhile True: await asyncio.sleep(0)",
        "!sleep 30",
    ],
)
def test_a_subshell_is_interrupted_alone(shell, code):
    shell.start_shell("sub")
    shell.run("import threading; go = threading.Event()")
    main = shell.start("display('main'); go.wait();")
    shell.next("display_data")
    name = shell.start(_SAY + code, shell="sub")
    shell.next("display_data")
    shell.interrupt("sub")
    assert shell.finish(name).reply["ename"] == "KeyboardInterrupt"
    assert shell.run("go.set(); 5", shell="sub").result == "5"
    assert shell.finish(main).reply["status"] == "ok"


def test_an_idle_subshell_survives_interrupts(shell):
    shell.start_shell("sub")
    for _ in range(20):
        shell.run("1", shell="sub")
        shell.interrupt("sub", when_idle=True)
    assert shell.run("2", shell="sub").result == "2"
