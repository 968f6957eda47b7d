"""What is there already: in the environment of the session's Python, and in the session's own site directory."""

import importlib.machinery
import importlib.metadata
import os
import re
import shutil
import sys
from typing import Dict, Iterable, List, Optional


def normalized(name: str) -> str:
    """One spelling of a distribution's name (PEP 503)."""
    return re.sub(r"[-_.]+", "-", name).lower()


def distributions(path: List[str]) -> Dict[str, importlib.metadata.Distribution]:
    """By normalized name; of two with one name the one that Python would import."""
    found: Dict[str, importlib.metadata.Distribution] = {}
    for each in importlib.metadata.distributions(path=path):
        name = each.metadata["Name"] if each.metadata is not None else None
        if name:
            found.setdefault(normalized(name), each)
    return found


def of_environment() -> Dict[str, importlib.metadata.Distribution]:
    return distributions(list(sys.path))


def constraints(given: Iterable[importlib.metadata.Distribution]) -> List[str]:
    """That their versions stay, one a line. A version that is none cannot be said, and cannot be asked for either."""
    from pip._vendor.packaging.version import InvalidVersion, Version

    lines = []
    for each in given:
        try:
            # A constraint says nothing of the local part: 2.1+cpu satisfies ==2.1, and ==2.1+cpu nothing else.
            lines.append("%s==%s" % (each.metadata["Name"], Version(each.version)))
        except (InvalidVersion, TypeError):
            continue
    return lines


def copy_metadata(given: Iterable[importlib.metadata.Distribution], into: str) -> None:
    """So much of them that pip takes them for installed, and nothing that could be imported."""
    for each in given:
        name = "%s-%s.dist-info" % (normalized(each.metadata["Name"]).replace("-", "_"), each.version)
        place = os.path.join(into, name)
        os.makedirs(place, exist_ok=True)
        for file in ("METADATA", "INSTALLER"):
            text = each.read_text(file)
            if text is not None:
                with open(os.path.join(place, file), "w", encoding="utf-8") as to:
                    to.write(text)


def whose_place(top: str) -> Optional[str]:
    """Who has the module `top` already: "Python" or "the environment"; None when nobody has."""
    if top in getattr(sys, "stdlib_module_names", sys.builtin_module_names):
        return "Python"
    spec = importlib.machinery.PathFinder.find_spec(top)
    return "the environment" if spec is not None and spec.loader is not None and spec.origin is not None else None


def size_of(directory: str) -> int:
    """Bytes of the files below it; one that goes meanwhile counts as nothing."""
    total = 0
    for place, _, files in os.walk(directory):
        for each in files:
            try:
                total += os.lstat(os.path.join(place, each)).st_size
            except OSError:
                continue
    return total


def remove(path: str) -> None:
    if os.path.isdir(path) and not os.path.islink(path):
        shutil.rmtree(path)
    elif os.path.lexists(path):
        os.unlink(path)
