"""From the staging directory into the session's: distribution by distribution, so that shared packages are joined."""

import importlib.metadata
import os
from typing import Iterator, List, Tuple

from . import environment

# Where a box shows the site directory.
PLACE = "/opt/cellgate/packages"
_ADDED_TO_SCRIPTS = b"import sys; sys.path.append('" + PLACE.encode() + b"')\n"


def hidden(staged: str) -> List[str]:
    """What is staged and would take the place of a module that is there already, in words."""
    found = []
    for each in sorted(os.listdir(staged)):
        top, is_module = _module_of(staged, each)
        owner = environment.whose_place(top) if is_module else None
        if owner:
            found.append("%s is a module of %s already" % (top, owner))
    return found


def merge(staged: str, site: str, replaced: List[importlib.metadata.Distribution]) -> None:
    """Move all of `staged` to `site`, after the files of `replaced` have gone from there."""
    for each in replaced:
        _remove(each, site)
    # What says that a distribution is there comes last: a run that is ended in between has not installed it.
    for file in sorted(_files(staged), key=lambda path: ".dist-info" + os.sep in path):
        to = os.path.join(site, file)
        _make_parents(site, os.path.dirname(file))
        if file.startswith("bin" + os.sep):
            _point_to_site(os.path.join(staged, file))
        environment.remove(to) if os.path.isdir(to) else None
        os.replace(os.path.join(staged, file), to)


def _module_of(staged: str, entry: str) -> Tuple[str, bool]:
    path = os.path.join(staged, entry)
    if entry.endswith((".dist-info", ".data", ".libs")) or entry in ("bin", "__pycache__"):
        return entry, False
    if os.path.isdir(path):
        return entry, os.path.exists(os.path.join(path, "__init__.py"))
    return entry.partition(".")[0], entry.endswith((".py", ".so"))


def _files(directory: str) -> Iterator[str]:
    for place, _, files in os.walk(directory):
        for each in files:
            yield os.path.relpath(os.path.join(place, each), directory)


def _make_parents(site: str, inner: str) -> None:
    """One by one: a site directory that has been removed is not made again."""
    place = site
    for part in filter(None, inner.split(os.sep)):
        place = os.path.join(place, part)
        if not os.path.isdir(place):
            environment.remove(place)
            os.mkdir(place, 0o755)


def _point_to_site(script: str) -> None:
    """A script that pip wrote starts the environment's Python, which does not know this session's packages."""
    with open(script, "rb") as file:
        first, rest = file.readline(), file.read()
    if first.startswith(b"#!") and b"python" in first:
        with open(script, "wb") as file:
            file.write(first + _ADDED_TO_SCRIPTS + rest)


def _remove(which: importlib.metadata.Distribution, site: str) -> None:
    inside = os.path.realpath(site) + os.sep
    for file in which.files or []:
        path = os.path.abspath(str(file.locate()))
        if path.startswith(inside) and os.path.lexists(path):
            environment.remove(path)
            _remove_empty(os.path.dirname(path), inside)


def _remove_empty(directory: str, inside: str) -> None:
    while (directory + os.sep).startswith(inside) and directory + os.sep != inside:
        try:
            os.rmdir(directory)
        except OSError:  # somebody else has files there
            return
        directory = os.path.dirname(directory)
