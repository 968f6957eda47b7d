"""A thread prints into the cell that started it."""

import functools
import threading

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
