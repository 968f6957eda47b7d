"""The standard library's own tests, run as cells with the corrections on and off, agree."""

import json
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

RUNNER = Path(__file__).with_name("stdlib_cells.py")
# With how many tests there are at least, so that none is compared with nothing.
MODULES = {
    "test_dict": 100, "test_ast": 100, "test_compile": 80, "test_generators": 25, "test_dataclasses": 150, "test_enum": 150,
    "test_patma": 250,
}  # fmt: skip


def run(name, mode):
    found = subprocess.run([sys.executable, RUNNER, name, mode], capture_output=True, text=True, timeout=170)
    assert found.returncode == 0, found.stdout + found.stderr
    return json.loads(found.stdout.splitlines()[-1]), found.stderr


@pytest.mark.parametrize("name", MODULES)
def test_agrees(name):
    with ThreadPoolExecutor(2) as pool:
        (off, _), (on, said) = pool.map(lambda mode: run(name, mode), ["off", "on"])
    assert len(on["outcomes"]) >= MODULES[name]
    assert on["outcomes"] == off["outcomes"]
    assert off["changed"] == 0 and on["corrected"] == off["corrected"] == []
    assert "cellgate: " not in said


def test_they_hold_reads_that_were_changed():
    assert run("test_dict", "on")[0]["changed"] > 5
