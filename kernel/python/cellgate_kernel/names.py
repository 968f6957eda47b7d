"""The names that every cell can use without importing anything."""

import builtins

from .documents import smart_file_extract
from .model import invoke_llm
from .mount_files import get_mount_file_s3_key, get_mount_file_url, upload_local_file
from .proxy import proxy_execute
from .tools import run_composio_tool
from .web import web_search

HELPERS = (
    run_composio_tool,
    invoke_llm,
    web_search,
    proxy_execute,
    smart_file_extract,
    upload_local_file,
    get_mount_file_url,
    get_mount_file_s3_key,
)


def publish() -> None:
    """As builtins: a variable of the same name wins, `del` of it gives ours back, and %who and %reset never see it."""
    for helper in HELPERS:
        setattr(builtins, helper.__name__, helper)
