"""The wheels that sessions share, so that a second one need not download what the first one did.

pip's own cache does the same where the package index allows it. A wheel is kept for a day: what has been withdrawn from
an index must not be had from here for long.
"""

import hashlib
import os
import time
from typing import List, NamedTuple, Optional
from urllib.parse import unquote, urlsplit

from . import environment

KEPT_S = 86_400


class Wheel(NamedTuple):
    name: str
    version: str
    url: str
    sha256: str  # empty: the index tells none, as of files in a local directory

    @property
    def file_name(self) -> str:
        return os.path.basename(unquote(urlsplit(self.url).path))

    def local_path(self) -> Optional[str]:
        parts = urlsplit(self.url)
        return unquote(parts.path) if parts.scheme == "file" else None


def find(store: str, which: Wheel) -> Optional[str]:
    """The file that is this wheel, on this machine already."""
    for path in (which.local_path(), os.path.join(store, which.file_name)):
        if path and os.path.isfile(path) and which.sha256 in ("", sha256_of(path)):
            return path
    return None


def keep(store: str, path: str) -> str:
    """Move a wheel that was downloaded into the store; where it is then."""
    kept = os.path.join(store, os.path.basename(path))
    os.replace(path, kept)
    os.utime(kept)
    return kept


def link(path: str, directory: str) -> None:
    """The same file in another directory, without a copy where that is possible."""
    os.symlink(path, os.path.join(directory, os.path.basename(path)))


def sha256_of(path: str) -> str:
    made = hashlib.sha256()
    with open(path, "rb") as file:
        for block in iter(lambda: file.read(1 << 20), b""):
            made.update(block)
    return made.hexdigest()


def forget_old(store: str, now: Optional[float] = None) -> None:
    limit = (time.time() if now is None else now) - KEPT_S
    for each in _oldest_first([store]):
        if os.path.getmtime(each) < limit:
            environment.remove(each)


def trim(directories: List[str], max_bytes: int) -> None:
    """Remove the oldest files until the rest has at most `max_bytes`."""
    size = sum(map(environment.size_of, directories))
    for each in _oldest_first(directories):
        if size <= max_bytes:
            return
        try:
            size -= os.lstat(each).st_size
            os.unlink(each)
        except OSError:  # another run was faster
            continue


def _oldest_first(directories: List[str]) -> List[str]:
    found = []
    for directory in directories:
        for place, _, files in os.walk(directory):
            for each in files:
                path = os.path.join(place, each)
                try:
                    found.append((os.lstat(path).st_mtime, path))
                except OSError:
                    continue
    return [path for _, path in sorted(found)]
