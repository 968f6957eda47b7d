"""Where a frame is in the text of a cell, and where that is in the cell as its user wrote it."""

import ast
import html
from itertools import islice
from typing import Any, Iterator, List, NamedTuple, Optional, Tuple

from . import sources


class Position(NamedTuple):
    """As Python counts: lines from 1, columns from 0 in bytes of UTF-8."""

    line: int
    end_line: int
    column: int
    end_column: int


def position(code: Any, instruction: int) -> Optional[Position]:
    """Of the instruction at this offset, Python 3.11 and later."""
    try:
        line, end_line, column, end_column = next(islice(code.co_positions(), max(instruction, 0) // 2, None))
    except (AttributeError, StopIteration):
        return None
    if line is None or end_line is None or column is None or end_column is None:
        return None
    return Position(line, end_line, column, end_column)


def of_node(node: Any) -> Position:
    return Position(node.lineno, node.end_lineno, node.col_offset, node.end_col_offset)


def subscript_at(filename: str, where: Position, key: str) -> Optional[ast.Subscript]:
    """The read of `key` that is exactly there."""
    return next((node for node in _reads_of(filename, key) if of_node(node) == where), None)


def only_subscript_on(filename: str, line: int, key: str) -> Optional[ast.Subscript]:
    """The read of `key` on a line where there is one: before Python 3.11 an instruction has no column."""
    found = [node for node in _reads_of(filename, key) if node.lineno <= line <= (node.end_lineno or line)]
    return found[0] if len(found) == 1 else None


def _reads_of(filename: str, key: str) -> Iterator[ast.Subscript]:
    tree = sources.tree_of(filename)
    for node in ast.walk(tree) if tree is not None else ():
        if isinstance(node, ast.Subscript) and index_of(node) == key:
            yield node


def index_of(node: ast.Subscript) -> Any:
    """The constant that an item is read by; None when it is none."""
    index: Any = node.slice
    if type(index).__name__ == "Index":  # Python 3.8
        index = index.value
    return index.value if isinstance(index, ast.Constant) else None


def text_at(filename: str, node: ast.AST) -> str:
    """The source of a node, on one line."""
    return " ".join((ast.get_source_segment(sources.text_of(filename), node) or "").split())


_BINDS_LESS = tuple(
    getattr(ast, name)
    for name in ("NamedExpr", "Await", "BoolOp", "BinOp", "UnaryOp", "Compare", "IfExp", "Lambda", "Yield", "YieldFrom")
)


def owner_text_at(filename: str, node: ast.AST) -> str:
    """The source of what an item is read from: in the parentheses that its node does not have."""
    text = text_at(filename, node)
    return "(%s)" % text if text and isinstance(node, _BINDS_LESS) else text


def line_text(filename: str, line: int) -> str:
    lines = sources.lines_of(filename)
    return lines[line - 1] if 0 < line <= len(lines) else ""


def as_written(filename: str, where: Position) -> Tuple[int, int]:
    """(line from 1, column from 0 in characters) of a place in the cell as the user wrote it."""
    text = line_text(filename, where.line)
    column = len(text.encode()[: where.column].decode(errors="replace"))
    cell = sources.cell_of(filename)
    if cell is None:
        return where.line, column
    if cell.written is None:
        return cell.before + where.line, column
    written = sources.lines_in(cell.written)
    line = _same_line(written, sources.lines_in(cell.compiled), where.line - 1)
    return cell.before + line + 1, _same_column(written[line], text, column) if line < len(written) else column


def _same_line(written: List[str], compiled: List[str], wanted: int) -> int:
    """The line of `written` that became line `wanted` of `compiled`, where prompts, blank lines, fences and magics
    were taken away or changed: lines that are known again hold the others."""
    at = found = 0
    for index in range(min(wanted + 1, len(compiled))):
        again = _find(written, compiled[index], at)
        found = again if again is not None else min(at, len(written) - 1)
        at = found + 1
    return max(found, 0)


def _find(written: List[str], line: str, at: int) -> Optional[int]:
    if not line.strip():
        return at if at < len(written) and not written[at].strip() else None
    for index in range(at, len(written)):
        if written[index].endswith(line) or html.unescape(written[index]).endswith(line):
            return index
    return None


def _same_column(written: str, compiled: str, column: int) -> int:
    if written.endswith(compiled):
        return column + len(written) - len(compiled)
    if not html.unescape(written).endswith(compiled):
        return min(column, len(written))
    for at in range(len(written) + 1):
        if len(html.unescape(written[:at])) >= column and html.unescape(written[at:]) == compiled[column:]:
            return at
    return min(column, len(written))
