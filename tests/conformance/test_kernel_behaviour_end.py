"""How a kernel ends: asked by a client, with what Python does at its end, and leaving nothing behind."""

import time
from collections.abc import Callable

import pytest

from conformance.kernels import Kernel
from support.direct import DirectChannels
from support.waiting import eventually


@pytest.mark.parametrize("restart", [False, True])
def test_a_shutdown_is_confirmed_and_follows(start_kernel: Callable[..., Kernel], restart: bool) -> None:
    kernel = start_kernel()
    with kernel.connect() as channels:
        reply = channels.request("shutdown_request", {"restart": restart}, channel="control")
        assert reply == {"status": "ok", "restart": restart}
        eventually(lambda: not kernel.is_alive(), 10, "it ends")


def test_a_shutdown_by_shell_works_too(start_kernel: Callable[..., Kernel]) -> None:
    kernel = start_kernel()
    with kernel.connect() as channels:
        assert channels.request("shutdown_request", {"restart": False})["status"] == "ok"
        eventually(lambda: not kernel.is_alive(), 10, "it ends")


def test_what_is_registered_for_the_end_runs_and_is_heard(start_kernel: Callable[..., Kernel]) -> None:
    kernel = start_kernel()
    with kernel.connect() as channels:
        channels.run("import atexit, sys\natexit.register(lambda: print('the end', flush=True))")
        channels.send("shutdown_request", {"restart": False}, channel="control")
        channels.wait_for(lambda message: message["header"]["msg_type"] == "stream" and message["content"]["text"] == "the end\n", 10)
        eventually(lambda: not kernel.is_alive(), 10, "it ends")


def test_a_shutdown_ends_a_busy_cell(start_kernel: Callable[..., Kernel]) -> None:
    kernel = start_kernel()
    with kernel.connect() as channels:
        channels.run_until_printed("print('begun', flush=True)\nwhile True: pass", "begun")
        channels.send("shutdown_request", {"restart": False}, channel="control")
        eventually(lambda: not kernel.is_alive(), 15, "it ends")


def test_threads_that_go_on_do_not_hold_it_up(start_kernel: Callable[..., Kernel]) -> None:
    kernel = start_kernel()
    with kernel.connect() as channels:
        channels.run("import threading\nthreading.Thread(target=threading.Event().wait, daemon=True).start()")
        channels.send("shutdown_request", {"restart": False}, channel="control")
        eventually(lambda: not kernel.is_alive(), 10, "it ends")


def test_the_end_is_quick(start_kernel: Callable[..., Kernel]) -> None:
    kernel = start_kernel()
    with kernel.connect() as channels:
        begin = time.monotonic()
        channels.send("shutdown_request", {"restart": False}, channel="control")
        eventually(lambda: not kernel.is_alive(), 10, "it ends")
        print(f"{1000 * (time.monotonic() - begin):.0f} ms")
        assert time.monotonic() - begin < 3


def test_a_kernel_that_crashes_says_so_by_its_end(start_kernel: Callable[..., Kernel]) -> None:
    kernel = start_kernel()
    with kernel.connect() as channels:
        channels.send("execute_request", {"code": "import ctypes\nctypes.string_at(0)", "silent": False})
        eventually(lambda: not kernel.is_alive(), 10, "it ends")
