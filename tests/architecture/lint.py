"""Checks formatting of the C++ sources, that scripts parse, and that text files are clean.

usage: lint.py [--junit FILE]
"""

import argparse
import json
import re
import subprocess
import sys
import tomllib
from collections.abc import Iterator
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))
from report import ROOT, Case, finish, project_files

TEXT = (".cpp", ".hpp", ".py", ".md", ".txt", ".cmake", ".json", ".toml", ".sh", ".mjs", ".js", ".ts")


def check_format() -> Iterator[str]:
    for file in project_files("*.cpp", "*.hpp"):
        found = subprocess.run(["clang-format-14", "--dry-run", "-Werror", file], cwd=ROOT, capture_output=True, text=True)
        if found.returncode != 0:
            yield f"{file} is not formatted: ./dev fmt"


def check_python() -> Iterator[str]:
    for file in project_files("*.py"):
        try:
            compile((ROOT / file).read_text(), str(file), "exec")
        except SyntaxError as error:
            yield f"{file}:{error.lineno} {error.msg}"


def check_shell() -> Iterator[str]:
    scripts = [file for file in project_files() if (ROOT / file).open("rb").read(19).startswith((b"#!/usr/bin/env bash", b"#!/bin/sh"))]
    for file in scripts:
        found = subprocess.run(["bash", "-n", file], cwd=ROOT, capture_output=True, text=True)
        if found.returncode != 0:
            yield found.stderr.strip()


def check_data() -> Iterator[str]:
    for file in project_files("*.json", "*.ipynb", "*.toml"):
        if file.parts[:2] == ("tests", "fuzz"):
            continue  # inputs that are meant to be broken
        try:
            text = (ROOT / file).read_text()
            tomllib.loads(text) if file.suffix == ".toml" else json.loads(text)
        except ValueError as error:
            yield f"{file}: {error}"


def check_whitespace() -> Iterator[str]:
    for file in project_files():
        if file.suffix not in TEXT or file.parts[:2] == ("tests", "fuzz") and file.suffix != ".cpp":
            continue
        text = (ROOT / file).read_text()
        for number, line in enumerate(text.split("\n"), 1):
            if line != line.rstrip() or ("\t" in line and file.suffix != ".txt"):
                yield f"{file}:{number} has a tab or trailing blanks"
        if text and not text.endswith("\n"):
            yield f"{file} does not end with a newline"


def check_awaits() -> Iterator[str]:
    """GCC 12 destroys what such an expression holds twice, or never: the await needs a statement of its own."""
    wrong = re.compile(r"while \((?:[^()]|\([^()]*\))*co_await|\?\s+co_await|\s:\s+co_await")
    for file in project_files("*.cpp", "*.hpp"):
        for number, line in enumerate((ROOT / file).read_text().split("\n"), 1):
            if wrong.search(line) and "for (" not in line and not line.lstrip().startswith("//"):
                yield f"{file}:{number} awaits within a condition: give it a statement of its own"


CHECKS = {
    "C++ is formatted": check_format,
    "Python parses": check_python,
    "shell scripts parse": check_shell,
    "JSON and TOML parse": check_data,
    "text files are clean": check_whitespace,
    "awaits stand alone": check_awaits,
}


def main() -> int:
    parser = argparse.ArgumentParser()
    parser.add_argument("--junit", type=Path)
    options = parser.parse_args()
    return finish("lint", [Case(name, list(check())) for name, check in CHECKS.items()], options.junit)


sys.exit(main())
