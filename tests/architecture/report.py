"""Named cases with their problems, told to people and to a JUnit file; and the list of the project's files."""

import subprocess
import xml.etree.ElementTree as xml
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]


@dataclass
class Case:
    name: str
    problems: list[str]


def project_files(*patterns: str) -> list[Path]:
    """Tracked files and new ones that git does not ignore, relative to the root."""
    listed = subprocess.run(["git", "ls-files", "-coz", "--exclude-standard", "--", *patterns], cwd=ROOT, check=True,
                            capture_output=True, text=True).stdout
    return sorted({Path(name) for name in listed.split("\0") if name and (ROOT / name).is_file()})


def write_junit(suite: str, cases: list[Case], to: Path) -> None:
    root = xml.Element("testsuite", name=suite, tests=str(len(cases)))
    for case in cases:
        element = xml.SubElement(root, "testcase", classname=suite, name=case.name)
        if case.problems:
            xml.SubElement(element, "failure", message=case.problems[0]).text = "\n".join(case.problems)
    to.parent.mkdir(parents=True, exist_ok=True)
    xml.ElementTree(root).write(to)


def finish(suite: str, cases: list[Case], junit: Path | None) -> int:
    """Prints the problems; the status that the program should end with."""
    for case in cases:
        for problem in case.problems:
            print(f"{suite}: {problem}")
    if junit:
        write_junit(suite, cases, junit)
    bad = sum(1 for case in cases if case.problems)
    print(f"{suite}: {len(cases) - bad} of {len(cases)} checks passed")
    return 1 if bad else 0
