"""An exception of a thread or a task goes to whoever asks for its result, who is not on its stack.

That may be any cell so far, or a module that the user wrote: each of them is looked at once, for what takes exceptions.
"""

import ast
import builtins
import inspect
import sys
import types
from typing import Any, Dict, FrozenSet, Iterator, List, NamedTuple, Optional, Tuple

from . import guards, modes, sources, values
from .swallowing import ANY, MayBeCaught

# What asks for exceptions or is told of them, as names, attributes and texts.
_ASKED_BY = frozenset(
    ("return_exceptions", "exception", "suppress", "raises", "assertRaises", "assertRaisesRegex", "add_done_callback", "set_exception_handler")
    + ("excepthook", "unraisablehook", "__exit__", "__aexit__", "ExitStack", "AsyncExitStack", "run_cell", "run_module", "run_path")
)
_RUNS_TEXT = frozenset(("exec", "eval", "compile", "run_cell_magic", "run_line_magic"))
_TEXT_THAT_TAKES = ("except", "suppress", "return_exceptions", "exception", "__exit__", "finally")
_CALLABLES = (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda)
_FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda, ast.ClassDef)


class _Clauses(NamedTuple):
    """Those of try statements: what is caught, and whether a finally clause may leave or raise."""

    caught: Tuple[Optional[ast.AST], ...]
    leaves: bool
    replaces: bool


class _Takers(NamedTuple):
    """What a program has that takes exceptions. `asks`: other than by try statements. `own`: names that are no globals."""

    asks: bool
    whole: _Clauses
    functions: _Clauses  # without what runs once
    own: FrozenSet[str]


_NOT_KNOWN = _Takers(True, _Clauses((), True, True), _Clauses((), True, True), frozenset())

_of_cells: "Dict[str, Tuple[str, _Takers]]" = {}
_of_modules: "Dict[str, Tuple[Any, float, _Takers]]" = {}
_last_before = ""  # the newest of the modules that are none of the user's
_modules: "Tuple[int, Any, List[Any]]" = (0, None, [])  # the user's, when there were so many, and this one the newest


def begin() -> None:
    """What has been imported so far is none of the user's.

    Only the newest is kept: to touch each name would cost a forked kernel its own copy of a megabyte.
    """
    global _last_before
    _last_before = next(reversed(sys.modules))


def check(raising: Any, error: Optional[type]) -> None:
    """Raises MayBeCaught where somebody may take an exception that a thread or a task has handed on."""
    everybody = [(_of_module(module), False, vars(module)) for module in _users_modules()]
    for filename, cell in list(sources.cells().items()):
        everybody.append((_of_cell(filename, cell.compiled), modes.may_run(filename), raising.f_globals))
    clauses = [(takers.whole if runs else takers.functions, takers.own, names) for takers, runs, names in everybody]
    if any(takers.asks for takers, _, _ in everybody) or any(each.leaves for each, _, _ in clauses):
        raise MayBeCaught
    if any(each.replaces for each, _, _ in clauses):
        error = ANY
    if any(_may_catch(kind, error, own, names) for each, own, names in clauses for kind in each.caught):
        raise MayBeCaught


def _may_catch(caught: Optional[ast.AST], error: Optional[type], own: FrozenSet[str], names: Dict[str, Any]) -> bool:
    if caught is None or error is ANY:
        return True
    if isinstance(caught, ast.Tuple):
        return any(_may_catch(each, error, own, names) for each in caught.elts)
    if any(isinstance(each, ast.Name) and each.id in own for each in ast.walk(caught)):
        return True
    try:
        kind = values.value_of(caught, _Globals(names))
    except LookupError:
        return True
    return not isinstance(kind, type) or issubclass(error, kind)


class _Globals:
    """Stands for a frame with nothing of its own."""

    def __init__(self, names: Dict[str, Any]) -> None:
        self.f_locals: "Dict[str, Any]" = {}
        self.f_globals = names
        self.f_builtins = vars(builtins)
        self.f_code = _NO_CODE


_NO_CODE = compile("", "<nothing>", "exec")


def _of_cell(filename: str, text: str) -> _Takers:
    kept = _of_cells.get(filename)
    if kept is None or kept[0] != text:
        kept = _of_cells[filename] = (text, _find(sources.tree_of(filename)))
    return kept[1]


def _of_module(module: Any) -> _Takers:
    filename = module.__file__
    kept, changed_s = _of_modules.get(filename), sources.changed_s(filename)
    if kept is None or kept[0] is not module or kept[1] != changed_s:
        found = _find(sources.tree_of(filename, vars(module))) if _is_as_imported(module) else _NOT_KNOWN
        kept = _of_modules[filename] = (module, changed_s, found)
    return kept[2]


def _is_as_imported(module: Any) -> bool:
    """Its source, that is: by the functions that it has."""
    made = [each for each in vars(module).values() if getattr(each, "__module__", None) == module.__name__]
    functions = [each for each in made if isinstance(each, types.FunctionType)]
    for kind in made:
        if isinstance(kind, type):
            functions += [each for each in vars(kind).values() if isinstance(each, types.FunctionType)]
    codes = [inspect.unwrap(each).__code__ for each in functions]
    return all(sources.belongs(code, vars(module)) for code in codes if code.co_filename == module.__file__)


def _users_modules() -> List[Any]:
    """Those that are neither Python's nor installed."""
    global _modules
    newest = sys.modules.get(next(reversed(sys.modules)))
    if _modules[0] != len(sys.modules) or _modules[1] is not newest:
        names = list(sys.modules)
        after = names.index(_last_before) + 1 if _last_before in names else 0
        new = [sys.modules.get(name) for name in names[after:]]
        _modules = (len(sys.modules), newest, [each for each in new if _is_users(getattr(each, "__file__", None))])
    return _modules[2]


def _is_users(filename: Any) -> bool:
    return isinstance(filename, str) and not sources.is_installed(filename)


def _find(tree: Optional[ast.Module]) -> _Takers:
    if tree is None:
        return _NOT_KNOWN
    nodes = list(ast.walk(tree))
    inside = [each for node in nodes if isinstance(node, _CALLABLES) for each in ast.walk(node)]
    asks = any(name in _ASKED_BY for node in nodes for name in _names_in(node)) or any(map(_asks, nodes))
    return _Takers(asks or _runs_unseen(nodes), _clauses(nodes), _clauses(inside), frozenset(_own(nodes)))


def _asks(node: ast.AST) -> bool:
    if isinstance(node, ast.keyword):
        return node.arg == "return_exceptions" and not (isinstance(node.value, ast.Constant) and not node.value.value)
    return False


def _clauses(nodes: List[ast.AST]) -> _Clauses:
    caught = tuple(node.type for node in nodes if isinstance(node, ast.ExceptHandler))
    last = [statement for node in nodes if isinstance(node, guards.TRIES) for statement in node.finalbody]
    return _Clauses(caught, any(map(guards.leaves, last)), not all(isinstance(each, ast.Pass) for each in last))


def _names_in(node: Any) -> Iterator[Optional[str]]:
    if isinstance(node, ast.Attribute):
        yield node.attr
    elif isinstance(node, ast.Name):
        yield node.id
    elif isinstance(node, ast.alias):
        yield node.name
    elif isinstance(node, ast.Constant) and isinstance(node.value, str):
        yield node.value  # for getattr, or as a keyword in a dict
    elif isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
        yield node.name


def _called(node: ast.Call) -> Any:
    return getattr(node.func, "attr", getattr(node.func, "id", None))


def _runs_unseen(nodes: List[ast.AST]) -> bool:
    """Does it run a program that is not in its tree and may take exceptions: a file, a text that it makes, a text with such?"""
    calls = [node for node in nodes if isinstance(node, ast.Call) and _called(node) in _RUNS_TEXT]
    for node in calls:
        first = node.args[0] if node.args else None
        if not isinstance(first, ast.Constant) or (_called(node) == "run_line_magic" and first.value == "run"):
            return True
    texts = [node.value for node in nodes if isinstance(node, ast.Constant) and isinstance(node.value, str)] if calls else []
    return any(word in text for text in texts for word in _TEXT_THAT_TAKES)


def _own(nodes: List[ast.AST]) -> Iterator[str]:
    """The names that it binds other than by imports, functions and classes of its own."""
    for node in nodes:
        if isinstance(node, ast.arg):
            yield node.arg
        elif isinstance(node, ast.Name) and not isinstance(node.ctx, ast.Load):
            yield node.id
        elif isinstance(node, _FUNCTIONS):
            yield from _made_in(node)
        else:
            name = getattr(node, "name", None) or getattr(node, "rest", None)
            if isinstance(name, str) and not isinstance(node, ast.alias):
                yield name


def _made_in(function: Any) -> Iterator[str]:
    """Imported or defined in a function, where they are no globals."""
    for node in ast.walk(function):
        if isinstance(node, (ast.Import, ast.ImportFrom)):
            yield from ((alias.asname or alias.name).split(".")[0] for alias in node.names)
        elif node is not function and isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
            yield node.name
