"""What `cellgate-kernel` calls: JSON text in, JSON text out, on the thread of the shell concerned."""

import atexit
import contextlib
import json
import threading
import traceback
from typing import Any, Dict, Iterator, List, Optional, Set

from . import children, comms, completion, figures, fork, history, interrupts, json_text, outbox, profile, prompts, request
from . import stdin, streams, threads
from . import execution as executing
from . import info as about
from . import loop as loops
from . import usage as used
from .facade import KernelFacade
from .fork import after_fork, warm_up
from .shell import ZMQInteractiveShell

__all__ = ["Kernel", "after_fork", "make_shell", "warm_up"]

_SAVE_AFTER_S = 1.0  # of quiet since a cell, so that no cell waits for the disk


def make_shell() -> ZMQInteractiveShell:
    """Build the one shell of this process. Starts no thread and keeps no file open, so that it may be forked."""
    if ZMQInteractiveShell.initialized():
        return ZMQInteractiveShell.instance()
    fork.prepare()
    shell = ZMQInteractiveShell.instance()
    shell.kernel = KernelFacade(shell)
    shell.config.IPKernelApp.tqdm = "cellgate"  # by which tqdm knows a notebook
    comms.install(shell.kernel)
    shell.extension_manager.load_extension("storemagic")
    prompts.install()
    shell.forget_places()
    return shell


class Kernel:
    """One kernel: all its shells. Methods without another word may be called by several shells' threads at once."""

    def __init__(self, core: Any) -> None:
        outbox.connect(core)
        self.shell = make_shell()
        self.facade: KernelFacade = self.shell.kernel
        self._core = core
        self._handling: Set[Optional[str]] = set()  # the shells that have entered a request
        self._loops: Dict[Optional[str], loops.ShellLoop] = {}
        self._debugger: Any = None
        self._debug_header = "{}"  # of the request to which what the debugger says belongs
        interrupts.ignore()
        streams.install()
        stdin.install()
        threads.follow()
        children.follow()
        self.shell.builtin_trap.__enter__()  # get_ipython() and display() are there between cells and in every thread
        profile.apply(self.shell)

    # A shell's thread

    def run(self, shell: Any) -> None:
        """Handle the requests of `shell` on this thread until it is closed, or a cell asked the kernel to exit."""
        self.facade.shells[shell.id] = shell
        try:
            with threads.named_after(shell.id):
                self._serve_until_over(shell)
        finally:
            self.facade.shells.pop(shell.id, None)
            self._loops.pop(shell.id, None)
            if shell.id is not None:
                figures.forget(shell.id)

    def _serve_until_over(self, shell: Any) -> None:
        """Nothing that users do to a loop, nor an interrupt that comes late, ends the thread."""
        over = False
        while not over:
            try:
                self._serve(shell)
                over = shell.closed or (shell.id is None and self.shell.exit_now)
            except KeyboardInterrupt:
                continue
            except Exception:
                traceback.print_exc()
                loops.give_up()

    def _serve(self, shell: Any) -> None:
        loop = self._loops[shell.id] = loops.of_this_thread()
        loop.wait(shell.fileno())
        with loops.shown_as_running(loop.loop):
            shell.dispatch()
            outbox.end_if_forked()
        self._save_history_later(loop)

    def interrupt(self, shell_id: Optional[str]) -> None:
        """After KeyboardInterrupt was sent to a subshell's thread: it may wait in its loop. On any thread."""
        loop = self._loops.get(shell_id or None)
        if loop is not None:
            loop.interrupt((shell_id or None) in self._handling)

    def enter(self, shell_id: Optional[str], header: str, metadata: str) -> None:
        """A request begins on this thread: what it puts out is of the request with this header."""
        request.begin(request.Request(header, metadata or "{}", shell_id))
        self._handling.add(shell_id)

    def leave(self, shell_id: Optional[str]) -> None:
        """It has ended, and a late interrupt is nobody's."""
        self._handling.discard(shell_id)
        interrupts.ignore()
        executing.release_count(self.shell)

    def _save_history_later(self, loop: loops.ShellLoop) -> None:
        manager = self.shell.history_manager
        if threading.current_thread() is threading.main_thread() and manager.unsaved():
            loop.later(_SAVE_AFTER_S, manager.save)

    # Requests

    def next_count(self) -> int:
        """The execution_count of this thread's next stored cell."""
        return executing.reserve_count(self.shell)

    def execute(self, code: str, silent: bool, store_history: bool, user_expressions: str, allow_stdin: bool) -> str:
        """Run a cell; the content of its execute_reply, with execution_count."""
        expressions = json.loads(user_expressions or "{}")
        with self._debugged(code):
            reply = executing.execute(self.shell, code, silent, store_history and not silent, expressions, allow_stdin)
        return json_text.dumps(reply)

    def complete(self, code: str, cursor_pos: int) -> str:
        with interrupts.possible():
            return json_text.dumps(completion.complete(self.shell, code, cursor_pos))

    def inspect(self, code: str, cursor_pos: int, detail_level: int) -> str:
        with interrupts.possible():
            return json_text.dumps(completion.inspect(self.shell, code, cursor_pos, detail_level))

    def is_complete(self, code: str) -> str:
        return json_text.dumps(completion.is_complete(self.shell, code))

    def history(self, content: str) -> str:
        return json_text.dumps(history.reply(self.shell.history_manager, json.loads(content)))

    def info(self) -> str:
        return json_text.dumps(about.kernel_info())

    def handle(self, msg_type: str, content: str, metadata: str, buffers: List[bytes], header: str) -> Optional[str]:
        """Any other request; the content of its reply, None when it has none."""
        given = json.loads(content)
        if msg_type in ("comm_open", "comm_msg", "comm_close"):
            self._handle_comm(msg_type, given, buffers)
            return None
        if msg_type == "comm_info_request":
            return json_text.dumps(comms.info(given.get("target_name") or None))
        if msg_type == "debug_request":
            return json_text.dumps(self._debug(given, header))
        if msg_type == "usage_request":
            return json_text.dumps(used.usage())
        raise ValueError(f"a kernel does not know {msg_type}")

    def _handle_comm(self, msg_type: str, content: Dict[str, Any], buffers: List[bytes]) -> None:
        handled = request.current()
        handled.content = content
        message = {**handled.message(), "msg_type": msg_type, "buffers": [memoryview(data) for data in buffers]}
        try:
            with self._debugged(), interrupts.possible():
                comms.handle(msg_type, content, message)
        except KeyboardInterrupt:
            self.shell.showtraceback()

    # Debugging

    def _debug(self, content: Dict[str, Any], header: str) -> Dict[str, Any]:
        """On the control thread. The debugger is loaded when somebody asks for it first."""
        self._debug_header = header
        request.use(request.Request(header))  # of the control thread, which enters no request
        if self._debugger is None:
            from .debugger import Debugger

            self._debugger = Debugger(self._publish_debug_event, self.shell)
        reply: Dict[str, Any] = self._debugger.handle(content)
        return reply

    def _publish_debug_event(self, event: Dict[str, Any]) -> None:
        outbox.publish("debug_event", event, parent=self._debug_header)

    @contextlib.contextmanager
    def _debugged(self, code: str = "") -> Iterator[None]:
        """Within, this thread runs the user's code, and stops in it if a debugger says so."""
        if self._debugger is not None:
            self._debugger.begin_cell(code)
        try:
            yield
        finally:
            if self._debugger is not None:
                self._debugger.end_cell()

    # The end

    def shutdown(self, restart: bool) -> None:
        """What Python does at its exit: waits for threads that are no daemons, and calls the atexit functions."""
        interrupts.ignore()
        steps = [threading._shutdown, atexit._run_exitfuncs]
        if self._debugger is not None:
            steps.insert(0, self._debugger.close)
        for step in steps:
            with _reported():
                step()


@contextlib.contextmanager
def _reported() -> Iterator[None]:
    try:
        yield
    except BaseException:
        traceback.print_exc()
