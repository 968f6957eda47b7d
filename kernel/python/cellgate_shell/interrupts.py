"""SIGINT: an exception while the main shell runs users' code, ignored otherwise, so that it is harmless when idle."""

import contextlib
import signal
import threading
from typing import Any, Callable, Iterator


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
    """SIGINT calls `cancel` while `loop` waits, and is KeyboardInterrupt in whatever task it runs."""
    import asyncio

    def on_signal(number: int, frame: Any) -> None:
        if asyncio.current_task(loop) is not None:
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
