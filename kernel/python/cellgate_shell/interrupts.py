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
    """Ignore interrupts of this thread from now on; one that has already come may still be raised here, and is dropped."""
    while True:
        try:
            if threading.current_thread() is threading.main_thread():
                signal.signal(signal.SIGINT, signal.SIG_IGN)
            for _ in range(2):  # where Python looks for an exception that was sent to this thread
                pass
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
    """Take back a KeyboardInterrupt that was sent to a thread and has not arrived. On another thread."""
    import ctypes

    send = ctypes.pythonapi.PyThreadState_SetAsyncExc
    send(ctypes.c_ulong(thread), None)
    # CPython 3.11 goes on looking for it, in which a traced thread is caught for ever, until some exception arrives.
    try:
        send(ctypes.c_ulong(threading.get_ident()), ctypes.py_object(KeyboardInterrupt))
        for _ in range(2):
            pass
    except KeyboardInterrupt:
        return
