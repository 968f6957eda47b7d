"""Measures this gateway against jupyter_kernel_gateway and against no gateway at all: the same client, kernel and run; and
our own kernel against ipykernel, in this gateway and in the other; and cells whose errors are corrected against the same as
they are; and a session's files against nginx; and a cell's tool calls against those of a program without a gateway; and sessions
beside one that takes all it can against the same without it.

Prints six tables and, with --write, puts them into docs/performance.md.
"""

import argparse
import json
import sys
from collections.abc import Callable
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from bench import corrections, files, measures, neighbour, own_kernel, report, situations, tool_calls
from bench.targets import KERNELS, ROOT, Cellgate, Peer, Target, peer_version, version_of

PAGE = ROOT / "docs" / "performance.md"
PEER_NAME = "jupyter_kernel_gateway " + peer_version()


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--only", default="", help="names, with commas: " + ", ".join(names(Sizes(False))))
    parser.add_argument("--quick", action="store_true", help="smaller numbers: does it run at all?")
    parser.add_argument("--write", action="store_true", help="put the tables into docs/performance.md")
    parser.add_argument("--json", metavar="FILE", help="write the numbers there")
    parser.add_argument("--check", action="store_true", help="status 1 when a goal is missed")
    return parser.parse_args()


class Sizes:
    def __init__(self, quick: bool) -> None:
        self.starts = 2 if quick else 7
        self.round_trips = 50 if quick else 1000
        self.lines = 2_000 if quick else 20_000
        self.display, self.upload = (5, 5) if quick else (50, 64)
        self.at_once = [3] if quick else [10, 50]
        self.kernels = [1, 3] if quick else [1, 10, 100]
        self.situations = 2 if quick else 5
        self.polled, self.requests = (3, 100) if quick else (200, 3000)
        self.own = own_kernel.Sizes.quick() if quick else own_kernel.Sizes()


Step = tuple[Callable[[Target], measures.Numbers], Callable[[], measures.Numbers] | None]


def steps(sizes: Sizes) -> dict[str, Step]:
    """Name → (what is measured of a gateway, what of the kernel alone)."""
    made: dict[str, Step] = {
        "start": (lambda target: measures.first_reply(target, sizes.starts), lambda: measures.direct_first_reply(sizes.starts)),
        "rtt": (lambda target: measures.round_trip(target, sizes.round_trips),
                lambda: measures.direct_round_trip(sizes.round_trips) | measures.echo_round_trip(sizes.round_trips)),
        "quickack": (lambda target: measures.round_trip_quickack(target, sizes.round_trips), None),
        "stream": (lambda target: measures.stream(target, sizes.lines), lambda: measures.direct_stream(sizes.lines)),
        "display": (lambda target: measures.display(target, sizes.display, sizes.situations), None),
        "upload": (lambda target: measures.upload(target, sizes.upload), None),
        "warm": (lambda target: situations.warm_first_reply(target, sizes.situations), None),
        "busy": (lambda target: situations.busy_kernel(target, sizes.situations), None),
        "restart": (lambda target: situations.restart(target, sizes.situations), None),
        "polling": (lambda target: situations.polling(target, sizes.polled, sizes.requests), None),
        "memory": (lambda target: measures.memory(target, sizes.kernels), None),
    }
    for count in sizes.at_once:
        made[f"at-once-{count}"] = (lambda target, count=count: measures.at_once(target, count),
                                    lambda count=count: measures.direct_at_once(count))
    return made


def names(sizes: Sizes) -> list[str]:
    return [*steps(sizes), *own_kernel.steps(sizes.own), "corrections", "files", "tool-calls", "neighbour"]


def chosen(sizes: Sizes, only: str) -> list[str]:
    wanted = [name for name in only.split(",") if name]
    unknown = [name for name in wanted if name not in names(sizes)]
    if unknown:
        sys.exit(f"There is no measurement called {', '.join(unknown)}; there are {', '.join(names(sizes))}")
    return wanted or names(sizes)


def measure(make: Callable[[], Target], todo: dict[str, Callable[[Target], measures.Numbers]]) -> measures.Numbers:
    """A fresh gateway for each step: none measures what another left behind."""
    numbers: measures.Numbers = {}
    for name, step in todo.items():
        target = make()
        try:
            found = step(target)
        finally:
            target.close()
        print(f"{target.name} with {target.rest.kernel}: {name}: {found}", file=sys.stderr, flush=True)
        numbers |= found
    return numbers


def measure_floor(todo: dict[str, Step]) -> measures.Numbers:
    numbers: measures.Numbers = {}
    for name, (_, step) in todo.items():
        if step:
            found = step()
            print(f"no gateway: {name}: {found}", file=sys.stderr, flush=True)
            numbers |= found
    return numbers


def measure_gateways(todo: dict[str, Step]) -> tuple[dict[str, measures.Numbers], str]:
    of_gateways = {name: step for name, (step, _) in todo.items()}
    numbers = {"floor": measure_floor(todo), "cellgate": measure(Cellgate, of_gateways), "peer": measure(Peer, of_gateways)}
    columns = {"straight to the kernel": "floor", "Cellgate": "cellgate", PEER_NAME: "peer"}
    return numbers, report.table({title: numbers[name] for title, name in columns.items()}, "Cellgate", PEER_NAME)


def measure_own_kernel(todo: dict[str, own_kernel.Step]) -> tuple[dict[str, measures.Numbers], str]:
    numbers = {"own": measure(lambda: Cellgate("cellgate"), todo), "ipykernel": measure(Cellgate, todo),
               "peer with imports": measure(Peer, todo)}
    columns = {"Cellgate, cellgate": "own", "Cellgate, ipykernel": "ipykernel", PEER_NAME + ", ipykernel": "peer with imports"}
    return numbers, report.table({title: numbers[name] for title, name in columns.items()}, *list(columns)[::2])


def main() -> int:
    chosen_by = arguments()
    sizes = Sizes(chosen_by.quick)
    wanted = chosen(sizes, chosen_by.only)
    environment = report.machine() + f"; ipykernel {version_of(KERNELS, 'ipykernel')}"
    numbers: dict[str, measures.Numbers] = {}
    tables, reached = [], []
    if todo := {name: step for name, step in steps(sizes).items() if name in wanted}:
        found, table = measure_gateways(todo)
        numbers |= found
        tables.append(table)
        reached += report.goals(found["floor"], found["cellgate"], found["peer"])
    if own := {name: step for name, step in own_kernel.steps(sizes.own).items() if name in wanted}:
        found, table = measure_own_kernel(own)
        numbers |= found
        tables.append(table)
        reached += own_kernel.goals(found["own"], found["ipykernel"], found["peer with imports"])
    if "corrections" in wanted:
        numbers["corrections"] = corrections.measure(chosen_by.quick)
        tables.append(corrections.table(numbers["corrections"]))
        reached += corrections.goals(numbers["corrections"])
    if "files" in wanted:
        found = files.measure(chosen_by.quick)
        numbers |= {"files of " + whose: of for whose, of in found.items()}
        peer = "nginx " + files.version()
        tables.append(report.table({"Cellgate": found["cellgate"], peer: found["nginx"]}, "Cellgate", peer))
        reached += files.goals(found)
    if "tool-calls" in wanted:
        found = tool_calls.measure(chosen_by.quick)
        numbers |= {"tool calls, " + whose: of for whose, of in found.items()}
        columns = {"Cellgate, " + name: found[name] for name in tool_calls.KERNELS}
        tables.append(report.table(columns | {tool_calls.STRAIGHT: found[tool_calls.STRAIGHT]}, "Cellgate, cellgate", tool_calls.STRAIGHT))
    if "neighbour" in wanted and (found := neighbour.measure(chosen_by.quick)):
        numbers |= {"other sessions, " + when: of for when, of in found.items()}
        tables.append(neighbour.table(found))
        reached += neighbour.goals(found)
    text = report.markdown(environment, "\n\n".join(tables), reached)
    print(text)
    if chosen_by.json:
        Path(chosen_by.json).write_text(json.dumps(numbers, indent=1))
    if chosen_by.write:
        report.write_into(PAGE, text)
    return 1 if chosen_by.check and not all(is_so for _, is_so in reached) else 0


if __name__ == "__main__":
    sys.exit(main())
