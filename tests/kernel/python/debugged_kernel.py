"""A kernel with nothing but a shell and the debugger, run by the kernels' interpreter: lines of JSON in and out.

started by DebugClient with the package's directory and, to be a forked child, --forked

In:  {"cell": N, "code": ..., "thread": NAME or absent} · {"debug": REQUEST} · {"interrupt": true} · {"python": EXPRESSION}
Out: {"ran": N, "error": NAME or null} · {"reply": ...} · {"event": ...} · {"value": ...}
As in cellgate-kernel, cells run on the main thread or on threads that Python did not start, requests on another such.
"""

import _thread
import json
import os
import queue
import signal
import sys
import threading

start_thread = _thread.start_new_thread  # a debugger replaces the module's: threads of C++ go unnoticed by it
out = os.fdopen(os.dup(1), "w", buffering=1)
os.dup2(2, 1)
sys.path.append(sys.argv[2])

from IPython.core.interactiveshell import InteractiveShell  # noqa: E402

from cellgate_shell.compiler import CellCompiler  # noqa: E402
from cellgate_shell.debugger import Debugger  # noqa: E402


class MiniKernel:
    def __init__(self):
        self.write_lock = _thread.allocate_lock()
        InteractiveShell.compiler_class = CellCompiler
        self.shell = InteractiveShell.instance()
        self.shell.colors = "nocolor"
        self.shell.history_manager.enabled = False
        self.debugger = Debugger(lambda event: self.say(event=event), self.shell)
        self.cells = {"main": queue.SimpleQueue()}

    def say(self, **message):
        with self.write_lock:
            out.write(json.dumps(message) + "\n")

    def run_cells(self, thread):
        while (job := self.cells[thread].get()) is not None:
            number, code = job
            error = self.run_cell(code)
            self.say(ran=number, error=error)

    def run_cell(self, code):
        main = threading.current_thread() is threading.main_thread()
        self.debugger.begin_cell(code)
        try:
            if main:
                signal.signal(signal.SIGINT, signal.default_int_handler)
            result = self.shell.run_cell(code, store_history=True)
            return type(result.error_in_exec or result.error_before_exec).__name__ if not result.success else None
        except KeyboardInterrupt:
            return "KeyboardInterrupt"
        finally:
            if main:
                signal.signal(signal.SIGINT, signal.SIG_IGN)
            self.debugger.end_cell()

    def serve(self):
        for line in sys.stdin:
            self.take(json.loads(line))
        self.take({"exit": True})

    def take(self, message):
        if "cell" in message:
            thread = message.get("thread") or "main"
            if thread not in self.cells:
                self.cells[thread] = queue.SimpleQueue()
                start_thread(self.run_cells, (thread,))
            self.cells[thread].put((message["cell"], message["code"]))
        elif "debug" in message:
            self.say(reply=self.debugger.handle(message["debug"]))
        elif "interrupt" in message:
            signal.pthread_kill(threading.main_thread().ident, signal.SIGINT)
        elif "python" in message:
            self.say(value=eval(message["python"], {"kernel": self, **globals()}))
        elif "exit" in message:
            self.debugger.close()
            self.cells["main"].put(None)


def main():
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    kernel = MiniKernel()
    if "--forked" in sys.argv:
        if (pid := os.fork()) != 0:
            os._exit(os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]) & 0xFF)
    start_thread(kernel.serve, ())
    kernel.say(pid=os.getpid())
    kernel.run_cells("main")


main()
