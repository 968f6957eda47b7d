"""What becomes of an exception in a try or with statement: it passes, another takes its place, or it may be caught.

Only what is known to let it pass does. An exception is its type, or ANY where it is not known which took its place.
"""

import abc
import ast
import builtins
import contextlib
import dis
import inspect
import io
import sys
import types
from typing import Any, Optional, Tuple

from . import guards, places, sources, values

ANY: Optional[type] = None

_HARMLESS_CALLS = {
    ("_io", "open"), ("io", "open"), ("os", "fdopen"), ("os", "scandir"), ("_sqlite3", "connect"), ("sqlite3", "connect"),
    ("urllib.request", "urlopen"), ("tempfile", "NamedTemporaryFile"), ("tempfile", "TemporaryFile"), ("socket", "create_connection"),
    ("gzip", "open"), ("bz2", "open"), ("lzma", "open"), ("posix", "scandir"), ("_thread", "allocate_lock"), ("threading", "RLock"),
    ("requests.sessions", "session"),
}  # fmt: skip
_HARMLESS_TYPES = (io.IOBase, type(__import__("_thread").allocate_lock()), __import__("_thread").RLock, memoryview)
_TRIVIAL = frozenset(("RESUME", "NOP", "LOAD_CONST", "RETURN_VALUE", "RETURN_CONST", "RETURN_GENERATOR", "POP_TOP"))


class MayBeCaught(Exception):
    """It cannot be ruled out that somebody catches the exception."""


def through(guard: Any, frame: Any, error: Optional[type]) -> Optional[type]:
    """The exception that comes out of a guard; raises MayBeCaught."""
    if isinstance(guard, (ast.With, ast.AsyncWith)):
        for item in guard.items:
            error = _through_manager(item.context_expr, guard, frame, error)
        return error
    if any(guards.leaves(each) for each in guard.finalbody):
        raise MayBeCaught
    if any(handles(handler.type, frame, error) for handler in guard.handlers):
        raise MayBeCaught
    return error if all(isinstance(each, ast.Pass) for each in guard.finalbody) else ANY


def handles(caught: Optional[ast.AST], frame: Any, error: Optional[type]) -> bool:
    if caught is None or error is ANY:
        return True
    if isinstance(caught, ast.Tuple):
        return any(handles(each, frame, error) for each in caught.elts)
    try:
        kinds = values.value_of(caught, frame)
    except LookupError:
        return True
    every = kinds if isinstance(kinds, tuple) else (kinds,)
    return any(not isinstance(kind, type) or issubclass(error, kind) for kind in every)


def _through_manager(expression: Any, guard: Any, frame: Any, error: Optional[type]) -> Optional[type]:
    """Out of `with expression:`. The manager is known where the name that it had cannot have become another's."""
    name = "__aexit__" if isinstance(guard, ast.AsyncWith) else "__exit__"
    try:
        if isinstance(expression, ast.Call):
            return _through_made(values.value_of(expression.func, frame), name, error)
        if not _stored_in(guard, expression):
            return _through_exit_of(type(values.value_of(expression, frame)), name, error)
    except (LookupError, TypeError, ValueError):
        pass
    raise MayBeCaught


def _stored_in(guard: ast.AST, expression: ast.AST) -> bool:
    """Does the statement itself give a new meaning to a name, or an attribute, of the expression?"""
    used = {_label(each) for each in ast.walk(expression)} - {None}
    for each in ast.walk(guard):
        if _label(each) in used and not isinstance(each.ctx, ast.Load):  # type: ignore[attr-defined]
            return True
    return False


def _label(node: ast.AST) -> Optional[str]:
    return node.id if isinstance(node, ast.Name) else node.attr if isinstance(node, ast.Attribute) else None


def _through_made(called: Any, name: str, error: Optional[type]) -> Optional[type]:
    if isinstance(called, type):
        if type(called) not in (type, abc.ABCMeta) or isinstance(called.__new__, types.FunctionType):
            raise MayBeCaught
        return _through_exit_of(called, name, error)
    if called is builtins.open or (getattr(called, "__module__", None), getattr(called, "__name__", None)) in _HARMLESS_CALLS:
        return error
    made = getattr(called, "__wrapped__", None)
    if isinstance(called, types.FunctionType) and called.__code__ in _OF_GENERATORS and isinstance(made, types.FunctionType):
        return _through_generator(made, error)
    raise MayBeCaught


_OF_GENERATORS = tuple(
    each(lambda: None).__code__ for each in (contextlib.contextmanager, contextlib.asynccontextmanager)  # type: ignore[arg-type, attr-defined]
)


def _through_exit_of(kind: type, name: str, error: Optional[type]) -> Optional[type]:
    leave = inspect.getattr_static(kind, name, None)
    if not isinstance(leave, types.FunctionType):
        if name == "__exit__" and issubclass(kind, _HARMLESS_TYPES + _of_sqlite()):
            return error if kind.__module__ in ("_io", "_thread", "builtins", "sqlite3", "_sqlite3") else ANY
        raise MayBeCaught
    code = leave.__code__
    if bool(code.co_flags & inspect.CO_COROUTINE) != (name == "__aexit__") or not _returns_nothing(code):
        raise MayBeCaught
    return error if all(each.opname in _TRIVIAL for each in dis.get_instructions(code)) else ANY


def _of_sqlite() -> Tuple[type, ...]:
    """Which a Python may be built without."""
    module = sys.modules.get("sqlite3")
    return (module.Connection,) if module is not None else ()


def _returns_nothing(code: types.CodeType) -> bool:
    """Is every `return` of a function one of None or False? Read from its instructions."""
    if code.co_flags & (inspect.CO_GENERATOR | inspect.CO_ASYNC_GENERATOR):
        return False
    before: Any = None
    for now in dis.get_instructions(code):
        if now.opname == "RETURN_CONST" and now.argval not in (None, False):
            return False
        if now.opname == "RETURN_VALUE":
            constant = before is not None and before.opname == "LOAD_CONST" and (before.argval is None or before.argval is False)
            if not constant or now.is_jump_target:
                return False
        before = now
    return True


def _through_generator(function: types.FunctionType, error: Optional[type]) -> Optional[type]:
    """Of @contextmanager: out of what stands around its `yield`s."""
    code = function.__code__
    if not code.co_flags & (inspect.CO_GENERATOR | inspect.CO_ASYNC_GENERATOR):
        raise MayBeCaught
    node = _definition_of(function)
    found = error
    for each in guards.own(node):
        if isinstance(each, ast.YieldFrom):
            raise MayBeCaught
        if isinstance(each, ast.Yield):
            passed = error
            for guard in reversed(guards.around(ast.Module([node], []), places.of_node(each))):
                passed = through(guard, values.Outside(function), passed)
            found = passed if passed is ANY else found
    return found


def _definition_of(function: types.FunctionType) -> Any:
    code = function.__code__
    if sources.belongs(code, function.__globals__):
        tree = sources.tree_of(code.co_filename, function.__globals__)
        for node in ast.walk(tree) if tree is not None else ():
            if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)) and node.name == function.__name__:
                if code.co_firstlineno in (node.lineno, *(each.lineno for each in node.decorator_list)):
                    return node
    raise MayBeCaught
