"""Adds up the JUnit files of a test run. The last line is "N passed, N failed"; the status is 1 unless all passed.

usage: add_up.py DIRECTORY SUITE…   (reads DIRECTORY/SUITE.xml; a missing file is a failure)
"""

import sys
import xml.etree.ElementTree as xml
from pathlib import Path


def count(report: Path) -> tuple[int, int, int]:
    if not report.is_file():
        return 0, 1, 0
    passed = failed = skipped = 0
    for case in xml.parse(report).iter("testcase"):
        if case.find("failure") is not None or case.find("error") is not None:
            failed += 1
        elif case.find("skipped") is not None:
            skipped += 1
        else:
            passed += 1
    return passed, failed, skipped


def main() -> int:
    directory, suites = Path(sys.argv[1]), sys.argv[2:]
    total = [0, 0, 0]
    for suite in suites:
        counts = count(directory / f"{suite}.xml")
        print(f"{suite:14}" + "  ".join(f"{n} {word}" for n, word in zip(counts, ("passed", "failed", "skipped"))))
        if counts[0] + counts[1] == 0:
            counts = (0, 1, counts[2])  # a suite that ran nothing has not passed
        total = [a + b for a, b in zip(total, counts)]
    print(f"{total[0]} passed, {total[1]} failed" + (f", {total[2]} skipped" if total[2] else ""))
    return 0 if total[1] == 0 else 1


sys.exit(main())
