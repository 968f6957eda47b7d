"""The corpus: cells as agents write them, each with what is intended to become of it."""

import pathlib
import tomllib
from typing import NamedTuple

FOLDER = pathlib.Path(__file__).resolve().parent
_KNOWN = {"about", "setup", "before", "code", "gives", "fixes", "fails", "suggests", "unseen"}


class Cell(NamedTuple):
    """The fields are those of the files; README.md says what they mean."""

    theme: str
    about: str
    setup: str  # runs before, with corrections off
    before: tuple[str, ...]  # earlier cells, which run in the mode that is tried
    code: str
    gives: str | None
    fixes: tuple[str, ...]
    fails: str | None
    suggests: str | None
    unseen: bool

    @property
    def intent(self) -> str:
        """The column of the table that it is to be counted in."""
        if self.gives is None:
            return "suggested" if self.suggests else "left failing"
        return "fixed" if self.fixes else "untouched"


def load() -> list[Cell]:
    """All, in the order of the files' names. Raises ValueError for a cell that does not say what is intended."""
    return [cell for path in sorted(FOLDER.glob("*.toml")) for cell in _load(path)]


def _load(path: pathlib.Path) -> list[Cell]:
    whole = tomllib.loads(path.read_text(encoding="utf-8"))
    return [_cell(whole["theme"], whole.get("data", ""), entry, path.name) for entry in whole["cell"]]


def _cell(theme: str, data: str, entry: dict, file: str) -> Cell:
    where = "%s, %r" % (file, entry.get("about"))
    if unknown := set(entry) - _KNOWN:
        raise ValueError("%s: unknown fields %s; known are %s" % (where, sorted(unknown), sorted(_KNOWN)))
    cell = Cell(
        theme,
        entry["about"],
        data + "\n" + entry.get("setup", ""),
        tuple(entry.get("before", ())),
        entry["code"].rstrip("\n"),
        _text(entry.get("gives")),
        tuple(entry.get("fixes", ())),
        entry.get("fails"),
        entry.get("suggests"),
        entry.get("unseen", False),
    )
    if cell.fixes and (cell.fails is None or cell.suggests):
        raise ValueError("%s: a cell with `fixes` says how it `fails` without, which is what is suggested there" % where)
    if not cell.fixes and (cell.gives is None) == (cell.fails is None):
        raise ValueError("%s: a cell without `fixes` either `gives` or `fails`" % where)
    return cell


def _text(given: str | None) -> str | None:
    return None if given is None else given.rstrip("\n")
