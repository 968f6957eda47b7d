"""Processors, memory and processes of a sandbox: what a session of a size may use, and what clients see when it takes more."""

import os
from collections.abc import Callable
from pathlib import Path

import pytest

from support.agent import Agent
from support.gateway import Gateway, ordinary_user
from support.waiting import eventually

SMALL = {"sizes__standard__memory_bytes": 320 << 20, "sizes__medium__memory_bytes": 640 << 20}
MANY_FILES = ("import os, resource, socket\nmost = resource.getrlimit(resource.RLIMIT_NOFILE)[1]\n"
              "resource.setrlimit(resource.RLIMIT_NOFILE, (most, most))\nkept = []\n")
BOMBS = {
    "anonymous": "b = bytearray()\nwhile True: b += bytes(1 << 20)",
    "shared": "import mmap\nm = mmap.mmap(-1, 4 << 30)\nfor at in range(0, 4 << 30, 4096): m[at] = 1",
    "tmpfs": "with open('/dev/shm/f', 'wb') as f:\n    while True: f.write(bytes(1 << 20))",
    "memfd": "import os\nf = os.memfd_create('f')\nwhile True: os.write(f, bytes(1 << 20))",
    "sockets": MANY_FILES + "while True:\n    pair = socket.socketpair()\n    kept.append(pair)\n    pair[0].setblocking(False)\n"
               "    try:\n        while True: pair[0].send(bytes(1 << 16))\n    except BlockingIOError: pass",
    "directories": "import itertools, os\nos.chdir('/dev/shm')\nfor number in itertools.count(): os.mkdir(str(number).zfill(200))",
}


def offered(agent: Agent) -> dict[str, bool]:
    session = agent.start_session()
    agent.end_session(session["id"])
    return {name: session["limits"][name] for name in ("cpu", "memory", "pids")}


@pytest.fixture
def limited(start_gateway) -> Callable[..., Gateway]:
    """A gateway whose machine enforces all limits."""

    def start(**settings: object) -> Gateway:
        gateway = start_gateway(**settings)
        if not all(offered(gateway.agent()).values()):
            pytest.skip("limits cannot be enforced here: " + next(line for line in gateway.log if "cannot limit" in line))
        return gateway

    return start


def groups_of(pid: int) -> dict[str, Path]:
    """The launcher's own control group in each hierarchy, by a process of one of its boxes."""
    found = {}
    for line in Path(f"/proc/{pid}/cgroup").read_text().splitlines():
        _, names, path = line.split(":", 2)
        if "/cellgate-" not in path:
            continue
        mounts = [words.split() for words in Path("/proc/self/mountinfo").read_text().splitlines()]
        for words in mounts:
            kind, options = words[words.index("-") + 1], words[-1].split(",")
            if (kind == "cgroup" and names and names.split(",")[0] in options) or (kind == "cgroup2" and not names):
                found[names or "v2"] = Path(words[4]) / Path(path).parent.relative_to("/")
    return found


def parent_of(pid: int) -> int:
    return int(Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()[1])


def a_box(gateway: Gateway) -> int:
    """The first process of a box: a child of the launcher, which is a child of the gateway, in a group of its own."""
    for each in Path("/proc").iterdir():
        try:
            if (each.name.isdigit() and parent_of(parent_of(int(each.name))) == gateway.pid
                    and "/cellgate-" in (each / "cgroup").read_text()):
                return int(each.name)
        except OSError:
            continue
    raise AssertionError("the gateway has no box in a control group")


def children(group: Path) -> int:
    return sum(each.is_dir() for each in group.iterdir())


@pytest.mark.parametrize("kind", BOMBS)
def test_3_a_cell_that_takes_too_much_memory_ends_its_session_s_kernel_only(limited, kind: str) -> None:
    gateway = limited(**SMALL)
    agent = gateway.agent()
    other, session = agent.start_session()["id"], agent.start_session()["id"]
    agent.execute(other, "x = 41")
    agent.execute(session, "open('/mnt/files/kept.txt', 'w').write('kept')\nopen('home.txt', 'w').write('home')")
    before = gateway.resident_bytes()
    cell = agent.execute(session, BOMBS[kind])
    assert gateway.resident_bytes() - before < 32 << 20
    assert (cell["status"], cell["reason"], cell["kernel_restarted"]) == ("lost", "oom", True)
    assert cell["error"]["ename"] == "OutOfMemory"
    assert "320 MiB, sizes.standard.memory_bytes" in cell["error"]["evalue"]
    assert '"sandbox_size":"medium"' in cell["error"]["evalue"]
    assert agent.execute(other, "x + 1")["result"]["text/plain"] == "42"
    again = agent.execute(session, "print(open('/mnt/files/kept.txt').read(), open('home.txt').read(), 'b' in globals())")
    assert again["stdout"] == "kept home False\n"


def test_a_larger_size_has_the_memory_that_a_smaller_one_lacks(limited) -> None:
    agent = limited(**SMALL, kernels__pool={"cellgate": 2}).agent()
    session = agent.start_session()["id"]
    code = "b = bytearray(400 << 20)\nlen(b) >> 20"
    assert agent.execute(session, code)["reason"] == "oom"
    agent.call("PATCH", f"/sessions/{session}", 200, json={"sandbox": {"sandbox_size": "medium"}})
    assert agent.execute(session, code)["result"]["text/plain"] == "400"
    medium = agent.start_session(sandbox={"sandbox_size": "medium"})["id"]
    assert agent.execute(medium, code)["result"]["text/plain"] == "400", "a kernel from the pool has its size's limits"


def test_3_a_program_that_a_cell_starts_ends_alone(limited) -> None:
    agent = limited().agent()
    session = agent.start_session()["id"]
    code = "import subprocess, sys\nsubprocess.run([sys.executable, '-c', 'bytearray(2 << 30)']).returncode"
    assert agent.execute(session, code)["result"]["text/plain"] == "-9"
    assert agent.execute(session, "1 + 1")["kernel_restarted"] is False


def test_1_a_fork_bomb_stops_at_the_limit_and_the_session_goes_on(limited) -> None:
    agent = limited(sizes__standard__pids=40, sizes__standard__memory_bytes=8 << 30).agent()
    other, session = agent.start_session()["id"], agent.start_session()["id"]
    code = ("import os, signal, time\nchildren = []\ntry:\n    while True:\n        pid = os.fork()\n"
            "        if pid == 0: time.sleep(1000)\n        children.append(pid)\n"
            "except BlockingIOError as error: print(error.errno, 10 < len(children) < 40)\ntime.sleep(1000)")
    with agent.connect(session) as socket:
        socket.call("attach")
        cell = socket.begin(code)
        socket.wait_for(lambda event: event["method"] == "output" and event["cell_id"] == cell)
        assert agent.execute(other, "1 + 1")["status"] == "ok"
        socket.call("interrupt")
        assert socket.finished(cell)["status"] in ("interrupted", "error")
        assert socket.text(cell).startswith("11 True")
    assert agent.execute(session, "for pid in children: os.kill(pid, signal.SIGKILL)\n1 + 1")["status"] == "ok"


@pytest.mark.parametrize("kernel", ["cellgate", "ipykernel"])
def test_3_a_command_that_takes_too_much_memory_ends_and_the_page_cache_is_given_back(limited, kernel: str) -> None:
    agent = limited(**SMALL).agent()
    session = agent.start_session(kernel_name=kernel)["id"]
    agent.execute(session, "x = 41")
    assert agent.bash(session, ["python3", "-c", BOMBS["anonymous"]])["signal"] == "SIGKILL"
    written = "for i in range(600): open('/mnt/files/large', 'ab').write(bytes(1 << 20))"
    assert agent.bash(session, ["python3", "-c", written])["status"] == "ok", "the cache of a file is no memory that is lacking"
    assert agent.execute(session, "x + 1")["result"]["text/plain"] == "42"


@pytest.mark.parametrize("kernel", ["cellgate", "ipykernel"])
def test_1_a_fork_bomb_of_a_command_ends_at_its_deadline(limited, kernel: str) -> None:
    agent = limited(sizes__standard__pids=60).agent()
    other, session = agent.start_session()["id"], agent.start_session(kernel_name=kernel)["id"]
    agent.execute(session, "x = 41")
    bomb = agent.bash(session, "bomb() { bomb | bomb & }; bomb; sleep 1000", background=True, timeout_s=3)
    eventually(lambda: "Resource temporarily unavailable" in agent.command(session, bomb["command_id"])["stderr"], 20, "its limit")
    assert agent.execute(other, "1 + 1")["status"] == "ok"
    eventually(lambda: agent.command(session, bomb["command_id"])["status"] == "timeout", 30, "its deadline")
    eventually(lambda: agent.bash(session, "pgrep -c bash").get("stdout") == "0\n", 20, "the end of its children")
    assert agent.execute(session, "x + 1")["result"]["text/plain"] == "42"


@pytest.mark.parametrize("kernel", ["cellgate", "ipykernel"])
def test_2_a_hundred_thousand_threads_stop_at_the_limit(limited, kernel: str) -> None:
    agent = limited(sizes__standard__pids=100).agent()
    session = agent.start_session(kernel_name=kernel)["id"]
    code = ("import threading\nend, threads = threading.Event(), []\ntry:\n    for _ in range(100_000):\n"
            "        threads.append(threading.Thread(target=end.wait))\n        threads[-1].start()\n"
            "except RuntimeError as error: print(error)\nend.set()\nprint(10 < len(threads) < 100)")
    assert agent.execute(session, code)["stdout"] == "can't start new thread\nTrue\n"
    assert "True" in agent.bash(session, ["python3", "-c", code])["stdout"]
    assert agent.execute(session, "1 + 1")["status"] == "ok"


def test_5_swap_adds_nothing_to_the_memory(limited) -> None:
    gateway = limited(**SMALL)
    agent = gateway.agent()
    agent.execute(agent.start_session()["id"], "1")
    group = groups_of(a_box(gateway))["memory"]
    boxes = [each for each in group.iterdir() if each.is_dir()]
    swap = "memory.memsw.limit_in_bytes" if (group / "memory.limit_in_bytes").exists() else "memory.swap.max"
    assert boxes
    if not (group / swap).exists():
        assert len(Path("/proc/swaps").read_text().splitlines()) == 1, "there is swap, and nothing limits it"
    else:
        expected = "0" if swap == "memory.swap.max" else str(320 << 20)
        assert {(each / swap).read_text().strip() for each in boxes} == {expected}


@pytest.mark.parametrize("cpus", [0.5, 1])
def test_6_a_session_has_no_more_of_the_processors_than_its_size_says(limited, cpus: float) -> None:
    agent = limited(sizes__standard__cpus=cpus).agent()
    session = agent.start_session()["id"]
    code = ("import os, time\nfor _ in range(4):\n    if os.fork() == 0:\n        end = time.monotonic() + 4\n"
            "        while time.monotonic() < end: pass\n        os._exit(0)\nfor _ in range(4): os.wait()\n"
            "t = os.times()\nprint(t.children_user + t.children_system)")
    used = float(agent.execute(session, code)["stdout"])
    assert used <= 4 * cpus * 1.15
    assert agent.session(session)["sandbox"]["cpus"] == cpus


def test_a_jupyter_client_s_kernel_has_limits_of_its_own(limited) -> None:
    gateway = limited(sizes__jupyter__memory_bytes=320 << 20)
    jupyter = gateway.jupyter()
    kernel = jupyter.start_kernel()
    with jupyter.connect(kernel) as channels:
        cell = channels.run(BOMBS["anonymous"])
    assert "sizes.jupyter.memory_bytes" in cell.text("stderr") and cell.status == "error"
    sessions = gateway.agent().call("GET", "/sessions", 200).json()["items"]
    mine = next(each for each in sessions if each["kernel"]["id"] == kernel)
    assert mine["sandbox"]["sandbox_size"] == "jupyter" and mine["sandbox"]["cpus"] is None
    assert {**mine["limits"], "landlock": None} == {"cpu": False, "memory": True, "pids": True, "disk": False, "files": False, "landlock": None}


@pytest.mark.parametrize("how", ["asked", "killed"])
def test_no_control_group_is_left_behind(limited, how: str) -> None:
    gateway = limited(sizes__standard__pids=200)
    agent = gateway.agent()
    sessions = [agent.start_session()["id"] for _ in range(2)]
    for each in sessions:
        agent.execute(each, "import subprocess; p = subprocess.Popen(['sleep', '1000'])")
    groups = groups_of(a_box(gateway))
    assert groups and all(each.is_dir() for each in groups.values())
    before = {name: children(each) for name, each in groups.items()}
    agent.end_session(sessions[0])
    eventually(lambda: all(children(each) < before[name] for name, each in groups.items()), 20)
    if how == "asked":
        assert gateway.terminate() == 0
    else:
        gateway.kill()
    eventually(lambda: not any(each.exists() for each in groups.values()), 20, "the control groups have gone")


def test_a_gateway_that_cannot_limit_says_so_and_refuses_only_when_it_must(start_gateway) -> None:
    if os.getuid() != 0:
        pytest.skip("only root can choose another user, who has no control groups")
    user = ordinary_user()
    gateway = start_gateway(user=user)
    agent = gateway.agent()
    session = agent.start_session()
    if session["limits"]["memory"]:
        pytest.skip("an ordinary user can limit here: control groups are delegated to it")
    assert not any(holds for name, holds in session["limits"].items() if name != "landlock")
    warnings = [line for line in gateway.log if "cannot limit cpu, memory, pids of sandboxes" in line]
    assert len(warnings) == 1
    assert agent.execute(session["id"], "1 + 1")["status"] == "ok"
    with pytest.raises(AssertionError, match="kernels.require_limits is true"):
        start_gateway(user=user, kernels__require_limits=True)
