"""Checks that includes point down only and that heavy libraries stay where they belong, and what no file may say.

usage: check.py [--junit FILE]
"""

import argparse
import re
import sys
from collections.abc import Iterator
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))
from layers import HEADERS_ONLY, LIBRARIES, MAY_INCLUDE, NOT_IN_HEADERS
from report import ROOT, Case, finish, project_files
from rows import check_rows

INCLUDE = re.compile(r'^\s*#\s*include\s*(["<])([^">]+)[">]', re.MULTILINE)
TOP_FOLDERS = {"gateway", "kernel", "messaging", "mounts", "tests"}
# Written in pieces, so that this file does not say what it forbids.
UNSAYABLE = {
    "a path outside the project": re.compile("/".join((r"\.\.", "shared")) + "|" + "/".join(("", "work", "main"))),
    "a package index": re.compile("--" + "(extra-)?index-url|--find" + "-links|\"resolved\"" + r": \"http"),
}
SECRET = re.compile("-----BEGIN [A-Z ]*PRIVATE" + " KEY-----")


def cpp_files() -> list[Path]:
    return [file for file in project_files() if file.suffix in (".cpp", ".hpp", ".h")]


def includes(file: Path) -> Iterator[tuple[str, bool]]:
    for match in INCLUDE.finditer((ROOT / file).read_text()):
        yield match[2], match[1] == '"'


def folder(path: Path) -> str:
    return path.parent.as_posix()


def check_layers() -> Iterator[str]:
    for file in cpp_files():
        if file.parts[0] in ("tests", "cmake"):
            continue
        here = folder(file)
        if here not in MAY_INCLUDE:
            yield f"{file}: {here} is not in tests/architecture/layers.py"
            continue
        for target, ours in includes(file):
            there = folder(Path(target))
            if not ours or there == here:
                continue
            if there not in MAY_INCLUDE[here]:
                yield f'{file} includes "{target}": {here} may not know {there}'
            elif there in HEADERS_ONLY and target not in HEADERS_ONLY[there]:
                yield f'{file} includes "{target}": only {", ".join(sorted(HEADERS_ONLY[there]))} are for others'


def check_no_cycles() -> Iterator[str]:
    """The table itself: a folder may not be reached from itself, but by headers that include nothing."""
    for start in MAY_INCLUDE:
        seen, todo = set(), list(MAY_INCLUDE[start])
        while todo:
            at = todo.pop()
            if at == start and start not in HEADERS_ONLY and not any(at in HEADERS_ONLY for at in MAY_INCLUDE[start]):
                yield f"{start} may include itself in a circle"
                break
            if at not in seen:
                seen.add(at)
                todo += MAY_INCLUDE.get(at, ())


def check_rooted() -> Iterator[str]:
    for file in cpp_files():
        for target, ours in includes(file):
            if ours and (Path(target).parts[0] not in TOP_FOLDERS or not (ROOT / target).is_file()):
                yield f'{file} includes "{target}": no such file below the root'


def check_libraries() -> Iterator[str]:
    for file in cpp_files():
        for target, ours in includes(file):
            rule = next((rule for rule in LIBRARIES if not ours and target.startswith(rule[0])), None)
            if rule and not file.as_posix().startswith(rule[1]):
                yield f"{file} includes <{target}>: only {', '.join(rule[1])} may"


def check_headers() -> Iterator[str]:
    for file in cpp_files():
        text = (ROOT / file).read_text()
        if file.suffix != ".hpp":
            continue
        if "#pragma once" not in text:
            yield f"{file} lacks #pragma once"
        if not text.startswith("//"):
            yield f"{file} does not begin by saying what it is"
        for target, ours in includes(file):
            if not ours and target.startswith(NOT_IN_HEADERS) and file.parts[0] != "tests":
                yield f"{file} includes <{target}>: too heavy for a header"


def text_files() -> Iterator[tuple[Path, str]]:
    for file in project_files():
        try:
            yield file, (ROOT / file).read_text()
        except UnicodeDecodeError:
            continue  # a picture


def check_words() -> Iterator[str]:
    for file, text in text_files():
        for what, pattern in UNSAYABLE.items():
            for number, line in enumerate(text.splitlines(), 1):
                if pattern.search(line):
                    yield f"{file}:{number} names {what}"
        if SECRET.search(text):
            yield f"{file} holds a private key"


CHECKS = {
    "includes point down only": check_layers,
    "the table of layers has no circle": check_no_cycles,
    "includes are relative to the root": check_rooted,
    "libraries stay in their folders": check_libraries,
    "headers are light and say what they are": check_headers,
    "no file names what is outside the project": check_words,
    "every row of docs/jupyter-rows.md has its test": check_rows,
}


def main() -> int:
    parser = argparse.ArgumentParser()
    parser.add_argument("--junit", type=Path)
    options = parser.parse_args()
    return finish("architecture", [Case(name, list(check())) for name, check in CHECKS.items()], options.junit)


sys.exit(main())
