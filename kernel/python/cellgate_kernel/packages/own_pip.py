"""What a cell installs itself: the versions that its text asks pip for, wherever it runs pip.

Not the commands are read, of which there are too many kinds (shell lines, magics, lists of arguments, texts that are put
together), but all texts of the cell: where pip is told to install, `humanize==1.0` means that version.
"""

import ast
import os
import re
from typing import Iterator, List, Optional, Set

from . import names

_MOST_BYTES = 1 << 20  # of a file of requirements
_END = "\0"  # of a text
_PIP = re.compile(r"(?<![\w-])pip[\d.]*(?![\w-])")
_INSTALL = re.compile(r"(?<![\w-])install(?![\w-])")
_FILE = re.compile(r"(?:^|[\s\0])(?:-r|--requirement)[=\s\0]*([^\s\0]+)")
_OPERATOR = r"(?:===|==|~=|!=|>=|<=|>|<)"
_VERSIONS = r"%s\s*\d[\w.*+!-]*" % _OPERATOR


class Unclear(Exception):
    """The cell asks for a version that only the program knows. The text says what to do."""


class OwnPip:
    """Of one cell."""

    def __init__(self, tree: ast.AST) -> None:
        texts = list(_texts(tree))
        whole = _END.join(texts)
        self._whole = ""
        if _INSTALL.search(whole) and (_PIP.search(whole) or _uses_pip(tree)):
            self._whole = _END.join([whole, *_requirement_files(whole)])

    def requirement(self, distribution: str) -> Optional[str]:
        """Such as humanize[a]==1.0; None when the cell asks for no certain version. Raises Unclear."""
        if not self._whole:
            return None
        found: Set[str] = set()
        for match in _mentions(distribution).finditer(self._whole):
            if match.group("open"):
                raise Unclear("the version of %s is not written in the cell: use %%pip install %s==…" % (distribution, distribution))
            if match.group("versions"):
                found.add("".join(((match.group("extras") or "") + match.group("versions")).split()))
        if len(found) > 1:
            raise Unclear("the cell asks for different versions of %s: use %%pip install %s==…" % (distribution, distribution))
        return distribution + found.pop() if found else None


def _texts(tree: ast.AST) -> Iterator[str]:
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant) and isinstance(node.value, str):
            yield node.value


def _uses_pip(tree: ast.AST) -> bool:
    return any(isinstance(node, ast.Name) and node.id == "pip" for node in ast.walk(tree))


def _requirement_files(whole: str) -> List[str]:
    """Of those that are there. One that the cell writes has its lines in a text of the cell."""
    found = []
    for path in dict.fromkeys(_FILE.findall(whole)):
        try:
            with open(os.path.expanduser(path.strip("'\"")), encoding="utf-8-sig", errors="replace") as file:
                found.append(file.read(_MOST_BYTES))
        except (OSError, ValueError):
            continue
    return found


def _mentions(distribution: str) -> "re.Pattern[str]":
    name = "[-_.]+".join(map(re.escape, names.normalized(distribution).split("-")))
    # Where an operator has no version behind it, that comes from elsewhere; `>` may be the shell's.
    return re.compile(
        r"(?<![\w./-])%s(?P<extras>\s*\[[^\]\0]*\])?\s*(?:(?P<versions>%s(?:\s*,\s*%s)*)|(?P<open>(?:===|==|~=|>=|<=)\s*(?:[{$\0]|$)))"
        % (name, _VERSIONS, _VERSIONS),
        re.IGNORECASE,
    )
