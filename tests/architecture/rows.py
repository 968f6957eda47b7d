"""docs/jupyter-rows.md and the tests that it names say the same."""

import re
from collections.abc import Iterator

from report import ROOT, project_files

PAGE = ROOT / "docs" / "jupyter-rows.md"
ROW = re.compile(r"^\| (\d+) \|.*\| ([^|]+) \|$", re.MULTILINE)
TEST = re.compile(r"def (test_row_(\d+)\w*)")


def tested_rows() -> set[int]:
    return {int(found[2]) for file in project_files("tests/*.py") for found in TEST.finditer((ROOT / file).read_text())}


def check_rows() -> Iterator[str]:
    tested, listed = tested_rows(), {}
    for number, held_by in ROW.findall(PAGE.read_text()):
        listed[int(number)] = held_by
    for row, held_by in listed.items():
        named = re.match(r"`test_row_(\d+)`", held_by)
        if named and (int(named[1]) != row or row not in tested):
            yield f"docs/jupyter-rows.md: row {row} names {held_by}, which is no test of that row"
        if not named and not held_by.startswith(("waits: ", "benchmark: ")):
            yield f"docs/jupyter-rows.md: row {row} is held by nothing"
    for row in sorted(tested - set(listed)):
        yield f"docs/jupyter-rows.md lacks row {row}, which has a test"
