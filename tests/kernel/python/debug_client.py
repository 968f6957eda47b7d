"""A debugging client of a mini-kernel, as JupyterLab is one of a kernel: every wait has a deadline."""

import itertools
import json
import os
import queue
import signal
import subprocess
import threading
import time
from pathlib import Path

from package_path import PACKAGE_DIR

ROOT = Path(__file__).resolve().parents[3]
PYTHON = ROOT / ".venv" / "kernels" / "bin" / "python"
SECONDS = 20

# The mini-kernel's frames are those of the package, as in a kernel: there is nothing below the package but C++.
RUN = "import sys; exec(compile(open(sys.argv[1]).read(), sys.argv[2] + '/cellgate_shell/mini_kernel.py', 'exec'))"
MINI_KERNEL = Path(__file__).with_name("debugged_kernel.py")


class DebugClient:
    def __init__(self, *options):
        self.errors = []
        self.process = subprocess.Popen(
            [PYTHON, "-c", RUN, MINI_KERNEL, PACKAGE_DIR, *options], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
            stderr=subprocess.PIPE, text=True, start_new_session=True)
        self.numbers = itertools.count(1)
        self.lines = queue.SimpleQueue()
        self.kept = []
        threading.Thread(target=self._read, daemon=True).start()
        threading.Thread(target=self._read_errors, daemon=True).start()
        self.pid = self.take("pid")["pid"]

    def _read(self):
        for line in self.process.stdout:
            self.lines.put(json.loads(line))
        self.lines.put(None)

    def _read_errors(self):
        self.errors.extend(self.process.stderr)

    def send(self, **message):
        self.process.stdin.write(json.dumps(message) + "\n")
        self.process.stdin.flush()

    def take(self, kind, wanted=lambda message: True):
        """The first message of a kind, of those that came and are not yet taken."""
        for message in self.kept:
            if kind in message and wanted(message):
                self.kept.remove(message)
                return message
        deadline = time.monotonic() + SECONDS
        while True:
            try:
                message = self.lines.get(timeout=max(0, deadline - time.monotonic()))
            except queue.Empty:
                message = None
            if message is None:
                raise AssertionError(f"no {kind} from the kernel; it said {self.kept}\n{''.join(self.errors)}")
            if kind in message and wanted(message):
                return message
            self.kept.append(message)

    def ask(self, command, **arguments):
        """The whole response."""
        self.send(debug={"type": "request", "seq": next(self.numbers), "command": command, "arguments": arguments})
        return self.take("reply")["reply"]

    def do(self, command, **arguments):
        """The body of a successful response."""
        reply = self.ask(command, **arguments)
        assert reply["success"], reply
        return reply["body"]

    def start(self, **options):
        self.do("initialize", clientID="test", adapterID="python", pathFormat="path", linesStartAt1=True, columnsStartAt1=True)
        self.do("attach", **options)

    def set_breakpoints(self, code, *lines):
        """The path of the cell."""
        path = self.do("dumpCell", code=code)["sourcePath"]
        found = self.do("setBreakpoints", source={"path": path}, breakpoints=[{"line": line} for line in lines])
        assert all(breakpoint["verified"] for breakpoint in found["breakpoints"]), found
        self.do("configurationDone")
        return path

    def run(self, code, thread=None):
        number = next(self.numbers)
        self.send(cell=number, code=code, thread=thread)
        return number

    def ended(self, number):
        """The name of the cell's error, None when it has none."""
        return self.take("ran", lambda message: message["ran"] == number)["error"]

    def execute(self, code, thread=None):
        error = self.ended(self.run(code, thread))
        assert error is None, (error, "".join(self.errors))

    def event(self, name):
        return self.take("event", lambda message: message["event"]["event"] == name)["event"]

    def stopped(self):
        """The thread that has stopped, and its frames."""
        thread = self.event("stopped")["body"]["threadId"]
        return thread, self.do("stackTrace", threadId=thread)["stackFrames"]

    def step(self, command, thread):
        """The line and function in which a step ended."""
        self.do(command, threadId=thread)
        _, frames = self.stopped()
        return frames[0]["line"], frames[0]["name"]

    def scope(self, frame, name="Locals"):
        """The variables of a frame by name, as text."""
        scopes = self.do("scopes", frameId=frame["id"])["scopes"]
        reference = next(scope["variablesReference"] for scope in scopes if scope["name"] == name)
        return {v["name"]: v["value"] for v in self.do("variables", variablesReference=reference)["variables"]}

    def python(self, expression):
        """The value of an expression inside the kernel, on its control thread."""
        self.send(python=expression)
        return self.take("value")["value"]

    def children(self):
        """The processes that the kernel's process has started and that still run."""
        tasks = Path(f"/proc/{self.pid}/task").iterdir()
        return [int(pid) for task in tasks for pid in (task / "children").read_text().split()]

    def stop(self):
        if self.process.poll() is None:
            self.process.stdin.close()
            try:
                self.process.wait(SECONDS)
            except subprocess.TimeoutExpired:
                os.killpg(self.process.pid, signal.SIGKILL)
                self.process.wait()
                raise AssertionError("the kernel did not end:\n" + "".join(self.errors)) from None
