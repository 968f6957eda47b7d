"""``from composio_helper import run_composio_tool``: the name under which agents' code knows the helpers."""

from cellgate_kernel.documents import smart_file_extract
from cellgate_kernel.model import invoke_llm
from cellgate_kernel.tools import run_composio_tool
from cellgate_kernel.web import web_search

__all__ = ["invoke_llm", "run_composio_tool", "smart_file_extract", "web_search"]
