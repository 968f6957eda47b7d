"""Code as it was shown, not as it was written: in a Markdown fence, or with HTML's entities."""

import html
import io
import re
import tokenize
from typing import Callable, List, NamedTuple, Optional, Tuple

from . import sources

_FENCE = re.compile(r"(`{3,}|~{3,})[ \t]*(?:python3?|py3?|ipython3?|)[ \t]*", re.IGNORECASE)
_ENTITY = re.compile(r"&(?:lt|gt|amp|quot);")

Parses = Callable[[str], bool]


class Unwrapped(NamedTuple):
    """`text` has as many lines as what was written, but where it begins with a magic. The place is of what was wrong."""

    text: str
    line: int
    column: int
    written: str
    used: str


def unwrap(written: str, parses: Parses) -> Optional[Unwrapped]:
    """None where there is nothing to do. `parses`: is a text Python, once IPython's own syntax has been replaced?"""
    if "```" in written or "~~~" in written:
        found = _without_fence(written)
        if found is not None:
            return found
    if _ENTITY.search(written) and not parses(written):
        return _without_entities(written, parses)
    return None


def _without_fence(written: str) -> Optional[Unwrapped]:
    lines = sources.lines_in(written)
    filled = [index for index, line in enumerate(lines) if line.strip()]
    if len(filled) < 2:
        return None
    first, last = filled[0], filled[-1]
    opening = _FENCE.fullmatch(lines[first].strip())
    if opening is None or lines[last].strip() != opening[1]:
        return None
    inside = lines[first + 1 : last]
    if any(line.strip().startswith(opening[1][:3]) for line in inside):
        return None  # several blocks
    kept = ["# " + lines[first].strip()] if not _begins_with_magic(inside) else []
    text = "\n".join([*lines[:first], *kept, *inside]) + "\n"
    return Unwrapped(text, first + 1, 0, lines[first].strip(), "the code inside")


def _begins_with_magic(lines: List[str]) -> bool:
    """A magic of the whole cell must be its first line."""
    return next((line for line in lines if line.strip()), "").lstrip().startswith("%%")


def _without_entities(written: str, parses: Parses) -> Optional[Unwrapped]:
    outside = _outside_of_literals(written)
    if outside is None:
        return None
    text = written
    for match in reversed(outside):
        text = text[: match.start()] + html.unescape(match.group()) + text[match.end() :]
    if not outside or not parses(text):
        return None
    first = outside[0]
    line = written.count("\n", 0, first.start()) + 1
    column = first.start() - (written.rfind("\n", 0, first.start()) + 1)
    return Unwrapped(text, line, column, first.group(), html.unescape(first.group()))


def _outside_of_literals(text: str) -> "Optional[List[re.Match[str]]]":
    spans = _literals(text)
    if spans is None:
        return None
    return [match for match in _ENTITY.finditer(text) if not any(start <= match.start() < end for start, end in spans)]


def _literals(text: str) -> Optional[List[Tuple[int, int]]]:
    """Where strings and comments are; None when the text has no end of them."""
    starts = [0]
    for line in text.split("\n"):
        starts.append(starts[-1] + len(line) + 1)
    spans: List[Tuple[int, int]] = []
    opened: List[int] = []
    try:
        for token in tokenize.generate_tokens(io.StringIO(text).readline):
            begin, end = (starts[row - 1] + column if row <= len(starts) else len(text) for row, column in (token.start, token.end))
            kind = tokenize.tok_name[token.type]
            if kind in ("STRING", "COMMENT"):
                spans.append((begin, end))
            elif kind == "FSTRING_START":
                opened.append(begin)
            elif kind == "FSTRING_END":
                spans.append((opened.pop(), end))
    except (tokenize.TokenError, SyntaxError, IndexError):
        return None
    return spans
