"""Error correction: what a cell must have meant, where that is certain; docs/corrections.md is the user's view.

A cell's reads x["key"] are compiled to calls of a C function (reads, read.c), which on a miss asks `misses`. What
depends on the whole cell (fences, returns) is changed before it is compiled (hook). Nothing is changed where the mode
is not True (modes); a failed cell is then told what it may have meant (suggestions).
"""

from typing import Any

from .hook import Hook

__all__ = ["install"]


def install(shell: Any) -> None:
    """Once for each shell; again: changes nothing."""
    if shell is None or not hasattr(shell, "transform_ast") or hasattr(shell, "_cellgate_corrections"):
        return
    hook = Hook(shell)
    shell.__dict__["_cellgate_corrections"] = hook
    hook.install()
