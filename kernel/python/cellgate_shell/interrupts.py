"""SIGINT: an exception while the main shell runs users' code, ignored otherwise, so that it is harmless when idle."""

import asyncio
import contextlib
import os
import selectors
import signal
import threading
from typing import Any, Callable, Iterator

_LOOP_FILES = (os.path.dirname(asyncio.__file__) + os.sep, selectors.__file__)
_LOOP_FUNCTIONS = ("_run", "_run_once", "run_forever", "run_until_complete")


def ignore() -> None:
    """Ignore SIGINT from now on; one that has already come may still be raised here, and is dropped."""
    if threading.current_thread() is not threading.main_thread():
        return
    while True:
        try:
            signal.signal(signal.SIGINT, signal.SIG_IGN)
            return
        except KeyboardInterrupt:
            continue


@contextlib.contextmanager
def possible() -> Iterator[None]:
    """SIGINT raises KeyboardInterrupt within. In other threads than the main one: as it was."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    try:
        signal.signal(signal.SIGINT, signal.default_int_handler)
        yield
    finally:
        ignore()


@contextlib.contextmanager
def cancelling(loop: Any, cancel: Callable[[], None]) -> Iterator[None]:
    """SIGINT is KeyboardInterrupt in the code that `loop` runs; while it runs none, `cancel` is called."""

    def on_signal(number: int, frame: Any) -> None:
        if in_users_code(frame):
            raise KeyboardInterrupt
        cancel()  # at once: a callback could come after a task that never ends
        loop.call_soon_threadsafe(lambda: None)  # wakes it

    if (
        threading.current_thread() is not threading.main_thread()
        or signal.getsignal(signal.SIGINT) is not signal.default_int_handler
    ):
        yield  # not ours to handle
        return
    signal.signal(signal.SIGINT, on_signal)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, signal.default_int_handler)


def in_users_code(frame: Any) -> bool:
    """Does an asyncio loop run something in this frame? An exception in asyncio's own code would lose a task's next step."""
    while frame is not None:
        code = frame.f_code
        if code.co_name in _LOOP_FUNCTIONS:
            return False
        if not code.co_filename.startswith(_LOOP_FILES):
            return True
        frame = frame.f_back
    return True


def withdraw(thread: int) -> None:
    """Take back an exception that was sent to a thread and has not arrived."""
    import ctypes

    ctypes.pythonapi.PyThreadState_SetAsyncExc(ctypes.c_ulong(thread), None)
