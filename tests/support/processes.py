"""Processes as /proc shows them: found by a mark in their environment or command line, whatever namespace they are in."""

from pathlib import Path


def _read(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except OSError:
        return b""  # it ended, or is not ours


def is_zombie(pid: int) -> bool:
    stat = _read(Path(f"/proc/{pid}/stat"))
    return stat.rpartition(b")")[2].split()[:1] == [b"Z"]


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


def resident_bytes(pid: int) -> int:
    for line in _read(Path(f"/proc/{pid}/status")).splitlines():
        if line.startswith(b"VmRSS:"):
            return int(line.split()[1]) * 1024
    return 0
