"""What sessions write to the disk: each may fill its own limits, and nothing else.

Numbers are those of docs/security.md. Where a machine, or the gateway's user, can have no disk image, each test is that this
is told, and that sessions work without it.
"""

import os
import subprocess
import threading
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from support.agent import Agent
from support.files import Files, Zeros
from support.gateway import Gateway, ordinary_user
from support.waiting import Stopwatch, eventually

MIB = 1 << 20
SMALL = {"sizes__standard__disk_bytes": 24 * MIB, "sizes__standard__files_bytes": 16 * MIB, "sizes__medium__files_bytes": 64 * MIB,
         "storage__disk": "auto", "storage__disk_image_bytes": 2048 * MIB}
FULL = "Disk quota exceeded"
# Each fills the directory {at} until an error, which it prints, and leaves what it wrote in {at}/fill.
FILLS = {
    "dd": "import subprocess\nmade = subprocess.run(['dd', 'if=/dev/zero', 'of={at}/fill/dd', 'bs=1M', 'count=200'], capture_output=True, text=True)\n"
          "print(made.returncode, made.stderr)",
    "fallocate": "import os\nf = os.open('{at}/fill/f', os.O_RDWR | os.O_CREAT)\nos.truncate(f, 10 << 30)\ntry: os.posix_fallocate(f, 0, 200 << 20)\n"
                 "except OSError as error: print(error)",
    "sparse": "import os\nf = os.open('{at}/fill/f', os.O_RDWR | os.O_CREAT)\nos.truncate(f, 10 << 30)\nat = 0\ntry:\n"
              "    while at < 200: at += os.pwrite(f, bytes(1 << 20), at << 21) >> 20\nexcept OSError as error: print(error)\nos.close(f)",
    "many": "n = 0\ntry:\n    while n < 400_000:\n        open(f'{at}/fill/{n}', 'w').write('x' * 700)\n        n += 1\n"
            "except OSError as error: print(error)",
}
SHELL_FILLS = {
    "dd": "dd if=/dev/zero of={at}/fill/dd bs=1M count=200",
    "fallocate": "truncate -s 10G {at}/fill/f; fallocate -l 200M {at}/fill/f",
    "sparse": "truncate -s 10G {at}/fill/f; dd if=/dev/zero of={at}/fill/f bs=1M seek=4000 count=200 conv=notrunc",
    "many": "i=0; while [ $i -lt 400000 ] && printf '%0700d' 0 >{at}/fill/$i; do i=$((i+1)); done",
}
PLACES = {"home": "/home/user", "files": "/mnt/files"}


def why_not(gateway: Gateway) -> str:
    """What the gateway says of disk limits that it has not; empty when it has."""
    return next((line for line in gateway.log if "what sessions write to the disk has no limit" in line), "")


def devices(gateway: Gateway) -> list[str]:
    """Loop devices of its image."""
    found = [each.read_text().strip() for each in Path("/sys/block").glob("loop*/loop/backing_file")]
    return [each for each in found if each.startswith(str(gateway.directory))]


def mounted(gateway: Gateway) -> bool:
    return str(gateway.directory) in Path("/proc/self/mountinfo").read_text()


@pytest.fixture(scope="module", params=["root", "ordinary"])
def shared(request: pytest.FixtureRequest) -> Iterator[Gateway]:
    user = None if request.param == "root" else ordinary_user()
    gateway = Gateway(user=user, **SMALL)
    yield gateway
    gateway.finish()
    assert not mounted(gateway)
    eventually(lambda: not devices(gateway), 20, "its loop device is gone")
    gateway.remove()


@pytest.fixture
def agent(shared: Gateway, request: pytest.FixtureRequest) -> Agent:
    request.node.gateways = [shared]
    return shared.agent()


def test_7_what_holds_is_told(shared: Gateway, agent: Agent) -> None:
    session = agent.start_session()
    holds = not why_not(shared)
    assert (session["limits"]["disk"], session["limits"]["files"]) == (holds, holds)
    assert (session["sandbox"]["disk_bytes"], session["sandbox"]["files_bytes"]) == (24 * MIB, 16 * MIB)
    if shared.user is None and os.geteuid() == 0:
        assert ("ok       disk" in shared.command("doctor")) == holds
    else:
        assert "only root can mount" in why_not(shared)


@pytest.mark.parametrize("place", PLACES)
@pytest.mark.parametrize("fill", FILLS)
@pytest.mark.parametrize("by", ["cell", "command"])
def test_7_a_session_fills_its_own_limit_and_goes_on(shared: Gateway, agent: Agent, by: str, fill: str, place: str) -> None:
    at = PLACES[place]
    other, session = agent.start_session()["id"], agent.start_session()["id"]
    if why_not(shared):
        assert agent.execute(session, f"open('{at}/x', 'wb').write(bytes(40 << 20))")["status"] == "ok"
        return
    agent.bash(session, f"mkdir {at}/fill")
    if by == "cell":
        told = agent.execute(session, FILLS[fill].replace("{at}", at))["stdout"]
    else:
        told = agent.bash(session, SHELL_FILLS[fill].replace("{at}", at))["stderr"]
    assert FULL in told
    elsewhere = PLACES["files" if place == "home" else "home"]
    assert agent.execute(session, f"open('{elsewhere}/x', 'wb').write(bytes(8 << 20))")["status"] == "ok", "that limit is another"
    assert agent.execute(other, "open('x', 'wb').write(bytes(20 << 20))")["status"] == "ok"
    assert agent.bash(session, f"rm -r {at}/fill")["exit_code"] == 0
    again = agent.execute(session, f"open('{at}/x', 'wb').write(bytes(8 << 20))")
    assert again["status"] == "ok" and again["kernel_restarted"] is False


def test_7_others_write_and_the_api_answers_meanwhile(shared: Gateway, agent: Agent) -> None:
    other, session = agent.start_session()["id"], agent.start_session()["id"]
    ended = threading.Event()
    fill = "dd if=/dev/zero of=/mnt/files/x bs=1M count=12; rm /mnt/files/x; i=0; while [ $i -lt 3000 ]; do : >/mnt/files/$i; i=$((i+1)); done"

    def keep_filling() -> None:
        while not ended.is_set():
            agent.bash(session, fill)

    thread = threading.Thread(target=keep_filling)
    thread.start()
    try:
        for number in range(10):
            watch = Stopwatch()
            assert agent.execute(other, f"open('/mnt/files/{number}', 'wb').write(bytes(1 << 20))")["status"] == "ok"
            agent.end_session(agent.start_session()["id"])
            assert watch.seconds < 20
    finally:
        ended.set()
        thread.join()


def test_7_an_upload_into_a_full_session_names_the_limit(shared: Gateway, agent: Agent) -> None:
    files = Files(agent, agent.start_session()["id"])
    files.put("kept", b"kept", 201)
    if why_not(shared):
        files.put("large", Zeros(40 * MIB), 201)
        return
    error = files.put("too-much", Zeros(40 * MIB), 507).json()["error"]
    assert error["code"] == "storage_full" and "sizes.NAME.files_bytes" in error["message"]
    assert files.paths() == ["kept"]
    files.put("fits", Zeros(8 * MIB), 201)
    agent.call("PATCH", f"/sessions/{files.session}", 200, json={"sandbox": {"sandbox_size": "medium"}})
    files.put("now-it-fits", Zeros(40 * MIB), 201)


def test_7_a_full_home_does_not_keep_a_kernel_from_starting_again(shared: Gateway, agent: Agent) -> None:
    session = agent.start_session()["id"]
    agent.bash(session, "dd if=/dev/zero of=/home/user/x bs=1M count=40; dd if=/dev/zero of=/mnt/files/x bs=1M count=40")
    agent.call("POST", f"/sessions/{session}/restart", json={})
    assert agent.execute(session, "import os; os.remove('/home/user/x'); open('/home/user/y', 'w').write('y')")["status"] == "ok"


# The numbers of linux/btrfs.h and linux/fs.h: to make a subvolume, two of a snapshot, to make one read-only, to delete one.
ESCAPES = """import ctypes, fcntl, os, struct
home = os.open('/home/user', os.O_RDONLY)
name = bytearray(struct.pack('q4088s', home, b'nested'))
tried = []
for number in (0x5000940e, 0x50009418, 0x50009401, 0x50009417, 0x4008941a, 0x5000940f, 0x5000943f):
    for high in (0, 1 << 32):
        done = ctypes.CDLL(None, use_errno=True).syscall(16, home, ctypes.c_ulong(number | high), (ctypes.c_char * 4096).from_buffer(name))
        tried.append((done, ctypes.get_errno()))
print(set(tried), os.path.exists('nested'))
open('a', 'wb').write(bytes(8 << 20))
with open('a') as a, open('b', 'w') as b:
    try: print(fcntl.ioctl(b, 0x40049409, a.fileno()))
    except OSError as error: print(error.errno)
"""


@pytest.mark.parametrize("by", ["cell", "command"])
def test_7_a_session_makes_no_place_without_a_limit(shared: Gateway, agent: Agent, by: str) -> None:
    session = agent.start_session()["id"]
    told = (agent.execute(session, ESCAPES) if by == "cell" else agent.bash(session, ["python3", "-c", ESCAPES]))["stdout"].splitlines()
    assert told[0] == "{(-1, 38)} False", "they do not exist (ENOSYS)"
    assert told[1] == "38", "nor do copies that share blocks, which count where they were written first"


def test_7_what_is_copied_and_removed_gives_its_space_back(shared: Gateway, agent: Agent) -> None:
    session = agent.start_session()["id"]
    copied = "dd if=/dev/urandom of=x bs=1M count=12 && cp x /mnt/files/x && rm x && dd if=/dev/urandom of=y bs=1M count=20"
    assert agent.bash(session, copied)["status"] == "ok"
    assert (FULL in agent.bash(session, "cp /mnt/files/x /mnt/files/z")["stderr"]) == (not why_not(shared))


def test_7_a_jupyter_client_s_kernel_has_no_limit_unless_it_is_set(shared: Gateway, agent: Agent) -> None:
    jupyter = shared.jupyter()
    with jupyter.connect(jupyter.start_kernel()) as channels:
        assert channels.run("open('/mnt/files/x', 'wb').write(bytes(80 << 20))").status == "ok"
        assert channels.run("import os; os.remove('/mnt/files/x')").status == "ok"


def size_on_disk(directory: Path) -> int:
    return int(subprocess.run(["du", "-s", "--block-size=1", directory], capture_output=True, text=True).stdout.split()[0])


def test_11_output_fills_no_more_than_its_limits(start_gateway) -> None:
    """The log of a session, the file of what its kernel wrote past Jupyter, and the text file of a cell."""
    gateway = start_gateway(output_log__disk_bytes=8 * MIB, output_log__memory_bytes=MIB, output_log__total_disk_bytes=16 * MIB,
                            sessions__text_file_max_bytes=4 * MIB, **SMALL)
    agent = gateway.agent()
    session = agent.start_session()["id"]
    agent.execute(session, "for _ in range(600): print('x' * 100_000)")
    agent.execute(session, "import os\nf = os.open('/proc/1/fd/1', os.O_WRONLY) if os.access('/proc/1/fd/1', os.W_OK) else 1\n"
                           "for _ in range(60): os.write(1, b'y' * (1 << 20))")
    agent.bash(session, "head -c 60000000 /dev/zero | tr '\\0' z")
    logs = gateway.placed("log")
    assert logs and sum(map(size_on_disk, logs)) <= 17 * MIB
    texts = [each for place in gateway.placed("files/.composio/output") for each in place.iterdir()]
    assert texts and all(each.stat().st_size <= 4 * MIB + 1_000 for each in texts)
    outputs = list((gateway.directory / "run").rglob("output.log"))
    eventually(lambda: outputs and all(each.stat().st_size <= 2 * MIB for each in outputs), 20, "what the kernel wrote is cut")


@pytest.mark.parametrize("how", ["asked", "killed"])
def test_a_session_has_its_files_and_limits_after_a_restart(start_gateway, how: str) -> None:
    gateway = start_gateway(**SMALL, kernels__pool={"cellgate": 2})
    agent = gateway.agent()
    session, gone = agent.start_session()["id"], agent.start_session()["id"]
    for each in (session, gone):
        agent.execute(each, "open('/mnt/files/kept', 'w').write('kept'); open('/home/user/kept', 'w').write('kept')")
    gateway.terminate() if how == "asked" else gateway.kill()
    if how == "asked":
        assert not mounted(gateway)
        eventually(lambda: not devices(gateway), 20, "its loop device is gone")
    after = gateway.restart()
    try:
        agent = after.agent()
        assert len(devices(after)) == (0 if why_not(after) else 1)
        assert agent.execute(session, "print(open('/mnt/files/kept').read(), open('/home/user/kept').read())")["stdout"] == "kept kept\n"
        filled = agent.bash(session, "dd if=/dev/zero of=/mnt/files/x bs=1M count=40")["stderr"]
        assert (FULL in filled) == (not why_not(after)) == agent.session(session)["limits"]["files"]
        agent.end_session(gone)
        eventually(lambda: len(after.placed("files/kept")) == 1, 20, "what has ended is removed")
    finally:
        after.finish()
    assert not mounted(after)
    eventually(lambda: not devices(after), 20, "its loop device is gone")


def test_sessions_made_without_an_image_go_on_and_say_that_they_have_no_limit(start_gateway) -> None:
    gateway = start_gateway(**{**SMALL, "storage__disk": "none"})
    assert 'storage.disk is "none"' in why_not(gateway)
    session = gateway.agent().start_session()["id"]
    gateway.agent().execute(session, "open('/mnt/files/kept', 'w').write('kept')")
    gateway.terminate()
    gateway.settings["storage__disk"] = "auto"
    after = gateway.restart()
    try:
        agent = after.agent()
        assert agent.session(session)["limits"]["files"] is False
        assert agent.execute(session, "print(open('/mnt/files/kept').read())")["stdout"] == "kept\n"
        assert agent.execute(session, "open('/mnt/files/large', 'wb').write(bytes(40 << 20))")["status"] == "ok"
        assert agent.start_session()["limits"]["files"] == (not why_not(after))
    finally:
        after.finish()


def test_a_session_in_an_image_that_is_not_mounted_waits_for_it(start_gateway) -> None:
    gateway = start_gateway(**SMALL)
    possible = not why_not(gateway)
    session = gateway.agent().start_session()["id"]
    gateway.agent().execute(session, "open('/mnt/files/kept', 'w').write('kept')")
    gateway.terminate()
    gateway.settings["storage__disk"] = "none"
    without = gateway.restart()
    assert without.agent().call("GET", f"/sessions/{session}").status_code == (404 if possible else 200)
    without.finish()
    without.settings["storage__disk"] = "auto"
    after = without.restart()
    try:
        assert after.agent().execute(session, "print(open('/mnt/files/kept').read())")["stdout"] == "kept\n"
    finally:
        after.finish()


def test_a_full_image_keeps_nobody_from_coming_back(start_gateway) -> None:
    gateway = start_gateway(**{**SMALL, "storage__disk_image_bytes": 300 * MIB, "sizes__standard__files_bytes": 0})
    filler, other = gateway.agent().start_session()["id"], gateway.agent().start_session()["id"]
    gateway.agent().execute(other, "open('/mnt/files/kept', 'w').write('kept')")
    if not why_not(gateway):
        done = gateway.agent().bash(filler, "dd if=/dev/zero of=/mnt/files/big bs=1M count=400")
        assert "No space left on device" in done["stderr"], done
    gateway.terminate()
    after = gateway.restart()
    try:
        agent = after.agent()
        assert agent.execute(other, "print(open('/mnt/files/kept').read())")["stdout"] == "kept\n"
        agent.bash(filler, "rm -f /mnt/files/big")
        eventually(lambda: agent.bash(other, "dd if=/dev/zero of=/mnt/files/more bs=1M count=8")["status"] == "ok", what="there is space again")
    finally:
        after.finish()


def test_an_image_that_cannot_be_used_stops_the_start(start_gateway) -> None:
    gateway = start_gateway(**SMALL)
    possible = not why_not(gateway)
    session = gateway.agent().start_session()["id"]
    gateway.terminate()
    image = gateway.directory / "data" / "sessions.btrfs"
    if possible:
        image.rename(image.with_suffix(".away"))
    image.write_bytes(b"no file system")
    gateway.settings["storage__disk_image_bytes"] = 0
    with pytest.raises(AssertionError, match="sessions.btrfs holds sessions' files and cannot be used"):
        gateway.restart()
    image.unlink()
    if possible:
        image.with_suffix(".away").rename(image)
    after = gateway.restart()
    try:
        assert after.agent().session(session)["id"] == session
    finally:
        after.finish()


def test_who_requires_limits_does_not_start_without_them(start_gateway) -> None:
    with pytest.raises(AssertionError, match="kernels.require_limits is true"):
        start_gateway(storage__disk="none", kernels__require_limits=True)


def test_what_sessions_leave_takes_no_space(start_gateway) -> None:
    gateway = start_gateway(**SMALL)
    agent = gateway.agent()
    image = gateway.directory / "data" / "sessions.btrfs"
    for _ in range(5):
        session = agent.start_session()["id"]
        agent.execute(session, "import os\nopen('/mnt/files/x', 'wb').write(os.urandom(15 << 20))\nos.sync()")
        agent.end_session(session)
    if why_not(gateway):
        assert not image.exists()
        return
    assert not list((gateway.directory / "data" / "disk" / "sessions").iterdir())
    eventually(lambda: image.stat().st_blocks * 512 < 48 * MIB, 60, "the image has given back what was deleted")
