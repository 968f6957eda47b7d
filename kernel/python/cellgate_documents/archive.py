"""A zip file: each of its files, under its name, one after the other. Nothing is written to a disk, so that a name is only a text."""

import io
import zipfile
import zlib
from typing import Iterator

from .limits import Budget, in_words
from .problem import Problem
from .readers import not_read, read_part
from .source import Source, printable


def read(source: Source, budget: Budget) -> Iterator[str]:
    with zipfile.ZipFile(source.file) as archive:
        files = [member for member in archive.infolist() if not member.is_dir()]
        if not files:
            raise Problem("it is an archive without a file in it")
        if all(member.flag_bits & 1 for member in files):
            raise Problem("its files are encrypted with a password; unpack it with zipfile (pwd=…), and read what is in it")
        for member in files:
            budget.open_member()
            yield "--- %s (%s)\n" % (printable(member.filename), in_words(member.file_size))
            yield from _member(archive, member, source.depth, budget)
            yield "\n"


def _member(archive: zipfile.ZipFile, member: zipfile.ZipInfo, depth: int, budget: Budget) -> Iterator[str]:
    try:
        content = _unpacked(archive, member, budget)
    except Problem as problem:
        yield not_read(member.filename, problem, budget)
        return
    yield from read_part(Source(io.BytesIO(content), member.filename, depth + 1), budget)


def _unpacked(archive: zipfile.ZipFile, member: zipfile.ZipInfo, budget: Budget) -> bytes:
    if member.flag_bits & 1:
        raise Problem("it is encrypted with a password")
    # Never more than the directory says: zipfile stops there, and then finds that the checksum is wrong.
    budget.unpack(member.file_size)
    try:
        return archive.read(member)
    except (zipfile.BadZipFile, zlib.error, EOFError, OSError, NotImplementedError, ValueError) as error:
        raise Problem("it is damaged (%s)" % error) from None
