"""The names that every cell can use without importing anything."""

import builtins

from .tools import run_composio_tool


def publish() -> None:
    """As builtins: a variable of the same name wins, `del` of it gives ours back, and %who and %reset never see it."""
    for helper in (run_composio_tool,):
        setattr(builtins, helper.__name__, helper)
