"""The try and with statements around a place in a program."""

import ast
import bisect
from typing import Any, Iterator, List, Optional, Tuple

from . import places

_FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda, ast.ClassDef)
TRIES = tuple(getattr(ast, name) for name in ("Try", "TryStar") if hasattr(ast, name))


def around(tree: ast.Module, where: places.Position) -> List[ast.AST]:
    """The try and with statements of the innermost function around a place, in whose protected part it lies; outermost first."""
    found: List[ast.AST] = []
    first = statement_at(tree, where)
    body: Optional[List[Any]] = [first] if first is not None else None
    while body is not None:
        body = _descend(body, where, found)
    return found


def statement_at(tree: ast.Module, where: places.Position) -> Optional[ast.stmt]:
    """The one of a program's own that holds the place: found without asking each, since a cell may have thousands."""
    at = bisect.bisect_right(tree.body, (where.line, where.column), key=_start)
    return tree.body[at - 1] if at > 0 and holds(tree.body[at - 1], where) else None


def _start(node: Any) -> Tuple[int, int]:
    return min([(node.lineno, node.col_offset), *((each.lineno, each.col_offset) for each in getattr(node, "decorator_list", ()))])


def _descend(nodes: List[Any], where: places.Position, found: List[ast.AST]) -> Optional[List[Any]]:
    """The nodes in the one of `nodes` that holds the place; guards are added to `found`, which a function empties."""
    node = next((each for each in nodes if holds(each, where)), None)
    if node is None:
        return None
    if isinstance(node, _FUNCTIONS):
        body = node.body if isinstance(node.body, list) else [node.body]
        if any(holds(each, where) for each in body):
            found.clear()
    elif isinstance(node, TRIES):
        if any(holds(each, where) for each in node.body):
            found.append(node)
        elif any(holds(each, where) for each in [*node.handlers, *node.orelse]):
            found.append(ast.Try(node.body, [], [], node.finalbody))  # of which only that comes after it
    elif isinstance(node, (ast.With, ast.AsyncWith)):
        if any(holds(each, where) for each in [*node.body, *(item.context_expr for item in node.items[1:])]):
            found.append(node)
    return list(_children(node))


def _children(node: ast.AST) -> Iterator[ast.AST]:
    """Those with a position; what has none (arguments, with items) is looked through."""
    for child in ast.iter_child_nodes(node):
        if hasattr(child, "lineno"):
            yield child
        else:
            yield from _children(child)


def holds(node: Any, where: places.Position) -> bool:
    """Does a node, with its decorators, reach over the place?"""
    return _start(node) <= (where.line, where.column) and (where.end_line, where.end_column) <= (node.end_lineno, node.end_col_offset)


def own(node: ast.AST) -> Iterator[ast.AST]:
    """What is in a function, without the inside of functions in it."""
    for child in ast.iter_child_nodes(node):
        yield child
        if not isinstance(child, _FUNCTIONS):
            yield from own(child)


def leaves(node: ast.AST) -> bool:
    """Can a statement of a finally clause drop the exception? Those in loops and functions of its own count too."""
    return any(isinstance(each, (ast.Return, ast.Break, ast.Continue)) for each in ast.walk(node))
