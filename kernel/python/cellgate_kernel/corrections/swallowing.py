"""Would a try or with statement catch an exception? It would, unless it certainly lets it pass."""

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

from . import guards, places, values

_HARMLESS_CALLS = {
    ("_io", "open"), ("io", "open"), ("os", "fdopen"), ("os", "scandir"), ("_sqlite3", "connect"), ("sqlite3", "connect"),
    ("urllib.request", "urlopen"), ("tempfile", "NamedTemporaryFile"), ("tempfile", "TemporaryFile"), ("socket", "create_connection"),
    ("gzip", "open"), ("bz2", "open"), ("lzma", "open"), ("posix", "scandir"), ("_thread", "allocate_lock"), ("threading", "RLock"),
    ("requests.sessions", "session"),
}  # fmt: skip
_HARMLESS_TYPES = (io.IOBase, type(__import__("_thread").allocate_lock()), __import__("_thread").RLock, memoryview)


def may_catch(guard: Any, frame: Any, error: type) -> bool:
    if isinstance(guard, (ast.With, ast.AsyncWith)):
        return not all(lets_pass(item.context_expr, frame) for item in guard.items)
    if any(guards.leaves(each) for each in guard.finalbody):
        return True
    return any(handles(handler.type, frame, error) for handler in guard.handlers)


def handles(caught: Optional[ast.AST], frame: Any, error: type) -> bool:
    if caught is None:
        return True
    if isinstance(caught, ast.Tuple):
        return any(handles(each, frame, error) for each in caught.elts)
    try:
        kinds = values.value_of(caught, frame)
    except LookupError:
        return True
    every = kinds if isinstance(kinds, tuple) else (kinds,)
    return any(not isinstance(kind, type) or issubclass(error, kind) or _stands_for_others(kind) for kind in every)


def _stands_for_others(kind: type) -> bool:
    """SQLite reports any exception of a function that it calls as one of its own."""
    return kind.__module__ in ("sqlite3", "_sqlite3")


def lets_pass(expression: Any, frame: Any) -> bool:
    """Does `with expression:` certainly not swallow an exception?"""
    try:
        if isinstance(expression, ast.Call):
            return _made_by(values.value_of(expression.func, frame))
        return _instance_lets_pass(type(values.value_of(expression, frame)))
    except (LookupError, TypeError, ValueError):
        return False


def _made_by(called: Any) -> bool:
    if isinstance(called, type):
        return type(called) in (type, abc.ABCMeta) and _instance_lets_pass(called)
    if (getattr(called, "__module__", None), getattr(called, "__name__", None)) in _HARMLESS_CALLS:
        return True
    made = getattr(called, "__wrapped__", None)
    code = getattr(called, "__code__", None)
    if isinstance(made, types.FunctionType) and code is not None and code.co_filename == contextlib.__file__:
        return _generator_lets_pass(made)
    return called is builtins.open


def _instance_lets_pass(kind: type) -> bool:
    if issubclass(kind, _HARMLESS_TYPES + _of_sqlite()) and not isinstance(_exit_of(kind), types.FunctionType):
        return True
    leave = _exit_of(kind)
    return isinstance(leave, types.FunctionType) and _returns_nothing(leave.__code__)


def _of_sqlite() -> Tuple[type, ...]:
    """Which a Python may be built without."""
    module = sys.modules.get("sqlite3")
    return (module.Connection,) if module is not None else ()


def _exit_of(kind: type) -> Any:
    for name in ("__exit__", "__aexit__"):
        found = inspect.getattr_static(kind, name, None)
        if found is not None:
            return found
    return None


def _returns_nothing(code: types.CodeType) -> bool:
    """Is every `return` of a function one of None or False, and does it raise nothing instead? Read from its instructions."""
    if code.co_flags & inspect.CO_GENERATOR:
        return False
    before: Any = None
    for now in dis.get_instructions(code):
        if now.opname == "RAISE_VARARGS" or (now.opname == "RETURN_CONST" and now.argval not in (None, False)):
            return False
        if now.opname == "RETURN_VALUE":
            constant = before is not None and before.opname == "LOAD_CONST" and (before.argval is None or before.argval is False)
            if not constant or now.is_jump_target:
                return False
        before = now
    return True


def _generator_lets_pass(function: types.FunctionType) -> bool:
    """Of @contextmanager: does every `yield` stand outside of what could catch?"""
    if not getattr(function.__code__, "co_exceptiontable", b"unknown"):
        return True
    tree = places.tree_of(function.__code__.co_filename, function.__globals__)
    if tree is None:
        return False
    frame = types.SimpleNamespace(f_locals={}, f_globals=function.__globals__, f_builtins=vars(builtins))
    first = function.__code__.co_firstlineno
    for node in ast.walk(tree):
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)) and node.name == function.__name__:
            starts = [node.lineno, *(each.lineno for each in node.decorator_list)]
            if first in starts:
                yields = [each for each in ast.walk(node) if isinstance(each, (ast.Yield, ast.YieldFrom))]
                around = [guard for each in yields for guard in guards.around(tree, places.of_node(each))]
                return not any(may_catch(guard, frame, KeyError) for guard in around)
    return False
