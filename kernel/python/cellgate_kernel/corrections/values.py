"""Values of names in a frame, without running the user's code."""

import abc
import ast
import inspect
import types
from typing import Any


class Outside:
    """Stands for a frame of a function that is not looked at itself: what it calls its own is not known."""

    def __init__(self, function: types.FunctionType) -> None:
        self.f_code = function.__code__
        self.f_locals: "dict[str, Any]" = {}
        self.f_globals = function.__globals__
        self.f_builtins = function.__builtins__


def value_of(node: Any, frame: Any) -> Any:
    """The value of a name, or of an attribute of a module, class or plain object; LookupError where that is not known."""
    if isinstance(node, ast.Name):
        return _named(node.id, frame)
    if isinstance(node, ast.Attribute):
        return _attribute(value_of(node.value, frame), node.attr)
    raise LookupError("not a name")


def _named(name: str, frame: Any) -> Any:
    if name in frame.f_locals:
        return frame.f_locals[name]
    code = frame.f_code
    if name in code.co_varnames or name in code.co_freevars or name in code.co_cellvars:
        raise LookupError(name)  # unbound as yet
    for names in (frame.f_globals, frame.f_builtins):
        if name in names:
            return names[name]
    raise LookupError(name)


def _attribute(owner: Any, name: str) -> Any:
    """What nothing of the class stands before."""
    kind = type(owner)
    if kind is not types.ModuleType and kind not in (type, abc.ABCMeta):
        if kind.__getattribute__ is not object.__getattribute__:
            raise LookupError(name)
    if _of_class(kind, name) is not _MISSING:
        raise LookupError(name)
    if isinstance(owner, type):
        found = _of_class(owner, name)
        if found is _MISSING or hasattr(type(found), "__get__"):
            raise LookupError(name)
        return found
    return vars(owner)[name] if hasattr(owner, "__dict__") else _raise(name)


_MISSING = object()


def _raise(name: str) -> Any:
    raise LookupError(name)


def _of_class(kind: type, name: str) -> Any:
    return next((vars(each)[name] for each in kind.__mro__ if name in vars(each)), _MISSING)


def bound_to(owner: Any, name: str) -> Any:
    """What `owner.name` is before it is bound, for a look at what would be called; LookupError where that is not known."""
    found = inspect.getattr_static(owner, name, _MISSING)
    if found is _MISSING or isinstance(found, property):
        raise LookupError(name)
    return found.__func__ if isinstance(found, (staticmethod, classmethod)) else found
