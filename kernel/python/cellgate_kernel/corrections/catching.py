"""Would somebody catch the exception? When that cannot be ruled out, it would."""

import asyncio
import concurrent.futures
import os
import sys
import threading
from typing import Any, Optional

from . import entering, guards, handovers, places, sources, swallowing
from .swallowing import MayBeCaught

# Functions out of which no exception of a cell comes: of IPython's shell, and of what kernels' loops are run by.
_ENDS = {
    **dict.fromkeys(("run_code", "run_cell_async", "_run_cell", "run_cell"), "IPython/core/interactiveshell.py"),
    **dict.fromkeys(("execute_request", "do_execute", "dispatch_shell"), "ipykernel/"),
    "start": "ipykernel/kernelapp.py",
    "_serve": "cellgate_shell/kernel.py",
}
_MAGICS = ("run_cell_magic", "run_line_magic")  # what these run is in the place of the cell that they are in

# Of what runs threads and tasks: it hands an exception on to whoever waits for the result.
_ASYNCIO = os.path.dirname(asyncio.__file__) + os.sep
_FUTURES = os.path.dirname(concurrent.futures.__file__) + os.sep
_RUNS_THREADS = {
    (threading.__file__, "run"), (threading.__file__, "_bootstrap_inner"), (threading.__file__, "_bootstrap"),
    (_FUTURES + "thread.py", "run"), (_FUTURES + "thread.py", "_worker"),
    (_FUTURES + "process.py", "_process_worker"), (_FUTURES + "process.py", "_process_chunk"),
}  # fmt: skip
_RESUMABLE = 0x20 | 0x80 | 0x100 | 0x200  # generators and coroutines of every kind
_MOST_FRAMES = 5_000  # of a stack that is walked


def would_be_caught(raising: Any, error: type) -> bool:
    """An `error` raised in the frame `raising`: by it, or by one that called it, up to where the cell began.

    In a thread or a task also by what any cell so far, and modules of the user's, do with others' exceptions.
    """
    try:
        _leave(raising, error)
    except MayBeCaught:
        return True
    return False


def _leave(raising: Any, error: Optional[type]) -> None:
    """The exception's way to where it ends; raises MayBeCaught."""
    frame, handed_on = raising, False
    for _ in range(_MOST_FRAMES):
        if _is_end(frame.f_code):
            _end_of_nested(frame)
            break
        hands_on = _hands_on(frame)
        if not hands_on and not _is_of_shell(frame.f_code.co_filename):
            error = _through_guards(frame, error)
        handed_on = handed_on or hands_on
        below = frame.f_back
        if below is None:
            if not handed_on or frame.f_code.co_filename != threading.__file__:
                raise MayBeCaught  # a thread that C began
            break
        if _hands_on(below):
            _handed_to(below, frame)
        elif not _is_of_shell(below.f_code.co_filename) and not _is_end(below.f_code) and not hands_on:
            error = entering.through(frame, below, error)
        frame = below
    else:
        raise MayBeCaught
    if handed_on:
        handovers.check(raising, error)


def _is_end(code: Any) -> bool:
    end = _ENDS.get(code.co_name)
    return end is not None and end in code.co_filename


def _end_of_nested(frame: Any) -> None:
    """A cell that another's code runs, and looks at what became of it; not one that a magic runs."""
    while frame is not None:
        code = frame.f_code
        if code.co_name in _MAGICS and _is_of_shell(code.co_filename):
            return
        if sources.cell_of(code.co_filename) is not None:
            raise MayBeCaught
        frame = frame.f_back


def _is_of_shell(filename: str) -> bool:
    """IPython shows the user what its own handlers catch."""
    ipython = sys.modules.get("IPython")  # where it is not loaded it has no frame on a stack
    return ipython is not None and filename.startswith(os.path.dirname(str(ipython.__file__)) + os.sep + "core" + os.sep)


def _hands_on(frame: Any) -> bool:
    code = frame.f_code
    if code.co_filename.startswith(_ASYNCIO):
        return code.co_filename != _ASYNCIO + "staggered.py"  # which keeps them
    return (code.co_filename, code.co_name) in _RUNS_THREADS


def _handed_to(hander: Any, entered: Any) -> None:
    """Of what asyncio calls, only coroutines' exceptions have a receiver: a callback's are logged."""
    if hander.f_code.co_filename.startswith(_ASYNCIO) and not _hands_on(entered) and not entered.f_code.co_flags & _RESUMABLE:
        raise MayBeCaught
    if hander.f_code.co_filename == threading.__file__ and not _is_default(threading.excepthook):
        raise MayBeCaught


def _is_default(hook: Any) -> bool:
    return hook is threading.__excepthook__ or getattr(hook, "__module__", "").split(".")[0] in ("ipykernel", "IPython", "cellgate_shell")


def _through_guards(frame: Any, error: Optional[type]) -> Optional[type]:
    code = frame.f_code
    if not getattr(code, "co_exceptiontable", b"unknown"):
        return error  # it has neither try nor with
    where = places.position(code, frame.f_lasti)
    tree = sources.tree_of(code.co_filename, frame.f_globals) if sources.belongs(code, frame.f_globals) else None
    if tree is None or where is None or guards.statement_at(tree, where) is None:
        raise MayBeCaught
    for guard in reversed(guards.around(tree, where)):
        error = swallowing.through(guard, frame, error)
    return error
