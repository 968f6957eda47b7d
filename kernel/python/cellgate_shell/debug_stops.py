"""Which threads the debugger has stopped, as its events say."""

import threading
from typing import Any, Dict, List

Message = Dict[str, Any]


class Stops:
    """Safe to use from any thread. A thread is known by the number that the debug protocol has for it."""

    def __init__(self) -> None:
        self._changed = threading.Condition()
        self._stopped: Dict[int, None] = {}  # in the order of stopping: clients show the first one's stack
        self._resumed = 0  # how often threads went on

    def take(self, event: Message) -> None:
        kind, body = event.get("event"), event.get("body") or {}
        with self._changed:
            if kind == "stopped":
                self._stopped[body["threadId"]] = None
            elif kind == "continued":
                self._resume(body)
            elif kind == "thread" and body.get("reason") == "exited":
                self._stopped.pop(body.get("threadId"), None)

    def threads(self) -> List[int]:
        with self._changed:
            return list(self._stopped)

    def resumed(self) -> int:
        """How often threads have gone on until now."""
        with self._changed:
            return self._resumed

    def wait_until_resumed(self, since: int, seconds: float) -> bool:
        """Waits until threads have gone on once more than `since`; False when they have not in time."""
        with self._changed:
            return self._changed.wait_for(lambda: self._resumed != since, seconds)

    def clear(self) -> List[int]:
        """Forgets the stopped threads; which they were."""
        with self._changed:
            stopped = list(self._stopped)
            self._stopped.clear()
            return stopped

    def _resume(self, body: Message) -> None:
        if body.get("allThreadsContinued", True):
            self._stopped.clear()
        else:
            self._stopped.pop(body.get("threadId"), None)
        self._resumed += 1
        self._changed.notify_all()
