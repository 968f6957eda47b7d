"""A process's memory and open files, seen from outside through /proc: what it holds, and what it shares."""

import ctypes
import os
from collections.abc import Iterator
from pathlib import Path

KCMP, KCMP_FILE = 312, 0  # of x86_64; kcmp(2)
CHUNK = 16 << 20


def writable_ranges(pid: int) -> Iterator[tuple[int, int]]:
    for line in Path(f"/proc/{pid}/maps").read_text().splitlines():
        where, rights = line.split()[:2]
        if rights.startswith("rw"):
            begin, _, end = where.partition("-")
            yield int(begin, 16), int(end, 16)


def holds(pid: int, needle: bytes, limit: int = 4 << 30) -> bool:
    """Whether the bytes are anywhere in what the process may write to; of `limit` bytes at most."""
    read = 0
    with open(f"/proc/{pid}/mem", "rb", buffering=0) as memory:
        for begin, end in writable_ranges(pid):
            rest = b""
            for at in range(begin, end, CHUNK):
                piece = _read(memory.fileno(), at, min(CHUNK, end - at))
                read += len(piece)
                assert read <= limit, f"process {pid} has more than {limit} bytes to look through"
                if needle in rest + piece:
                    return True
                rest = piece[-len(needle):]
    assert read > 64 << 10, f"too little of process {pid} could be read"
    return False


def _read(descriptor: int, at: int, count: int) -> bytes:
    try:
        return os.pread(descriptor, count, at)
    except OSError:
        return b""  # a guard page, or a device's


def open_files(pid: int) -> dict[int, str]:
    """Descriptor → what /proc says that it is."""
    found = {}
    for entry in Path(f"/proc/{pid}/fd").iterdir():
        try:
            found[int(entry.name)] = os.readlink(entry)
        except OSError:
            pass  # closed meanwhile
    return found


def shared_files(one: int, other: int) -> list[str]:
    """What both processes have open by the same open(), so that an offset or an epoll set of one is the other's."""
    compare = ctypes.CDLL(None, use_errno=True).syscall
    found = []
    for first, name in open_files(one).items():
        for second in (number for number, same in open_files(other).items() if same == name):
            result = compare(KCMP, one, other, KCMP_FILE, first, second)
            if result < 0:
                raise OSError(ctypes.get_errno(), "kcmp")
            if result == 0:
                found.append(name)
    return found


def private_bytes(pid: int) -> int:
    """Its unique set size."""
    return sum(kibibytes(pid, name) for name in ("Private_Clean", "Private_Dirty")) * 1024


def kibibytes(pid: int, name: str) -> int:
    """A line of /proc/PID/smaps_rollup, e.g. Pss."""
    for line in Path(f"/proc/{pid}/smaps_rollup").read_text().splitlines():
        if line.startswith(name + ":"):
            return int(line.split()[1])
    raise AssertionError(f"smaps_rollup has no {name}")
