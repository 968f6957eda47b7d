"""What error correction costs: the same cells in one IPython shell with it off and on, each the best of many runs.

usage: python corrections.py [--quick]     in the kernels' environment; prints JSON
"""

import ast
import json
import subprocess
import sys
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]

# Ten lines with eleven reads; ten of it are a cell of 100 lines, as dense with reads as code comes.
DENSE = '''def handle_{0}(rows, limit=10):
    total, seen = 0, {{}}
    for index, row in enumerate(rows):
        if row["status"] != "ok" or index > limit:
            continue
        name = row["user"]["name"].strip().lower()
        seen.setdefault(name, []).append(row["amount"] * 1.5 + len(row["items"]))
        total += sum(item["price"] for item in row["items"] if item["price"] > 0)
    print(f"{{total:.2f}} of {{len(seen)}} {{rows[0]['status']}}")
    return {{"total": total, "names": sorted(seen), "last": rows[-1]["user"]["id"]}}
'''
LOOP = "def loop(d):\n    for _ in range({count}):\n        d[\"key\"]\nloop({{\"key\": 1}})\n"
CELL_LOOP = "d = {{\"key\": 1}}\nfor _ in range({count}):\n    d[\"key\"]\n"
WORK = '''import json, re, statistics
rows = [{{"id": i, "user": {{"name": f"User {{i % 37}}", "tags": ["a", "b"]}}, "amount": i * 1.25, "text": "order no. " + str(i)}}
        for i in range({count})]
rows = json.loads(json.dumps(rows))
groups = {{}}
for row in rows:
    name = row["user"]["name"].lower()
    number = re.search(r"no\\. (\\d+)", row["text"]).group(1)
    groups.setdefault(name, []).append((int(number), round(row["amount"], 2)))
summary = {{name: statistics.fmean(amount for _, amount in found) for name, found in groups.items()}}
best = sorted(rows, key=lambda row: -row["amount"])[:10]
lines = [f"{{row['id']:>6}} {{row['user']['name']}} {{', '.join(row['user']['tags'])}}" for row in best]
'''
MISSES = "d = {{\"api_key\": 1, **{{str(i): i for i in range(20)}}}}\ndef misses():\n    for _ in range({count}):\n        d[\"apiKey\"]\nmisses()\n"
CAUGHT = '''rows = [{{"field_number_%d" % i: i for i in range(40)}} for _ in range(100)]
def tries():
    for _ in range({count} // 100):
        for row in rows:
            try:
                row["fieldnumber_1"]
            except KeyError:
                pass
tries()
'''


def measure(quick: bool) -> dict[str, float]:
    """In a process of its own, as a kernel is one."""
    command = [ROOT / ".venv" / "kernels" / "bin" / "python", __file__, *(["--quick"] if quick else [])]
    result = subprocess.run(command, capture_output=True, text=True)
    if result.returncode != 0:
        raise RuntimeError(result.stderr)
    return json.loads(result.stdout.splitlines()[-1])


def goals(numbers: dict[str, float]) -> list[tuple[str, bool]]:
    return [
        ("a cell of 100 lines transformed in under 1 ms", numbers["transform of 100 lines, ms"] < 1),
        ("a read in an empty loop under 2 times a plain one", numbers["read in an empty loop, times plain"] < 2),
        ("a cell of real work at most 5 % slower", numbers["cell of real work, % slower"] < 5),
        ("a KeyError that the cell catches at most 5 us dearer", numbers["caught KeyError, us more"] < 5),
    ]


def table(numbers: dict[str, float]) -> str:
    return "\n".join(["| error correction | |", "|---|---:|", *(f"| {name} | {value} |" for name, value in numbers.items())])


def _best(call, times: int) -> float:
    """Seconds of this process's own time."""
    found = []
    for _ in range(times):
        begin = time.process_time()
        call()
        found.append(time.process_time() - begin)
    return min(found)


def _transform(text: str, times: int) -> float:
    """Milliseconds beside parsing and compiling; of a tree that has just been made, as a cell's has."""
    from cellgate_kernel.corrections import reads

    found = []
    for _ in range(times):
        tree = ast.parse(text)
        found.append(_best(lambda: reads.instrument(tree, text, True, frozenset()), 1))  # noqa: B023
    return min(found) * 1000


class _Shell:
    def __init__(self) -> None:
        from cellgate_kernel import corrections, settings
        from IPython.core.interactiveshell import InteractiveShell

        self.ip = InteractiveShell.instance()
        self.settings = settings
        corrections.install(self.ip)

    def seconds(self, code: str, correct: bool, times: int) -> float:
        self.settings.keep(self.settings.Settings("key", "/nowhere", 1.0, error_correction=correct))
        return _best(lambda: self.ip.run_cell(code, silent=True).raise_error(), times)

    def pair(self, code: str, times: int) -> tuple[float, float]:
        """(off, on), taken in turns so that a machine that slows down slows both."""
        turns = [(self.seconds(code, False, 1), self.seconds(code, True, 1)) for _ in range(times)]
        return min(off for off, _ in turns), min(on for _, on in turns)


def _measure_here(quick: bool) -> dict[str, float]:
    sys.path.append(str(ROOT / "kernel" / "python"))
    times, count = (5, 20_000) if quick else (25, 300_000)
    shell = _Shell()
    dense = "".join(DENSE.format(number) for number in range(10))
    plain = "".join(DENSE.format(number).replace('["', ".get('").replace('"]', "')") for number in range(10))
    loop, cell, work = (shell.pair(code.format(count=size), times)
                        for code, size in ((LOOP, count), (CELL_LOOP, count), (WORK, 5000)))
    misses = shell.seconds(MISSES.format(count=count // 100), True, 3) / (count // 100)
    tried = 20_000
    caught = shell.pair(CAUGHT.format(count=tried), 5)
    return {
        "transform of 100 lines, ms": round(_transform(dense, times * 4), 3),
        "transform of 100 lines without a read, ms": round(_transform(plain.replace("['status']", ""), times * 4), 3),
        "read in an empty loop, ns": round(loop[1] / count * 1e9, 1),
        "read in an empty loop, times plain": round(loop[1] / loop[0], 2),
        "read in an empty loop outside of a function, times plain": round(cell[1] / cell[0], 2),
        "cell of real work, % slower": round((work[1] / work[0] - 1) * 100, 1),
        "corrected read, us": round(misses * 1e6, 1),
        "caught KeyError, us": round(caught[1] / tried * 1e6, 2),
        "caught KeyError, us more": round((caught[1] - caught[0]) / tried * 1e6, 2),
    }


if __name__ == "__main__":
    print(json.dumps(_measure_here("--quick" in sys.argv)))
