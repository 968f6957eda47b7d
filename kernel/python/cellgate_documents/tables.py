"""Rows of a table as lines."""

import csv
import io
from typing import Any, Iterable


def as_markdown(rows: Iterable[Iterable[Any]]) -> str:
    lines = []
    for number, row in enumerate(rows):
        cells = [" ".join(str(cell).split()).replace("|", "\\|") for cell in row]
        lines.append("| %s |\n" % " | ".join(cells))
        if number == 0:
            lines.append("|%s\n" % (" --- |" * len(cells)))
    return "".join(lines)


def as_csv(row: Iterable[Any]) -> str:
    line = io.StringIO()
    csv.writer(line, lineterminator="\n").writerow(row)
    return line.getvalue()
