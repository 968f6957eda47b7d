"""Every described operation of a session, asked for with the keys of somebody else: none succeeds, and nothing happens.

The served description says what there is; the owner's same requests show that they were right but for the key."""

import itertools
import re
from typing import Any, NamedTuple
from urllib.parse import parse_qs, quote, urlsplit

import pytest
import requests

from support.files import Files
from support.gateway import Gateway
from support.waiting import eventually

FILE, NAME = "kept.txt", "of-ana"
# By the last part of a path; a JSON body is empty where there is none.
BODIES = {"execute": {"code": "ran = True"}, "bash": {"command": "echo ran > /mnt/files/ran"}, "links": {"path": FILE},
          "signal": {"signal": "SIGCONT"}, "stdin": {"data": "ran"}, "{session}": {"name": "taken"}}
UPGRADE = {"Connection": "Upgrade", "Upgrade": "websocket", "Sec-WebSocket-Version": "13", "Sec-WebSocket-Key": "AAAAAAAAAAAAAAAAAAAAAA=="}
REFUSED = (403, 404)  # what the key may not do with any session, and a session that is not the key's
METHODS = ("get", "put", "post", "patch", "delete")


class Operation(NamedTuple):
    method: str
    path: str
    what: dict[str, Any]
    parameters: list[dict[str, Any]]

    @property
    def needs_a_key(self) -> bool:
        return self.what.get("security") != []

    def send(self, gateway: Gateway, values: dict[str, str], headers: dict[str, str], more: dict[str, str]) -> requests.Response:
        path = re.sub(r"{(\w+)}", lambda found: quote(values[found[1]]), self.path)
        query = {each["name"]: values[each["name"]] for each in self.parameters if each["in"] == "query" and each.get("required")}
        given: dict[str, Any] = {}
        content = self.what.get("requestBody", {}).get("content", {})
        if "application/json" in content:
            given["json"] = BODIES.get(self.path.rsplit("/", 1)[1], {})
        elif content:
            given["data"] = b"ran"
        if "101" in self.what["responses"]:
            headers = headers | UPGRADE
        with requests.Session() as session:
            session.trust_env = False
            return session.request(self.method, gateway.url + path, params=query | more, headers=headers, timeout=60, **given)


def operations(gateway: Gateway) -> list[Operation]:
    """Those of a session; what ends something comes last, the session itself at the very end."""
    paths = gateway.agent().call("GET", "/openapi.json", 200).json()["paths"]
    found = [Operation(method, path, item[method], item.get("parameters", []) + item[method].get("parameters", []))
             for path, item in paths.items() if "{session}" in path for method in METHODS if method in item]
    return sorted(found, key=lambda each: (each.method == "delete", -len(each.path)))


class Scene:
    """Ana's session, with a cell, a file and a command that runs; and Eve, who knows all their ids and has keys of her own."""

    def __init__(self, gateway: Gateway) -> None:
        self.gateway = gateway
        keys = {(user, scope): gateway.command("keys", "add", f"{user}-{scope}", "--user", user, "--scope", scope).strip()
                for user, scope in (("ana", "session"), ("eve", "session"), ("eve", "execute"))}
        self.ana, self.eve = gateway.agent(keys["ana", "session"]), gateway.agent(keys["eve", "session"])
        for key in keys.values():
            eventually(lambda key=key: gateway.agent(key).call("GET", "/sessions").status_code != 401, 10, "the key is known")
        self.session = self.ana.start_session(name=NAME)["id"]
        cell = self.ana.execute(self.session, "x = 1")["cell_id"]
        command = self.ana.bash(self.session, ["cat"], background=True, stdin=True)["command_id"]
        self.files = Files(self.ana, self.session)
        self.files.put(FILE, b"as it was", 201)
        self.values = {"session": self.session, "cell_id": cell, "command_id": command, "path": FILE}

        own = self.eve.start_session(sandbox={"enable": False})["id"]
        given = self.eve.call("POST", f"/sessions/{own}/local_sandbox", 200).json()["env"]
        self.strangers = {
            "another user's key": {"Authorization": f"Bearer {self.eve.key}"},
            "another user's key of scope execute": {"x-api-key": keys["eve", "execute"]},
            "another session's key": {"x-session-access-key": given["COMPOSIO_WORKBENCH_ACCESS_KEY"]},
        }
        self.files_of_eve = Files(self.eve, own)
        self.files_of_eve.put(FILE, b"of eve", 201)

    def link(self, files: Files, operation: Operation) -> dict[str, str]:
        """The query of a link to the file, for the operation's method."""
        link = files.link(FILE, operation.method.upper())
        return {name: values[0] for name, values in parse_qs(urlsplit(link).query).items()}

    def ask_for(self, session: str, operation: Operation, headers: dict[str, str]) -> requests.Response:
        """As somebody else, with what Eve has of her own; a name is tried with its owner's user_id."""
        linked = {} if operation.needs_a_key else self.link(self.files_of_eve, operation)
        takes_user = any(each["name"] == "user_id" for each in operation.parameters)
        whose = {"user_id": "ana"} if session == NAME and takes_user else {}
        return operation.send(self.gateway, self.values | linked | {"session": session}, headers, whose)

    def ask_as_owner(self, operation: Operation) -> requests.Response:
        if operation.needs_a_key:
            return operation.send(self.gateway, self.values, {"Authorization": f"Bearer {self.ana.key}"}, {})
        return operation.send(self.gateway, self.values | self.link(self.files, operation), {}, {})

    def state(self) -> dict[str, Any]:
        """What no request of somebody else may change."""
        session = self.ana.session(self.session)
        commands = self.ana.call("GET", f"/sessions/{self.session}/commands", 200).json()["items"]
        return {"session": [session[key] for key in ("name", "state", "kernel", "restarts")],
                "cells": self.ana.cells(self.session), "files": self.files.page()["items"], "commands": commands}


@pytest.fixture
def scene(start_gateway) -> Scene:
    return Scene(start_gateway())


def test_no_operation_of_a_session_is_open_to_somebody_else(scene: Scene) -> None:
    before, wrong, described = scene.state(), [], operations(scene.gateway)
    for operation, (whose, headers), session in itertools.product(described, scene.strangers.items(), (scene.session, NAME)):
        answer = scene.ask_for(session, operation, headers)
        if answer.status_code not in REFUSED:
            wrong.append((operation.method, operation.path, session, whose, answer.status_code, answer.text[:500]))
    assert wrong == []
    assert scene.state() == before
    assert len(described) > 20
    answers = {f"{each.method} {each.path}": scene.ask_as_owner(each).status_code for each in described}
    # The session has a sandbox: one of the user's own is a conflict.
    assert {asked: status for asked, status in answers.items() if status not in (101, 200, 201)} == {
        "post /api/v1/sessions/{session}/local_sandbox": 409}


def test_another_users_session_is_answered_like_one_that_never_was(scene: Scene) -> None:
    headers, none = scene.strangers["another user's key"], "ses_" + "0" * (len(scene.session) - 4)
    for operation in operations(scene.gateway):
        there, not_there = (scene.ask_for(session, operation, headers) for session in (scene.session, none))
        assert there.status_code == not_there.status_code
        told = there.json()["error"]["message"].replace(scene.session, none)
        assert told == not_there.json()["error"]["message"], (operation.method, operation.path)
