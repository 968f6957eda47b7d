"""pydevd in this process, from the first request of a debugging client until it disconnects.

pydevd itself speaks the debug protocol. It connects to a socket of ours, so there is no adapter process that could
outlive the kernel, and no port on which a neighbour on the same machine could debug it.
"""

import contextlib
import functools
import os
import secrets
import socket
import sys
import threading
from types import TracebackType
from typing import Any, Callable, Optional, Tuple

import IPython

from .dap_connection import DapConnection, DapError, Message, hide_from_debugger

_START_SECONDS = 10.0
_PEER_SECONDS = 2.0  # for a connection to prove that it is pydevd's
_STOP_SECONDS = 2.0

# Threads that run no code of the user, by name: those of libraries, which nobody could mark when they were made.
LIBRARY_THREADS = frozenset({"IPythonHistorySavingThread"})


class DebugSession:
    """One run of pydevd. Made and closed on the same thread (control), which is never traced."""

    def __init__(self, on_event: Callable[[Message], None]) -> None:
        hide_from_debugger(threading.current_thread())
        hide_library_threads()
        self._hook = sys.breakpointhook
        try:
            pydevd = import_pydevd()
        except ImportError as error:
            raise DapError(f"debugpy, which does the debugging, cannot be imported: {error}; install it") from None
        from _pydevd_bundle.pydevd_constants import get_global_debugger

        if get_global_debugger() is not None:
            raise DapError("the code of this kernel has started a debugger itself; end it, or restart the kernel")
        token = secrets.token_hex(16)
        try:
            with socket.create_server(("127.0.0.1", 0), backlog=8) as listener:
                _start(pydevd, listener.getsockname(), token)
                self._connection = _accept(listener, token, on_event)
        except Exception as error:  # whatever another version of it raises: it must not be left half started
            _end()
            raise DapError(f"the debugger could not be started: {error}") from error
        trace_this_thread(False)
        _forget_in_forked_children()

    def request(self, command: str, arguments: Any = None, timeout: float = 10) -> Message:
        return self._connection.request(command, arguments, timeout)

    def tell(self, command: str, arguments: Any = None) -> None:
        self._connection.tell(command, arguments)

    def forget_step(self) -> None:
        """The calling thread goes on without stopping: over is a step or a pause that was asked for, or an interrupted stop."""
        from _pydevd_bundle import pydevd_constants, pydevd_thread_lifecycle

        pydevd_thread_lifecycle.resume_threads(pydevd_constants.get_current_thread_id(threading.current_thread()))

    def close(self) -> None:
        """Every stopped thread goes on, nothing is traced any more, pydevd's threads end."""
        with contextlib.suppress(DapError):
            self._connection.request("disconnect", {"terminateDebuggee": False}, _STOP_SECONDS)
        _end()
        self._connection.close(_STOP_SECONDS)
        sys.breakpointhook = self._hook


def import_pydevd() -> Any:
    """The pydevd module of debugpy. What it sets in the environment is taken back: users' programs would inherit it."""
    before = dict(os.environ)
    os.environ["PYDEVD_DISABLE_FILE_VALIDATION"] = "1"  # else it warns about frozen modules on stderr, in some cell
    try:
        import debugpy.server  # noqa: F401  (puts its pydevd on sys.path)
        import pydevd
    finally:
        for name in set(os.environ) - set(before):
            del os.environ[name]
    return pydevd


def trace_this_thread(wanted: bool) -> None:
    """Starts or ends the tracing of the calling thread. Nothing happens where no debugger runs any more."""
    import pydevd_tracing
    from _pydevd_bundle.pydevd_constants import get_global_debugger

    debugger = get_global_debugger()
    if not wanted:
        pydevd_tracing.SetTrace(None)
    elif debugger is not None:
        debugger.enable_tracing()


def is_traced() -> bool:
    """Does a debugger of ours, running or ended, trace the calling thread?"""
    return type(sys.gettrace()).__module__.startswith("_pydevd")


def hide_debugger(trace: Optional[TracebackType]) -> None:
    """Ends a traceback where the debugger begins: an interrupt of a stopped cell is raised deep inside it."""
    while trace is not None:
        inner = trace.tb_next
        if inner is not None and _is_of_debugger(inner.tb_frame.f_code.co_filename):
            trace.tb_next = inner = None
        trace = inner


def _is_of_debugger(path: str) -> bool:
    return path.startswith("_pydevd") or "/debugpy/_vendored/" in path  # compiled, or not


def hide_library_threads() -> None:
    for thread in threading.enumerate():
        if thread.name in LIBRARY_THREADS:
            hide_from_debugger(thread)


def internal_directories() -> Tuple[str, ...]:
    """Where code lies that neither steps nor stops enter, and that no stack shows: ours and IPython's."""
    # What the gateway installs works before and after each cell: a step out of the last line would end in there.
    others = (sys.modules[name].__file__ for name in ("debugpy", "cellgate_kernel") if name in sys.modules)
    files = (__file__, IPython.__file__, *filter(None, others))
    named = [os.path.dirname(form(file)) for file in files for form in (os.path.abspath, os.path.realpath)]
    return tuple(os.path.join(path, "") for path in dict.fromkeys(named))


@functools.lru_cache(maxsize=None)
def _forget_in_forked_children() -> None:
    """A child that the user's code forks has no debugger: a breakpoint there would stop it for ever."""
    os.register_at_fork(after_in_child=_forget)


def _forget() -> None:
    import pydevd
    import pydevd_tracing
    from _pydev_bundle.pydev_monkey import undo_patch_thread_modules

    pydevd_tracing.SetTrace(None)
    threading.settrace(None)  # type: ignore[arg-type]
    pydevd.settrace_forked(setup_tracing=False)
    undo_patch_thread_modules()


def _start(pydevd: Any, address: Tuple[str, int], token: str) -> None:
    pydevd.settrace(
        host=address[0], port=address[1], client_access_token=token, protocol="dap", suspend=False,
        wait_for_ready_to_run=False, notify_stdin=False, patch_multiprocessing=False,
        dont_trace_start_patterns=internal_directories())
    connected = getattr(pydevd.get_global_debugger(), "_client_socket", None)  # since debugpy 1.8
    if connected is not None:
        connected.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)  # else each answer takes 40 ms


def _end() -> None:
    import pydevd

    debugger = pydevd.get_global_debugger()
    if debugger is not None:
        # Not waited for: its reader and its writer wait half a second for each other, and then end.
        debugger.dispose_and_kill_all_pydevd_threads(wait=False)
    pydevd.stoptrace()


def _accept(listener: socket.socket, token: str, on_event: Callable[[Message], None]) -> DapConnection:
    """The connection of this process's pydevd: other processes can connect to the port, but do not know the token."""
    listener.settimeout(_START_SECONDS)
    while True:
        try:
            connected, _ = listener.accept()
        except TimeoutError:
            raise DapError(f"pydevd has not connected within {_START_SECONDS:g} s") from None
        connected.settimeout(None)
        connected.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        trusted = threading.Event()
        connection = DapConnection(connected, lambda event, trusted=trusted: on_event(event) if trusted.is_set() else None)
        if _is_ours(connection, token):
            trusted.set()
            return connection
        connection.close(_PEER_SECONDS)


def _is_ours(connection: DapConnection, token: str) -> bool:
    try:
        answer = connection.request("pydevdAuthorize", {"debugServerAccessToken": None}, _PEER_SECONDS)
    except DapError:
        return False
    shown = answer.get("body", {}).get("clientAccessToken")
    return isinstance(shown, str) and secrets.compare_digest(shown, token)
