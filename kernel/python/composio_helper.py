"""``from composio_helper import run_composio_tool``: the name under which agents' code knows the helpers."""

from cellgate_kernel.documents import smart_file_extract
from cellgate_kernel.model import invoke_llm
from cellgate_kernel.mount_files import get_mount_file_s3_key, get_mount_file_url, upload_local_file
from cellgate_kernel.proxy import proxy_execute
from cellgate_kernel.tools import run_composio_tool
from cellgate_kernel.web import web_search

__all__ = [
    "get_mount_file_s3_key",
    "get_mount_file_url",
    "invoke_llm",
    "proxy_execute",
    "run_composio_tool",
    "smart_file_extract",
    "upload_local_file",
    "web_search",
]
