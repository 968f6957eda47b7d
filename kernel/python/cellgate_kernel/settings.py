"""How this kernel reaches the gateway: the session's key and the socket, kept in this process's memory only."""

from typing import Any, Callable, Dict, Iterator, Mapping, Optional, Union

DEFAULT_SOCKET = "/run/cellgate/helper.sock"
DEFAULT_TOOL_TIMEOUT_S = 600.0


class Settings:
    """The key is kept out of repr(), and so out of tracebacks that print local variables."""

    __slots__ = ("helper_key", "socket", "tool_timeout_s", "install", "error_correction")

    def __init__(
        self,
        helper_key: str,
        socket: str,
        tool_timeout_s: float,
        install: bool = False,
        error_correction: Union[bool, str] = "report",
    ) -> None:
        self.helper_key = helper_key
        self.socket = socket
        self.tool_timeout_s = tool_timeout_s
        self.install = install
        self.error_correction = error_correction  # of cells that do not say themselves: those of Jupyter's clients

    def __repr__(self) -> str:
        return "Settings(socket=%r)" % self.socket

    @classmethod
    def parse(cls, given: Mapping[str, Any]) -> "Settings":
        key = given.get("helper_key")
        if not isinstance(key, str) or not key:
            raise ValueError("cellgate settings need a helper_key, a string")
        timeout = given.get("tool_timeout_s") or DEFAULT_TOOL_TIMEOUT_S
        install = given.get("install") is True
        correction = given.get("error_correction", "report")
        if correction not in (True, False, "report"):
            raise ValueError('error_correction is true, false or "report", not %r' % (correction,))
        return cls(key, str(given.get("socket") or DEFAULT_SOCKET), float(timeout), install, correction)


_current: Optional[Settings] = None


def keep(settings: Settings) -> None:
    global _current
    _current = settings


def change(given: Mapping[str, Any]) -> None:
    """Replaces some of the current settings. RuntimeError when there are none yet."""
    if _current is None:
        raise RuntimeError("cellgate_kernel.install() comes first: this kernel has no settings to change")
    whole = {name: getattr(_current, name) for name in Settings.__slots__}
    whole.update(given)
    keep(Settings.parse(whole))


def current() -> Optional[Settings]:
    return _current


def not_connected(helper: str) -> str:
    """The error of a helper that has no settings."""
    return (
        "this process has no connection to the Cellgate gateway: %s works in a session's own kernel (threads and forked "
        "children included), not in a program that the kernel started. Call it from a cell; if this is a cell, restart "
        "the kernel" % helper
    )


def of_request(shell: Any) -> Dict[str, Any]:
    """``metadata["cellgate"]`` of the message that the kernel is handling, empty when there is none."""
    for message in _parent_messages(shell):
        metadata = message.get("metadata") if isinstance(message, Mapping) else None
        found = metadata.get("cellgate") if isinstance(metadata, Mapping) else None
        if isinstance(found, Mapping):
            return dict(found)
    return {}


def installs(shell: Any) -> bool:
    """Whether what the cell that runs imports is to be installed: as its request says, else as the session's rule."""
    asked = of_request(shell).get("install")
    if isinstance(asked, bool):
        return asked
    return _current is not None and _current.install


def parent_of_request(shell: Any) -> str:
    """The msg_id of the request that the kernel is handling; empty where the kernel does not show it."""
    for message in _parent_messages(shell):
        header = message.get("header", message) if isinstance(message, Mapping) else None
        msg_id = header.get("msg_id") if isinstance(header, Mapping) else None
        if isinstance(msg_id, str) and msg_id:
            return msg_id
    return ""


def _parent_messages(shell: Any) -> Iterator[Any]:
    """The places where ipykernel has kept the parent message, newest version first."""
    kernel = getattr(shell, "kernel", None)
    places: "tuple[Callable[[], Any], ...]" = (
        lambda: kernel.get_parent("shell"),  # ipykernel 6 and later
        lambda: kernel.get_parent(),
        lambda: kernel._parent_header,  # ipykernel 4 and 5: the whole message, in spite of its name
        lambda: shell.parent_header,
    )
    for place in places:
        try:
            yield place()
        except Exception:  # this version has no such place
            continue
