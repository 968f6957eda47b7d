"""A zygote of shell_host.py, and its children as a test drives them."""

import base64
import json
import os
import pathlib
import signal
import socket
import subprocess
import tempfile
import time

_HERE = pathlib.Path(__file__).resolve()
# Of another environment, when one is to be tried.
INTERPRETER = os.environ.get("SHELL_TEST_INTERPRETER") or _HERE.parents[3] / ".venv" / "kernels" / "bin" / "python"
_DEADLINE_S = 30


class Zygote:
    def __init__(self, *preloaded, interpreter=INTERPRETER):
        self.directory = tempfile.mkdtemp(prefix="cgs")
        self._path = self.directory + "/s"
        command = [str(interpreter), str(_HERE.parent / "shell_host.py"), self._path, *preloaded]
        environment = {**os.environ, "HOME": self.directory + "/nobody"}
        environment.pop("MPLBACKEND", None)
        self.process = subprocess.Popen(command, stdout=subprocess.PIPE, env=environment, text=True)
        assert self.process.stdout.readline() == "listening\n"

    def fork(self, working_dir=None, **env):
        home = tempfile.mkdtemp(prefix="home", dir=self.directory)
        options = {
            "env": {"PATH": os.environ["PATH"], "HOME": home, **env},
            "working_dir": working_dir or home,
        }
        connection = socket.socket(socket.AF_UNIX)
        connection.settimeout(_DEADLINE_S)
        connection.connect(self._path)
        connection.sendall(json.dumps(options).encode())
        return Child(connection, home)

    def stop(self):
        self.process.kill()
        self.process.wait()
        self.process.stdout.close()
        subprocess.run(["rm", "-rf", self.directory], check=True)


class Cell:
    """What became of a request: its reply's content, and the messages that came until then."""

    def __init__(self, reply, messages, announced):
        self.reply = reply
        self.trace = [message["type"] for message in messages]  # with "drained": the pipes were read here
        self.messages = [message for message in messages if message["type"] != "drained"]
        self.announced = announced

    def of(self, *types):
        return [message["content"] for message in self.messages if message["type"] in types]

    @property
    def types(self):
        return [message["type"] for message in self.messages]

    def text(self, name="stdout"):
        return "".join(content["text"] for content in self.of("stream") if content["name"] == name)

    @property
    def result(self):
        """The text of the one result."""
        (content,) = self.of("execute_result")
        return content["data"]["text/plain"]


class Child:
    def __init__(self, connection, home):
        self.home = home
        self._connection = connection
        self._in = connection.makefile("r", encoding="utf-8")
        self._count = 0
        self.messages = []  # that were read so far and belong to no finished cell
        self._replies = {}
        self.pid = self.next("ready")["pid"]

    # What a test says

    def run(self, code, **how):
        """Execute and expect success."""
        cell = self.execute(code, **how)
        assert cell.reply["status"] == "ok", f"{cell.reply.get('ename')}: {cell.reply.get('evalue')}"
        return cell

    def execute(self, code, **how):
        return self.finish(self.start(code, **how))

    def start(
        self, code, silent=False, store_history=True, user_expressions=None, allow_stdin=False, shell=None, metadata=None
    ):
        arguments = [code, silent, store_history, json.dumps(user_expressions or {}), allow_stdin]
        return self.request("execute", arguments, shell, metadata)

    def ask(self, kind, *arguments, shell=None):
        """The reply to any other question, by the name of Kernel's method."""
        return self.finish(self.request(kind, list(arguments), shell)).reply

    def handle(self, msg_type, content, buffers=(), shell=None):
        encoded = [base64.b64encode(data).decode() for data in buffers]
        return self.finish(self.request("handle", [msg_type, json.dumps(content), "{}", encoded, "{}"], shell))

    def request(self, kind, arguments, shell=None, metadata=None):
        self._count += 1
        name = f"request-{self._count}"
        header = {"msg_id": name, "msg_type": f"{kind}_request", "session": "client"}
        self._send(op=kind, shell=shell, header=header, metadata=metadata or {}, arguments=arguments)
        return name

    def finish(self, name):
        """The cell of a request that was started: with all messages read since the last."""
        while name not in self._replies:
            self._read()
        reply = self._replies.pop(name)
        messages, self.messages = self.messages, []
        return Cell(reply["content"], messages, reply["announced"])

    def next(self, kind):
        """The next message of that type, whatever comes before it."""
        while True:
            for message in self.messages:
                if message["type"] == kind:
                    self.messages.remove(message)
                    return message
            self._read()

    def answer(self, text):
        self._send(op="answer", text=text)

    def start_shell(self, name):
        self._send(op="start_shell", shell=name)

    def close(self, shell=None):
        self._send(op="close", shell=shell)

    def interrupt(self, shell=None, when_idle=False):
        if shell is None:
            os.kill(self.pid, signal.SIGINT)
        else:
            self._send(op="interrupt", shell=shell, when_idle=when_idle)


    def stop(self):
        self._in.close()
        self._connection.close()

    def _send(self, **request):
        self._connection.sendall(json.dumps(request).encode() + b"\n")

    def _read(self):
        line = self._in.readline()
        assert line, "the kernel has ended"
        message = json.loads(line)
        if message["type"] == "reply":
            self._replies[message["request"]] = message
        else:
            self.messages.append(message)


def wait_until(true, deadline_s=_DEADLINE_S):
    """Until a state that no event tells of is reached."""
    end = time.monotonic() + deadline_s
    while not true():
        assert time.monotonic() < end, "it did not come to that"
        time.sleep(0.01)
