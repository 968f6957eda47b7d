"""One run of cellgate_documents: a child process with limits, so that no file can hurt the kernel."""

import json
import os
import select
import signal
import subprocess
import sys
import threading
import time
from typing import Dict, List, Optional, Tuple

# Of a run; cellgate_documents/limits.py has the others. A cell of an agent has 180 s.
SECONDS = 120.0
TEXT_BYTES = 16 << 20
# The run ends itself first, with what it has; a library that hangs is killed then.
GRACE_S = 5.0

_START = "import sys; sys.path += sys.argv[2:]; from cellgate_documents import run; run.main()"

# Each takes a processor for itself: more at a time would only all be late.
_turns = threading.BoundedSemaphore(max(1, min(4, os.cpu_count() or 1)))


def _renew_turns() -> None:
    """In a forked child nobody gives back what threads of the parent had taken."""
    global _turns
    _turns = threading.BoundedSemaphore(max(1, min(4, os.cpu_count() or 1)))


os.register_at_fork(after_in_child=_renew_turns)


def read(document: int, name: str, limits: Optional[Dict[str, float]] = None) -> Tuple[str, str, str]:
    """The text, what kind it was, and what went wrong. `document` is a descriptor of a regular file."""
    given: Dict[str, float] = {"seconds": SECONDS, "text_bytes": TEXT_BYTES}
    given.update(limits or {})
    with _turns:
        try:
            child = _start(document, name, given)
        except OSError as error:
            return "", "", "no process can be started to read it: %s" % error
        with child:
            try:
                data, in_time = _output(child, given)
            finally:
                _kill(child)
    return _outcome(data, in_time, child.wait(), given)


def _start(document: int, name: str, limits: Dict[str, float]) -> "subprocess.Popen[bytes]":
    package_dir = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
    # Last, behind Python's own and the environment's: what a user's directory has is never in their way.
    places = [each for each in sys.path if isinstance(each, str) and os.path.isabs(each)]
    request = json.dumps({"name": name, "limits": limits})
    return subprocess.Popen(
        [sys.executable, "-I", "-c", _START, request, package_dir] + places,
        stdin=document,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        cwd="/",
        env=_environment(),
        start_new_session=True,  # an interrupt of the cell ends it by us, with its own children
    )


def _environment() -> Dict[str, str]:
    ours = {name: os.environ[name] for name in ("PATH", "HOME", "TMPDIR", "TESSDATA_PREFIX") if name in os.environ}
    # One thread each: the turns are counted by processors.
    ours.update({"LANG": "C.UTF-8", "OMP_NUM_THREADS": "1", "OMP_THREAD_LIMIT": "1", "OPENBLAS_NUM_THREADS": "1"})
    return ours


def _output(child: "subprocess.Popen[bytes]", limits: Dict[str, float]) -> Tuple[bytes, bool]:
    """What it wrote until its end, and whether that came in time."""
    assert child.stdout is not None
    ends = time.monotonic() + limits["seconds"] + GRACE_S
    ready = select.poll()
    ready.register(child.stdout, select.POLLIN | select.POLLHUP)
    pieces: List[bytes] = []
    most = limits["text_bytes"] + (1 << 20)
    while most > 0:
        left = ends - time.monotonic()
        if left <= 0:
            return b"".join(pieces), False
        if not ready.poll(left * 1000):
            continue
        piece = os.read(child.stdout.fileno(), 1 << 20)
        if not piece:
            break
        pieces.append(piece)
        most -= len(piece)
    return b"".join(pieces), True


def _kill(child: "subprocess.Popen[bytes]") -> None:
    """With what it started; it is not reaped yet, so that the id is still its own."""
    try:
        os.killpg(child.pid, signal.SIGKILL)
    except (ProcessLookupError, PermissionError):
        pass


def _outcome(data: bytes, in_time: bool, status: int, limits: Dict[str, float]) -> Tuple[str, str, str]:
    text, _, last = data.partition(b"\0")
    try:
        said = json.loads(last)
        return text.decode("utf-8", "replace"), str(said["kind"]), str(said["error"])
    except ValueError:
        return text.decode("utf-8", "ignore"), "", _how_it_died(in_time, status, limits)


def _how_it_died(in_time: bool, status: int, limits: Dict[str, float]) -> str:
    if not in_time:
        return "it took longer than %g s; read a part of it at a time" % limits["seconds"]
    if status == 1:
        return "the program that reads it could not start: %s" % sys.executable
    how = signal.Signals(-status).name if status < 0 else "status %d" % status
    return (
        "the library that reads it crashed (%s): it is damaged, or takes more memory than a reader may have; "
        "make it smaller, or get it anew" % how
    )
