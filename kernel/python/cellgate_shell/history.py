"""The history of cells: in memory until it is asked for or idle time comes, then in the profile's database.

IPython's own manager opens the database at once and starts a thread that writes; a process that is forked from must
have neither.
"""

import os
import sys
from typing import Any, Dict, Iterable, List, Optional

from IPython.core.history import HistoryManager

_MEMORY = ":memory:"


class LazyHistory(HistoryManager):
    """Starts without a database; `open` gives it one."""

    def __init__(self, shell: Any, **traits: Any) -> None:
        self._wanted = True
        self._opened_by: Optional[int] = None  # the process that may use the database
        super().__init__(shell=shell, enabled=False, hist_file=_MEMORY, **traits)

    def open(self) -> None:
        """Use the profile's database, or one in memory when that cannot be written. Later calls do nothing."""
        if self._opened_by is not None or not self._wanted:
            return
        self._opened_by = os.getpid()
        self.enabled = True
        try:
            self._connect(os.path.join(self.shell.profile_dir.location, "history.sqlite"))
        except Exception:  # no home, a full or read-only disk, an odd file: the session has its history all the same
            self._keep_in_memory()

    def _connect(self, path: str) -> None:
        self.hist_file = path
        self.init_db()
        self.new_session()

    def _keep_in_memory(self) -> None:
        try:
            self._connect(_MEMORY)
        except Exception:  # not even that: no descriptor is left
            self.enabled = False

    def configured(self, enabled: bool) -> None:
        """What the user's configuration says of it."""
        self._wanted = enabled

    def save(self) -> None:
        """Write what has come since; when it cannot be written, it is said once and the history stays in memory."""
        self.open()
        if not self.enabled or self._opened_by != os.getpid():
            return
        try:
            super().writeout_cache()
        except Exception as error:
            print(f"The history of this session is not saved: {error}", file=sys.stderr)
            self._keep_in_memory()

    def unsaved(self) -> bool:
        return bool(self.db_input_cache) and self._wanted

    def writeout_cache(self, conn: Any = None) -> None:
        self.save()

    def get_tail(self, *args: Any, **kwargs: Any) -> Iterable[Any]:
        self.open()
        return super().get_tail(*args, **kwargs) if self.enabled else []

    def search(self, *args: Any, **kwargs: Any) -> Iterable[Any]:
        self.open()
        return super().search(*args, **kwargs) if self.enabled else []

    def get_range(self, session: int = 0, *args: Any, **kwargs: Any) -> Iterable[Any]:
        if session != 0:
            self.open()
        if session != 0 and not self.enabled:
            return []
        return super().get_range(session, *args, **kwargs)

    def get_session_info(self, session: int = 0) -> Any:
        self.open()
        return super().get_session_info(session)

    def end_session(self) -> None:
        if self._opened_by == os.getpid() or self.unsaved():
            self.save()
            super().end_session()

    def reset(self, new_session: bool = True) -> None:
        opened = self._opened_by is not None
        if new_session and not opened:
            self.open()
        super().reset(new_session)


def reply(manager: LazyHistory, content: Dict[str, Any]) -> Dict[str, Any]:
    """The content of a history_reply. Session 0 is the current one, whose number the entries bear."""
    manager.open()
    raw, output = bool(content.get("raw", True)), bool(content.get("output", False))
    entries = [_entry(manager, row, output) for row in _rows(manager, content, raw, output)]
    return {"status": "ok", "history": entries}


def _rows(manager: LazyHistory, content: Dict[str, Any], raw: bool, output: bool) -> Iterable[Any]:
    kind = content.get("hist_access_type")
    if kind == "tail":
        return manager.get_tail(content.get("n") or 10, raw=raw, output=output, include_latest=True)
    if kind == "range":
        start, stop = content.get("start"), content.get("stop")
        return manager.get_range(
            content.get("session") or 0, 1 if start is None else start, stop, raw=raw, output=output
        )
    if kind == "search":
        return manager.search(
            content.get("pattern") or "*",
            raw=raw,
            output=output,
            n=content.get("n"),
            unique=bool(content.get("unique", False)),
        )
    raise ValueError(f"hist_access_type must be tail, range or search, not {kind!r}")


def _entry(manager: LazyHistory, row: Any, output: bool) -> List[Any]:
    session, line, text = row
    current = session in (0, manager.session_number)
    if output:
        given, shown = text
        text = [given, manager.output_hist_reprs.get(line) if current and shown is None else shown]
    return [manager.session_number if current else session, line, text]
