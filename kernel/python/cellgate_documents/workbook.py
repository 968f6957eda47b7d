"""An Excel workbook: each sheet's name, then its rows as CSV. A formula whose value was never computed is shown itself."""

import datetime
import itertools
import zipfile
from typing import Any, Iterator

from .limits import Budget
from .office_package import measure
from .source import Source
from .tables import as_csv


def read(source: Source, budget: Budget) -> Iterator[str]:
    import openpyxl

    measure(source, budget)
    values = openpyxl.load_workbook(source.file, read_only=True, data_only=True, keep_links=False)
    formulas = None
    if _has_formulas(source):
        formulas = openpyxl.load_workbook(source.file, read_only=True, data_only=False, keep_links=False)
    for sheet in values.worksheets:
        yield "## %s\n" % sheet.title
        for row in _rows(sheet, formulas[sheet.title] if formulas else None):
            budget.seconds_left()
            if row:
                yield as_csv(row)
        yield "\n"


def _has_formulas(source: Source) -> bool:
    with zipfile.ZipFile(source.file) as package:
        for name in package.namelist():
            if name.startswith("xl/worksheets/") and name.endswith(".xml"):
                with package.open(name) as sheet:
                    end = b""
                    for piece in iter(lambda: sheet.read(1 << 20), b""):
                        if b"<f>" in end + piece or b"<f " in end + piece:
                            return True
                        end = piece[-3:]
    return False


def _rows(values: Any, formulas: Any) -> Iterator[list]:
    """Without the empty cells at their ends."""
    values.reset_dimensions()  # what the file says of its size may be anything
    rows = values.iter_rows(values_only=True)
    if formulas is None:
        beside: Iterator[Any] = itertools.repeat(())
    else:
        formulas.reset_dimensions()
        beside = formulas.iter_rows(values_only=True)
    for row, written in zip(rows, beside):
        cells = list(row)
        for place, formula in enumerate(written):
            if place < len(cells) and cells[place] is None and formula is not None:
                cells[place] = formula
        while cells and cells[-1] is None:
            cells.pop()
        yield [_as_text(cell) for cell in cells]


def _as_text(cell: Any) -> Any:
    if isinstance(cell, datetime.datetime) and cell.time() == datetime.time():
        return cell.date().isoformat()
    if isinstance(cell, (datetime.datetime, datetime.date, datetime.time)):
        return cell.isoformat()
    return "" if cell is None else cell
