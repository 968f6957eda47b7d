"""Would some frame on the stack catch the exception? When that cannot be ruled out, it would."""

import asyncio
import concurrent.futures
import os
import sys
import threading
from typing import Any, Optional, Tuple

from . import guards, handovers, places, swallowing

# Functions out of which no exception of a cell comes: of IPython's shell, and of what kernels' loops are run by.
_ENDS = {
    **dict.fromkeys(("run_code", "run_cell_async", "_run_cell", "run_cell"), "IPython/core/interactiveshell.py"),
    **dict.fromkeys(("execute_request", "do_execute", "dispatch_shell"), "ipykernel/"),
    "start": "ipykernel/kernelapp.py",
    "_serve": "cellgate_shell/kernel.py",
}

_PACKAGES = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))


# Files of what runs threads and tasks: they hand an exception on to whoever waits for the result.
_HANDERS = (threading.__file__, *(os.path.dirname(each.__file__) + os.sep for each in (asyncio, concurrent.futures)))


def _carriers() -> Tuple[str, ...]:
    """Files of what runs cells, threads and tasks: their own handlers keep no exception from the user."""
    folders = [_PACKAGES]
    for name in ("IPython", "ipykernel", "tornado"):
        loaded = sys.modules.get(name)  # what is not loaded has no frame on a stack, and costs much to import
        if loaded is not None and loaded.__file__:
            folders.append(os.path.dirname(loaded.__file__))
    return (*_HANDERS, *(folder + os.sep for folder in folders))


def would_be_caught(raising: Any, error: type, running: Optional[str]) -> bool:
    """An `error` raised in the frame `raising`: by it, or by one that called it, up to where the cell began.

    In a thread or a task also by what the cells that it came by, and the one in the file `running`, do with others'.
    """
    carriers, files, handed_on = _carriers(), {running}, False
    frame = raising
    while frame is not None and not _is_end(frame.f_code):
        filename = frame.f_code.co_filename
        if filename.startswith(carriers):
            handed_on = handed_on or filename.startswith(_HANDERS)
        elif _catches(frame, error):
            return True
        files.add(filename)
        frame = frame.f_back
    return handed_on and any(handovers.may_be_taken(each, lambda kind: swallowing.handles(kind, raising, error)) for each in files)


def _is_end(code: Any) -> bool:
    end = _ENDS.get(code.co_name)
    return end is not None and end in code.co_filename


def _catches(frame: Any, error: type) -> bool:
    code = frame.f_code
    if not getattr(code, "co_exceptiontable", b"unknown"):
        return False  # it has neither try nor with
    tree = places.tree_of(code.co_filename, frame.f_globals)
    where = places.position(code, frame.f_lasti)
    if tree is None or where is None or not any(guards.holds(each, where) for each in tree.body):
        return True
    return any(swallowing.may_catch(guard, frame, error) for guard in guards.around(tree, where))
