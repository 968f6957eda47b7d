"""The table of docs/corrections.md: what became of the corpus. Run as a program, it brings the table up to date."""

import collections
import sys
from typing import Any

import trying
from cells import FOLDER, Cell, load

DOCS = FOLDER.parents[2] / "docs" / "corrections.md"
BEGIN, END = "<!-- corpus: begin -->\n", "<!-- corpus: end -->\n"
COLUMNS = ("fixed", "suggested", "untouched", "left failing", "wrong")

Runs = list[tuple[Cell, dict[Any, trying.Outcome]]]


def counted(cell: Cell, by_mode: dict[Any, trying.Outcome]) -> str:
    """The column of a cell: by what happened, and "wrong" where that is not what is intended."""
    if trying.faults(cell, by_mode):
        return "wrong"
    on = by_mode[True]
    if on.error is not None:
        return "suggested" if on.notes else "left failing"
    return "fixed" if on.corrections else "untouched"


def make(runs: Runs) -> str:
    return _by_theme(runs) + "\n" + _by_kind(runs)


def _by_theme(runs: Runs) -> str:
    counts: dict[str, collections.Counter[str]] = {}
    for cell, by_mode in runs:
        counts.setdefault(cell.theme, collections.Counter())[counted(cell, by_mode)] += 1
    rows = [(theme, counts[theme]) for theme in counts]
    rows.append(("**all**", sum(counts.values(), collections.Counter())))
    lines = ["| cells about | cells | %s |" % " | ".join(COLUMNS), "|---|%s" % ("---:|" * (len(COLUMNS) + 1))]
    for name, row in rows:
        numbers = [row.total(), *(row[column] for column in COLUMNS)]
        lines.append("| %s | %s |" % (name, " | ".join(str(number) for number in numbers)))
    return "\n".join(lines) + "\n"


def _by_kind(runs: Runs) -> str:
    kinds = collections.Counter(kind for _, by_mode in runs for kind, _ in by_mode[True].corrections)
    text = ", ".join("%d `%s`" % (count, kind) for kind, count in sorted(kinds.items(), key=lambda each: (-each[1], each[0])))
    return "Corrections that were made: %s.\n" % text


def in_docs() -> str:
    """Raises ValueError where the docs have no place for the table."""
    before, begin, rest = DOCS.read_text(encoding="utf-8").partition(BEGIN)
    inside, end, after = rest.partition(END)
    if not begin or not end:
        raise ValueError("%s needs the lines %r and %r around the table" % (DOCS, BEGIN.strip(), END.strip()))
    return inside


def main() -> int:
    kernels = trying.Kernels()
    try:
        runs: Runs = [(cell, kernels.outcomes(cell)) for cell in load()]
    finally:
        kernels.stop()
    text = DOCS.read_text(encoding="utf-8").replace(BEGIN + in_docs() + END, BEGIN + make(runs) + END)
    DOCS.write_text(text, encoding="utf-8")
    wrong = [cell for cell, by_mode in runs if counted(cell, by_mode) == "wrong"]
    for cell in wrong:
        print("wrong: %s: %s" % (cell.theme, cell.about))
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
