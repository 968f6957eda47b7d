"""One run: the document on standard input, its text on standard output."""

import json
import os
import sys
from typing import BinaryIO, Iterator, List, Tuple

from .kinds import kind_of
from .limits import Budget, Limits, confine
from .problem import Cut, Problem
from .readers import read_document
from .source import Source, printable


def main() -> None:
    request = json.loads(sys.argv[1])
    limits = Limits(**request["limits"])
    confine(limits)
    # What a library prints must not be mixed with the text.
    text = os.dup(1)
    nothing = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nothing, 1)
    kind, error = _run(os.fdopen(os.dup(0), "rb"), request["name"], Budget(limits), text)
    _write(text, b"\0" + json.dumps({"kind": kind, "error": error}).encode())


def _run(file: BinaryIO, name: str, budget: Budget, out: int) -> Tuple[str, str]:
    """What it was, and why the text is not the whole."""
    kind = ""
    try:
        source = Source(file, name)
        kind = kind_of(source)
        found = False
        for piece in _bounded(read_document(source, kind, budget), budget.limits.text_bytes):
            found = found or bool(piece.strip())
            _write(out, piece)
        return kind, _left_out(budget.unread) if found else "no text was found in it"
    except (Problem, Cut) as problem:
        return kind, str(problem)


def _left_out(unread: List[str]) -> str:
    if not unread:
        return ""
    names = ", ".join(printable(name) for name in unread[:5]) + (", …" if len(unread) > 5 else "")
    return "%d of its parts could not be read (%s); the text says why in their places" % (len(unread), names)


def _bounded(pieces: Iterator[str], limit: int) -> Iterator[bytes]:
    for piece in pieces:
        encoded = piece.replace("\0", "\ufffd").encode("utf-8", "replace")
        if len(encoded) > limit:
            yield encoded[:limit].decode("utf-8", "ignore").encode()
            raise Cut("it has more text than fits: this is its beginning; read the rest piece by piece with a library")
        limit -= len(encoded)
        yield encoded


def _write(out: int, data: bytes) -> None:
    view = memoryview(data)
    while view:
        view = view[os.write(out, view) :]
