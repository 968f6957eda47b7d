"""Values of names in a frame, without running the user's code."""

import ast
import types
from typing import Any


def value_of(node: Any, frame: Any) -> Any:
    """The value of a name, or of an attribute of a module or a plain object; LookupError where that is not known."""
    if isinstance(node, ast.Name):
        for names in (frame.f_locals, frame.f_globals, frame.f_builtins):
            if node.id in names:
                return names[node.id]
        raise LookupError(node.id)
    if isinstance(node, ast.Attribute):
        owner = value_of(node.value, frame)
        names = getattr(owner, "__dict__", {}) if isinstance(owner, (types.ModuleType, type)) or _is_plain(owner) else {}
        if node.attr in names:
            return names[node.attr]
    raise LookupError("not a name")


def _is_plain(value: Any) -> bool:
    return type(value).__getattribute__ is object.__getattribute__ and not hasattr(type(value), "__getattr__")
