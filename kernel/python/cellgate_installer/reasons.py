"""What pip says when it fails, in a line for the reader of a cell: no credentials, no paths of the host."""

import re
from typing import Dict, List

_LONGEST = 600
_NO_MATCH = re.compile(r"No matching distribution found for (.+)")
_CONSTRAINT = re.compile(r"The user requested \(constraint\) (\S+?)==(\S+)")
_DEPENDS = re.compile(r"^\s+(\S+ \S+ depends on .+)$", re.MULTILINE)
_REQUESTED = re.compile(r"The user requested (?!\(constraint\))(.+)")
_UNREACHABLE = re.compile(r"Retrying \(|ConnectTimeout|ReadTimeout|NewConnectionError|NameResolutionError|ProxyError|SSLError|Max retries exceeded")
_OTHER_PYTHON = re.compile(r"Ignored the following versions that require a different python version: (.+)")


def of_log(log: str, kept: Dict[str, str], secrets: List[str]) -> str:
    """`kept`: the versions that must stay, and of whom they are ("the environment"), by normalized name."""
    log = clean(log, secrets)
    conflict = _conflict(log, kept)
    if conflict:
        return conflict
    unmatched = _NO_MATCH.search(log)
    if unmatched:
        if _UNREACHABLE.search(log):
            return "the package index cannot be reached"
        return _no_match(unmatched.group(1).strip(), log)
    errors = [line[len("ERROR: "):].strip() for line in log.splitlines() if line.startswith("ERROR: ")]
    return (errors[0] if errors else "pip failed without a reason")[:_LONGEST]


def _no_match(what: str, log: str) -> str:
    other = _OTHER_PYTHON.search(log)
    if other:
        return ("%s has no version for this Python (%s)" % (what, other.group(1)))[:_LONGEST]
    return "the package index has no wheel of %s for this Python (what must be built is not installed)" % what


def _conflict(log: str, kept: Dict[str, str]) -> str:
    stays = [(name, version) for name, version in _CONSTRAINT.findall(log)]
    if not stays or "conflicting dependencies" not in log and "ResolutionImpossible" not in log:
        return ""
    name, version = stays[0]
    wants = [each.strip() for each in _DEPENDS.findall(log) + _REQUESTED.findall(log)]
    of_whom = kept.get(name, "the environment")
    return ("%s %s is part of %s and stays, but %s" % (name, version, of_whom, _joined(wants)))[:_LONGEST]


def _joined(wants: List[str]) -> str:
    different = list(dict.fromkeys(wants))
    told = [each if " depends on " in each else each + " was asked for" for each in different]
    return "; ".join(told[:3]) or "another version is needed"


def clean(text: str, secrets: List[str]) -> str:
    """Without the credentials of any URL, and without `secrets` (paths of this run)."""
    text = re.sub(r"(\w+://)[^/\s@]*@", r"\1", text)
    for each in secrets:
        if each:
            text = text.replace(each, "…")
    return text
