"""Kernels forked from one fork server share nothing that matters: nobody sees, foresees or disturbs another session."""

import json
import secrets
import uuid
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from support.gateway import Gateway
from support.memory import holds, open_files, shared_files
from support.processes import TELL_PID, children, numbered_here
from support.waiting import eventually


EVERY_PROCESS = """
from pathlib import Path
for process in Path("/proc").glob("[0-9]*"):
    for name in ("comm", "cmdline", "environ"):
        try:
            print(process / name, (process / name).read_bytes())
        except PermissionError:  # the first process's, under root
            print(process / name, "closed")
"""


class Session:
    """An agent's session, whose cells answer in JSON."""

    def __init__(self, gateway: Gateway, **body: Any) -> None:
        self._agent = gateway.agent()
        self.id = self._agent.start_session(**body)["id"]

    def run(self, code: str) -> str:
        cell = self._agent.execute(self.id, code)
        assert cell["status"] == "ok", cell
        return cell["stdout"]

    def ask(self, expression: str, imports: str = "") -> Any:
        return json.loads(self.run(f"import json\n{imports}\nprint(json.dumps({expression}))"))

    @property
    def pid(self) -> int:
        return numbered_here(*json.loads(self.run(TELL_PID)))

    def end(self) -> None:
        self._agent.end_session(self.id)


@pytest.fixture(scope="module", params=[{}, {"cellgate": 2}], ids=["forked when asked for", "forked ahead"])
def forking(request: pytest.FixtureRequest) -> Iterator[Gateway]:
    """A gateway without a pool, and one with it."""
    gateway = Gateway(**({"kernels__pool": request.param} if request.param else {}))
    yield gateway
    gateway.finish()
    gateway.remove()


@pytest.fixture
def two(forking: Gateway) -> Iterator[tuple[Session, Session]]:
    both = Session(forking), Session(forking)
    yield both
    for session in both:
        session.end()


def zygotes(gateway: Gateway) -> list[int]:
    """The fork servers below a gateway. Its forked children have the same command line, but other parents."""
    def arguments(pid: int) -> list[bytes]:
        try:
            return Path(f"/proc/{pid}/cmdline").read_bytes().split(b"\0")
        except OSError:
            return []

    below = [pid for pid in children(gateway.pid) if b"--zygote" in arguments(pid)]
    return [pid for pid in below if not any(pid in children(other) for other in below if other != pid)]


def first_in_box(pid: int) -> int:
    """The init of the pid namespace that a process of a box lives in."""
    def is_first(process: Path) -> bool:
        try:
            return (process / "ns/pid").readlink() == box and (process / "status").read_text().split("NSpid:")[1].split("\n")[0].split()[-1] == "1"
        except OSError:
            return False

    box = Path(f"/proc/{pid}/ns/pid").readlink()
    return next(int(process.name) for process in Path("/proc").glob("[0-9]*") if is_first(process))


def test_they_are_forked_from_one_process(forking: Gateway, two) -> None:
    assert len(zygotes(forking)) == 1
    assert two[0].pid != two[1].pid


def test_the_fork_server_has_one_thread(forking: Gateway, two) -> None:
    server, = zygotes(forking)
    assert len(list(Path(f"/proc/{server}/task").iterdir())) == 1


@pytest.mark.parametrize("what, imports", [
    ("random.random()", "import random"),
    ("random.Random().random()", "import random"),
    ("numpy.random.random()", "import numpy"),
    ("numpy.random.default_rng().random()", "import numpy"),
    ("str(uuid.uuid4())", "import uuid"),
    ("str(uuid.uuid1())", "import uuid"),
    ("os.urandom(16).hex()", "import os"),
    ("secrets.token_hex()", "import secrets"),
    ("next(tempfile._get_candidate_names())", "import tempfile"),
    ("os.path.basename(tempfile.mkdtemp())", "import os, tempfile"),
    ("ssl.RAND_bytes(8).hex()", "import ssl"),
], ids=lambda text: text.split("(")[0] if "(" in text else "")
def test_nothing_random_is_the_same(two, what: str, imports: str) -> None:
    one, other = (session.ask(f"[{what} for _ in range(3)]", imports) for session in two)
    assert not set(one) & set(other)
    assert len(set(one)) == 3


def test_a_seed_makes_the_same_numbers_as_ever(two) -> None:
    one, other = (session.ask("[random.random(), numpy.random.random()]", "import random, numpy\nrandom.seed(1); numpy.random.seed(1)")
                  for session in two)
    assert one == other == [0.13436424411240122, 0.417022004702574]


def test_no_open_file_is_the_same(forking: Gateway, two) -> None:
    one, other = two
    for first, second in ((one.pid, other.pid), (one.pid, zygotes(forking)[0]), (other.pid, zygotes(forking)[0])):
        assert [name for name in shared_files(first, second) if name != "/dev/null"] == []


def test_no_descriptor_of_the_fork_server_stays_open(forking: Gateway, two) -> None:
    server = open_files(zygotes(forking)[0])
    sockets = {name for name in server.values() if name.startswith(("socket:", "pipe:"))}
    for session in two:
        assert not sockets & set(open_files(session.pid).values())


def test_each_has_an_event_loop_of_its_own(two) -> None:
    one, other = two
    for session in two:
        session.run("import asyncio\nheard = []\nasync def tick(name):\n    for turn in range(20):\n        await asyncio.sleep(0.01)\n"
                    "        heard.append(name)\ntask = asyncio.get_running_loop().create_task(tick('mine'))")
    one.run("import os, asyncio\nreading, writing = os.pipe()\nasyncio.get_running_loop().add_reader(reading, lambda: heard.append(os.read(reading, 9)))\n"
            "os.write(writing, b'x')\nawait asyncio.sleep(0.05)")
    other.run("await task")
    assert other.ask("heard") == ["mine"] * 20
    one.run("await task")
    assert one.ask("heard.count('mine')") == 20 and one.ask("len(heard)") == 21


def test_the_history_is_the_sessions_own(two) -> None:
    one, other = two
    mark = f"mark_{uuid.uuid4().hex}"
    one.run(f"{mark} = 1")
    history = other.run("print([entry for entry in get_ipython().history_manager.get_tail(1000, include_latest=True)])\n%history -g")
    assert mark not in history
    assert mark in one.run("%history")


def test_helper_keys_differ(two) -> None:
    keys = [session.ask("settings.current().helper_key", "from cellgate_kernel import settings") for session in two]
    assert keys[0] != keys[1] and all(len(key) >= 32 for key in keys)


def test_the_connections_key_and_session_differ(two) -> None:
    connections = [session.run("%connect_info") for session in two]
    keys = [next(line for line in text.splitlines() if '"key"' in line) for text in connections]
    assert keys[0] != keys[1]


def test_no_secret_of_one_is_in_the_others_memory(forking: Gateway) -> None:
    one = Session(forking)
    # Put together in the kernel, so that the text is in no message.
    halves = secrets.token_hex(12), secrets.token_hex(12)
    needle = "".join(halves).encode()
    one.run(f"canary = {halves[0]!r} + '{halves[1]}'\nimport os\nos.environ['CANARY'] = canary\nwords = [canary + str(i) for i in range(1000)]")
    other = Session(forking)
    other.run("import gc\nx = [object() for _ in range(1000)]\nprint(len(gc.get_objects()))")
    try:
        assert holds(one.pid, needle), "it is where it was put"
        assert not holds(other.pid, needle)
        assert not holds(zygotes(forking)[0], needle)
    finally:
        one.end()
        other.end()


def test_no_key_of_one_is_in_the_others_memory(forking: Gateway) -> None:
    one = Session(forking)
    key = one.ask("settings.current().helper_key", "from cellgate_kernel import settings").encode()
    other = Session(forking)
    other.run("1")
    try:
        assert holds(one.pid, key)
        assert not holds(other.pid, key) and not holds(zygotes(forking)[0], key)
    finally:
        one.end()
        other.end()


@pytest.fixture
def released() -> Iterator[Gateway]:
    """Of the release build: the memory of a process with an address sanitizer is too large to be looked through."""
    gateway = Gateway(preset="release")
    yield gateway
    gateway.finish()
    gateway.remove()


def test_no_variable_of_one_is_in_the_others_box(released: Gateway) -> None:
    """Init is a fork of the launcher, which was told the variables of every session."""
    halves = secrets.token_hex(24), secrets.token_hex(24)
    one = Session(released, env={"CANARY": "".join(halves)})
    assert one.run("import os\nprint(os.environ['CANARY'])").strip() == "".join(halves)
    other = Session(released)
    other.run("1")
    try:
        assert holds(first_in_box(one.pid), halves[1].encode()), "its own"
        for process in (first_in_box(other.pid), other.pid, zygotes(released)[0]):
            assert not holds(process, halves[1].encode()), process
    finally:
        one.end()
        other.end()


def test_environment_variables_of_one_are_not_the_others(forking: Gateway) -> None:
    jupyter = forking.jupyter()
    value = secrets.token_hex(8)
    one, other = jupyter.start_kernel(env={"KERNEL_CANARY": value}), jupyter.start_kernel()
    with jupyter.connect(one) as first, jupyter.connect(other) as second:
        assert first.run("import os\nos.environ['KERNEL_CANARY']").result == repr(value)
        assert first.run("!echo $KERNEL_CANARY").text().strip() == value
        assert second.run("import os\n'KERNEL_CANARY' in os.environ").result == "False"
        environment = second.run("!env").text() + second.run("open('/proc/self/environ').read()").result
        assert value not in environment
    for kernel in (one, other):
        jupyter.delete(kernel)


def test_the_gateways_environment_is_not_the_kernels(forking: Gateway, two) -> None:
    names = two[0].ask("list(os.environ)", "import os")
    assert not [name for name in names if name.startswith("CELLGATE_SERVER")]
    seen = two[0].run(EVERY_PROCESS)
    assert "cellgate-init" in seen
    assert forking.token not in seen and "CELLGATE_SERVER" not in seen


def test_what_one_changes_in_a_module_is_not_changed_in_the_other(two) -> None:
    one, other = two
    one.run("import math, numpy, sys\nmath.pi = 3\nnumpy.changed = True\nsys.path.append('/nowhere/at/all')")
    assert other.ask("[math.pi, hasattr(numpy, 'changed'), '/nowhere/at/all' in sys.path]", "import math, numpy, sys") == [
        3.141592653589793, False, False]


def test_the_end_of_one_leaves_the_other(forking: Gateway) -> None:
    one, other = Session(forking), Session(forking)
    server, = zygotes(forking)
    one.end()
    assert other.ask("6 * 7") == 42
    pid = other.pid
    other.end()
    eventually(lambda: not Path(f"/proc/{pid}").exists(), 20, "it is gone, and nobody's zombie")
    assert zygotes(forking) == [server], "it serves on"
