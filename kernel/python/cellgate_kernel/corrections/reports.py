"""Tells of a correction: a line on stderr and a call of the gateway, once for each place in a request."""

import json
import sys
import threading
from typing import Any, Dict, NamedTuple, Optional, Set, Tuple

from .. import gateway, settings

_PATH = "/v1/corrections"
_WAIT_S = 2.0  # for the gateway: a cell that is corrected must not hang on it
_MOST_TEXT = 2000  # characters of what was written, and of what was used; the gateway takes 64 KiB in all
_MOST = 1000  # places in a request, as many as the gateway takes


class Correction(NamedTuple):
    """`line` from 1, `column` from 0 in characters, both in the cell as it was written."""

    line: int
    column: int
    written: str
    used: str
    kind: str


class _Request:
    def __init__(self, parent: str) -> None:
        self.parent = parent
        self.told: Set[Tuple[Any, ...]] = set()
        self.sending = True


_lock = threading.Lock()
_requests: Dict[str, _Request] = {}
_KEPT_REQUESTS = 8  # several shells may run, and threads of earlier cells


def _of(parent: str) -> _Request:
    with _lock:
        found = _requests.get(parent)
        if found is None:
            while len(_requests) >= _KEPT_REQUESTS:
                _requests.pop(next(iter(_requests)))
            found = _requests[parent] = _Request(parent)
        return found


def tell(shell: Any, place: Tuple[Any, ...], correction: Correction, elsewhere: Optional[int] = None) -> None:
    """`place` is what is told only once. `elsewhere`: the number of the cell that it is in, when not in the running one."""
    request = _of(settings.parent_of_request(shell))
    with _lock:
        if place in request.told or len(request.told) >= _MOST:
            return
        request.told.add(place)
    correction = correction._replace(written=_cut(correction.written), used=_cut(correction.used))
    where = "line %d" % correction.line if elsewhere is None else "cell [%d], line %d" % (elsewhere, correction.line)
    say("%s: %s" % (where, _sentence(correction)))
    if request.sending:
        request.sending = _send(request.parent, correction)


def _cut(text: str) -> str:
    return text if len(text) <= _MOST_TEXT else text[: _MOST_TEXT - 1] + "…"


def already_told(shell: Any, place: Tuple[Any, ...]) -> bool:
    return place in _of(settings.parent_of_request(shell)).told


def _sentence(correction: Correction) -> str:
    if correction.kind == "top_level_return":
        return "return outside a function: the cell ends there"
    return "%s read as %s" % (correction.written, correction.used)


def say(text: str) -> None:
    try:
        print("cellgate: " + text, file=sys.stderr)
    except Exception:  # the user's own stderr, which may be closed
        pass


def _send(parent: str, correction: Correction) -> bool:
    """False when there is nobody to send to."""
    connection = settings.current()
    if connection is None or not parent:
        return False
    body = json.dumps({"parent": parent, **correction._asdict()}).encode()
    try:
        status, _ = gateway.post(connection, _PATH, body, _WAIT_S)
    except Exception:  # whatever is wrong between us and the gateway: the cell goes on
        return False
    return status < 400
