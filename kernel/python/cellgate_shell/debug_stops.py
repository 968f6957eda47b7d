"""Which threads the debugger has stopped, as its events say."""

import threading
from typing import Any, Dict, List

Message = Dict[str, Any]


class Stops:
    """Safe to use from any thread. A thread is known by the number that the debug protocol has for it."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._stopped: Dict[int, None] = {}  # in the order of stopping: clients show the first one's stack

    def take(self, event: Message) -> None:
        body = event.get("body") or {}
        with self._lock:
            if event.get("event") == "stopped":
                self._stopped[body["threadId"]] = None
            elif event.get("event") == "continued" and body.get("allThreadsContinued", True):
                self._stopped.clear()
            elif event.get("event") == "continued" or event.get("event") == "thread" and body.get("reason") == "exited":
                self._stopped.pop(body.get("threadId"), None)

    def threads(self) -> List[int]:
        with self._lock:
            return list(self._stopped)

    def clear(self) -> None:
        with self._lock:
            self._stopped.clear()
