"""Runs a script of node/ with Node's own test runner: what went wrong in each of its tests."""

import re
import subprocess
import xml.etree.ElementTree as xml
from pathlib import Path

from support.gateway import LAB

SCRIPTS = Path(__file__).parent / "node"


def names_of(script: str) -> list[str]:
    return re.findall(r'^test\("([^"]+)"', (SCRIPTS / script).read_text(), re.MULTILINE)


def run_script(script: str, environment: dict[str, str], seconds: int, only: str = "",
               within: list[str] | None = None) -> dict[str, str]:
    """The name of each test, and what went wrong in it; empty: nothing. `only`: the one test that runs."""
    names = [only] if only else names_of(script)
    done = subprocess.run(
        [*(within or []), LAB / "bin" / "node", "--test", "--test-force-exit", f"--test-timeout={seconds * 1000}",
         "--test-reporter=junit", *([f"--test-name-pattern=^{re.escape(only)}$"] if only else []), script],
        cwd=SCRIPTS, env=environment, capture_output=True, text=True, timeout=seconds + 50)
    cases = {case.get("name"): case for case in xml.fromstring(done.stdout).iter("testcase")}
    return {name: "it did not run: " + done.stdout[-3000:] + done.stderr[-3000:] if name not in cases
            else "".join(failure.text or "" for failure in cases[name].iter("failure")) for name in names}
