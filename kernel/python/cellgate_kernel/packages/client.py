"""Asks the gateway to install, and tells in a line how that went."""

import json
import sys
import time
from typing import Any, Dict, List, Optional

from .. import gateway, settings
from . import site_directory

# The gateway has a deadline and answers at it; this is for one that does not answer at all.
LONGEST_S = 3600.0

Answer = Dict[str, List[Dict[str, str]]]


class NotInstalled(Exception):
    """Nothing was installed. The text says why."""


def install(parent: str, what: Dict[str, Any]) -> Answer:
    """`what` is {"modules": [...]} or {"requirements": [...]}, with what else the gateway takes."""
    connection = settings.current()
    if connection is None:
        raise NotInstalled("this process has no connection to the Cellgate gateway")
    body = json.dumps({"parent": parent, **what}).encode("ascii")
    try:
        status, answer = gateway.post(connection, "/v1/packages", body, LONGEST_S)
    except gateway.Unreachable as problem:
        raise NotInstalled(str(problem)) from None
    if status != 200 or not isinstance(answer, dict):
        raise NotInstalled(_refusal(status, answer))
    if answer.get("installed"):
        site_directory.notice_installation()
    return {key: _dicts(answer.get(key)) for key in ("installed", "refused")}


class Progress:
    """A line on stderr: what is going on, and behind it how long it took or why it failed."""

    def __init__(self, text: str) -> None:
        self._started = time.monotonic()
        self._told = bool(text)
        if text:
            _write("cellgate: %s… " % text)

    def __enter__(self) -> "Progress":
        return self

    def __exit__(self, kind: Any, error: Optional[BaseException], trace: Any) -> None:
        if self._told:  # an interrupt
            _write("\n")

    def end(self, failure: str = "") -> None:
        if self._told:
            took = "%.1f s" % (time.monotonic() - self._started)
            _write("failed after %s: %s\n" % (took, failure) if failure else took + "\n")
        self._told = False


def tell(text: str) -> None:
    _write("cellgate: %s\n" % text)


def described(installed: List[Dict[str, str]]) -> str:
    return " ".join("%s-%s" % (each.get("name", ""), each.get("version", "")) for each in installed)


def success(requirements: List[str], answer: Answer) -> str:
    """As pip says it, in a line; empty where all was refused."""
    if answer["installed"]:
        return "Successfully installed %s\n" % described(answer["installed"])
    return "" if answer["refused"] else "Requirements already satisfied: %s\n" % ", ".join(requirements)


def reasons(refused: List[Dict[str, str]]) -> str:
    """Each reason once: what is refused together often has the same."""
    return "; ".join(dict.fromkeys(each.get("reason", "") for each in refused))


def _write(text: str) -> None:
    sys.stderr.write(text)
    sys.stderr.flush()


def _dicts(value: Any) -> List[Dict[str, str]]:
    return [each for each in value if isinstance(each, dict)] if isinstance(value, list) else []


def _refusal(status: int, answer: Any) -> str:
    error = answer.get("error") if isinstance(answer, dict) else None
    text = error.get("message") if isinstance(error, dict) else error
    return str(text or "the gateway answered with HTTP %d" % status)
