"""Tools from a cell: calls per second of ten threads, beside those of a program that talks to the toolkit itself."""

import json
import statistics
import subprocess
from contextlib import ExitStack, closing
from pathlib import Path

from bench.measures import Kernel, Numbers, milliseconds
from bench.socket_client import Cells
from bench.targets import PYTHON, Cellgate
from support.toolkits import toolkit

THREADS = 10
KERNELS = ("cellgate", "ipykernel")
STRAIGHT = "straight to the toolkit"
HERE = Path(__file__).parent
SERVER = [str(PYTHON), str(HERE / "adding_server.py")]  # the interpreter is the cell's, everywhere
CELL = """
import json, time
from concurrent.futures import ThreadPoolExecutor
def call(number):
    result, error = run_composio_tool("ADDING_ADD", {"a": number, "b": 1})
    return error or result["data"]["sum"] == number + 1
assert call(0) is True  # starts the toolkit
with ThreadPoolExecutor(THREADS) as pool:
    begin = time.perf_counter()
    good = list(pool.map(call, range(COUNT)))
    taken = time.perf_counter() - begin
assert all(one is True for one in good), [one for one in good if one is not True][:3]
print(json.dumps(round(COUNT / taken)))
"""


def from_cell(cells: Cells, count: int) -> float:
    printed: list[str] = []
    cells.run(CELL.replace("COUNT", str(count)).replace("THREADS", str(THREADS)),
              lambda message: printed.append(json.loads(message.content)["text"]) if message.msg_type == "stream" else None)
    return json.loads("".join(printed))


def straight(count: int) -> float:
    command = [PYTHON, HERE / "straight_calls.py", str(count), str(THREADS), *SERVER]
    return json.loads(subprocess.run(command, capture_output=True, text=True, check=True, timeout=300).stdout)


def measure(quick: bool) -> dict[str, Numbers]:
    """Turn by turn, the median of each: the machine's other load meets all of them."""
    count, turns = (100, 1) if quick else (1000, 9)
    rates: dict[str, list[float]] = {name: [] for name in (*KERNELS, STRAIGHT)}
    spent: dict[str, list[float]] = {name: [] for name in KERNELS}
    with ExitStack() as held:
        gateways = {name: held.enter_context(closing(Cellgate(name, config=toolkit("ADDING", command=SERVER)))) for name in KERNELS}
        cells = {name: held.enter_context(Kernel(gateway)) for name, gateway in gateways.items()}
        for _ in range(turns):
            rates[STRAIGHT].append(straight(count))
            for name, gateway in gateways.items():
                before = gateway.cpu_seconds()
                rates[name].append(from_cell(cells[name], count))
                spent[name].append((gateway.cpu_seconds() - before) / count)
    row = f"{count:,} tool calls from one cell by {THREADS} threads, calls/s"
    numbers: dict[str, Numbers] = {name: {row: round(statistics.median(found))} for name, found in rates.items()}
    for name, found in spent.items():
        numbers[name]["gateway CPU per tool call, ms"] = milliseconds(statistics.median(found))
    return numbers
