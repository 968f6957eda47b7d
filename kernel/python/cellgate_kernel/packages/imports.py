"""The imports of a cell: which of them it cannot do without, read from its syntax tree. Nothing is imported.

Only statements are looked at, since an import is one: that is what keeps this cheap for every cell that needs nothing.
"""

import ast
from typing import Callable, Iterable, List, Tuple

# What is missing of an import: of its module ("a.b"), and the names that are imported from it.
Missing = Callable[[str, Tuple[str, ...]], List[str]]

_TRIES = tuple(getattr(ast, name) for name in ("Try", "TryStar") if hasattr(ast, name))
_CATCH_IT = frozenset({"ImportError", "ModuleNotFoundError", "Exception", "BaseException"})
_GIVE_UP = frozenset({"exit", "quit", "_exit"})
# A condition on one of these is on where the program runs, which it knows better.
_CONDITIONS = frozenset({"TYPE_CHECKING", "version_info", "platform", "hexversion"})


def needed(tree: ast.AST, missing: Missing) -> List[str]:
    """The missing modules that this cell needs, each once, in the order of its text; also those in functions.

    An import whose ImportError is caught is the program's own affair, unless all that it does then is to give up
    (raise, sys.exit) or to call pip. What it imports then, it needs if what it tried is missing.
    """
    found: List[str] = []
    _Walk(missing, found).statements(getattr(tree, "body", []))
    return list(dict.fromkeys(found))


class _Walk:
    def __init__(self, missing: Missing, found: List[str]) -> None:
        self._missing = missing
        self._found = found

    def statements(self, body: Iterable[ast.AST]) -> None:
        for node in body:
            kind = type(node)
            if kind is ast.Import:
                for each in node.names:  # type: ignore[attr-defined]
                    self._found += self._missing(each.name, ())
            elif kind is ast.ImportFrom:
                if node.level == 0 and node.module:  # type: ignore[attr-defined]
                    names = tuple(each.name for each in node.names)  # type: ignore[attr-defined]
                    self._found += self._missing(node.module, names)  # type: ignore[attr-defined]
            elif kind in _TRIES:
                self._try(node)
            elif kind is ast.If:
                self._if(node)  # type: ignore[arg-type]
            elif kind is ast.With and _suppresses(node):  # type: ignore[arg-type]
                continue
            else:
                self._inside(node)

    def _inside(self, node: ast.AST) -> None:
        for part in ("body", "orelse", "finalbody", "cases", "handlers"):
            inner = getattr(node, part, None)
            if inner and isinstance(inner, list):
                self.statements(inner)

    def _if(self, node: ast.If) -> None:
        if _is_about_the_place(node.test):
            return
        self.statements(node.body)
        self.statements(node.orelse)

    def _try(self, node: ast.AST) -> None:
        catching = [each for each in node.handlers if _catches(each)]  # type: ignore[attr-defined]
        if not catching:
            self._inside(node)
            return
        tried: List[str] = []
        _Walk(self._missing, tried).statements(node.body)  # type: ignore[attr-defined]
        if tried and all(_gives_up(each) for each in catching):
            self._found += tried
        elif tried:
            for each in catching:
                self.statements(each.body)
        self.statements(node.orelse)  # type: ignore[attr-defined]
        self.statements(node.finalbody)  # type: ignore[attr-defined]


def _name(node: ast.AST) -> str:
    """The last name of `a.b.c`."""
    if isinstance(node, ast.Attribute):
        return node.attr
    return node.id if isinstance(node, ast.Name) else ""


def _catches(handler: ast.ExceptHandler) -> bool:
    if handler.type is None:
        return True
    kinds = handler.type.elts if isinstance(handler.type, ast.Tuple) else [handler.type]
    return any(_name(kind) in _CATCH_IT for kind in kinds)


def _gives_up(handler: ast.ExceptHandler) -> bool:
    if isinstance(handler.body[-1], ast.Raise):
        return True
    inside = [node for statement in handler.body for node in ast.walk(statement)]
    if any(isinstance(node, ast.Call) and _name(node.func) in _GIVE_UP for node in inside):
        return True
    words = {word for node in inside if isinstance(node, ast.Constant) for word in _words(node.value)}
    return {"pip", "install"} <= words and any(isinstance(node, ast.Call) and _name(node.func) != "print" for node in inside)


def _words(value: object) -> List[str]:
    return value.split() if isinstance(value, str) else []


def _is_about_the_place(test: ast.AST) -> bool:
    if isinstance(test, ast.Constant):
        return not test.value
    return any(_name(node) in _CONDITIONS for node in ast.walk(test))


def _suppresses(node: ast.With) -> bool:
    """`with contextlib.suppress(ImportError):`"""
    calls = [each.context_expr for each in node.items if isinstance(each.context_expr, ast.Call)]
    return any(_name(call.func) == "suppress" and any(_name(kind) in _CATCH_IT for kind in call.args) for call in calls)
