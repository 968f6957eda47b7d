"""Runs every libFuzzer program of a build for a while, from its corpus; an input that crashes one is kept.

usage: run.py [--seconds N] [--junit FILE] DIRECTORY   (DIRECTORY holds the programs)
"""

import argparse
import os
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "architecture"))
from report import Case, finish


def programs(directory: Path) -> list[Path]:
    return sorted(file for file in directory.iterdir() if file.is_file() and os.access(file, os.X_OK))


def run(program: Path, seconds: int, crashes: Path) -> Case:
    """New inputs go to a temporary folder: the corpus in the tree grows by hand."""
    name = f"{program.name} withstands {seconds} s"
    with tempfile.TemporaryDirectory() as found:
        corpus = [str(HERE / program.name)] if (HERE / program.name).is_dir() else []
        command = [str(program), f"-max_total_time={seconds}", "-timeout=10", "-rss_limit_mb=2048", "-print_final_stats=1",
                   f"-artifact_prefix={crashes}/{program.name}-", found, *corpus]
        done = subprocess.run(command, capture_output=True, text=True, errors="replace")
    if done.returncode == 0:
        return Case(name, [] if corpus else [f"{program.name} has no corpus: tests/fuzz/{program.name}/"])
    return Case(name, [f"{program.name} failed; its input is in {crashes}\n{done.stderr[-6000:]}"])


def main() -> int:
    parser = argparse.ArgumentParser()
    parser.add_argument("--seconds", type=int, default=10)
    parser.add_argument("--junit", type=Path)
    parser.add_argument("directory", type=Path)
    options = parser.parse_args()
    crashes = options.directory / "crashes"
    crashes.mkdir(exist_ok=True)
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        cases = list(pool.map(lambda one: run(one, options.seconds, crashes.resolve()), programs(options.directory)))
    if not cases:
        cases = [Case("there are fuzz programs", [f"none in {options.directory}"])]
    return finish("fuzz", cases, options.junit)


sys.exit(main())
