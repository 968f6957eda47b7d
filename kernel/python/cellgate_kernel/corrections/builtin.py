"""The C function that reads are compiled to, and what lets others live with it."""

import ast
import contextlib
import functools
import importlib
import sys
from typing import Any, Callable, Optional, Tuple

from .reads import READ

LEAST_PYTHON = (3, 11)  # whose traceback positions the corrections need, and whose stable ABI read.c is built for


if sys.version_info >= LEAST_PYTHON:
    with contextlib.suppress(ImportError):
        from . import _read  # noqa: F401  # already here, since kernels are forked with what is imported by then


class _Operator:
    """What the function is an attribute of: pickled, and so in any other interpreter, it is operator.getitem."""

    def __reduce__(self) -> Tuple[Any, ...]:
        return importlib.import_module, ("operator",)


def load(missed: Callable[..., Any], name_is_read: Callable[[str], bool]) -> Tuple[Optional[Any], str]:
    """(the function, "") or (None, why there is none)."""
    if sys.version_info < LEAST_PYTHON:
        return None, "it needs Python %d.%d" % LEAST_PYTHON
    try:
        from . import _read  # type: ignore[attr-defined]
    except ImportError as error:
        return None, str(error)
    return _read.make(_Operator(), missed, name_is_read), ""


def accept_in_tracebacks() -> None:
    """IPython marks the failing expression by a library that checks it against the instruction, which is a call here."""
    try:
        from executing._position_node_finder import PositionNodeFinder
    except ImportError:  # another version: its tracebacks mark the line only
        return
    original = PositionNodeFinder.verify
    if hasattr(original, "_cellgate"):
        return

    @functools.wraps(original)
    def verify(self: Any, node: Any, instruction: Any) -> Any:
        if isinstance(node, ast.Subscript) and instruction.opname == "CALL" and READ in self.frame.f_code.co_names:
            return None
        return original(self, node, instruction)

    verify._cellgate = True  # type: ignore[attr-defined]
    PositionNodeFinder.verify = verify
