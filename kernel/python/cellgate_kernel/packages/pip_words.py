"""The words behind `pip install`: what is asked for, in the form that the gateway takes."""

import os
import re
import shlex
from typing import Iterable, Iterator, List, Set, Tuple

# Options of `pip install` that change nothing here, and whether each takes a value.
_WITHOUT_EFFECT = {
    "-q": False, "--quiet": False, "-v": False, "--verbose": False, "-y": False,
    "--user": False, "--no-cache-dir": False, "--disable-pip-version-check": False, "--no-input": False,
    "--prefer-binary": False, "--break-system-packages": False, "--no-warn-script-location": False,
    "--progress-bar": True, "--upgrade-strategy": True, "--only-binary": True, "--root-user-action": True,
}
# Where packages come from is not a cell's to say.
_OF_THE_CONFIGURATION = frozenset({"i", "f", "index-url", "extra-index-url", "find-links", "trusted-host", "no-index", "proxy", "cert"})
_SEVERAL = re.compile(r"-[qvyU]{2,}")
_REQUIREMENT = re.compile(r"([\w.-]+\s*(?:\[[^\]]*\])?)\s*([^;]*)(;.*)?", re.DOTALL)


class Mistaken(Exception):
    """It cannot be done. The text says what to do."""


def parse(line: str) -> Tuple[List[str], bool]:
    """The requirements, and whether newer versions are wanted. Raises Mistaken."""
    return parse_words(_split(line), os.getcwd())


def parse_words(words: Iterable[str], directory: str) -> Tuple[List[str], bool]:
    """As parse(); files are below `directory`."""
    asked = _Asked()
    asked.take(words, directory)
    if not asked.requirements:
        raise Mistaken("%pip install needs names, such as: %pip install humanize")
    return [_with_previews(each) for each in asked.requirements] if asked.previews else asked.requirements, asked.upgrade


class _Asked:
    def __init__(self) -> None:
        self.requirements: List[str] = []
        self.upgrade = False
        self.previews = False
        self._files: Set[str] = set()

    def take(self, words: Iterable[str], directory: str) -> None:
        rest = iter([single for word in words for single in _singly(word)])
        for word in rest:
            name, equals, value = word.partition("=")
            if not word.startswith("-"):
                self.requirements.append(word)
            elif word in ("-U", "--upgrade"):
                self.upgrade = True
            elif word == "--pre":
                self.previews = True
            elif name in ("-r", "--requirement"):
                self._read(os.path.join(directory, os.path.expanduser(value or next(rest, ""))))
            elif name in _WITHOUT_EFFECT:
                if _WITHOUT_EFFECT[name] and not equals:
                    next(rest, "")
            else:
                raise Mistaken(_refusal(name))

    def _read(self, path: str) -> None:
        path = os.path.realpath(path)
        if path in self._files:  # it names itself
            return
        self._files.add(path)
        try:
            with open(path, encoding="utf-8-sig") as file:
                lines = list(_joined(file.read().splitlines()))
        except (OSError, UnicodeDecodeError) as problem:
            raise Mistaken("%s cannot be read (%s)" % (path, problem)) from None
        for line in lines:
            if line.startswith("-"):
                self.take(_split(line), os.path.dirname(path))
            else:
                self.requirements.append(line)


def _split(line: str) -> List[str]:
    try:
        return shlex.split(line, comments=True)
    except ValueError as problem:
        raise Mistaken("the line cannot be read (%s)" % problem) from None


def _singly(word: str) -> List[str]:
    """-qU is -q -U, and -rFILE is -r FILE."""
    if _SEVERAL.fullmatch(word):
        return ["-" + each for each in word[1:]]
    return ["-r", word[2:]] if re.match(r"-r[^=]", word) else [word]


def _joined(lines: Iterable[str]) -> Iterator[str]:
    """Lines of a file of requirements, without comments; a `\\` at the end of one takes the next to it."""
    begun = ""
    for line in [*lines, ""]:
        if line.endswith("\\") and not line.lstrip().startswith("#"):
            begun += line[:-1] + " "
            continue
        whole = re.sub(r"(^|\s)#.*", "", begun + line).strip()
        begun = ""
        if whole:
            yield whole


def _with_previews(requirement: str) -> str:
    """One that names a preview allows previews: this is --pre for it alone, not for what it needs."""
    found = _REQUIREMENT.fullmatch(requirement)
    if found is None:
        return requirement
    name, versions, condition = (part or "" for part in found.groups())
    return name.strip() + ",".join(filter(None, [versions.strip(), ">=0.dev0"])) + condition


def _refusal(option: str) -> str:
    if option.lstrip("-") in _OF_THE_CONFIGURATION:
        return "where packages come from is set in the gateway's configuration; leave %s out" % option
    return "%s cannot be used here: %%pip install takes names with versions, -r FILE, --upgrade and --pre" % option
