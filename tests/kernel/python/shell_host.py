"""Stands in for `cellgate-kernel`: a zygote in Python that forks a child for each connection, which runs cellgate_shell.

Started as `python shell_host.py SOCKET [PRELOADED…]`. A child reads requests as JSON lines and writes what the kernel
does: its messages, its questions, its replies.
"""

import _thread
import base64
import collections
import ctypes
import gc
import importlib
import json
import os
import signal
import socket
import sys
import threading

start_thread = _thread.start_new_thread  # as C++ does: neither Python's list of threads nor a debugger knows of them

sys.path.append(os.path.join(os.path.dirname(os.path.abspath(__file__)), *[os.pardir] * 3, "kernel", "python"))

import cellgate_shell.kernel as package  # noqa: E402


class FakeCore:
    """The `_cellgate` module, as far as cellgate_shell calls it."""

    def __init__(self, connection):
        self._out = connection.makefile("w", encoding="utf-8")
        self._lock = threading.Lock()
        self.answers = collections.deque()
        self._answered = threading.Event()

    def send(self, **message):
        with self._lock:
            self._out.write(json.dumps(message) + "\n")
            self._out.flush()

    def publish(self, msg_type, content, *, apart=(), metadata="{}", buffers=(), parent="{}", topic=None):
        content.encode()  # UTF-8, as C++ takes it
        literals = [json.dumps(text) for text in apart]
        pieces = content.split("\0")
        content = "".join(piece + literal for piece, literal in zip(pieces, [*literals, ""], strict=True))
        encoded = [base64.b64encode(data).decode() for data in buffers]
        self.send(
            type=msg_type,
            content=_strict(content),
            metadata=_strict(metadata),
            buffers=encoded,
            parent=_strict(parent),
        )

    def write(self, name, text, parent):
        whole = text.encode(errors="replace").decode()
        self.send(type="stream", content={"name": name, "text": whole}, parent=_strict(parent))

    def ask(self, prompt, password, parent):
        self._answered.clear()
        self.send(type="input_request", content={"prompt": prompt, "password": password}, parent=_strict(parent))
        self._answered.wait()
        return self.answers.popleft()

    def answer(self, text):
        self.answers.append(text)
        self._answered.set()

    def flush(self):
        pass

    def drain(self):
        """What is in the pipes would become text now."""
        self.send(type="drained")

    def leave_to_parent(self):
        """Its connection is nobody's address."""

    def connection(self):
        return {"transport": "ipc", "ip": "/run/k", "shell_port": 1, "key": "the-signing-key"}

    def session(self):
        return "the-session"


class FakeShell:
    """A queue of calls and an eventfd."""

    def __init__(self, shell_id=None):
        self.id = shell_id
        self.closed = False
        self._event = os.eventfd(0, os.EFD_NONBLOCK)
        self._calls = collections.deque()
        self.thread = 0
        self.busy = False

    def fileno(self):
        return self._event

    def put(self, call):
        self.busy = True
        self._calls.append(call)
        os.eventfd_write(self._event, 1)

    def close(self):
        self.closed = True
        os.eventfd_write(self._event, 1)

    def dispatch(self):
        self.thread = threading.get_ident()
        if not self._calls:
            return False
        call = self._calls.popleft()
        if not self._calls:
            os.eventfd_read(self._event)
            if self._calls or self.closed:  # it was put between the two
                os.eventfd_write(self._event, 1)
        call()
        self.busy = bool(self._calls)
        return True


class Child:
    """One kernel, driven over a connection."""

    def __init__(self, connection):
        self.core = FakeCore(connection)
        self.shells = {None: FakeShell()}
        self.kernel = package.Kernel(self.core)
        self._in = connection.makefile("r", encoding="utf-8")

    def run(self):
        start_thread(self._read, ())
        self.core.send(type="ready", pid=os.getpid())
        self.kernel.run(self.shells[None])
        self.kernel.shutdown(False)
        self.core.send(type="ended")
        os._exit(0)

    def _read(self):
        """On what is the control thread too, which a debugger leaves alone."""
        for line in self._in:
            self._take(json.loads(line))
        os._exit(1)

    def _take(self, request):
        kind = request.pop("op")
        if kind == "answer":
            self.core.answer(request["text"])
        elif kind == "interrupt":
            while request["when_idle"] and self.shells[request["shell"]].busy:
                pass
            ctypes.pythonapi.PyThreadState_SetAsyncExc(
                ctypes.c_ulong(self.shells[request["shell"]].thread), ctypes.py_object(KeyboardInterrupt)
            )
            self.kernel.interrupt(request["shell"])
            if request["when_idle"]:
                self._wait_for_the_loop_of(request["shell"])
        elif kind == "close":
            self.shells[request["shell"]].close()
        elif kind == "start_shell":
            made = self.shells[request["shell"]] = FakeShell(request["shell"])
            start_thread(self.kernel.run, (made,))
        elif request["shell"] == "control":
            self._debug(**request)
        else:
            self.shells[request["shell"]].put(lambda: self._handle(kind, **request))

    def _wait_for_the_loop_of(self, shell):
        turned = threading.Event()
        while not turned.wait(0.02):
            self.kernel._loops[shell].loop.call_soon_threadsafe(turned.set)

    def _debug(self, shell, header, metadata, arguments):
        content, text = arguments[1], json.dumps(header)
        reply = self.kernel.handle("debug_request", content, json.dumps(metadata), [], text)
        self.core.send(type="reply", request=header["msg_id"], content=_strict(reply), announced=None)

    def _handle(self, kind, shell, header, metadata, arguments):
        self.kernel.enter(shell, json.dumps(header), json.dumps(metadata))
        try:
            count = self.kernel.next_count() if kind == "execute" else None
            if kind == "handle":
                arguments[3:4] = [[base64.b64decode(data) for data in arguments[3]]]
            answer = getattr(self.kernel, kind)(*arguments)
            reply = None if answer is None else _strict(answer)
        except BaseException as error:
            count, reply = None, {"raised": repr(error)}
        self.kernel.leave(shell)
        self.core.send(type="reply", request=header["msg_id"], content=reply, announced=count)


def _as_from_cpp(options):
    env = {name.encode(): value.encode() for name, value in options["env"].items()}
    return {"env": env, "working_dir": options["working_dir"].encode()}


def _strict(text):
    """JSON as a browser takes it."""

    def refuse(constant):
        raise ValueError(f"{constant} is not JSON")

    return json.loads(text, parse_constant=refuse)


def main(path, *preloaded):
    package.make_shell()
    for name in preloaded:
        importlib.import_module(name)
    package.warm_up()
    gc.collect()
    gc.freeze()
    assert len(os.listdir("/proc/self/task")) == 1, "a process that is forked from has one thread"
    with socket.socket(socket.AF_UNIX) as listening:
        listening.bind(path)
        listening.listen(64)
        print("listening", flush=True)
        while True:
            connection, _ = listening.accept()
            options = json.loads(connection.recv(1 << 20))
            if os.fork() == 0:
                listening.close()
                package.after_fork(_as_from_cpp(options))
                Child(connection).run()
            connection.close()


if __name__ == "__main__":
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)
    main(*sys.argv[1:])
