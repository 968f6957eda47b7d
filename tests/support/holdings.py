"""What a gateway, and all that it started, holds of the machine: counted before and after, it tells what was left behind.

Only what is this gateway's is counted, since others may run beside it. Numbers in names become #: a kernel of the pool has
another number than the one before it.
"""

import os
import re
import subprocess
import time
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from support.gateway import Gateway
from support.processes import children, is_zombie

BOX_USERS = range(2_000_000_000, 2_000_065_536)  # kernels.first_uid and uid_count
NAMESPACES = ("cgroup", "ipc", "mnt", "net", "pid", "time", "user", "uts")
OTHER_TESTS = ("cg", "cellgate-test-")  # directories that tests make for themselves
KEPT_USER = "namespace user"
TIME_WAIT = "06"  # the system's own, nobody holds it
TCP_STATES = {"01": "connected", "0A": "listening"}


@dataclass
class Holdings:
    """`things`: "what of whom" → how many."""

    things: Counter[str] = field(default_factory=Counter)

    def difference(self, before: "Holdings") -> list[str]:
        kinds = sorted({*self.things, *before.things})
        return [f"{self.things[kind] - before.things[kind]:+d} {kind}" for kind in kinds if self.things[kind] != before.things[kind]]


def holdings(gateway: Gateway) -> Holdings:
    return Holdings(Counter(_things(gateway)))


def settled(gateway: Gateway, seconds: float = 30) -> Holdings:
    """What it holds once that stays the same for half a second: kernels have ended, the pool is full."""
    deadline = time.monotonic() + seconds
    last = holdings(gateway)
    while time.monotonic() < deadline:
        time.sleep(0.5)
        last, previous = holdings(gateway), last
        if last == previous:
            return last
    raise AssertionError("what the gateway holds goes on to change:\n" + "\n".join(last.difference(previous)))


def assert_as_before(gateway: Gateway, before: Holdings, seconds: float = 30) -> None:
    """Waits for what ends a little later, such as a kernel that the pool makes anew."""
    deadline = time.monotonic() + seconds
    while (left := holdings(gateway).difference(before)) and time.monotonic() < deadline:
        time.sleep(0.1)
    assert not left, "left behind (+) or gone (-):\n" + "\n".join(left)


def identities(pids: list[int]) -> set[tuple[int, str]]:
    """Processes by number and start, so that a number that is given again is another process."""
    return {(pid, stat.rpartition(")")[2].split()[19]) for pid in pids if (stat := _text(Path(f"/proc/{pid}/stat")))}


def launcher_of(gateway: Gateway) -> int:
    return next(pid for pid in children(gateway.pid) if "cellgate-launcher" in _text(Path(f"/proc/{pid}/cmdline")))


def kept_users(launcher: int) -> int:
    """User namespaces that the launcher keeps for its next boxes, two for each box that it had at once: not in holdings,
    since nothing says how many will have lived at once."""
    return sum(_kind(path, {}) == KEPT_USER for path in _open_files(launcher).values())


def control_groups(launcher: int) -> list[Path]:
    """The launcher's own: it keeps each open, with a lock. Those of boxes are below."""
    return sorted({Path(path) for path in _open_files(launcher).values() if re.fullmatch(r"/sys/fs/cgroup/.*/cellgate-[0-9a-f]{8}", path)})


def zygotes(gateway: Gateway) -> list[int]:
    """The processes that kernels are forked from; a fork has the same command line, but another parent."""
    below = [pid for pid in children(gateway.pid) if "--zygote" in _text(Path(f"/proc/{pid}/cmdline")).split("\0")]
    return [pid for pid in below if not any(pid in children(other) for other in below if other != pid)]


def _things(gateway: Gateway) -> Iterator[str]:
    tree = [gateway.pid, *children(gateway.pid)]
    launcher = launcher_of(gateway)
    long_lived = {gateway.pid: "gateway", launcher: "launcher", **{pid: "zygote" for pid in zygotes(gateway)}}
    owner = _owner(f"/proc/{gateway.pid}")
    users = BOX_USERS if owner == 0 else range(owner, owner + 1)
    for pid in tree:
        if name := _text(Path(f"/proc/{pid}/comm")).strip():
            yield f"process {name}" + (" (zombie)" if is_zombie(pid) else "")
    yield from _namespaces(tree)
    yield from (f"control group below {_plain(str(group))}" for top in control_groups(launcher) for group in _directories(top))
    yield from _mounts(gateway, launcher)
    for directory, names, files in os.walk(gateway.directory):
        yield from ("file " + _plain(os.path.relpath(os.path.join(directory, name), gateway.directory)) for name in [*names, *files])
    for pid, role in long_lived.items():
        inodes = _sockets(pid)
        yield from (f"descriptor of the {role}: {kind}" for path in _open_files(pid).values()
                    if (kind := _kind(path, inodes)) != KEPT_USER or role != "launcher")
    yield from _listed_sockets(gateway, tree)
    yield from _machine_wide(gateway, users)


def _namespaces(tree: list[int]) -> Iterator[str]:
    seen = {(kind, link) for pid in tree for kind in NAMESPACES if (link := _link(f"/proc/{pid}/ns/{kind}"))}
    return (f"namespace {kind}" for kind, _ in seen)


def _mounts(gateway: Gateway, launcher: int) -> Iterator[str]:
    """Of a namespace that others use too, those of this gateway's directory; and namespaces that a mount keeps."""
    for pid, role in ((gateway.pid, "gateway"), (launcher, "launcher")):
        own = _link(f"/proc/{pid}/ns/mnt") != _link("/proc/self/ns/mnt")
        for line in _text(Path(f"/proc/{pid}/mountinfo")).splitlines():
            if own or str(gateway.directory) in line or " - nsfs " in line:
                yield f"mount of the {role}: {_plain(line.split()[4])}"


def _sockets(pid: int) -> dict[str, str]:
    """Inode → what it is."""
    found = {}
    for family in ("tcp", "tcp6", "udp", "udp6"):
        for row in _rows(Path(f"/proc/{pid}/net/{family}")):
            found[row[9]] = f"{family} {TCP_STATES.get(row[3], row[3])}"
    for row in _rows(Path(f"/proc/{pid}/net/unix")):
        found[row[6]] = "unix"
    return found


def _listed_sockets(gateway: Gateway, tree: list[int]) -> Iterator[str]:
    """Ports and paths, whoever still has them open."""
    held = {found[1] for pid in tree for path in _open_files(pid).values() if (found := re.fullmatch(r"socket:\[(\d+)\]", path))}
    port = f"{int(gateway.url.rsplit(':', 1)[1]):04X}"
    for family in ("tcp", "tcp6", "udp", "udp6"):
        for row in _rows(Path(f"/proc/{gateway.pid}/net/{family}")):
            if row[3] != TIME_WAIT and (row[9] in held or row[1].endswith(":" + port)):
                yield f"{family} socket, {TCP_STATES.get(row[3], row[3])}"
    for row in _rows(Path(f"/proc/{gateway.pid}/net/unix")):
        if len(row) > 7 and row[7].startswith(str(gateway.directory)):
            yield f"unix socket {_plain(os.path.relpath(row[7], gateway.directory))}"


def _machine_wide(gateway: Gateway, users: range) -> Iterator[str]:
    for backing in Path("/sys/block").glob("loop*/loop/backing_file"):
        if str(gateway.directory) in _text(backing):
            yield "loop device"
    for kind in ("shm", "sem", "msg"):
        for row in _rows(Path(f"/proc/sysvipc/{kind}")):
            if int(row[{"shm": 7, "sem": 4, "msg": 7}[kind]]) in users:
                yield f"System V {kind}"
    for row in _rows(Path("/proc/key-users"), header=0):
        if int(row[0].rstrip(":")) in users:
            yield from ["key or keyring"] * int(row[2].split("/")[0])
    for directory in ("/tmp", "/dev/shm"):
        for name in os.listdir(directory):
            if not name.startswith(OTHER_TESTS) and _owner(f"{directory}/{name}") in users:
                yield f"entry of {directory}: {name}"
    yield from (f"message queue {name}" for name in _message_queues())


def _message_queues() -> list[str]:
    """Of the machine's own ipc namespace; that of a box ends with it."""
    if os.getuid() != 0:
        return sorted(os.listdir("/dev/mqueue")) if os.path.ismount("/dev/mqueue") else []
    look = "mount -t mqueue none /mnt && ls /mnt"
    return subprocess.run(["unshare", "--mount", "sh", "-c", look], capture_output=True, text=True, check=True).stdout.split()


def _kind(path: str, sockets: dict[str, str]) -> str:
    what, _, rest = path.partition(":")
    if what == "socket":
        return "socket " + sockets.get(rest.strip("[]"), "unbound")
    return f"namespace {what}" if what in NAMESPACES else what if what == "pipe" else _plain(path)


def _plain(path: str) -> str:
    return re.sub(r"[^/]*\d[^/]*", "#", path)


def _directories(top: Path) -> list[str]:
    return [directory for directory, _, _ in os.walk(top)]


def _open_files(pid: int) -> dict[str, str]:
    try:
        names = os.listdir(f"/proc/{pid}/fd")
    except OSError:
        return {}  # it ended, or is not ours
    return {name: link for name in names if (link := _link(f"/proc/{pid}/fd/{name}"))}


def _owner(path: str) -> int:
    try:
        return os.lstat(path).st_uid
    except OSError:
        return -1  # it went meanwhile


def _rows(table: Path, header: int = 1) -> list[list[str]]:
    return [line.split() for line in _text(table).splitlines()[header:]]


def _link(path: str) -> str:
    try:
        return os.readlink(path)
    except OSError:
        return ""


def _text(path: Path) -> str:
    try:
        return path.read_text(errors="replace")
    except OSError:
        return ""
