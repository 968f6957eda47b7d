"""Runs the source of one of the standard library's own tests as a cell, and then its tests.

usage: python stdlib_cells.py NAME on|off

Prints JSON: the outcome of each test, how many reads of the cell were changed, and what was corrected.
"""

import importlib.util
import io
import json
import sys
import types
import unittest
from pathlib import Path

import package_path  # noqa: F401
from cellgate_kernel import corrections, settings
from cellgate_kernel.corrections import reads, reports
from IPython.core.interactiveshell import InteractiveShell

changed = []
corrected = []


class Outcomes(unittest.TestResult):
    """Also of subtests, in which a module's cases differ."""

    def __init__(self):
        super().__init__()
        self.all = {}

    def _note(self, test, what, error=None):
        text = "" if error is None else "%s: %s" % (error[0].__name__, str(error[1])[:300])
        self.all.setdefault(str(test), []).append([what, text])

    def addSuccess(self, test):
        self._note(test, "ok")

    def addFailure(self, test, error):
        self._note(test, "failure", error)

    def addError(self, test, error):
        self._note(test, "error", error)

    def addSkip(self, test, reason):
        self._note(test, "skipped: %s" % reason)

    def addSubTest(self, test, subtest, error):
        if error is not None:
            self._note(subtest, "failure", error)


def shell_in(name, file):
    """A shell whose namespace is a module of that name, which pickle and doctest find."""
    module = types.ModuleType(name)
    module.__file__ = file
    sys.modules[name] = module
    shell = InteractiveShell.instance(user_module=module, user_ns=vars(module), colors="nocolor")
    module.__name__ = name
    return shell, module


def watch():
    instrument = reads.instrument

    def counting(*given):
        changed.append(instrument(*given))
        return changed[-1]

    reads.instrument = counting
    reports.tell = lambda shell, place, correction, elsewhere=None: corrected.append(correction)


def main(name, mode):
    spec = importlib.util.find_spec("test." + name)
    source = Path(spec.origin).read_text()
    settings.keep(settings.Settings("key", "/nowhere", 1.0, error_correction=mode == "on"))
    shell, module = shell_in("cell_of_" + name, spec.origin)
    watch()
    corrections.install(shell)
    result = shell.run_cell(source)
    assert result.success, result.error_in_exec or result.error_before_exec
    suite = unittest.defaultTestLoader.loadTestsFromModule(module)
    outcomes = Outcomes()
    keep, sys.stdout = sys.stdout, io.StringIO()
    try:
        suite.run(outcomes)
    finally:
        sys.stdout = keep
    print(json.dumps({"outcomes": outcomes.all, "changed": sum(changed), "corrected": corrected}))


main(*sys.argv[1:])
