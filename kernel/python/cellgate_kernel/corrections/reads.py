"""Turns the reads x["key"] of a cell's tree into calls that ask before they give up."""

import ast
import bisect
import re
from typing import Any, Dict, List, NamedTuple, Optional, Tuple

READ = "__cellgate_read__"
LITERALS = {"true": True, "false": False, "null": None}

_IN_TEXT = re.compile(r"""\[\s*\w{0,2}["']|\b(?:true|false|null)\b""")

# Fields that hold no expression of the cell's own doing: annotations, targets' names, patterns, operators.
_SKIPPED_FIELDS = {
    "annotation", "returns", "type_params", "pattern", "ctx", "op", "ops", "names", "id", "attr", "arg", "name", "asname",
    "module", "level", "kind", "conversion", "simple", "is_async", "type_comment", "type_ignores", "n", "s",
    "posonlyargs", "vararg", "kwonlyargs", "kwarg", "rest", "kwd_attrs", "cls", "str",
}  # fmt: skip
_NOTHING_INSIDE = {"Constant", "Name", "Pass", "Break", "Continue", "Import", "ImportFrom", "Global", "Nonlocal", "TypeAlias"}
_NAMESPACES = ("globals", "locals", "vars")
_STATEMENTS = ("body", "orelse", "finalbody")  # a lambda's or a conditional's are no lists
_FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)

_RECURSIVE = ("__getitem__", "__missing__")  # what a read itself calls: Python goes into it as deep as memory reaches, C does not

_NONE: "frozenset[type]" = frozenset()
_CONSTANTS = frozenset([ast.Constant])
_CONSTANTS_AND_NAMES = frozenset([ast.Constant, ast.Name])
_PLACED = frozenset([ast.Name, ast.Subscript, ast.Attribute, ast.Constant])  # whose place in the tree matters
_SPECIAL = frozenset(
    [*_FUNCTIONS, ast.ClassDef, ast.Lambda, ast.Import, ast.ImportFrom, ast.Global, ast.Nonlocal, ast.ExceptHandler]
    + [getattr(ast, name) for name in ("MatchAs", "MatchStar", "MatchMapping") if hasattr(ast, name)]
)

_fields: Dict[type, Tuple[str, ...]] = {}


class Place(NamedTuple):
    """Where a node hangs in the tree."""

    parent: ast.AST
    field: str
    index: Optional[int]
    node: Any

    def put(self, node: ast.AST) -> None:
        if self.index is None:
            setattr(self.parent, self.field, node)
        else:
            getattr(self.parent, self.field)[self.index] = node


def instrument(tree: ast.Module, text: str, functions_too: bool, undefined: "frozenset[str]") -> int:
    """Change `tree` in place; how many reads were changed. `text` is its source.

    functions_too: also the bodies of functions. undefined: which of LITERALS the namespace lacks.
    """
    matches = list(_IN_TEXT.finditer(text))
    if not matches:
        return 0
    found = _Finder(functions_too, _lines_of(matches, text))
    found.walk(tree)
    literals = [place for place in found.names if place.node.id in undefined - found.bound]
    # Innermost first: an outer read takes what hangs below it as it then is.
    for place in reversed(found.reads):
        place.put(_read(place.node))
    for place in literals:
        place.put(_literal(place.node))
    return len(found.reads) + len(literals)


def _lines_of(matches: "List[re.Match[str]]", text: str) -> Optional[List[int]]:
    """The lines beside which no statement need be looked into; None where all must be: names are defined anywhere."""
    if "\r" in text or any(match.group() in LITERALS for match in matches):
        return None
    lines, at, line = [], 0, 1
    for match in matches:
        line += text.count("\n", at, match.start())
        at = match.start()
        lines.append(line)
    return lines


def _read(node: ast.Subscript) -> ast.Call:
    """At the place of the subscript, from which a traceback draws its carets; lines are entered in the same order."""
    function = ast.copy_location(ast.Name(READ, ast.Load()), _evaluated_first(node.value))
    return ast.copy_location(ast.Call(function, [node.value, node.slice], []), node)


def _literal(node: ast.Name) -> ast.IfExp:
    """`true if READ("true", 0) else True`: the name itself is read, and fails, where it is not to be corrected."""

    def here(made: Any) -> Any:
        return ast.copy_location(made, node)

    question = here(ast.Call(here(ast.Name(READ, ast.Load())), [here(ast.Constant(node.id)), here(ast.Constant(0))], []))
    return here(ast.IfExp(question, node, here(ast.Constant(LITERALS[node.id]))))  # type: ignore[no-any-return]


_FIRST = {
    ast.Attribute: "value", ast.Subscript: "value", ast.Await: "value", ast.NamedExpr: "value", ast.Call: "func",
    ast.BinOp: "left", ast.Compare: "left", ast.IfExp: "test", ast.UnaryOp: "operand",
}  # fmt: skip


def _evaluated_first(node: Any) -> Any:
    """The part of an expression that Python begins with."""
    while True:
        field = _FIRST.get(type(node))
        if field is not None:
            node = getattr(node, field)
        elif type(node) is ast.BoolOp:
            node = node.values[0]
        elif type(node) in (ast.Tuple, ast.List, ast.Set) and node.elts:
            node = node.elts[0]
        elif type(node) is ast.Dict and node.keys and node.keys[0] is not None:
            node = node.keys[0]
        else:
            return node


class _Finder:
    """One walk through a cell: the reads that may be changed, the literals' names, and which of those it defines."""

    def __init__(self, functions_too: bool, lines: Optional[List[int]]) -> None:
        self.reads: List[Place] = []
        self.names: List[Place] = []
        self.bound: "set[str]" = set()
        self._functions_too = functions_too
        self._lines = lines
        self._todo: List[Tuple[ast.AST, bool]] = []

    def walk(self, tree: ast.AST) -> None:
        """Without a call for each node, since most cells are walked for a handful of reads."""
        self._todo = todo = [(tree, True)]
        skipped = _CONSTANTS if self._lines is None else _CONSTANTS_AND_NAMES
        while todo:
            node, open_ = todo.pop()
            kind = node.__class__
            fields = _fields.get(kind) or _fields_of(kind)
            if kind in _SPECIAL:
                self._visit(node, kind, open_)
                continue
            for field in fields:
                value = getattr(node, field, None)
                if value.__class__ is list:
                    if value:
                        self._children_in(node, field, value, open_, skipped)
                elif value is not None and value.__class__ not in skipped:
                    self._child(node, field, None, value, open_)

    def _children_in(self, node: ast.AST, field: str, children: List[Any], open_: bool, skipped: "frozenset[type]") -> None:
        statements = self._lines is not None and field in _STATEMENTS
        for index, child in enumerate(children):
            kind = child.__class__
            if kind in skipped or (statements and self._nothing_in(child)):
                continue
            if kind in _PLACED:
                self._child(node, field, index, child, open_)
            elif child is not None:
                self._todo.append((child, open_))

    def _visit(self, node: Any, kind: type, open_: bool) -> None:
        """`open_`: reads in it may be changed. What is closed is walked for the names that it defines."""
        if kind in _FUNCTIONS:
            self._function(node, open_, open_)
            return
        if kind is ast.ClassDef:
            self._class(node, open_)
            return
        if kind is ast.Lambda:
            for argument in _arguments(node.args):
                self._bind(argument)
            self._children(node.args, open_, ("defaults", "kw_defaults"))
            open_ = open_ and self._functions_too
        elif kind in (ast.Import, ast.ImportFrom):
            for alias in node.names:
                self._bind((alias.asname or alias.name).split(".")[0])
                if alias.name == "*":
                    self.bound.update(LITERALS)
        elif kind in (ast.Global, ast.Nonlocal):
            self.bound.update(node.names)
        else:  # an except clause, or a pattern
            self._bind(getattr(node, "rest", None) or getattr(node, "name", None))
        self._children(node, open_, _fields_of(kind))

    def _function(self, node: Any, open_: bool, defaults_open: bool) -> None:
        self._bind(node.name)
        for argument in _arguments(node.args):
            self._bind(argument)
        plain = not node.decorator_list
        self._children(node, open_ and plain and self._functions_too, ("body",))
        self._children(node.args, defaults_open and plain, ("defaults", "kw_defaults"))

    def _class(self, node: ast.ClassDef, open_: bool) -> None:
        """Reads in its own body stay: a metaclass may have made that namespace answer to any name."""
        self._bind(node.name)
        open_ = open_ and not node.decorator_list
        self._children(node, open_, ("bases", "keywords"))
        for child in node.body:
            if isinstance(child, _FUNCTIONS):
                self._function(child, open_ and child.name not in _RECURSIVE, False)
            else:
                self._todo.append((child, open_ and isinstance(child, ast.ClassDef)))

    def _bind(self, name: Optional[str]) -> None:
        if name in LITERALS:
            self.bound.add(name)  # type: ignore[arg-type]

    def _children(self, node: ast.AST, open_: bool, fields: Tuple[str, ...]) -> None:
        for field in fields:
            value = getattr(node, field, None)
            if type(value) is list:
                self._children_in(node, field, value, open_, _NONE)
            elif isinstance(value, ast.AST):
                self._child(node, field, None, value, open_)

    def _nothing_in(self, statement: Any) -> bool:
        lines: List[int] = self._lines  # type: ignore[assignment]
        at = bisect.bisect_left(lines, statement.lineno)
        return at == len(lines) or lines[at] > statement.end_lineno

    def _child(self, parent: ast.AST, field: str, index: Optional[int], child: Any, open_: bool) -> None:
        kind = type(child)
        if kind is ast.Name:
            if child.id in LITERALS:
                if type(child.ctx) is not ast.Load:
                    self._bind(child.id)
                elif open_:
                    self.names.append(Place(parent, field, index, child))
            return
        if kind is ast.Subscript:
            if type(child.ctx) is not ast.Load:
                self._todo.append((child.value, False))
                self._child(child, "slice", None, child.slice, open_)
                return
            if open_ and _is_literal_read(child):
                self.reads.append(Place(parent, field, index, child))
        elif kind is ast.Attribute and type(child.ctx) is not ast.Load:
            self._todo.append((child.value, False))
            return
        if kind is not ast.Constant:
            self._todo.append((child, open_))


def _is_literal_read(node: ast.Subscript) -> bool:
    key = node.slice
    return (
        type(key) is ast.Constant
        and type(key.value) is str
        and key.value.isidentifier()
        and type(node.value) is not ast.Constant
        and not (isinstance(node.value, ast.Call) and getattr(node.value.func, "id", None) in _NAMESPACES)
    )


def _arguments(given: ast.arguments) -> List[str]:
    every = [*getattr(given, "posonlyargs", ()), *given.args, *given.kwonlyargs, given.vararg, given.kwarg]
    return [each.arg for each in every if each is not None]


def _fields_of(kind: type) -> Tuple[str, ...]:
    known = _fields.get(kind)
    if known is None:
        known = _fields[kind] = _useful_fields(kind)
    return known


def _useful_fields(kind: type) -> Tuple[str, ...]:
    if kind.__name__ in _NOTHING_INSIDE:
        return ()
    if kind.__name__.startswith("Match") and kind.__name__ != "Match":
        return tuple(field for field in kind._fields if field in ("patterns", "pattern"))  # type: ignore[attr-defined]
    skipped = _SKIPPED_FIELDS - {"pattern"} if kind.__name__ == "match_case" else _SKIPPED_FIELDS
    if kind is ast.Lambda:
        skipped = skipped | {"args"}
    return tuple(field for field in getattr(kind, "_fields", ()) if field not in skipped)
