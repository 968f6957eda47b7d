"""What happens on a miss: called by the C function, from the frame of the cell that reads."""

import builtins
import sys
from typing import Any, Dict, Tuple

from . import catching, keys, modes, places, reports, sources, suggestions
from .reads import LITERALS

_OPTIMIZED = 1  # a function's code, whose variables are in no dict

# A place whose reads fail as often as this, and somebody goes on, is meant to: it is looked at no longer, since to ask
# costs much more than a KeyError.
_ENOUGH = 32
_MOST_PLACES = 4096


class _Place:
    def __init__(self, code: Any) -> None:
        self.code = code  # kept, so that no other has its id
        self.times = 0


class Misses:
    """`shell` is the one whose requests run."""

    def __init__(self, shell: Any) -> None:
        self._shell = shell
        self._failed: "Dict[Tuple[int, int], _Place]" = {}  # by the code object's id and the instruction

    def missed(self, container: Any, key: str, error: KeyError) -> Any:
        """The value that container[key] must have meant; NotImplemented where that is not certain."""
        frame = sys._getframe(1)
        code, at = frame.f_code, frame.f_lasti
        place = self._failed.get((id(code), at))
        if place is not None and place.code is code and place.times >= _ENOUGH:
            return NotImplemented
        value = self._meant(frame, container, key, error)
        if value is NotImplemented:
            if place is None or place.code is not code:
                if len(self._failed) >= _MOST_PLACES:
                    self._failed.clear()
                place = self._failed[id(code), at] = _Place(code)
            place.times += 1
        return value

    def _meant(self, frame: Any, container: Any, key: str, error: KeyError) -> Any:
        if modes.of_request(self._shell) is not True or container is frame.f_globals or catching.would_be_caught(frame, KeyError):
            return NotImplemented
        found = keys.look(key, container)
        if not found:
            return NotImplemented
        if not found[0].certain:
            for text in suggestions.for_miss(self._owner(frame, key), key, container):
                suggestions.note(error, text)
            return NotImplemented
        (meant,) = found
        value = container
        for step in meant.path:
            value = value[step]
        self._tell(frame, key, meant)
        return value

    def name_is_read(self, name: str) -> bool:
        """Is the name, one of LITERALS, to be read as any other? Not where that would be an error."""
        frame = sys._getframe(1)
        if name in frame.f_globals or hasattr(builtins, name):
            return True
        if not frame.f_code.co_flags & _OPTIMIZED and name in frame.f_locals:
            return True
        if modes.of_request(self._shell) is not True or catching.would_be_caught(frame, NameError):
            return True
        self._report(frame, name, repr(LITERALS[name]), "json_literal")
        return False

    def _tell(self, frame: Any, key: str, meant: keys.Found) -> None:
        if not reports.already_told(self._shell, self._place(frame)):
            owner = self._owner(frame, key)
            written, used = suggestions.path_text(owner, (key,)), suggestions.path_text(owner, meant.path)
            self._report(frame, written, used, meant.kind)

    def _report(self, frame: Any, written: str, used: str, kind: str) -> None:
        filename = frame.f_code.co_filename
        where = places.position(frame.f_code, frame.f_lasti)
        if where is None or reports.already_told(self._shell, self._place(frame)):
            return
        line, column = places.as_written(filename, where)
        cell = sources.cell_of(filename)
        elsewhere = cell.count if cell is not None and filename != modes.running_file(self._shell) else None
        reports.tell(self._shell, self._place(frame), reports.Correction(line, column, written, used, kind), elsewhere)

    def _place(self, frame: Any) -> Tuple[Any, ...]:
        return frame.f_code.co_filename, places.position(frame.f_code, frame.f_lasti)

    def _owner(self, frame: Any, key: str) -> str:
        """The text of what is read from; "…" where the source does not show it."""
        filename = frame.f_code.co_filename
        where = places.position(frame.f_code, frame.f_lasti)
        node = places.subscript_at(filename, where, key) if where is not None else None
        text = places.owner_text_at(filename, node.value) if node is not None else ""
        return text if 0 < len(text) <= 200 else "…"
