"""What Cellgate puts into every Python kernel: tool calls, packages on demand, an iopub socket that loses nothing.

The gateway makes this package importable (its directory is the last entry of ``sys.path``, so that it shadows nothing
of the user's) and calls ``install()`` in a silent request before the first cell. Nothing of it is put into the user's
namespace: the helpers (``run_composio_tool``, ``invoke_llm``, ``smart_file_extract`` and the like: names.py) are builtins, which any
variable of the same name hides and ``del`` brings back.

Standard library only, Python 3.8 and later: it also runs in a virtual environment that knows nothing of Cellgate.
"""

import os
from typing import Any, Dict, Mapping, Optional

from . import corrections, iopub, magics, names, packages, settings, streams

__all__ = ["configure", "install"]


def install(given: Optional[Mapping[str, Any]] = None) -> None:
    """Prepare this kernel; calling it again only renews the settings.

    `given` are the settings themselves, ``{"helper_key", "socket", "tool_timeout_s", "install", "error_correction"}``.
    Without it they are taken from ``metadata["cellgate"]`` of the request that is being run, which xeus-python does not
    show to Python.
    """
    shell = _current_shell()
    found: Dict[str, Any] = dict(given) if given is not None else settings.of_request(shell)
    if found:
        settings.keep(settings.Settings.parse(found))
    iopub.send_without_limit(getattr(shell, "kernel", None))
    names.publish()
    magics.register(shell)
    packages.install(shell)
    corrections.install(shell)
    streams.install(shell)


def configure(
    env: Optional[Mapping[str, Optional[str]]] = None,
    working_dir: Optional[str] = None,
    cell_defaults: Optional[Mapping[str, Any]] = None,
) -> None:
    """Give a kernel from the warm pool the environment, the working directory and the rules of its session.

    A variable whose value is None is removed. A directory that cannot be entered raises, so that the gateway sees it.
    `cell_defaults` are settings for the cells whose requests do not say themselves; other settings stay as they are.
    """
    for name, value in (env or {}).items():
        if value is None:
            os.environ.pop(name, None)
        else:
            os.environ[name] = value
    if working_dir:
        os.chdir(working_dir)
    if cell_defaults:
        settings.change(cell_defaults)


def _current_shell() -> Any:
    try:
        from IPython import get_ipython
    except ImportError:  # a kernel without IPython, such as xeus-python in raw mode
        return None
    return get_ipython()
