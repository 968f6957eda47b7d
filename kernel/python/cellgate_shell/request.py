"""The request that an output belongs to: of the task or the thread that makes it, else the newest of the main shell."""

import json
import threading
from contextvars import ContextVar
from typing import Any, Dict, Optional

Message = Dict[str, Any]


class Request:
    """A request that a shell handles or has handled. `header` is JSON text, as the kernel passes it around."""

    __slots__ = ("header", "metadata", "shell_id", "allow_stdin", "content", "_message")

    def __init__(self, header: str = "{}", metadata: str = "{}", shell_id: Optional[str] = None) -> None:
        self.header = header
        self.metadata = metadata
        self.shell_id = shell_id
        self.allow_stdin = False
        self.content: Dict[str, Any] = {}
        self._message: Optional[Message] = None

    @classmethod
    def of_message(cls, message: Message) -> "Request":
        made = cls(json.dumps(message.get("header") or {}, default=str))
        made._message = message
        return made

    def message(self) -> Message:
        """The request as a message in ipykernel's shape. The same object each time."""
        if self._message is None:
            header = json.loads(self.header)
            self._message = {
                "header": header,
                "msg_id": header.get("msg_id", ""),
                "msg_type": header.get("msg_type", ""),
                "parent_header": {},
                "metadata": json.loads(self.metadata),
                "content": self.content,
                "buffers": [],
            }
        return self._message


running: "ContextVar[Optional[Request]]" = ContextVar("cellgate_request", default=None)
_newest = Request()  # of the main shell: for threads that Python did not start


def current() -> Request:
    found = running.get()
    if found is not None:
        return found
    thread = threading._active.get(threading.get_ident())  # current_thread() would register a foreign thread for ever
    return getattr(thread, "_cellgate_request", None) or _newest


def use(request: Request) -> None:
    """From now on this thread's output is of `request`, also after its end."""
    running.set(request)


def begin(request: Request) -> None:
    """A shell's thread starts to handle `request`."""
    global _newest
    use(request)
    if request.shell_id is None:
        _newest = request


def adopt(message: Message) -> None:
    """What `set_parent` of the shell does: this context's output belongs to the request `message`."""
    now = current()
    if now._message is not message:
        adopted = Request.of_message(message)
        adopted.shell_id = now.shell_id
        use(adopted)


def inherit(thread: threading.Thread) -> None:
    thread._cellgate_request = current()  # type: ignore[attr-defined]


def forget() -> None:
    """After a fork: the requests of the process that was forked are none of ours."""
    global _newest
    _newest = Request()
    running.set(None)
