"""What pip says when it fails, in a line for the reader of a cell. No addresses, no credentials, no paths of the host.

Every text of pip's goes through `of_failure`, or through `clean` where nobody but the gateway's log sees it. What is known
is told in words of ours, without anything of pip's; of the rest, `clean` takes what may be an address.
"""

import re
from typing import Dict, Iterable, List, Set

_LONGEST = 600
_ADDRESSES = ("PIP_INDEX_URL", "PIP_EXTRA_INDEX_URL", "PIP_FIND_LINKS", "PIP_TRUSTED_HOST", "PIP_PROXY")
_NO_MATCH = re.compile(r"No matching distribution found for (.+)")
_CONSTRAINT = re.compile(r"The user requested \(constraint\) (\S+?)==(\S+)")
_DEPENDS = re.compile(r"^\s+(\S+ \S+ depends on .+)$", re.MULTILINE)
_REQUESTED = re.compile(r"The user requested (?!\(constraint\))(.+)")
_OTHER_PYTHON = re.compile(r"Ignored the following versions that require a different python version: (.+)")

_STATUS = re.compile(r"HTTP error (\d{3})|\b(\d{3}) (?:Client|Server) Error|too many (\d{3}) error responses")
_REFUSED_BY_INDEX = "the package index answers with HTTP %s"
# In this order: a name that does not resolve is a connection that is not made, too.
_OF_THE_NETWORK = (
    (re.compile(r"SSLError|SSLCertVerification|ssl certificate|CERTIFICATE_VERIFY"), "the package index has no certificate that is trusted"),
    (re.compile(r"ProxyError|Tunnel connection failed"), "the proxy to the package index cannot be reached"),
    (re.compile(r"timed out|ConnectTimeout|ReadTimeout"), "the package index does not answer in time"),
    (re.compile(r"TooManyRedirects|Exceeded \d+ redirects"), "the package index redirects without an end"),
    (re.compile(r"DO NOT MATCH THE HASHES|Expected sha\d+ "), "what was downloaded is not what the package index promised: its hash differs"),
    (re.compile(r"IncompleteRead|Connection broken|ChunkedEncodingError|ContentDecodingError"), "the package index broke off its answer"),
    (
        re.compile(r"Retrying \(|NewConnectionError|NameResolution|Max retries exceeded|[Cc]onnection (?:error|aborted|refused)|RemoteDisconnected|MissingSchema|InvalidURL"),
        "the package index cannot be reached",
    ),
)
_UNEXPECTED = re.compile(r"Exception:\s*\n\s*Traceback")
_ITS_KIND = re.compile(r"^([A-Za-z_][\w.]*)(?::|$)", re.MULTILINE)

# A host of which nobody has told: before a port, or as Python's libraries name it.
_URL = re.compile(r"\w[\w+.-]*:/+[^\s'\"<>]+")
_POOL = re.compile(r"HTTPS?ConnectionPool\(.*?\)|<[\w.]*HTTPS?\w*Connection[^>]*>|\bwith url: \S+|\bhost=\S+|\bport=\S+")
_HOST_AND_PORT = re.compile(r"(?:\[[0-9a-fA-F:.]+\]|\b[\w-]+(?:\.[\w-]+)*):\d{2,5}\b(?:/\S*)?")


def of_failure(log: str, unfetched: str, kept: Dict[str, str], secrets: Iterable[str]) -> str:
    """`unfetched` says which pages of the index could not be had, and why. `kept`: the versions that must stay, and of
    whom they are ("the environment"), by normalized name. `secrets`: addresses and paths of this run."""
    secrets = {*secrets, *(_host_of(each) for each in _URL.findall(log + unfetched))}
    conflict = _conflict(log, kept)
    if conflict:
        return _told(conflict, secrets)
    unmatched = _NO_MATCH.search(log)
    network = _of_the_index(unfetched + "\n" + log if unmatched else log[max(log.find("ERROR: "), 0) :])
    if network:
        return network
    if unmatched:
        return _told(_no_match(unmatched.group(1).strip(), log), secrets)
    unexpected = _UNEXPECTED.search(log)
    if unexpected:
        kinds = _ITS_KIND.findall(log[unexpected.end() :]) or ["no reason"]
        return "pip failed unexpectedly (%s): what the package index answers may not be its pages" % kinds[-1]
    errors = [line[len("ERROR: ") :].strip() for line in log.splitlines() if line.startswith("ERROR: ")]
    return _told(errors[0] if errors else "pip failed without a reason", secrets)


def _told(text: str, secrets: Iterable[str]) -> str:
    return clean(text, secrets)[:_LONGEST]


def _of_the_index(text: str) -> str:
    """What is wrong with it, if something is. That it has no page of a name (404) is no failure of its."""
    statuses = ["".join(found) for found in _STATUS.findall(text)]
    wrong = [status for status in statuses if status not in ("404", "410")]
    if wrong:
        return _REFUSED_BY_INDEX % wrong[0]
    for pattern, reason in _OF_THE_NETWORK:
        if pattern.search(text):
            return reason
    return ""


def _no_match(what: str, log: str) -> str:
    other = _OTHER_PYTHON.search(log)
    if other:
        return "%s has no version for this Python (%s)" % (what, other.group(1))
    return "the package index has no wheel of %s for this Python (what must be built is not installed)" % what


def _conflict(log: str, kept: Dict[str, str]) -> str:
    stays = [(name, version) for name, version in _CONSTRAINT.findall(log)]
    if not stays or "conflicting dependencies" not in log and "ResolutionImpossible" not in log:
        return ""
    name, version = stays[0]
    wants = [each.strip() for each in _DEPENDS.findall(log) + _REQUESTED.findall(log)]
    of_whom = kept.get(name, "the environment")
    return "%s %s is part of %s and stays, but %s" % (name, version, of_whom, _joined(wants))


def _joined(wants: List[str]) -> str:
    different = list(dict.fromkeys(wants))
    told = [each if " depends on " in each else each + " was asked for" for each in different]
    return "; ".join(told[:3]) or "another version is needed"


def clean(text: str, secrets: Iterable[str]) -> str:
    """Without any address, and without `secrets`."""
    for pattern in (_URL, _POOL, _HOST_AND_PORT):
        text = pattern.sub("…", text)
    for each in sorted(filter(None, secrets), key=len, reverse=True):
        text = text.replace(each, "…")
    return text


def addresses(variables: Dict[str, str]) -> Set[str]:
    """Where pip takes packages from by these variables, as it may stand in what pip says."""
    found: Set[str] = set()
    for name, value in variables.items():
        if name in _ADDRESSES or name.lower() in ("http_proxy", "https_proxy", "all_proxy"):
            for each in value.split():
                found |= {each, _host_of(each)}
    return {each for each in found if len(each) > 3}


def _host_of(address: str) -> str:
    """And of a directory the whole."""
    _, is_url, rest = address.partition("://")
    host = rest.partition("/")[0].rpartition("@")[2] if is_url else address
    return re.sub(r":\d+$", "", host)
