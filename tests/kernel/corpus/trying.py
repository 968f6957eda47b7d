"""Runs a cell of the corpus in each mode, each time in a new kernel, and judges what became of it."""

import json
import os
import pathlib
import re
import sys
import tempfile
from typing import Any, NamedTuple
from unittest import mock

from cells import FOLDER, Cell

sys.path.insert(0, str(FOLDER.parent / "python"))

from helper_socket import HelperSocket  # noqa: E402
from shell_client import Child, Zygote  # noqa: E402

MODES = (True, "report", False)
_NOTE = re.compile(r"^cellgate: (.+)$", re.MULTILINE)
_COLOURS = re.compile(r"\x1b\[[0-9;]*m")
_FILE = re.compile(r"(?:/\S*/)?\d+\.py(?=\W)")  # of a cell


class Outcome(NamedTuple):
    """`shown` is what the cell printed, then its result as text; `told` the lines on stderr."""

    shown: str
    error: str | None
    notes: tuple[str, ...]
    corrections: tuple[tuple[str, str], ...]  # kind, what was used
    told: tuple[str, ...]
    warned: str  # the rest of stderr


class Kernels:
    """Forks a kernel for each run from a zygote that has pandas. Outcomes are kept: each cell runs once in each mode."""

    def __init__(self) -> None:
        with mock.patch.dict(os.environ, PYTHONPATH=str(FOLDER)):
            self._zygote = Zygote("warmed", "cellgate_kernel", "concurrent.futures")
        self._directory = tempfile.TemporaryDirectory(prefix="cgc")
        self._gateways = {mode: self._gateway("%s.sock" % mode) for mode in MODES}
        self._kept: dict[Cell, dict[Any, Outcome]] = {}

    def outcomes(self, cell: Cell) -> dict[Any, Outcome]:
        """Of the three modes, which run at once."""
        if cell not in self._kept:
            started = {mode: _Run(self._zygote.fork(), self._gateways[mode], cell, mode) for mode in MODES}
            self._kept[cell] = {mode: run.finish() for mode, run in started.items()}
        return self._kept[cell]

    def stop(self) -> None:
        self._zygote.stop()
        for gateway in self._gateways.values():
            gateway.close()
        self._directory.cleanup()

    def _gateway(self, name: str) -> HelperSocket:
        made = HelperSocket(pathlib.Path(self._directory.name) / name)
        made.answer = lambda asked: (200, {})
        return made


class _Run:
    """All cells are sent at once, and run one after the other."""

    def __init__(self, child: Child, gateway: HelperSocket, cell: Cell, mode: Any) -> None:
        self._child, self._gateway = child, gateway
        install = "import cellgate_kernel; cellgate_kernel.install(%r)" % {"helper_key": "k", "socket": gateway.path}
        self._before = [child.start(install, silent=True), self._start(cell.setup, False)]
        self._before += [self._start(earlier, mode) for earlier in cell.before]
        self._name = self._start(cell.code, mode)

    def finish(self) -> Outcome:
        try:
            for name in self._before:
                reply = self._child.finish(name).reply
                assert reply["status"] == "ok", json.dumps(reply, indent=1)
            ran = self._child.finish(self._name)
        finally:
            self._child.stop()
        requests, self._gateway.requests = self._gateway.requests, []
        return _outcome(ran, [request for request in requests if request["parent"] == self._name])

    def _start(self, code: str, mode: Any) -> str:
        return self._child.start(code, metadata={"cellgate": {"error_correction": mode, "install": False}})


def _outcome(ran: Any, requests: list[dict[str, Any]]) -> Outcome:
    results = [content["data"]["text/plain"] for content in ran.of("execute_result")]
    reply = ran.reply
    failed = reply["status"] != "ok"
    trace = _plain("\n".join(reply["traceback"])) if failed else ""
    lines = _plain(ran.text("stderr")).splitlines()
    return Outcome(
        shown=(ran.text() + "".join(results)).rstrip("\n"),
        error=_plain("%s: %s" % (reply["ename"], reply["evalue"])) if failed else None,
        notes=tuple(_NOTE.findall(trace)),
        corrections=tuple((request["kind"], request["used"]) for request in requests),
        told=tuple(line for line in lines if line.startswith("cellgate: ")),
        warned="\n".join(line for line in lines if not line.startswith("cellgate: ")),
    )


def _plain(text: str) -> str:
    """Without colours, and a cell's file as `<cell>`."""
    return _FILE.sub("<cell>", _COLOURS.sub("", text))


def faults(cell: Cell, by_mode: dict[Any, Outcome]) -> list[str]:
    """Where what happened is not what is intended, and not what the other modes do; empty: the cell is as intended."""
    on, report, off = (by_mode[mode] for mode in MODES)
    found = [*_as_python(cell, off), *_as_reported(cell, report, off), *_as_corrected(cell, on)]
    if not cell.fixes and (on.shown, on.error, on.warned) != (off.shown, off.error, off.warned):
        found.append("corrections change what it does: %r, and without %r" % (on, off))
    return found


def _as_python(cell: Cell, off: Outcome) -> list[str]:
    found = _differs("without corrections", off, None if cell.fails else cell.gives, cell.fails)
    if off.notes or off.corrections or off.told:
        found.append("with corrections off it is told %r" % (off,))
    return found


def _as_reported(cell: Cell, report: Outcome, off: Outcome) -> list[str]:
    found = []
    if (report.shown, report.error, report.warned, report.corrections, report.told) != (
        off.shown,
        off.error,
        off.warned,
        (),
        (),
    ):
        found.append("report changes what it does: %r, and off %r" % (report, off))
    return found + _noted("report", report, _note_in_report(cell))


def _note_in_report(cell: Cell) -> str | None:
    """What the note contains. A read is suggested as it would be corrected; other kinds have sentences of their own."""
    if not cell.fixes or cell.unseen:
        return cell.suggests
    return cell.fixes[0] if cell.fixes[0].endswith("]") else ""


def _as_corrected(cell: Cell, on: Outcome) -> list[str]:
    found = _differs("with corrections", on, cell.gives, cell.fails if cell.gives is None else None)
    used = tuple(text for _, text in on.corrections)
    if used != cell.fixes:
        found.append("it should correct to %r, and corrects to %r" % (cell.fixes, used))
    if len(on.told) != len(on.corrections):
        found.append("%d corrections are told in %r" % (len(on.corrections), on.told))
    return found + _noted("on", on, cell.suggests)


def _differs(when: str, got: Outcome, gives: str | None, fails: str | None) -> list[str]:
    found = []
    if gives is not None and got.shown != gives:
        found.append("%s it should give\n%s\nand gives\n%s" % (when, gives, got.shown))
    if got.error != fails:
        found.append("%s it should end with %r, and ends with %r" % (when, fails, got.error))
    return found


def _noted(when: str, got: Outcome, wanted: str | None) -> list[str]:
    if wanted is None:
        return ["%s: it suggests %r, and should nothing" % (when, got.notes)] if got.notes else []
    if len(got.notes) == 1 and wanted in got.notes[0]:
        return []
    return ["%s: it should suggest %r, and suggests %r" % (when, wanted, got.notes)]
