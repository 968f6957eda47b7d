"""What this process publishes. There is one kernel in a process; before it starts, output is dropped."""

import os
from typing import Any, Dict, Optional, Sequence

from . import json_text, request

_running = request.running  # looked up for each print

_core: Any = None
_forked = False  # in a process that user code forked: the threads that send are not there


def connect(core: Any) -> None:
    """`core` is the `_cellgate` module of this kernel."""
    global _core, _forked
    _core, _forked = core, False


def core() -> Any:
    return _core


def reachable() -> bool:
    return _core is not None and not _forked


def publish(
    msg_type: str,
    content: Dict[str, Any],
    *,
    metadata: Optional[Dict[str, Any]] = None,
    buffers: Optional[Sequence[Any]] = None,
    parent: Optional[str] = None,
) -> None:
    """Send a message on iopub. `parent` is a header as JSON text; by default that of the current request."""
    if not reachable():
        return
    text, apart = json_text.dumps_apart(content)
    _core.publish(
        msg_type,
        text,
        apart=apart,
        metadata=json_text.dumps(metadata) if metadata else "{}",
        buffers=list(buffers or ()),
        parent=request.current().header if parent is None else parent,
    )


def write(name: str, text: str) -> None:
    """Text for the stream `name`; a forked process has its inherited descriptors, which the kernel reads."""
    if _core is not None and not _forked:
        _core.write(name, text, (_running.get() or request.current()).header)
    elif _core is not None:
        os.write(1 if name == "stdout" else 2, text.encode(errors="backslashreplace"))


def end_if_forked(error: Optional[BaseException] = None) -> None:
    """A process that a cell forked ends with the cell: the shell's loop and sockets are its parent's.

    Its status is that of a script that ended so. What it has buffered in files of its own is lost, as in os._exit().
    """
    if not _forked:
        return
    if isinstance(error, SystemExit):
        code = error.code
        os._exit(code & 0xFF if isinstance(code, int) else code is not None)
    os._exit(error is not None)


def _is_forked() -> None:
    global _forked
    _forked = True
    if _core is not None:
        _core.leave_to_parent()


os.register_at_fork(after_in_child=_is_forked)
