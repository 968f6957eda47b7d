"""From the staging directory into the session's: distribution by distribution, so that shared packages are joined."""

import filecmp
import importlib.metadata
import os
import re
from typing import Dict, Iterator, List, Set, Tuple

from . import environment

# Where a box shows the site directory.
PLACE = "/opt/cellgate/packages"
# What many distributions leave beside their modules, and nobody imports.
_OF_NOBODY = frozenset({"tests", "test", "testing", "docs", "doc", "examples", "example", "benchmarks", "scripts", "tools"})
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


def taken(staged: str, site: str, replaced: List[importlib.metadata.Distribution], named: Set[str]) -> List[str]:
    """What is staged and would replace a module or a script of another distribution of the session, in words.

    Files that are the same in both are not meant, nor what is no module: several bring a README or their tests. Of a
    distribution that was not asked for by its name (`named`) and has the modules of another under another name, as
    opencv-python and opencv-python-headless, the other is enough.
    """
    kept = _kept(site, replaced)
    brings = _owners(list(environment.distributions([staged]).values()))
    found: Dict[Tuple[str, str], List[str]] = {}
    for file in sorted(_files(staged)):
        if file in kept and _matters(file) and not _is_same(os.path.join(staged, file), os.path.join(site, file)):
            found.setdefault((brings.get(file, ""), kept[file]), []).append(file)
    told = []
    for (new, old), files in found.items():
        is_named = environment.normalized(new.partition(" ")[0]) in named
        if is_named or _modules_of(new, brings) != _modules_of(old, kept):
            told.append("%s has another %s than %s, which this session has already" % (new, _named(files), old))
    return told


def merge(staged: str, site: str, replaced: List[importlib.metadata.Distribution]) -> None:
    """Move `staged` to `site`, after the files of `replaced` have gone from there. What others have there stays."""
    kept = _kept(site, replaced)
    for each in replaced:
        _remove(each, site, kept)
    # What says that a distribution is there comes last: a run that is ended in between has not installed it.
    for file in sorted(_files(staged), key=lambda path: ".dist-info" + os.sep in path):
        to = os.path.join(site, file)
        if file in kept and os.path.exists(to):
            continue
        _make_parents(site, os.path.dirname(file))
        if file.startswith("bin" + os.sep):
            _point_to_site(os.path.join(staged, file))
        environment.remove(to) if os.path.isdir(to) else None
        os.replace(os.path.join(staged, file), to)


def _kept(site: str, replaced: List[importlib.metadata.Distribution]) -> Dict[str, str]:
    go = {environment.normalized(each.metadata["Name"]) for each in replaced}
    return _owners([each for name, each in environment.distributions([site]).items() if name not in go])


def _owners(those: List[importlib.metadata.Distribution]) -> Dict[str, str]:
    """"Name version" by file, as in the site directory."""
    found = {}
    for each in those:
        owner = "%s %s" % (each.metadata["Name"], each.version)
        found.update({_place_of(file): owner for file in each.files or []})
    return found


def _place_of(file: importlib.metadata.PackagePath) -> str:
    """pip notes scripts as ../../bin/NAME, and has them in bin."""
    return os.path.normpath(re.sub(r"^(\.\./)+bin/", "bin/", str(file)))


def _modules_of(owner: str, owners: Dict[str, str]) -> Set[str]:
    files = [file for file, its in owners.items() if its == owner and _matters(file) and not file.startswith("bin" + os.sep)]
    return {file.partition(os.sep)[0] for file in files}


def _matters(file: str) -> bool:
    if file.startswith("bin" + os.sep):
        return True
    return file.endswith((".py", ".so")) and file.partition(os.sep)[0] not in _OF_NOBODY


def _is_same(one: str, other: str) -> bool:
    return not os.path.exists(other) or filecmp.cmp(one, other, shallow=False)


def _named(files: List[str]) -> str:
    return files[0] + (" (and %d more files)" % (len(files) - 1) if len(files) > 1 else "")


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


def _remove(which: importlib.metadata.Distribution, site: str, kept: Dict[str, str]) -> None:
    """But for what others have too."""
    inside = os.path.realpath(site) + os.sep
    for file in which.files or []:
        path = os.path.abspath(str(file.locate()))
        if path.startswith(inside) and _place_of(file) not in kept and os.path.lexists(path):
            environment.remove(path)
            _remove_empty(os.path.dirname(path), inside)


def _remove_empty(directory: str, inside: str) -> None:
    while (directory + os.sep).startswith(inside) and directory + os.sep != inside:
        try:
            os.rmdir(directory)
        except OSError:  # somebody else has files there
            return
        directory = os.path.dirname(directory)
