"""Processes as /proc shows them: found by a mark in their environment or command line, whatever namespace they are in."""

import os
from pathlib import Path


def _read(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except OSError:
        return b""  # it ended, or is not ours


def is_zombie(pid: int) -> bool:
    stat = _read(Path(f"/proc/{pid}/stat"))
    return stat.rpartition(b")")[2].split()[:1] == [b"Z"]


def is_alive(pid: int) -> bool:
    return Path(f"/proc/{pid}").exists() and not is_zombie(pid)


def marked(mark: str) -> list[int]:
    """Living processes that have `mark` in their environment or arguments."""
    wanted = mark.encode()
    pids = [int(entry.name) for entry in Path("/proc").iterdir() if entry.name.isdigit()]
    return [pid for pid in pids
            if wanted in _read(Path(f"/proc/{pid}/environ")) + b"\0" + _read(Path(f"/proc/{pid}/cmdline")) and not is_zombie(pid)]


def children(pid: int) -> list[int]:
    """All descendants of a process, zombies included."""
    parents: dict[int, list[int]] = {}
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit() and (stat := _read(entry / "stat")):
            parents.setdefault(int(stat.rpartition(b")")[2].split()[1]), []).append(int(entry.name))
    found, todo = [], [pid]
    while todo:
        below = parents.get(todo.pop(), [])
        found += below
        todo += below
    return found


def open_files(pid: int) -> int:
    return len(list(Path(f"/proc/{pid}/fd").iterdir()))


def connections(pid: int) -> int:
    """TCP sockets that it has open, the listening one too."""
    numbers = {line.split()[9].encode() for name in ("tcp", "tcp6")
               for line in _read(Path(f"/proc/{pid}/net/{name}")).decode().splitlines()[1:]}
    found = 0
    for entry in Path(f"/proc/{pid}/fd").iterdir():
        try:
            found += os.readlink(entry).encode()[len("socket:["):-1] in numbers
        except OSError:
            pass  # closed meanwhile
    return found


def resident_bytes(pid: int) -> int:
    for line in _read(Path(f"/proc/{pid}/status")).splitlines():
        if line.startswith(b"VmRSS:"):
            return int(line.split()[1]) * 1024
    return 0


# A cell that prints what `numbered_here` needs.
TELL_PID = "import json, os\nprint(json.dumps([os.getpid(), os.readlink('/proc/self/ns/pid')]))"


def numbered_here(number: int, namespace: str) -> int:
    """The process that has this number in its own pid namespace ("pid:[4026531836]")."""
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit() and _is(entry, number, namespace):
            return int(entry.name)
    raise AssertionError(f"no process has number {number} in {namespace}")


def _is(entry: Path, number: int, namespace: str) -> bool:
    numbers = next((line for line in _read(entry / "status").splitlines() if line.startswith(b"NSpid:")), b"-")
    try:
        return numbers.split()[-1] == str(number).encode() and os.readlink(entry / "ns" / "pid") == namespace
    except OSError:
        return False  # it ended meanwhile
