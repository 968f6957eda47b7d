"""The text of a file as Python reads it, and whether it is still that of the code that runs."""

import ast
import functools
import linecache
import os
import time
import types
from typing import Any, Dict, Iterator, List, NamedTuple, Optional, Tuple

_MOST_KEPT = 64
_STDLIB = os.path.realpath(os.path.dirname(os.__file__)) + os.sep
_PLACE = "/opt/cellgate/packages/"  # what is installed while a session runs


class Cell(NamedTuple):
    """`written` is what the user sent, None where it is `compiled`, line by line; below `before` lines of a magic."""

    written: Optional[str]
    compiled: str
    count: int
    before: int


_cells: Dict[str, Cell] = {}  # by file name, for as long as IPython keeps their text in linecache
_texts: "Dict[str, Tuple[List[str], str]]" = {}
_lines: "Dict[str, Tuple[str, List[str]]]" = {}
_trees: "Dict[str, Tuple[str, Optional[ast.Module]]]" = {}
_verified: "Dict[int, Tuple[types.CodeType, str, bool]]" = {}  # by the code object's id
_started_s = time.time()  # no installed file that was last changed before has been changed since it was imported


def remember(filename: str, written: str, compiled: str, count: int, before: int = 0) -> None:
    _cells[filename] = Cell(None if lines_in(written) == lines_in(compiled) else written, compiled, count, before)


def lines_before(filename: str) -> int:
    cell = _cells.get(filename)
    return cell.before if cell is not None else 0


def cell_of(filename: str) -> Optional[Cell]:
    return _cells.get(filename)


def cells() -> "Dict[str, Cell]":
    """All so far, by file name."""
    return _cells


def lines_in(text: str) -> List[str]:
    """Without their ends. Python's lines end where str.splitlines sees more ends: a form feed is none, nor is U+2028."""
    lines = text.replace("\r\n", "\n").replace("\r", "\n").split("\n")
    return lines if lines[-1] else lines[:-1]


def text_of(filename: str, names: Optional[Dict[str, Any]] = None) -> str:
    """Empty when there is none. `names`: a module's, whose loader may have it."""
    cell = _cells.get(filename)
    if cell is not None:
        return cell.compiled
    lines = linecache.getlines(filename, names)
    kept = _texts.get(filename)
    if kept is None or kept[0] is not lines:
        if len(_texts) >= _MOST_KEPT:
            _texts.clear()
        kept = _texts[filename] = (lines, "".join(lines))
    return kept[1]


def lines_of(filename: str, names: Optional[Dict[str, Any]] = None) -> List[str]:
    text = text_of(filename, names)
    kept = _lines.get(filename)
    if kept is None or kept[0] is not text:
        if len(_lines) >= _MOST_KEPT:
            _lines.clear()
        kept = _lines[filename] = (text, lines_in(text))
    return kept[1]


def tree_of(filename: str, names: Optional[Dict[str, Any]] = None) -> Optional[ast.Module]:
    """The source of that file as a tree; None when there is none, or none that can be parsed."""
    text = text_of(filename, names)
    kept = _trees.get(filename)
    if kept is not None and kept[0] == text:
        return kept[1]
    try:
        tree: Optional[ast.Module] = ast.parse(text) if text else None
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        tree = None
    if len(_trees) >= _MOST_KEPT:
        _trees.clear()
    _trees[filename] = (text, tree)
    return tree


def belongs(code: types.CodeType, names: Optional[Dict[str, Any]] = None) -> bool:
    """Is the text that `code`'s file has now what it was compiled from?"""
    filename = code.co_filename
    if filename in _cells or (is_installed(filename) and changed_s(filename) < _started_s - 1):
        return True
    text = text_of(filename, names)
    kept = _verified.get(id(code))
    if kept is None or kept[0] is not code or kept[1] != text:
        if len(_verified) >= _MOST_KEPT * 16:
            _verified.clear()
        kept = _verified[id(code)] = (code, text, any(_same(code, each) for each in codes_of(text)))
    return kept[2]


def is_installed(filename: str) -> bool:
    """Is it a file of Python's own, or of what is installed beside it?"""
    return is_of_packages(filename) or is_of_python(filename)


@functools.lru_cache(maxsize=1024)
def is_of_packages(filename: str) -> bool:
    path = os.path.realpath(filename)
    return "-packages" + os.sep in path or path.startswith(_PLACE)


@functools.lru_cache(maxsize=1024)
def is_of_python(filename: str) -> bool:
    return os.path.realpath(filename).startswith(_STDLIB)


def changed_s(filename: str) -> float:
    """When a file last changed: not its mtime, which programs set. Infinite when there is no such file."""
    try:
        return os.stat(filename).st_ctime
    except (OSError, ValueError):
        return float("inf")


def codes_of(text: str) -> Iterator[types.CodeType]:
    """Every code object that a program compiles to; none when it is no program."""
    try:
        todo = [compile(text, "<source>", "exec", dont_inherit=True)]
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return
    while todo:
        code = todo.pop()
        yield code
        todo += [each for each in code.co_consts if isinstance(each, types.CodeType)]


def _same(one: types.CodeType, other: types.CodeType) -> bool:
    return one.co_firstlineno == other.co_firstlineno and one == other and list(one.co_positions()) == list(other.co_positions())
