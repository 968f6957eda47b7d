"""`return` outside a function: the cell ends there, and what is returned is its result."""

import ast
from typing import Any, Iterator, List, Optional

RETURNED = "__cellgate_return__"

_LOOPS = (ast.For, ast.AsyncFor, ast.While)
_SCOPES = (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda, ast.ClassDef)
_TRIES = tuple(getattr(ast, name) for name in ("Try", "TryStar") if hasattr(ast, name))


class Returned:
    """What a cell has returned so far; under the name RETURNED while it runs."""

    value: Any = None
    done = False


def find(tree: ast.Module) -> List[ast.Return]:
    """The returns of a cell that are in no function."""
    return [node for statement in tree.body for node in _here(statement) if isinstance(node, ast.Return)]


def _here(node: ast.AST) -> Iterator[ast.AST]:
    """`node` and what is in it, without the inside of functions and classes."""
    yield node
    if not isinstance(node, _SCOPES):
        for child in ast.iter_child_nodes(node):
            yield from _here(child)


def can_be_ended(tree: ast.Module) -> bool:
    """Is it a program but for its returns, and do these behave as a `break` does?"""
    for statement in tree.body:
        for node in _here(statement):
            if type(node).__name__ == "TryStar" and any(_returns_in(each) for each in node.handlers):  # type: ignore[attr-defined]
                return False
            if isinstance(node, _TRIES) and any(_leaves(each) for each in node.finalbody):  # type: ignore[attr-defined]
                return False
            if isinstance(node, (ast.Yield, ast.YieldFrom)):
                return False
    return not any(_strays(statement) for statement in tree.body)


def _returns_in(node: ast.AST) -> bool:
    return any(isinstance(each, ast.Return) for each in _here(node))


def _leaves(node: ast.AST) -> bool:
    return any(isinstance(each, (ast.Return, ast.Break, ast.Continue)) for each in _here(node))


def _strays(node: ast.AST) -> bool:
    """A break or continue outside of a loop, which would be one in ours."""
    if isinstance(node, (ast.Break, ast.Continue)):
        return True
    if isinstance(node, _LOOPS):
        return any(_strays(each) for each in node.orelse)
    if isinstance(node, _SCOPES):
        return False
    return any(_strays(each) for each in ast.iter_child_nodes(node))


def end_there(tree: ast.Module) -> bool:
    """Change `tree` in place so that it compiles; True when it then needs a `Returned` under the name RETURNED."""
    first = next(index for index, node in enumerate(tree.body) if _returns_in(node))
    node = tree.body[first]
    if isinstance(node, ast.Return):
        tree.body[first:] = [] if node.value is None else [ast.copy_location(ast.Expr(node.value), node)]
        return False
    rest = tree.body[first:]
    last = rest[-1]
    if isinstance(last, ast.Expr):  # it would have been shown
        rest[-1:] = [ast.copy_location(_store("value", last.value), last)]
    body = _ending(rest)
    once = ast.copy_location(ast.While(ast.copy_location(ast.Constant(True), node), [*body, _at(last, ast.Break())], []), node)
    shown = _at(last, ast.Expr(_at(last, _attribute("value", last))))
    tree.body[first:] = [once, shown]
    ast.fix_missing_locations(tree)
    return True


def _ending(statements: List[Any]) -> List[Any]:
    """The statements, with each return a break out of all loops."""
    made: List[Any] = []
    for node in statements:
        if isinstance(node, ast.Return):
            value = node.value if node.value is not None else ast.copy_location(ast.Constant(None), node)
            made += [
                ast.copy_location(_store("value", value), node),
                ast.copy_location(_store("done", ast.copy_location(ast.Constant(True), node)), node),
                ast.copy_location(ast.Break(), node),
            ]
            continue
        made.append(node)
        if not isinstance(node, _SCOPES) and _returns_in(node):
            in_loop = isinstance(node, _LOOPS) and any(_returns_in(each) for each in node.body)
            for child in _with_bodies(node):
                for field in ("body", "orelse", "finalbody"):
                    if isinstance(getattr(child, field, None), list):
                        setattr(child, field, _ending(getattr(child, field)))
            if in_loop:
                leave = ast.If(_at(node, _attribute("done", node)), [_at(node, ast.Break())], [])
                made.append(_at(node, leave))
    return made


def _with_bodies(node: Any) -> Iterator[Any]:
    yield node
    yield from getattr(node, "handlers", ())
    yield from getattr(node, "cases", ())


def _store(field: str, value: Any) -> ast.Assign:
    owner = ast.copy_location(ast.Name(RETURNED, ast.Load()), value)
    return ast.Assign([ast.copy_location(ast.Attribute(owner, field, ast.Store()), value)], value)


def _attribute(field: str, at: Any) -> ast.Attribute:
    return ast.Attribute(_at(at, ast.Name(RETURNED, ast.Load())), field, ast.Load())


def _at(place: Any, node: Any) -> Any:
    """`node` on the last line of `place`."""
    node.lineno = node.end_lineno = place.end_lineno or place.lineno
    node.col_offset = node.end_col_offset = 0
    return node


def parse(text: str) -> Optional[ast.Module]:
    try:
        return ast.parse(text)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None
