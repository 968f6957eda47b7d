"""The session's own site directory: what was installed for it, last on sys.path, so that it hides nothing."""

import contextlib
import importlib
import os
import site
import sys
from typing import Iterator

from . import programs

# Where a box shows it, read-only. The gateway writes to it.
PLACE = "/opt/cellgate/packages"


def make_importable() -> None:
    """Once a kernel, and after each installation: its .pth files count, as in any site directory."""
    place = place_of_session()
    if os.path.isdir(place):
        with _ours_last():
            site.addsitedir(place)
        if os.listdir(place):
            programs.tell(place)


def notice_installation() -> None:
    """Importable also where Python has looked before: within a second a directory's time does not tell of a change.

    Not for a kernel that starts: it would read all directories of its environment again, 2 MiB of its own.
    """
    make_importable()
    importlib.invalidate_caches()


def place_of_session() -> str:
    return PLACE


@contextlib.contextmanager
def _ours_last() -> Iterator[None]:
    """site.addsitedir keeps an entry that is there already where it is, and puts in front what a .pth file inserts."""
    before = list(sys.path)
    yield
    added = [path for path in sys.path if path not in before]
    sys.path[:] = before + added
