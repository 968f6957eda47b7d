"""The shape of a tool's answer as text: keys and types without the values."""

from typing import Any

_MAX_DEPTH = 12


def describe(value: Any, depth: int = 0) -> str:
    indent = "  " * (depth + 1)
    if depth >= _MAX_DEPTH and isinstance(value, (dict, list)):
        return "…"
    if isinstance(value, dict):
        if not value:
            return "{}"
        lines = ["%s%s: %s" % (indent, key, describe(item, depth + 1)) for key, item in value.items()]
        return "{\n%s\n%s}" % ("\n".join(lines), "  " * depth)
    if isinstance(value, list):
        if not value:
            return "[]"
        return "[%d items like %s]" % (len(value), describe(value[0], depth))
    return "null" if value is None else type(value).__name__
