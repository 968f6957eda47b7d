"""`pip install` of programs that a cell starts: they ask this kernel, which asks the gateway as %pip does.

The environment's own pip could write nowhere, and the session's key is not for programs. sitecustomize.py (for_programs)
is what asks, in the place of pip.
"""

import atexit
import json
import os
import re
import shutil
import socket
import tempfile
import threading
from typing import Any, Dict, Tuple

from .. import settings
from . import client, pip_words, programs, site_directory

# Cells that may start a program: before the first of them nothing of this is there.
_STARTS_PROGRAMS = re.compile(r"pip|subprocess|popen|\bsystem\b|^\s*!|=\s*!|^\s*%%", re.MULTILINE | re.IGNORECASE)
_MOST_BYTES = 256 << 10  # of a question, as the gateway has it


def install(shell: Any) -> None:
    """A second call does nothing."""
    if getattr(shell, "_cellgate_pip_service", None) is None:
        shell._cellgate_pip_service = PipService(shell)
        shell.events.register("pre_run_cell", shell._cellgate_pip_service.before_cell)


class PipService:
    """Belongs to one shell. Threads of its own; `before_cell` on the one that runs cells."""

    def __init__(self, shell: Any) -> None:
        self._shell = shell
        self._parent = ""  # the cell that runs, or ran last
        self._process = 0  # that has the threads: a forked child has not

    def before_cell(self, info: Any) -> None:
        if self._process != os.getpid() and _STARTS_PROGRAMS.search(getattr(info, "raw_cell", None) or ""):
            self._start()
        self._parent = settings.parent_of_request(self._shell) if self._process == os.getpid() else ""

    def _start(self) -> None:
        """Where there is no place for a socket, pip is as it was."""
        try:
            directory = tempfile.mkdtemp(prefix="cellgate-pip-")
            listener = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
            path = os.path.join(directory, "socket")
            listener.bind(path)
            listener.listen(16)
        except OSError:
            return
        self._process = os.getpid()
        atexit.register(shutil.rmtree, directory, ignore_errors=True)
        threading.Thread(target=self._accept, args=(listener,), name="cellgate-pip", daemon=True).start()
        programs.tell_pip(path, site_directory.place_of_session())

    def _accept(self, listener: socket.socket) -> None:
        while True:
            connection, _ = listener.accept()
            threading.Thread(target=self._serve, args=(connection,), name="cellgate-pip", daemon=True).start()

    def _serve(self, connection: socket.socket) -> None:
        with connection:
            try:
                question = json.loads(_line_of(connection))
                answer = self._answer([str(each) for each in question["words"]], str(question["directory"]))
            except (OSError, ValueError, KeyError, TypeError):
                return  # no pip of ours
            try:
                connection.sendall(json.dumps(answer).encode("ascii"))
            except OSError:  # it was ended
                return

    def _answer(self, words: "list[str]", directory: str) -> Dict[str, Any]:
        try:
            requirements, upgrade = pip_words.parse_words(words, directory)
            answer = client.install(self._parent, {"requirements": requirements, "upgrade": upgrade})
        except (pip_words.Mistaken, client.NotInstalled) as problem:
            return {"status": 1, "out": "", "err": "cellgate: nothing was installed: %s\n" % problem}
        out, err = _told(requirements, answer)
        return {"status": 1 if answer["refused"] else 0, "out": out, "err": err}


def _told(requirements: "list[str]", answer: client.Answer) -> Tuple[str, str]:
    refused = client.reasons(answer["refused"])
    err = "cellgate: not installed: %s\n" % refused if refused else ""
    return client.success(requirements, answer), err


def _line_of(connection: socket.socket) -> bytes:
    connection.settimeout(30)
    found = b""
    while not found.endswith(b"\n"):
        more = connection.recv(65536)
        if not more or len(found) > _MOST_BYTES:
            raise ValueError("no line")
        found += more
    return found
