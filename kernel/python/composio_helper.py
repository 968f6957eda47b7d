"""``from composio_helper import run_composio_tool``: the name under which agents' code knows the helpers."""

from cellgate_kernel.tools import run_composio_tool

__all__ = ["run_composio_tool"]
