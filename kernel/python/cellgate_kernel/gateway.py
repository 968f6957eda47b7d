"""One HTTP request to the gateway, over its Unix socket. A connection a call: any number of threads may call."""

import http.client
import json
import socket
import struct
from typing import Any, NamedTuple, Optional, Tuple

from .settings import Settings

# The gateway ends a call that takes too long by itself; we wait a little longer, to get its explanation.
GRACE_S = 15.0
CONNECT_S = 10


class Unreachable(Exception):
    """There was no answer that could be read. The text is for the caller of the helper."""


class Answer(NamedTuple):
    status: int
    body: Any  # decoded JSON
    retry_after_s: float  # what the gateway asks to wait before the next try; 0: nothing


class _UnixConnection(http.client.HTTPConnection):
    def __init__(self, path: str, timeout: float) -> None:
        super().__init__("localhost", timeout=timeout)
        self._path = path

    def connect(self) -> None:
        self.sock = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        # Blocking while it connects: a Unix socket with a timeout of Python's is refused at once (EAGAIN) when many
        # threads call and the gateway's backlog is full, instead of waiting for its turn.
        self.sock.setsockopt(socket.SOL_SOCKET, socket.SO_SNDTIMEO, struct.pack("ll", CONNECT_S, 0))
        self.sock.connect(self._path)
        self.sock.settimeout(self.timeout)


def post(settings: Settings, path: str, body: bytes, limit_s: Optional[float] = None) -> Tuple[int, Any]:
    """The status and the decoded JSON of the answer. Raises Unreachable."""
    answer = send(settings, "POST", path, body, limit_s)
    return answer.status, answer.body


def send(
    settings: Settings, method: str, path: str, body: Optional[bytes] = None, limit_s: Optional[float] = None
) -> Answer:
    """Waits at most `limit_s`: as a rule a tool's time. Raises Unreachable.

    An interrupt closes the connection, and with it ends what the gateway does for this call.
    """
    limit_s = limit_s or settings.tool_timeout_s + GRACE_S
    connection = _UnixConnection(settings.socket, limit_s)
    headers = {
        "Content-Type": "application/json",
        "Connection": "close",
        "x-cellgate-session-key": settings.helper_key,
    }
    try:
        connection.request(method, path, body=body, headers=headers)
        answer = connection.getresponse()
        return Answer(answer.status, json.loads(answer.read()), _seconds(answer.getheader("Retry-After")))
    except socket.timeout:
        raise Unreachable("no answer from the gateway within %g s" % limit_s) from None
    except OSError as error:
        raise Unreachable("the gateway cannot be reached at %s: %s" % (settings.socket, error)) from None
    except http.client.HTTPException as error:
        raise Unreachable("the gateway's answer broke off: %s" % (error or type(error).__name__)) from None
    except ValueError:
        raise Unreachable("the gateway's answer is not JSON") from None
    finally:
        connection.close()


def _seconds(header: Optional[str]) -> float:
    try:
        return max(0.0, float(header or 0))
    except ValueError:
        return 0.0
