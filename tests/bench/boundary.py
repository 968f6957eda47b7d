"""What it costs that a session is shut in: the same first reply from gateways with and without it, in turns."""

import statistics
import time
from contextlib import ExitStack, closing

from bench.measures import Kernel, Numbers, milliseconds
from bench.socket_client import now
from bench.targets import Cellgate, Target

REFILL_S = 0.3
PATHS = {"forked": {}, "from a pool": {"kernels__jupyter_pool": {"cellgate": 2}}}
FULL = {"network__jupyter": "own"}
NONE = {"kernels__isolation": "none", "network__jupyter": "host"}


def measure(target: Target, starts: int) -> Numbers:
    """Of our own kernel; the peer has no box."""
    if target.name != "Cellgate" or target.rest.kernel != "cellgate":
        return {}
    made: Numbers = {}
    for path, settings in PATHS.items():
        full, none = _first_replies(starts, settings)
        made |= {f"1+1 in a new kernel {path}, p50, ms": milliseconds(full),
                 f"1+1 in a new kernel {path}, without the boundary, p50, ms": milliseconds(none),
                 f"the boundary's price, {path}, ms": milliseconds(full - none)}
    return made


def goals(own: Numbers) -> list[tuple[str, bool]]:
    limits = {"forked": ("at most 6 ms", 6.0), "from a pool": ("under 1 ms", 1.0)}
    return [(f"the boundary costs {words} {path}", price < most) for path, (words, most) in limits.items()
            if isinstance(price := own.get(f"the boundary's price, {path}, ms"), float)]


def _first_replies(starts: int, settings: dict) -> tuple[float, float]:
    with ExitStack() as held:
        gateways = [held.enter_context(closing(Cellgate("cellgate", **how, **settings))) for how in (FULL, NONE)]
        taken: list[list[float]] = [[], []]
        for turn in range(starts + 2):
            for which in (0, 1) if turn % 2 else (1, 0):
                time.sleep(REFILL_S if settings else 0)
                begin = now()
                with Kernel(gateways[which]) as cells:
                    taken[which].append(cells.run("1+1").reply_at - begin)
        # The first ones start the fork server and warm caches.
        return statistics.median(taken[0][2:]), statistics.median(taken[1][2:])
