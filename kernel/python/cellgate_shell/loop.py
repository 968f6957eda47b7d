"""The asyncio loop of one shell's thread: runs tasks between requests, and cells that await."""

import asyncio
import contextlib
import contextvars
import sys
import threading
import traceback
from typing import Any, Callable, Coroutine, Iterator, Optional

from . import interrupts

_of_thread = threading.local()


def of_this_thread() -> "ShellLoop":
    """The loop of the shell whose thread this is; made when there is none yet."""
    found = getattr(_of_thread, "loop", None)
    if found is None or found.loop.is_closed():
        found = _of_thread.loop = ShellLoop()
    return found


def give_up() -> None:
    """After an error in it, this thread gets another loop."""
    _of_thread.__dict__.clear()


def forget() -> None:
    """After a fork: the loop of the process that was forked is left as it is, since closing it would deafen that."""
    _of_thread.__dict__.clear()
    asyncio._set_running_loop(None)
    asyncio.set_event_loop_policy(None)


class ShellLoop:
    """One thread's loop. While a request is handled the loop rests, but says that it runs, as a cell expects."""

    def __init__(self) -> None:
        self.loop = asyncio.new_event_loop()
        self.interrupted = False  # the cell's task was cancelled by an interrupt
        self._thread = threading.get_ident()
        self._cancel: Optional[Callable[[], None]] = None  # of the cell that awaits
        self._later: Optional[asyncio.TimerHandle] = None
        asyncio.set_event_loop(self.loop)

    def wait(self, descriptor: int) -> None:
        """Run tasks until `descriptor` is readable."""
        _show(self.loop, False)
        self.loop.add_reader(descriptor, self.loop.stop)
        try:
            self.loop.run_forever()
        except KeyboardInterrupt:
            raise
        except BaseException:  # a task that raised SystemExit, say: it must not take the kernel with it
            traceback.print_exc()
        finally:
            if not self.loop.is_closed():
                self.loop.remove_reader(descriptor)

    def interrupt(self, running: bool) -> None:
        """On another thread, after KeyboardInterrupt was sent to this one: it shall reach users' code only.

        With a request `running` that waits in the loop, its cell is cancelled instead.
        """
        cancel = self._cancel if running else None
        if not running:
            interrupts.withdraw(self._thread)
        elif cancel is not None and not interrupts.in_users_code(sys._current_frames().get(self._thread)):
            interrupts.withdraw(self._thread)
        else:
            cancel = None
        with contextlib.suppress(RuntimeError):  # the loop is closed
            self.loop.call_soon_threadsafe(cancel or (lambda: None))

    def later(self, seconds: float, do: Callable[[], None]) -> None:
        """Call `do` when the thread has waited for so long; an earlier call that is still to come is dropped."""
        if self._later is not None:
            self._later.cancel()
        self._later = self.loop.call_later(seconds, do)

    def run(self, coroutine: Coroutine[Any, Any, Any]) -> Any:
        """Run a cell that awaits. An interrupt cancels it where it waits; `interrupted` then says why."""
        context = contextvars.copy_context()
        with _resting(self.loop):
            task = self.loop.create_task(coroutine, context=context)

            def cancel() -> None:
                self.interrupted = True
                task.cancel()

            self.interrupted, self._cancel = False, cancel
            with interrupts.cancelling(self.loop, cancel):
                try:
                    return self._finish(task, cancel)
                finally:
                    self._cancel = None
                    _keep_variables(context)

    def _finish(self, task: "asyncio.Task[Any]", cancel: Callable[[], None]) -> Any:
        while True:
            try:
                return self.loop.run_until_complete(task)
            except KeyboardInterrupt:
                if task.done():
                    raise
                cancel()
            except RuntimeError:
                if task.done() or self.loop.is_closed():
                    raise
                # The cell stopped the loop: as between cells, that ends neither the loop nor what runs in it.


def run_cell(coroutine: Coroutine[Any, Any, Any]) -> Any:
    """IPython's `loop_runner`."""
    return of_this_thread().run(coroutine)


@contextlib.contextmanager
def shown_as_running(loop: asyncio.AbstractEventLoop) -> Iterator[None]:
    """Within, `asyncio.get_running_loop()` and `create_task` work although the loop rests."""
    _show(loop, True)
    try:
        yield
    finally:
        _show(loop, False)


@contextlib.contextmanager
def _resting(loop: asyncio.AbstractEventLoop) -> Iterator[None]:
    shown = asyncio._get_running_loop() is loop
    if shown:
        _show(loop, False)
    try:
        yield
    finally:
        if shown:
            _show(loop, True)


def _show(loop: asyncio.AbstractEventLoop, running: bool) -> None:
    asyncio._set_running_loop(loop if running else None)
    if hasattr(loop, "_thread_id"):  # what is_running() looks at in asyncio's own loops
        loop._thread_id = threading.get_ident() if running else None


def _keep_variables(context: contextvars.Context) -> None:
    """Context variables that the cell has set hold in the next one, as those of a cell without await do."""
    before = contextvars.copy_context()
    for variable, value in context.items():
        if variable not in before or before[variable] is not value:
            variable.set(value)
