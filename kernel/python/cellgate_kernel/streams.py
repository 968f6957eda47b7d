"""The standard streams after a cell that was interrupted.

Such a cell, one that ran into its deadline above all, had no chance to take back what it had put in their place; every later
cell would print into that.
"""

import asyncio
import sys
from typing import Any, Tuple


class Streams:
    """Knows what sys.stdout and sys.stderr were when the cell began."""

    def __init__(self) -> None:
        self._before: Tuple[Any, Any] = (sys.stdout, sys.stderr)

    def before_cell(self, *_: Any) -> None:
        self._before = (sys.stdout, sys.stderr)

    def after_cell(self, result: Any = None) -> None:
        if isinstance(getattr(result, "error_in_exec", None), (KeyboardInterrupt, asyncio.CancelledError)):
            sys.stdout, sys.stderr = self._before


def install(shell: Any) -> None:
    """Look after the streams of this shell; again is no harm."""
    if not hasattr(shell, "events") or getattr(shell, "_cellgate_streams", None) is not None:
        return
    shell._cellgate_streams = Streams()
    shell.events.register("pre_run_cell", shell._cellgate_streams.before_cell)
    shell.events.register("post_run_cell", shell._cellgate_streams.after_cell)
