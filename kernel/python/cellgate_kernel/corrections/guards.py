"""Would some frame on the stack catch the exception? When that cannot be ruled out, it would."""

import ast
import asyncio
import concurrent.futures
import os
import sys
import threading
from typing import Any, Iterator, List, Optional, Tuple

from . import handovers, managers, places

_FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda, ast.ClassDef)
_TRIES = tuple(getattr(ast, name) for name in ("Try", "TryStar") if hasattr(ast, name))

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
    return handed_on and any(handovers.may_be_taken(each, lambda kind: _handles(kind, raising, error)) for each in files)


def _is_end(code: Any) -> bool:
    end = _ENDS.get(code.co_name)
    return end is not None and end in code.co_filename


def _catches(frame: Any, error: type) -> bool:
    code = frame.f_code
    if not getattr(code, "co_exceptiontable", b"unknown"):
        return False  # it has neither try nor with
    tree = places.tree_of(code.co_filename, frame.f_globals)
    where = places.position(code, frame.f_lasti)
    if tree is None or where is None or not any(_holds(each, where) for each in tree.body):
        return True
    return any(may_catch(guard, frame, error) for guard in around(tree, where))


def around(tree: ast.Module, where: places.Position) -> List[ast.AST]:
    """The try and with statements of the innermost function around a place, in whose protected part it lies."""
    found: List[ast.AST] = []
    body: Optional[List[Any]] = tree.body  # type: ignore[assignment]
    while body is not None:
        body = _descend(body, where, found)
    return found


def _descend(nodes: List[Any], where: places.Position, found: List[ast.AST]) -> Optional[List[Any]]:
    """The nodes in the one of `nodes` that holds the place; guards are added to `found`, which a function empties."""
    node = next((each for each in nodes if _holds(each, where)), None)
    if node is None:
        return None
    if isinstance(node, _FUNCTIONS):
        body = node.body if isinstance(node.body, list) else [node.body]
        if any(_holds(each, where) for each in body):
            found.clear()
    elif isinstance(node, _TRIES):
        protected = node.body
        if any(_leaves(each) for each in node.finalbody):
            protected = [*node.body, *node.handlers, *node.orelse]
        if any(_holds(each, where) for each in protected):
            found.append(node)
    elif isinstance(node, (ast.With, ast.AsyncWith)):
        if any(_holds(each, where) for each in [*node.body, *(item.context_expr for item in node.items[1:])]):
            found.append(node)
    return list(_children(node))


def _children(node: ast.AST) -> Iterator[ast.AST]:
    """Those with a position; what has none (arguments, with items) is looked through."""
    for child in ast.iter_child_nodes(node):
        if hasattr(child, "lineno"):
            yield child
        else:
            yield from _children(child)


def _holds(node: Any, where: places.Position) -> bool:
    start = min([(node.lineno, node.col_offset), *((each.lineno, each.col_offset) for each in getattr(node, "decorator_list", ()))])
    return start <= (where.line, where.column) and (where.end_line, where.end_column) <= (node.end_lineno, node.end_col_offset)


def _leaves(node: ast.AST) -> bool:
    """Can a statement of a finally clause drop the exception? Those in loops and functions of its own count too."""
    return any(isinstance(each, (ast.Return, ast.Break, ast.Continue)) for each in ast.walk(node))


def may_catch(guard: Any, frame: Any, error: type) -> bool:
    if isinstance(guard, (ast.With, ast.AsyncWith)):
        return not all(managers.lets_pass(item.context_expr, frame) for item in guard.items)
    if any(_leaves(each) for each in guard.finalbody):
        return True
    return any(_handles(handler.type, frame, error) for handler in guard.handlers)


def _handles(caught: Optional[ast.AST], frame: Any, error: type) -> bool:
    if caught is None:
        return True
    if isinstance(caught, ast.Tuple):
        return any(_handles(each, frame, error) for each in caught.elts)
    try:
        kinds = managers.value_of(caught, frame)
    except LookupError:
        return True
    every = kinds if isinstance(kinds, tuple) else (kinds,)
    return any(not isinstance(kind, type) or issubclass(error, kind) or _stands_for_others(kind) for kind in every)


def _stands_for_others(kind: type) -> bool:
    """SQLite reports any exception of a function that it calls as one of its own."""
    return kind.__module__ in ("sqlite3", "_sqlite3")
