"""What our own kernel is for: sessions that have pandas at once and share its memory, quick answers, output that is not lost."""

import json
import statistics
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, closing, suppress
from dataclasses import dataclass

from bench import boundary
from bench.helper_calls import helper_calls
from bench.measures import Kernel, Numbers, display, milliseconds, percentile, round_trip, stream
from bench.sdk import sdk
from bench.situations import wait_for_reply
from bench.socket_client import Cells, Gone, KernelSocket, execute_content, now
from bench.targets import Cellgate, Target
from support.memory import kibibytes
from support.processes import TELL_PID, numbered_here

IMPORTS = "import numpy, pandas, matplotlib.pyplot"
POOL = 4
REFILL_S = {"cellgate": 0.5, "ipykernel": 5}  # a pool of this size is full again well within it

INTERRUPTED = {
    "loop": "print('begun', flush=True)\nwhile True: pass",
    "sleep": "import time\nprint('begun', flush=True)\ntime.sleep(60)",
    "await": "import asyncio\nprint('begun', flush=True)\nawait asyncio.sleep(60)",
    "shell line": "!echo begun; exec sleep 60",
}


@dataclass
class Sizes:
    starts: int = 40
    slow_starts: int = 5  # of kernels that import when they are asked to
    at_once: int = 50
    round_trips: int = 1000
    idle: int = 20
    live: int = 200
    turns: int = 5
    lines: int = 200_000
    megabytes: int = 50
    displays: int = 9
    interrupts: int = 5
    helper_calls: int = 1000
    sdk_sessions: int = 30
    boundary_starts: int = 60

    @staticmethod
    def quick() -> "Sizes":
        return Sizes(starts=3, slow_starts=2, at_once=4, round_trips=50, idle=3, live=6, turns=2, lines=20_000, megabytes=5, displays=2,
                     interrupts=1, helper_calls=100, sdk_sessions=3, boundary_starts=3)


Step = Callable[[Target], Numbers]


def steps(sizes: Sizes) -> dict[str, Step]:
    return {
        "imported": lambda target: imported(target, sizes),
        "imported-pool": lambda target: imported_from_pool(target, sizes),
        "imported-at-once": lambda target: imported_at_once(target, sizes.at_once),
        "own-rtt": lambda target: round_trip(target, sizes.round_trips),
        "imported-memory": lambda target: memory(target, sizes.idle),
        "live": lambda target: live(target, sizes.live, sizes.turns),
        "prints": lambda target: stream(target, sizes.lines, flush=False),
        "own-display": lambda target: display(target, sizes.megabytes, sizes.displays),
        "interrupts": lambda target: interrupts(target, sizes.interrupts),
        "helper-calls": lambda target: helper_calls(target, sizes.helper_calls),
        "sdk": lambda target: sdk(target, sizes.sdk_sessions),
        "boundary": lambda target: boundary.measure(target, sizes.boundary_starts),
    }


def is_ours(target: Target) -> bool:
    return target.rest.kernel == "cellgate"


def _start_times(target: Target, times: int, pause_s: float = 0) -> list[float]:
    """POST to the reply of a cell that imports; the first start, which warms caches or a fork server, is not counted."""
    taken = []
    for _ in range(times + 1):
        time.sleep(pause_s)
        begin = now()
        with Kernel(target) as cells:
            taken.append(cells.run(IMPORTS).reply_at - begin)
    return taken[1:]


def _distribution(name: str, taken: list[float]) -> Numbers:
    return {f"{name} p50, ms": milliseconds(statistics.median(taken)), f"{name} p99, ms": milliseconds(percentile(taken, 0.99))}


def imported(target: Target, sizes: Sizes) -> Numbers:
    return _distribution("pandas imported, first reply", _start_times(target, sizes.starts if is_ours(target) else sizes.slow_starts))


def imported_from_pool(target: Target, sizes: Sizes) -> Numbers:
    """The peer has no pool."""
    if target.name != "Cellgate":
        return {}
    kernel = target.rest.kernel
    with closing(Cellgate(kernel, kernels__jupyter_pool={kernel: POOL})) as warm:
        taken = _start_times(warm, sizes.starts if is_ours(warm) else sizes.slow_starts, REFILL_S[kernel])
    return _distribution("pandas imported, first reply from a warm pool", taken)


def imported_at_once(target: Target, count: int) -> Numbers:
    """So many clients at the same time, each from POST to the reply; how long the last one waits."""
    with Kernel(target) as cells:
        cells.run(IMPORTS)

    def one(_: int) -> bool:
        with suppress(Gone, TimeoutError, RuntimeError, OSError), Kernel(target) as cells:
            cells.run(IMPORTS)
            return True
        return False

    with ThreadPoolExecutor(count) as pool:
        begin = now()
        answered = list(pool.map(one, range(count)))
        taken = now() - begin
    return {f"{count} at once with pandas, s": round(taken, 2), f"{count} at once with pandas, answered": sum(answered)}


def process_of(cells: Cells) -> int:
    """The kernel's process, as it is numbered here."""
    printed: list[str] = []
    cells.run(TELL_PID, lambda message: printed.append(json.loads(message.content)["text"]) if message.msg_type == "stream" else None)
    return numbered_here(*json.loads("".join(printed)))


def memory(target: Target, count: int) -> Numbers:
    """Of each of so many idle kernels that have pandas: what it alone has, and that with its share of what several have."""
    with ExitStack() as held:
        kernels = [held.enter_context(Kernel(target)) for _ in range(count)]
        for cells in kernels:
            cells.run(IMPORTS)
        pids = [process_of(cells) for cells in kernels]
        time.sleep(1)  # what was freed goes back
        shares = [kibibytes(pid, "Pss") for pid in pids]
        alone = [kibibytes(pid, "Private_Clean") + kibibytes(pid, "Private_Dirty") for pid in pids]
    return {f"PSS of each of {count} with pandas, MiB": round(statistics.mean(shares) / 1024, 1),
            f"USS of each of {count} with pandas, MiB": round(statistics.mean(alone) / 1024, 1)}


def live(target: Target, count: int, turns: int) -> Numbers:
    """`1+1` in one after the other of so many live sessions. ipykernels with pandas would need more memory than a machine has."""
    if not is_ours(target):
        return {}
    with ExitStack() as held, ThreadPoolExecutor(4) as pool:
        kernels = list(pool.map(lambda _: Kernel(target), range(count)))
        for kernel in kernels:
            held.push(kernel)
            kernel.cells.run(IMPORTS)
        taken = []
        for _ in range(turns):
            for kernel in kernels:
                begin = now()
                kernel.cells.run("1+1")
                taken.append(now() - begin)
    return _distribution(f"1+1 with {count} live sessions", taken)


def interrupts(target: Target, times: int) -> Numbers:
    """From the POST until the cell has its reply: the slowest of so many for each situation."""
    numbers: Numbers = {}
    for name, code in INTERRUPTED.items():
        with Kernel(target) as cells:
            numbers[f"interrupt of a {name}, slowest, ms"] = _slowest_interrupt(target, cells, code, times)
    return numbers


def _slowest_interrupt(target: Target, cells: Cells, code: str, times: int) -> float | str:
    taken = []
    for _ in range(times):
        msg_id = cells.request("execute_request", execute_content(code))
        while cells.receive().msg_type != "stream":
            pass
        begin = now()
        target.rest.call("POST", f"/api/kernels/{cells.kernel_id}/interrupt")
        cells.socket.settimeout(10)
        try:
            taken.append(wait_for_reply(cells, msg_id) - begin)
        except TimeoutError:
            return "no reply in 10 s"
        cells.run("1")
    return milliseconds(max(taken))


def goals(own: Numbers, ipykernel: Numbers, peer: Numbers) -> list[tuple[str, bool]]:
    """Those that could be measured in this run: (what, whether it is reached)."""
    made = []

    def add(what: str, name: str, reached: Callable[..., bool], *others: Numbers) -> None:
        values = [numbers.get(name) for numbers in (own, *others)]
        if all(isinstance(value, (int, float)) for value in values):
            made.append((what, reached(*values)))

    forked, pooled = "pandas imported, first reply p50, ms", "pandas imported, first reply from a warm pool p50, ms"
    add("first reply with pandas at most 30 ms", forked, lambda ours: ours <= 30)
    add("and 25 times sooner than the peer's", forked, lambda ours, theirs: 25 * ours <= theirs, peer)
    add("from a pool at most 8 ms", pooled, lambda ours: ours <= 8)
    if isinstance(peer.get(forked), (int, float)) and isinstance(own.get(pooled), (int, float)):
        made.append(("and 100 times sooner than the peer's", 100 * own[pooled] <= peer[forked]))
    for name in own:
        if name.endswith("at once with pandas, answered"):
            add(f"all of {name.split()[0]} at once answer", name, lambda ours, wanted=int(name.split()[0]): ours == wanted)
        if name.startswith("PSS of each"):
            add("PSS of each at most 18 MiB", name, lambda ours: ours <= 18)
        if name.startswith("USS of each"):
            add("USS of each at most 14 MiB", name, lambda ours: ours <= 14)
        if name.endswith("MB display p50, ms"):
            add("a large display twice as soon as ipykernel's", name, lambda ours, theirs: 2 * ours <= theirs, ipykernel)
        if name.startswith("interrupt of a"):
            add(f"{name.removesuffix(', slowest, ms')} within 50 ms", name, lambda ours: ours <= 50)
    add("`1+1` with our own kernel at most 1.5 ms", "1+1 p50, ms", lambda ours: ours <= 1.5)
    add("no printed line lost", "prints, lines lost", lambda ours: ours == 0)
    return made + boundary.goals(own)
