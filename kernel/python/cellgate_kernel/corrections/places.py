"""Where a frame is in the text of a cell, and where that is in the cell as its user wrote it."""

import ast
import html
from typing import Any, Dict, List, NamedTuple, Optional, Tuple

from . import sources


class Position(NamedTuple):
    """As Python counts: lines from 1, columns from 0 in bytes of UTF-8."""

    line: int
    end_line: int
    column: int
    end_column: int


_positions: "Dict[int, Tuple[Any, List[Any]]]" = {}  # by the code object's id
_MOST_KEPT = 64


def position(code: Any, instruction: int) -> Optional[Position]:
    """Of the instruction at this offset, Python 3.11 and later."""
    if not hasattr(code, "co_positions"):
        return None
    kept = _positions.get(id(code))
    if kept is None or kept[0] is not code:
        if len(_positions) >= _MOST_KEPT:
            _positions.clear()
        kept = _positions[id(code)] = (code, list(code.co_positions()))  # which counts from the first on
    at = max(instruction, 0) // 2
    line, end_line, column, end_column = kept[1][at] if at < len(kept[1]) else (None,) * 4
    if line is None or end_line is None or column is None or end_column is None:
        return None
    return Position(line, end_line, column, end_column)


def of_node(node: Any) -> Position:
    return Position(node.lineno, node.end_lineno, node.col_offset, node.end_col_offset)


def subscript_at(filename: str, where: Position, key: str) -> Optional[ast.Subscript]:
    """The read of `key` that is exactly there."""
    found = _reads_of(filename).get(where)
    return found if found is not None and index_of(found) == key else None


def only_subscript_on(filename: str, line: int, key: str) -> Optional[ast.Subscript]:
    """The read of `key` on a line where there is one: before Python 3.11 an instruction has no column."""
    reads = [node for node in _reads_of(filename).values() if index_of(node) == key]
    found = [node for node in reads if node.lineno <= line <= (node.end_lineno or line)]
    return found[0] if len(found) == 1 else None


def _reads_of(filename: str) -> Dict[Position, ast.Subscript]:
    """Kept with the tree: a cell may have thousands."""
    tree: Any = sources.tree_of(filename)
    if tree is None:
        return {}
    if not hasattr(tree, "_cellgate_reads"):
        tree._cellgate_reads = {of_node(node): node for node in ast.walk(tree) if isinstance(node, ast.Subscript)}
    return tree._cellgate_reads  # type: ignore[no-any-return]


def index_of(node: ast.Subscript) -> Any:
    """The constant that an item is read by; None when it is none."""
    index: Any = node.slice
    if type(index).__name__ == "Index":  # Python 3.8
        index = index.value
    return index.value if isinstance(index, ast.Constant) else None


def text_at(filename: str, node: ast.AST) -> str:
    """The source of a node, on one line."""
    return " ".join(between(filename, of_node(node)).split())


def between(filename: str, where: Position, names: Optional[Dict[str, Any]] = None) -> str:
    """The source there; empty when there is none. `names`: a module's, whose loader may have it."""
    lines = [line.encode() for line in sources.lines_of(filename, names)[where.line - 1 : where.end_line]]
    if len(lines) != where.end_line - where.line + 1:
        return ""
    lines[-1] = lines[-1][: where.end_column]
    lines[0] = lines[0][where.column :]
    return b"\n".join(lines).decode(errors="replace")


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
