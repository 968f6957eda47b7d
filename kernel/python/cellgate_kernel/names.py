"""The names that every cell can use without importing anything."""

import builtins

from .documents import smart_file_extract
from .model import invoke_llm
from .tools import run_composio_tool
from .web import web_search

HELPERS = (run_composio_tool, invoke_llm, web_search, smart_file_extract)


def publish() -> None:
    """As builtins: a variable of the same name wins, `del` of it gives ours back, and %who and %reset never see it."""
    for helper in HELPERS:
        setattr(builtins, helper.__name__, helper)
