"""What IPython keeps on its one shell object for the running request, kept for each thread instead.

The shells of a kernel are threads that share one InteractiveShell: names and the numbering of cells are common, all
else of a request is its thread's.
"""

import threading
from typing import Any, Dict, List, Optional

from IPython.core.payload import PayloadManager
from traitlets import Integer


class State(threading.local):
    """Of the request that this thread handles."""

    def __init__(self) -> None:
        self.count: Optional[int] = None  # what IPython takes for the execution count; None: no request runs
        self.reserved: Optional[int] = None  # a count that was announced and not used yet
        self.error: Optional[Dict[str, Any]] = None  # the last that was published
        self.displaying: Optional[Dict[str, Any]] = None  # the execute_result that is being put together
        self.display_error: Optional[Dict[str, Any]] = None  # what went wrong while it was
        self.exec_result: Any = None
        self.hook_level = 0
        self.payloads: List[Dict[str, Any]] = []


state = State()


class ExecutionCount(Integer):
    """The trait `execution_count`: within a request its own, outside the next one of all shells."""

    def __init__(self) -> None:
        super().__init__(1)
        self._next = 1
        self._lock = threading.Lock()

    def get(self, obj: Any, cls: Any = None) -> int:
        return self._next if state.count is None else state.count

    def set(self, obj: Any, value: int) -> None:
        if state.count is None:
            self._next = value
        elif value != state.count + 1:  # not IPython counting on, but %reset or a user
            self._next = value
        if state.count is not None:
            state.count = value

    def reserve(self) -> int:
        """The count of this thread's next cell; the same until it is used or released."""
        with self._lock:
            if state.reserved is None:
                state.reserved = self._next
                self._next += 1
            return state.reserved

    def release(self) -> None:
        """Give back what was reserved and not used, unless another shell has counted on."""
        with self._lock:
            if state.reserved is not None and self._next == state.reserved + 1:
                self._next = state.reserved
            state.reserved = None

    def begin(self, stored: bool) -> int:
        """A request starts on this thread; returns the count that its cell has."""
        if stored:
            state.count = self.reserve()
        else:
            self.release()
            state.count = self._next
        return state.count

    def end(self, used: bool) -> None:
        """It ended; `used` tells whether its count is taken."""
        state.count = None
        if used:
            state.reserved = None
        else:
            self.release()


class Payloads(PayloadManager):
    """IPython's payloads, of this thread's request."""

    @property
    def _payload(self) -> List[Dict[str, Any]]:  # type: ignore[override]
        return state.payloads

    @_payload.setter
    def _payload(self, value: List[Dict[str, Any]]) -> None:
        state.payloads = value
