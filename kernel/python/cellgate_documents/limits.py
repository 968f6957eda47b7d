"""What one run may use. A value, said by the kernel; and what is left of it, shared by a document and all that it contains."""

import resource
import time
from typing import List, NamedTuple

from .problem import Cut, Problem


class Limits(NamedTuple):
    seconds: float = 120.0
    memory_bytes: int = 1536 << 20
    text_bytes: int = 16 << 20
    # What archives and office files, which are archives too, may be unpacked to, all together.
    unpacked_bytes: int = 256 << 20
    # Of what is read as a whole: a page of HTML becomes a tree ten times its size.
    whole_bytes: int = 32 << 20
    members: int = 1000
    depth: int = 4
    # A scanned A4 page of 600 dots per inch has 35 million.
    pixels: int = 80_000_000


class Budget:
    def __init__(self, limits: Limits) -> None:
        self.limits = limits
        self._ends = time.monotonic() + limits.seconds
        self._unpacked = limits.unpacked_bytes
        self._members = limits.members
        self.unread: List[str] = []  # the parts that could not be read, by name

    def seconds_left(self) -> float:
        """Cut when there are none."""
        left = self._ends - time.monotonic()
        if left <= 0:
            raise Cut("it took longer than %g s; read a part of it (some pages, some files) at a time" % self.limits.seconds)
        return left

    def unpack(self, size: int) -> None:
        """Before `size` bytes are unpacked: Problem when they are more than what is left."""
        if size > self._unpacked:
            raise Problem(
                "unpacked it is over the limit of %s; unpack what you need of it with zipfile, and read that"
                % in_words(self.limits.unpacked_bytes)
            )
        self._unpacked -= size

    def open_member(self) -> None:
        if self._members <= 0:
            raise Cut("it has more than %d files in it; take it apart with zipfile or email, and read what you need" % self.limits.members)
        self._members -= 1


def confine(limits: Limits) -> None:
    """Of this process and its children, before anything of the document is read."""
    resource.setrlimit(resource.RLIMIT_AS, (limits.memory_bytes, limits.memory_bytes))
    seconds = int(limits.seconds) + 30  # the kernel's clock comes first; this is for a kernel that died
    resource.setrlimit(resource.RLIMIT_CPU, (seconds, seconds))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    resource.setrlimit(resource.RLIMIT_FSIZE, (limits.unpacked_bytes, limits.unpacked_bytes))


def is_at_memory_limit(limits: Limits) -> bool:
    """Whether this process has been so large that it may have been refused more."""
    with open("/proc/self/status") as status:
        peak = next((int(line.split()[1]) << 10 for line in status if line.startswith("VmPeak:")), 0)
    return peak > 0.8 * limits.memory_bytes


def in_words(size: float) -> str:
    for unit in ("bytes", "KiB", "MiB"):
        if size < 1024:
            return "%.4g %s" % (size, unit)
        size /= 1024
    return "%.4g GiB" % size
