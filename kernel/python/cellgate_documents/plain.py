"""Text as it is: plain, Markdown, CSV, JSON, source code."""

import codecs
from typing import Iterator

from .limits import Budget
from .problem import Problem
from .source import Source

_PIECE = 1 << 20
_SAMPLE = 256 << 10
# Bytes that are not ASCII. Of fewer the detector makes Arabic out of a German word: Windows' own is the usual one then.
_ENOUGH_TO_TELL = 100
_MARKS = (
    (codecs.BOM_UTF8, "utf-8-sig"),
    (codecs.BOM_UTF32_LE, "utf-32"),
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)


def read(source: Source, budget: Budget) -> Iterator[str]:
    decoder = codecs.getincrementaldecoder(encoding_of(source.head(_SAMPLE)))("replace")
    while True:
        piece = source.file.read(_PIECE)
        yield decoder.decode(piece, final=not piece)
        if not piece:
            return


def decode(data: bytes) -> str:
    return data.decode(encoding_of(data[:_SAMPLE]), "replace")


def encoding_of(sample: bytes) -> str:
    for mark, name in _MARKS:
        if sample.startswith(mark):
            return name
    try:
        # Not final: the sample may end within a character.
        codecs.getincrementaldecoder("utf-8")().decode(sample)
        return "utf-8"
    except UnicodeDecodeError:
        pass
    if sum(byte > 127 for byte in sample) < _ENOUGH_TO_TELL:
        return "cp1252"
    try:
        from charset_normalizer import from_bytes
    except ModuleNotFoundError:
        return "cp1252"
    best = from_bytes(sample[: 32 << 10]).best()
    if best is None:
        raise Problem("its text is in no encoding that can be told; decode it yourself: open(path, encoding=…)")
    return best.encoding
