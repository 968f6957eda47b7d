"""One installation: what pip would install is planned, the wheels of that are fetched and unpacked, then moved into place."""

import importlib.metadata
import json
import os
import sys
import threading
from typing import Any, Dict, List, Set

from . import environment, merge, pip_run, reasons, wheels
from .wheels import Wheel

_LOOK_S = 1.0  # how often the size is looked at

Answer = Dict[str, List[Dict[str, str]]]


class Refused(Exception):
    """The text is a reason for the reader of the cell."""


def install(request: Dict[str, Any], answers: Any) -> Answer:
    """All requirements together; if that fails, one by one, so that what can be had is had."""
    wanted: List[str] = request["requirements"]
    try:
        import pip._internal.cli.main  # noqa: F401
    except ImportError:
        return _all_refused(wanted, "the session's Python environment has no pip; whoever runs the gateway can add it")
    here = [each for each in wanted if _is_for_here(each)]
    if not here:
        return _all_refused(wanted, "it is not for this machine or this Python: the condition behind its `;` is not met")
    wanted = here
    work = _Work(request)
    _watch_size(work, answers)
    wheels.forget_old(work.store)
    answer: Answer = {"installed": [], "refused": []}
    try:
        answer["installed"] = work.install(wanted)
    except Refused as why:
        if len(wanted) == 1:
            return _all_refused(wanted, str(why))
        for each in wanted:
            try:
                answer["installed"] += work.install([each])
            except Refused as its:
                answer["refused"] += _all_refused([each], str(its))["refused"]
    wheels.trim([work.store, os.environ.get("PIP_CACHE_DIR", work.store)], request["cache_bytes"])
    return answer


def _all_refused(requirements: List[str], reason: str) -> Answer:
    return {"installed": [], "refused": [{"requirement": each, "reason": reason} for each in requirements]}


class _Work:
    def __init__(self, request: Dict[str, Any]) -> None:
        self.site = os.path.realpath(request["site"])
        self.staging = request["staging"]
        self.store = request["wheels"]
        self.max_bytes = request["max_bytes"]
        self.wanted = request["requirements"]
        self._most = request["max_distributions"]
        self._upgrade = bool(request["upgrade"])
        self._count = 0
        self._kept: Dict[str, str] = {}

    def install(self, requirements: List[str]) -> List[Dict[str, str]]:
        self._count += 1
        self._directory = os.path.join(self.staging, str(self._count))
        os.mkdir(self._directory)
        self._fetched = os.path.join(self._directory, "fetched")
        planned = self._plan(requirements)
        if not planned:
            return []
        staged = self._unpack(planned, self._fetch(planned))
        there = environment.distributions([self.site])
        names = [environment.normalized(each.name) for each in planned]
        replaced = [there[name] for name in names if name in there]
        self._check(staged, replaced, set(map(_name_of, requirements)))
        merge.merge(staged, self.site, replaced)
        return [{"name": each.name, "version": each.version} for each in planned]

    def _plan(self, requirements: List[str]) -> List[Wheel]:
        """What is not there already, of the requirements and what they need."""
        ours = environment.of_environment()
        named = set(map(_name_of, requirements))
        session = {name: each for name, each in environment.distributions([self.site]).items() if name not in ours}
        stay = [each for name, each in session.items() if name not in named]
        self._kept = {each.metadata["Name"]: "this session" for each in stay}
        constraints = self._file("constraints.txt", environment.constraints([*ours.values(), *stay]))
        known = os.path.join(self._directory, "known")
        os.mkdir(known)
        environment.copy_metadata(session.values(), known)
        report = os.path.join(self._directory, "report.json")
        words = ["install", "--dry-run", "--report", report, "--constraint", constraints, "--only-binary", ":all:"]
        words += ["-r", self._file("wanted.txt", requirements)]
        sys.path.append(known)  # pip takes for installed what has its metadata there
        try:
            if self._upgrade or not self._can_plan_here(words):
                with pip_run.downloads_kept(self._fetched):
                    self._pip([*words, "--upgrade"] if self._upgrade else words)
        finally:
            sys.path.remove(known)
        with open(report, encoding="utf-8") as file:
            return self._checked(json.load(file)["install"], ours)

    def _can_plan_here(self, words: List[str]) -> bool:
        """With what other sessions were given lately, without a word to the package index."""
        if not os.listdir(self.store):
            return False
        try:
            self._pip(words, PIP_NO_INDEX="1", PIP_FIND_LINKS=self.store)
        except Refused:
            return False
        return True

    def _checked(self, items: List[Dict[str, Any]], ours: Dict[str, Any]) -> List[Wheel]:
        if len(items) > self._most:
            raise Refused("this would install %d distributions, and at most %d are allowed at a time" % (len(items), self._most))
        planned = []
        for each in items:
            name, version = each["metadata"]["name"], each["metadata"]["version"]
            there = ours.get(environment.normalized(name))
            if there is not None:
                raise Refused("%s %s is part of the environment and stays; %s was asked for" % (name, there.version, version))
            archive = each["download_info"].get("archive_info") or {}
            sha256 = (archive.get("hashes") or {}).get("sha256") or (archive.get("hash") or "").partition("sha256=")[2]
            planned.append(Wheel(name, version, each["download_info"]["url"], sha256))
        return planned

    def _fetch(self, planned: List[Wheel]) -> List[str]:
        """The files of the wheels; those that are not on this machine are downloaded first."""
        self._keep_planned(planned)
        lacking = [each for each in planned if wheels.find(self.store, each) is None]
        if lacking:
            pinned = ["%s==%s" % (each.name, each.version) for each in lacking]
            if all(each.sha256 for each in lacking):
                pinned = ["%s --hash=sha256:%s" % (line, each.sha256) for line, each in zip(pinned, lacking)]
            words = ["download", "--no-deps", "--only-binary", ":all:", "--dest", self._fetched, "-r", self._file("lock.txt", pinned)]
            self._pip(words)
            self._keep_planned(planned)
        found = [wheels.find(self.store, each) for each in planned]
        if None in found:
            raise Refused("what was downloaded is not what the package index promised")
        return [each for each in found if each is not None]

    def _keep_planned(self, planned: List[Wheel]) -> None:
        """Of what was downloaded, what is to be installed goes to the store."""
        for each in planned:
            path = os.path.join(self._fetched, each.file_name)
            if wheels.find(self._fetched, each) == path:
                wheels.keep(self.store, path)

    def _unpack(self, planned: List[Wheel], files: List[str]) -> str:
        """By name, out of a directory: pip would write into the metadata where a file was that it is given."""
        links = os.path.join(self._directory, "wheels")
        staged = os.path.join(self._directory, "new")
        os.mkdir(links)
        for each in files:
            wheels.link(each, links)
        names = self._file("unpack.txt", ["%s==%s" % (each.name, each.version) for each in planned])
        # Python compiles what a cell imports, which is a small part of what a distribution has.
        words = ["install", "--no-deps", "--no-compile", "--no-warn-script-location", "--only-binary", ":all:", "--target", staged]
        self._pip([*words, "-r", names], PIP_NO_INDEX="1", PIP_FIND_LINKS=links)
        return staged

    def _check(self, staged: str, replaced: List[importlib.metadata.Distribution], named: Set[str]) -> None:
        hidden = merge.hidden(staged) + merge.taken(staged, self.site, replaced, named)
        if hidden:
            raise Refused("; ".join(hidden))
        whole = environment.size_of(staged) + environment.size_of(self.site)
        if whole > self.max_bytes:
            raise Refused(_too_large(self.max_bytes))

    def _pip(self, words: List[str], **variables: str) -> None:
        try:
            pip_run.run(words, os.path.join(self.staging, "pip.log"), variables)
        except pip_run.PipFailed as problem:
            secrets = [self._directory, self.staging, self.store, self.site, sys.prefix, *reasons.addresses(dict(os.environ))]
            raise Refused(reasons.of_failure(str(problem), problem.unfetched, self._kept, secrets)) from None

    def _file(self, name: str, lines: List[str]) -> str:
        path = os.path.join(self._directory, name)
        with open(path, "w", encoding="utf-8") as file:
            file.writelines(line + "\n" for line in lines)
        return path


def _too_large(allowed: int) -> str:
    return "the packages of a session may have at most %d MB together" % (allowed // 1_000_000)


def _is_for_here(requirement: str) -> bool:
    from pip._vendor.packaging.requirements import InvalidRequirement, Requirement

    try:
        marker = Requirement(requirement).marker
        return marker is None or marker.evaluate({"extra": ""})
    except (InvalidRequirement, ValueError):  # which pip or _name_of will tell
        return True


def _name_of(requirement: str) -> str:
    from pip._vendor.packaging.requirements import InvalidRequirement, Requirement

    try:
        return environment.normalized(Requirement(requirement).name)
    except InvalidRequirement as problem:
        raise Refused("%s is no requirement (%s)" % (requirement, str(problem).splitlines()[0])) from None


def _watch_size(work: _Work, answers: Any) -> None:
    """Ends this process when what it downloads and unpacks is clearly more than may be there."""
    before = environment.size_of(work.site)
    stop = threading.Event()

    def watch() -> None:
        while not stop.wait(_LOOK_S):
            # A wheel may be here twice, and then what becomes of it.
            if before + environment.size_of(work.staging) // 3 > work.max_bytes:
                json.dump(_all_refused(work.wanted, _too_large(work.max_bytes)), answers)
                answers.close()
                os._exit(0)

    threading.Thread(target=watch, daemon=True).start()
