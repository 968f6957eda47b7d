"""Runs in the clients' environment, inside of schemathesis: makes what a rightly formed request needs and cannot guess."""

import os
from typing import Any
from urllib.parse import parse_qs, quote, urlsplit

import requests
import schemathesis

SESSION = "living"
ELSEWHERE = "elsewhere"
FILE = "/api/v1/sessions/{session}/files/{path}"
LINKS = "/api/v1/sessions/{session}/links"
LINK = "/files/{session}/{path}"

readers: dict[str, str] = {}  # by session, the command that reads its stdin

caller = requests.Session()
caller.trust_env = False
caller.headers["Authorization"] = f"Bearer {os.environ['GATEWAY_KEY']}"


@schemathesis.hook
def before_call(context: Any, case: schemathesis.Case, kwargs: dict[str, Any]) -> None:
    if case.meta is not None and not case.meta.generation.mode.is_positive:
        return
    operation = case.operation
    if "session" in case.path_parameters and not (case.method == "DELETE" and operation.path.endswith("{session}")):
        enter_session(case)
    if "cell_id" in case.path_parameters:
        name_a_cell(case)
    if "account" in case.path_parameters:
        case.path_parameters["account"] = known_account(case)
        if case.method == "PATCH" and isinstance(case.body, dict) and case.body.get("secret"):
            case.body["secret"] = "another-of-the-living-one"  # what is one depends on the account's scheme
    if operation.path.endswith("/local_sandbox"):
        case.path_parameters["session"] = session_elsewhere(case)
    if operation.path.endswith("/bash") and isinstance(case.body, dict):
        name_a_program(case.body)
    if "command_id" in case.path_parameters:
        name_a_command(case)
    if operation.path == FILE and case.method in ("GET", "DELETE"):
        make_file(case, case.path_parameters["path"])
    if operation.path == LINKS and isinstance(case.body, dict):
        make_file(case, case.body.get("path"))
    if operation.path == LINK:
        sign(case)


def sessions_url(case: schemathesis.Case) -> str:
    return case.operation.base_url.rstrip("/") + "/api/v1/sessions"


def known_session(case: schemathesis.Case) -> str:
    """The id of the session that all know; made again when a request has deleted it. It has a cell."""
    made = caller.post(sessions_url(case), json={"name": SESSION}, timeout=30)
    if made.status_code == 201:
        caller.post(f"{sessions_url(case)}/{SESSION}/execute", json={"code": "print('hello')"}, timeout=60)
    return caller.get(f"{sessions_url(case)}/{SESSION}", timeout=30).json()["id"]


def session_elsewhere(case: schemathesis.Case) -> str:
    """The id of a session whose code runs where its user has it."""
    caller.post(sessions_url(case), json={"name": ELSEWHERE, "sandbox": {"enable": False}}, timeout=30)
    return caller.get(f"{sessions_url(case)}/{ELSEWHERE}", timeout=30).json()["id"]


def known_account(case: schemathesis.Case) -> str:
    """The id of an account, made again when a request has removed it."""
    url = case.operation.base_url.rstrip("/") + "/api/v1/accounts"
    there = caller.get(url, params={"toolkit": "living"}, timeout=30).json()["items"]
    wanted = {"toolkit": "living", "base_url": "https://api.example.com", "auth_scheme": "bearer", "secret": "of-the-living-one"}
    return (there[0] if there else caller.post(url, json=wanted, timeout=30).json())["id"]


def enter_session(case: schemathesis.Case) -> None:
    """The known one, unless the case has the id of one that it found."""
    if not str(case.path_parameters["session"]).startswith("ses_"):
        case.path_parameters["session"] = known_session(case)


def name_a_cell(case: schemathesis.Case) -> None:
    session = case.path_parameters["session"] = known_session(case)
    found = caller.get(f"{sessions_url(case)}/{session}/cells", params={"limit": 1}, timeout=30)
    case.path_parameters["cell_id"] = found.json()["items"][0]["cell_id"]


def name_a_program(body: dict[str, Any]) -> None:
    """A program and a directory that are there."""
    if body.get("argv"):
        body["argv"][0] = "true"
    if body.get("cwd"):
        body["cwd"] = "/tmp"


def name_a_command(case: schemathesis.Case) -> None:
    """One that runs and reads, unless a request has ended it just now."""
    session = case.path_parameters["session"] = known_session(case)
    commands = f"{sessions_url(case)}/{session}/commands"
    known = readers.get(session, "none")
    if caller.get(f"{commands}/{known}", timeout=30).json().get("status") != "running":
        wanted = {"argv": ["cat"], "stdin": True, "background": True, "timeout_s": 600}
        made = caller.post(f"{sessions_url(case)}/{session}/bash", json=wanted, timeout=30)
        readers[session] = made.json()["command_id"]
    case.path_parameters["command_id"] = readers[session]


def make_file(case: schemathesis.Case, path: Any) -> None:
    """In the known session. Where the path cannot be one, nothing is made."""
    session = case.path_parameters["session"] = known_session(case)
    caller.put(f"{sessions_url(case)}/{session}/files/{quote(str(path))}", data=b"0123456789", timeout=30)


def sign(case: schemathesis.Case) -> None:
    make_file(case, case.path_parameters["path"])
    asked = {"path": case.path_parameters["path"], "method": case.method}
    made = caller.post(f"{sessions_url(case)}/{case.path_parameters['session']}/links", json=asked, timeout=30)
    if made.status_code == 201:
        link = urlsplit(made.json()["url"])
        case.query = {name: values[0] for name, values in parse_qs(link.query).items()}
