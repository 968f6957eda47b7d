"""A connection that speaks the Debug Adapter Protocol: requests out, their responses and events in."""

import itertools
import json
import queue
import socket
import threading
from typing import Any, Callable, Dict, Optional

Message = Dict[str, Any]
Answer = queue.SimpleQueue[Optional[Message]]  # holds one; None: there will be none


class DapError(Exception):
    """A request could not be answered; the text says why."""


class DapConnection:
    """One client of one debugger. Any thread may ask; one thread of its own reads.

    `on_event` is called on that thread, in the order of arrival, and before a response that came later is handed out.
    """

    def __init__(self, connected: socket.socket, on_event: Callable[[Message], None]) -> None:
        self._socket = connected
        self._on_event = on_event
        self._numbers = itertools.count(1)
        self._lock = threading.Lock()
        self._waiting: Optional[Dict[int, Answer]] = {}  # None: the connection has ended
        self._reader = threading.Thread(target=self._read, name="cellgate.DebugReader", daemon=True)
        hide_from_debugger(self._reader)
        self._reader.start()

    def request(self, command: str, arguments: Optional[Message] = None, timeout: float = 10) -> Message:
        """The response; DapError when none came within `timeout` seconds, or the debugger has gone."""
        answer: Answer = queue.SimpleQueue()
        number = self._send(command, arguments, answer)
        try:
            response = answer.get(timeout=timeout)
        except queue.Empty:
            raise DapError(f"the debugger has not answered {command} within {timeout:g} s") from None
        finally:
            with self._lock:
                if self._waiting is not None:
                    self._waiting.pop(number, None)
        if response is None:
            raise DapError(f"the debugger ended before it answered {command}; start debugging again")
        return response

    def tell(self, command: str, arguments: Optional[Message] = None) -> None:
        """A request whose response nobody waits for."""
        self._send(command, arguments, None)

    def close(self, timeout: float) -> None:
        """Ends the connection; waits up to `timeout` seconds for the reader."""
        try:
            self._socket.shutdown(socket.SHUT_RDWR)
        except OSError:
            pass  # the other side was faster
        self._reader.join(timeout)

    def _send(self, command: str, arguments: Optional[Message], answer: Optional[Answer]) -> int:
        with self._lock:
            if self._waiting is None:
                raise DapError("the debugger has ended; start debugging again")
            number = next(self._numbers)
            if answer is not None:
                self._waiting[number] = answer
            body = json.dumps({"seq": number, "type": "request", "command": command, "arguments": arguments or {}}).encode()
            try:
                self._socket.sendall(b"Content-Length: %d\r\n\r\n%b" % (len(body), body))
            except OSError as error:
                self._waiting.pop(number, None)
                raise DapError(f"the debugger has ended ({error.strerror}); start debugging again") from None
        return number

    def _read(self) -> None:
        try:
            with self._socket, self._socket.makefile("rb") as stream:
                while (message := read_message(stream)) is not None:
                    self._take(message)
        except (OSError, ValueError):
            pass  # reset, or not the protocol: either way it is over
        finally:
            self._end()

    def _take(self, message: Message) -> None:
        if message.get("type") == "event":
            self._on_event(message)
        elif message.get("type") == "response":
            with self._lock:
                answer = (self._waiting or {}).pop(message.get("request_seq"), None)
            if answer is not None:
                answer.put(message)

    def _end(self) -> None:
        with self._lock:
            waiting, self._waiting = self._waiting or {}, None
        for answer in waiting.values():
            answer.put(None)


def read_message(stream: Any) -> Optional[Message]:
    """The next message of a stream of bytes; None at its end. ValueError: what comes is not the protocol."""
    length = None
    while (line := stream.readline()) not in (b"\r\n", b""):
        name, _, value = line.partition(b":")
        if name.strip().lower() == b"content-length":
            length = int(value)
    if length is None:
        if line:
            raise ValueError("a message of the debug protocol has no Content-Length")
        return None
    body = stream.read(length)
    if len(body) < length:
        return None
    message = json.loads(body)
    if not isinstance(message, dict):
        raise ValueError("a message of the debug protocol is not an object")
    return message


def hide_from_debugger(thread: threading.Thread) -> None:
    """The debugger neither stops this thread nor lists it. To be called before the debugger is started, or the thread."""
    thread.pydev_do_not_trace = True  # type: ignore[attr-defined]
    thread.is_pydev_daemon_thread = True  # type: ignore[attr-defined]
