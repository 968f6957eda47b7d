"""Whether errors are corrected in the cell that this thread runs: True, False, or "report"."""

import sys
import threading
from collections import OrderedDict
from typing import Any, Dict, List, Optional, Union

from .. import settings

Mode = Union[bool, str]
REPORT = "report"
VERBATIM = "%%verbatim"

_KEPT = 16  # requests that may still run: shells, and threads of earlier cells


class _Cell:
    """`written` is the cell of the request, also while a magic of it (%%capture) runs a cell of its own in `filename`."""

    def __init__(self, filename: str, written: str) -> None:
        self.filename = filename
        self.written = written
        self.verbatim = is_verbatim(written)


_running: "OrderedDict[str, _Cell]" = OrderedDict()  # by request
_on_stacks: Dict[int, List[str]] = {}  # by thread: cells that may not have ended


def parse(given: Any) -> Mode:
    """Raises ValueError with what is allowed."""
    if given is True or given is False or given == REPORT:
        return given  # type: ignore[no-any-return]
    raise ValueError('error_correction is true, false or "report", not %r' % (given,))


def of_request(shell: Any) -> Mode:
    """What the request that is being handled asks for, else what the session was set to."""
    cell = _running.get(settings.parent_of_request(shell))
    if cell is not None and cell.verbatim:
        return False
    return asked_for(shell)


def asked_for(shell: Any) -> Mode:
    """Without regard to what the cell says itself."""
    asked = settings.of_request(shell).get("error_correction")
    try:
        return parse(asked)
    except ValueError:
        session = settings.current()
        return session.error_correction if session is not None else REPORT


def begin(shell: Any, filename: str, written: str) -> None:
    """The cell in this file begins in the current request."""
    request = settings.parent_of_request(shell)
    around = _around(request)
    _running.pop(request, None)
    while len(_running) >= _KEPT:
        _running.popitem(last=False)
    _running[request] = _Cell(filename, around.written if around is not None else written)
    _on_stacks[threading.get_ident()] = [*_still_running(_on_stacks.get(threading.get_ident(), [])), filename]


def _still_running(cells: List[str]) -> List[str]:
    """Those of this thread that have begun the one that begins."""
    below, frame = set(), sys._getframe()
    while frame is not None and cells:
        below.add(frame.f_code.co_filename)
        frame = frame.f_back  # type: ignore[assignment]
    return [each for each in cells if each in below]


def may_run(filename: str) -> bool:
    """Is the cell in this file one that may not have ended?"""
    return any(filename in cells for cells in list(_on_stacks.values()))


def is_inside_verbatim(shell: Any) -> bool:
    """Whether what is run is a part of a cell that runs as it is."""
    around = _around(settings.parent_of_request(shell))
    return around is not None and around.verbatim


def lines_before(shell: Any, written: str) -> int:
    """The lines of the request's cell above this text, which is its end: a magic's, as a rule."""
    around, end = _around(settings.parent_of_request(shell)), written.rstrip()
    whole = around.written.rstrip() if around is not None else ""
    return whole[: len(whole) - len(end)].count("\n") if whole.endswith(end) else 0


def _around(request: str) -> Optional[_Cell]:
    """The cell that has begun in this request already; where requests are not known, that of another may be meant."""
    return _running.get(request) if request else None


def running_file(shell: Any) -> Optional[str]:
    cell = _running.get(settings.parent_of_request(shell))
    return cell.filename if cell is not None else None


def is_verbatim(written: str) -> bool:
    return written.lstrip().split("\n", 1)[0].rstrip() == VERBATIM
