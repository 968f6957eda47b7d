"""The numbers as a table, and the goals that they are held against."""

import os
import platform
import re
import time
from pathlib import Path

from bench.measures import Numbers

BEGIN, END = "<!-- measured by ./dev bench: begin -->", "<!-- measured by ./dev bench: end -->"
# Larger is better; of all others, smaller.
RATES = ("lines/s", "messages/s", "requests/s", "calls/s", "MB/s")


def ratio(name: str, ours: object, theirs: object) -> str:
    if not isinstance(ours, (int, float)) or not isinstance(theirs, (int, float)) or not ours or not theirs:
        return ""
    better = ours / theirs if name.endswith(RATES) else theirs / ours
    return f"{better:.1f}x" if better >= 1 else f"{better:.2f}x"


def table(columns: dict[str, Numbers], ours: str, theirs: str) -> str:
    """Title → numbers, a column each; the last one compares two of them."""
    titles = " | ".join(columns)
    lines = [f"| | {titles} | better by |", "|---|" + "---:|" * (len(columns) + 1)]
    order = [columns[ours], columns[theirs], *columns.values()]
    for name in dict.fromkeys(name for numbers in order for name in numbers):
        cells = [str(numbers.get(name, "")) for numbers in columns.values()]
        lines.append(f"| {name} | {' | '.join(cells)} | {ratio(name, columns[ours].get(name), columns[theirs].get(name))} |")
    return "\n".join(lines)


def goals(floor: Numbers, ours: Numbers, theirs: Numbers) -> list[tuple[str, bool]]:
    """Those that could be measured in this run: (what, whether it is reached)."""
    made = []

    def add(what: str, needed: list[tuple[Numbers, str]], reached) -> None:
        values = [numbers.get(name) for numbers, name in needed]
        if all(isinstance(value, (int, float)) for value in values):
            made.append((what, reached(*values)))

    add("`1+1` at most 1.3 times straight ZeroMQ and 0.3 ms", [(ours, "1+1 p50, ms"), (floor, "1+1 p50, ms")],
        lambda our, direct: our <= 1.3 * direct + 0.3)
    cpu = "gateway CPU per cell, ms"
    add("CPU per cell at most a tenth of the peer's", [(ours, cpu), (theirs, cpu)], lambda our, peer: our <= peer / 10)
    add("no line lost", [(ours, "prints, lines lost")], lambda lost: lost == 0)
    for name in ours:
        if found := re.fullmatch(r"RSS with (\d+) kernels, MB", name):
            add(f"at most 20 MB and 0.4 MB a kernel, with {found[1]}", [(ours, name)],
                lambda used, count=int(found[1]): used <= 20 + 0.4 * count)
    return made


def machine() -> str:
    load = os.getloadavg()[0]
    return (f"{time.strftime('%Y-%m-%d')}, {os.cpu_count()} cores ({platform.machine()}), Linux {platform.release()}, "
            f"load {load:.1f} before the run")


def markdown(environment: str, body: str, reached: list[tuple[str, bool]]) -> str:
    lines = [environment, "", body]
    if reached:
        lines += ["", "| goal | |", "|---|---|", *(f"| {what} | {'reached' if is_so else '**missed**'} |" for what, is_so in reached)]
    return "\n".join(lines)


def write_into(page: Path, text: str) -> None:
    """Puts the text between the two marks of the page."""
    before, _, rest = page.read_text().partition(BEGIN)
    _, _, after = rest.partition(END)
    page.write_text(f"{before}{BEGIN}\n{text}\n{END}{after}")
