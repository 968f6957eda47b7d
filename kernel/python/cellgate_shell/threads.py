"""A thread prints into the cell that started it; a shell's thread has the shell's name."""

import contextlib
import functools
import threading
from typing import Iterator, Optional

from . import request


def follow() -> None:
    """Make `threading.Thread.start` hand its caller's request to the thread. Calling it again changes nothing."""
    start = threading.Thread.start
    if hasattr(start, "_cellgate"):
        return

    @functools.wraps(start)
    def start_inheriting(self: threading.Thread) -> None:
        request.inherit(self)
        start(self)

    start_inheriting._cellgate = True  # type: ignore[attr-defined]
    threading.Thread.start = start_inheriting  # type: ignore[method-assign]


@contextlib.contextmanager
def named_after(shell_id: Optional[str]) -> Iterator[None]:
    """The calling thread is known by its subshell's name, in a debugger say. The main thread keeps its own."""
    if shell_id is None:
        yield
        return
    thread = threading.current_thread()
    thread.name = f"Subshell {shell_id}"
    try:
        yield
    finally:
        if isinstance(thread, threading._DummyThread):  # C++ started it: Python would list it for ever
            threading._active.pop(threading.get_ident(), None)
