"""What a session that takes all it can costs the others: their times while it is there, beside those while it is not, in turns.

It burns processors, memory, processes, disk and output at once, each up to its limit and again. Where the machine cannot limit
sessions, nothing of this is measured.
"""

import statistics
import sys
import threading
import time
from collections.abc import Callable
from contextlib import ExitStack, closing

from bench.measures import Kernel, Numbers, milliseconds, percentile
from bench.socket_client import Cells, execute_content, is_idle, now
from bench.targets import Cellgate
from support.agent import Agent

OTHERS = 2
SLOWER = 10
QUIET, BESIDE = "quiet", "beside the neighbour"

# Each runs for ever and writes a line into its file for each time that it came to its limit.
PREAMBLE = """
import os, signal, sys, threading, time
def came_to_the_limit():
    with open('/mnt/files/' + sys.argv[1], 'a') as file: print(file=file)
"""
BURNERS = {
    "processors": """
for _ in range(3):
    if os.fork() == 0: break
end = time.monotonic() + 1
while True:
    if time.monotonic() > end: came_to_the_limit(); end += 1
""",
    "memory": """
while True:
    child = os.fork()
    if child == 0:
        held = []
        while True: held.append(b'x' * (16 << 20))
    if os.waitpid(child, 0)[1] == signal.SIGKILL: came_to_the_limit()
""",
    "processes": """
while True:
    children = []
    try:
        while True:
            children.append(os.fork())
            if children[-1] == 0: time.sleep(1000)
    except BlockingIOError:
        came_to_the_limit()
    time.sleep(0.2)
    for child in children: os.kill(child, signal.SIGKILL)
    for child in children: os.waitpid(child, 0)
""",
    "disk": """
block = os.urandom(1 << 20)
while True:
    with open('/mnt/files/large', 'wb') as file:
        for _ in range(128): file.write(block)
        os.fsync(file.fileno())
    came_to_the_limit()
""",
}
FLOOD = "while True: print('x' * 1000)"


class Neighbour:
    """A session, there until close()."""

    def __init__(self, agent: Agent) -> None:
        self._agent = agent
        self._session = agent.start_session()["id"]
        self._ends = threading.Event()
        self.floods = 0
        for name, code in BURNERS.items():
            agent.bash(self._session, ["python3", "-c", PREAMBLE + code, name], background=True, timeout_s=600)
        self._flooding = threading.Thread(target=self._flood)
        self._flooding.start()
        while not (all(self.came_to_its_limits().values()) and self.floods):
            time.sleep(0.2)

    def _flood(self) -> None:
        """A kernel is the largest process now and then when the memory is all taken: the next cell has the next one."""
        with closing(Agent(self._agent.url, self._agent.key).http) as http:
            while not self._ends.is_set():
                self.floods += 1
                http.post(f"{self._agent.url}/api/v1/sessions/{self._session}/execute", json={"code": FLOOD, "timeout_s": 600},
                          headers={"Authorization": f"Bearer {self._agent.key}"}, timeout=600)

    def came_to_its_limits(self) -> dict[str, int]:
        """How often, of each burner."""
        listed = self._agent.call("GET", f"/sessions/{self._session}/files", 200).json()["items"]
        sizes = {each["path"]: each["size"] for each in listed}
        return {name: sizes.get(name, 0) for name in BURNERS}

    def close(self) -> None:
        self._ends.set()
        self._agent.end_session(self._session)
        self._flooding.join()


class Others:
    """What is asked of the gateway for other sessions, and how long each answer took."""

    def __init__(self, gateway: Cellgate, cells: list[Cells]) -> None:
        self._gateway, self._cells = gateway, cells
        self.taken: dict[str, list[float]] = {"1+1": [], "GET /api/v1/sessions": [], "POST /api/v1/sessions": []}
        self.failed: list[str] = []

    def ask(self, rounds: int) -> None:
        for _ in range(rounds):
            for cells in self._cells * 10:
                self._time("1+1", lambda: _add(cells))
            for _ in range(5):
                self._time("GET /api/v1/sessions", lambda: self._gateway.rest.call("GET", "/api/v1/sessions"))
            made = self._time("POST /api/v1/sessions", lambda: self._gateway.rest.call("POST", "/api/v1/sessions", {}))
            if made:
                self._gateway.rest.call("DELETE", f"/api/v1/sessions/{made['id']}")

    def _time(self, name: str, ask: Callable) -> object:
        begin = now()
        try:
            answer = ask()
        except Exception as error:  # told, and counted
            self.failed.append(f"{name}: {error!r}")
            return None
        self.taken[name].append(now() - begin)
        return answer


def _add(cells: Cells) -> None:
    asked = cells.request("execute_request", execute_content("1+1"))
    result = reply = idle = False
    while not (reply and idle):
        message = cells.receive()
        if message.parent == asked:
            result |= message.msg_type == "execute_result" and b'"2"' in message.content
            reply |= message.msg_type == "execute_reply"
            idle |= is_idle(message)
    if not result:
        raise RuntimeError("a cell without its result")


def measure(quick: bool) -> dict[str, Numbers]:
    turns, rounds = (1, 3) if quick else (4, 10)
    with ExitStack() as held:
        gateway = held.enter_context(closing(Cellgate("cellgate")))
        agent = Agent(gateway.url, gateway.key)
        if not all(agent.start_session(name="probe")["limits"].values()):
            print("neighbour: the machine cannot limit sessions; not measured", file=sys.stderr)
            return {}
        cells = [held.enter_context(Kernel(gateway)) for _ in range(OTHERS)]
        asked = {QUIET: Others(gateway, cells), BESIDE: Others(gateway, cells)}
        Others(gateway, cells).ask(2)  # caches, the fork server
        limits: list[dict[str, int]] = []
        for _ in range(turns):
            asked[QUIET].ask(rounds)
            with closing(Neighbour(agent)) as neighbour:
                asked[BESIDE].ask(rounds)
                limits.append(neighbour.came_to_its_limits())
    numbers = {name: _numbers(others) for name, others in asked.items()}
    numbers[BESIDE] |= {f"{name}: times at the limit": sum(each[name] for each in limits) for name in BURNERS}
    for others in asked.values():
        print("".join(f"neighbour: {each}\n" for each in others.failed[:10]), end="", file=sys.stderr)
    return numbers


def _numbers(others: Others) -> Numbers:
    made: Numbers = {}
    for name, taken in others.taken.items():
        made |= {f"{name} p50, ms": milliseconds(statistics.median(taken)), f"{name} p99, ms": milliseconds(percentile(taken, 0.99))}
    return made | {"what failed": len(others.failed)}


def table(found: dict[str, Numbers]) -> str:
    quiet, beside = found[QUIET], found[BESIDE]
    lines = [f"| of {OTHERS} other sessions and the API | {QUIET} | {BESIDE} | times |", "|---|---:|---:|---:|"]
    for name, number in beside.items():
        times = f"{number / quiet[name]:.1f}" if name.endswith("ms") else ""
        lines.append(f"| {name} | {quiet.get(name, '')} | {number} | {times} |")
    return "\n".join(lines)


def goals(found: dict[str, Numbers]) -> list[tuple[str, bool]]:
    """The neighbour may have one of the processors all the time: others wait their turn then, and are not held up."""
    if not found:
        return []
    quiet, beside = found[QUIET], found[BESIDE]
    made = [(f"{name.removesuffix(', ms')} beside a greedy neighbour at most {SLOWER} times its quiet value", number <= SLOWER * quiet[name])
            for name, number in beside.items() if name.endswith("ms")]
    made.append(("nothing of the others fails", not quiet["what failed"] and not beside["what failed"]))
    made.append(("the neighbour came to each of its limits", all(beside[f"{name}: times at the limit"] for name in BURNERS)))
    return made
