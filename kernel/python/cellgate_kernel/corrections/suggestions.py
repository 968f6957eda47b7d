"""What an exception that ends a cell is told to have meant. Looked for when it is shown, so that it costs nothing before."""

import ast
import contextlib
import html
import re
from typing import Any, Iterator, List, Optional

from . import keys, places, reports, sources, values
from .reads import LITERALS

_NOTED = "cellgate: "


# What IPython calls the code inside of %time and %timeit, of which it keeps no text.
_MEASURED = ("<timed exec>", "<timed eval>", "<magic-timeit>")


def add(error: BaseException, trace: Any, measured: Optional[ast.Module] = None) -> None:
    """Add notes to `error`, where the code of a cell raised it. Where Python has no notes: a line on stderr.

    `measured` is the code inside of a magic that ran last.
    """
    if has_note(error):
        return
    for text in list(_texts(error, trace, measured))[:3]:
        note(error, text)


def has_note(error: BaseException) -> bool:
    return any(str(each).startswith(_NOTED) for each in getattr(error, "__notes__", ()))


def note(error: BaseException, text: str) -> None:
    if hasattr(error, "add_note"):
        error.add_note(_NOTED + text)
    else:
        error.__notes__ = [*getattr(error, "__notes__", ()), _NOTED + text]  # type: ignore[attr-defined]
        reports.say(text)


def _texts(error: BaseException, trace: Any, measured: Optional[ast.Module]) -> Iterator[str]:
    last, innermost = _last_of_a_cell(trace), _innermost(trace)
    if last is None:
        return
    frame, line = last.tb_frame, last.tb_lineno
    if isinstance(error, KeyError) and len(error.args) == 1 and type(error.args[0]) is str:
        if measured is not None and innermost.tb_frame.f_code.co_filename in _MEASURED:
            yield from _for_measured(error.args[0], innermost, measured)
        else:
            yield from _for_key(error.args[0], last)
    elif isinstance(error, NameError):
        yield from _for_name(error, places.line_text(frame.f_code.co_filename, line))
    elif isinstance(error, (TypeError, AttributeError)) and "'NoneType'" in str(error):
        yield from _for_get(frame, line)


def _for_name(error: NameError, text: str) -> Iterator[str]:
    """`text` is the line on which the name is not known."""
    quoted_name = re.match(r"name '(\w+)'", str(error))  # the attribute came with Python 3.10
    name = quoted_name[1] if quoted_name is not None else ""
    entity = "&%s;" % name
    if name in LITERALS:
        yield "did you mean %r? In Python it is written so" % LITERALS[name]
    elif name in ("lt", "gt", "amp", "quot") and entity in text:
        yield "the cell has HTML's entities: did you mean %s instead of %s?" % (html.unescape(entity), entity)


def _innermost(trace: Any) -> Any:
    while trace is not None and trace.tb_next is not None:
        trace = trace.tb_next
    return trace


def _last_of_a_cell(trace: Any) -> Any:
    """The innermost part of a traceback that is in a cell; None when there is none."""
    found = None
    while trace is not None:
        if sources.cell_of(trace.tb_frame.f_code.co_filename) is not None:
            found = trace
        trace = trace.tb_next
    return found


def _for_key(key: str, last: Any) -> Iterator[str]:
    frame = last.tb_frame
    filename = frame.f_code.co_filename
    where = places.position(frame.f_code, last.tb_lasti)
    if where is not None:
        node = places.subscript_at(filename, where, key)
    else:
        node = places.only_subscript_on(filename, last.tb_lineno, key)
    if node is None:
        return
    try:
        container = _value_of(node.value, frame)
    except (LookupError, TypeError):
        return
    owner = places.owner_text_at(filename, node.value)
    yield from for_miss(owner, key, container)


def _for_measured(key: str, at: Any, tree: ast.Module) -> Iterator[str]:
    """Of a read in code that has a tree and no text."""
    where = places.position(at.tb_frame.f_code, at.tb_lasti)
    for node in ast.walk(tree) if where is not None else ():
        if isinstance(node, ast.Subscript) and places.of_node(node) == where and places.index_of(node) == key:
            with contextlib.suppress(LookupError, TypeError):
                yield from for_miss(ast.unparse(node.value), key, _value_of(node.value, at.tb_frame))


def for_miss(owner: str, key: str, container: Any) -> List[str]:
    found = keys.look(key, container)
    if not found:
        return []
    return ["did you mean %s?" % " or ".join(path_text(owner, each.path) for each in found)]


def path_text(owner: str, path: Any) -> str:
    return owner + "".join("[%s]" % quoted(key) for key in path)


def quoted(key: str) -> str:
    """As most people write a string."""
    text = repr(key)
    return '"%s"' % text[1:-1] if text[0] == "'" and '"' not in text else text


def _value_of(node: ast.AST, frame: Any) -> Any:
    """The value of names and of items of plain dicts, lists and tuples, without running anything; else LookupError."""
    if isinstance(node, ast.Subscript):
        container = _value_of(node.value, frame)
        if type(container) not in (dict, list, tuple):
            raise LookupError("not a plain container")
        index = places.index_of(node)
        if index is None:
            index = _value_of(node.slice, frame)
        if type(index) not in (str, int):
            raise LookupError("not a plain index")
        return container[index]
    return values.value_of(node, frame)


def _for_get(frame: Any, line: int) -> Iterator[str]:
    """A `.get("key")` on the lines up to the failure, which gave None and would have found a key."""
    filename = frame.f_code.co_filename
    tree = sources.tree_of(filename)
    for node in ast.walk(tree) if tree is not None else ():
        if isinstance(node, ast.Call) and node.lineno <= line:
            yield from _for_call(node, frame, filename)


def _for_call(node: ast.Call, frame: Any, filename: str) -> Iterator[str]:
    called, key = node.func, _only_literal(node)
    if key is None or not isinstance(called, ast.Attribute) or called.attr != "get":
        return
    try:
        container = _value_of(called.value, frame)
    except (LookupError, TypeError):
        return
    if type(container) is not dict or key in container:
        return
    found = [each for each in keys.look(key, container) if each.kind != "typo"]
    if found:
        owner = places.text_at(filename, called.value)
        used = " or ".join(path_text(owner, each.path) for each in found)
        yield "%s is None: did you mean %s?" % (places.text_at(filename, node), used)


def _only_literal(node: ast.Call) -> Optional[str]:
    if len(node.args) == 1 and not node.keywords and isinstance(node.args[0], ast.Constant):
        key = node.args[0].value
        return key if type(key) is str else None
    return None

