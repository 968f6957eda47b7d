"""A document that is to be read: bytes, and the name under which they came."""

import os
from typing import BinaryIO

from .limits import Budget, in_words
from .problem import Problem


class Source:
    """`file` can be sought and belongs to the caller; `depth` is how many documents it is inside of."""

    def __init__(self, file: BinaryIO, name: str, depth: int = 0) -> None:
        self.file = file
        self.name = name
        self.depth = depth
        self.size = file.seek(0, os.SEEK_END)
        file.seek(0)

    @property
    def extension(self) -> str:
        """Of the name: ".html"; "" for none."""
        return os.path.splitext(self.name)[1].lower()

    def head(self, size: int) -> bytes:
        self.file.seek(0)
        head = self.file.read(size)
        self.file.seek(0)
        return head

    def whole(self, budget: Budget) -> bytes:
        limit = budget.limits.whole_bytes
        if self.size > limit:
            raise Problem(
                "it has %s, and this kind is read up to %s; split it, or read it piece by piece with a library"
                % (in_words(self.size), in_words(limit))
            )
        self.file.seek(0)
        return self.file.read()


def printable(name: str) -> str:
    """A name that a document has for a part of it, on one line."""
    return "".join(each if each.isprintable() else each.encode("unicode_escape").decode() for each in name[:500])
