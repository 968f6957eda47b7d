"""The InteractiveShell of a Cellgate kernel."""

import asyncio
import contextlib
import inspect
import os
import sys
import tempfile
import traceback
import warnings
from subprocess import CalledProcessError
from typing import Any, Dict, Iterator, List, Optional, Tuple

from IPython.core import interactiveshell, page
from IPython.core.application import ProfileDir
from IPython.core.autocall import ZMQExitAutocall
from IPython.core.interactiveshell import InteractiveShell, InteractiveShellABC
from IPython.paths import get_ipython_dir
from traitlets import Any as AnyTrait
from traitlets import CBool, Instance, Type, default

from . import commands, figures, loop, outbox, request
from .compiler import CellCompiler
from .display import Publisher, ResultHook, ResultTrap
from .history import LazyHistory
from .magics import KernelMagics
from .per_thread import ExecutionCount, Payloads, state
from .tracebacks import CellTraceback

COLOURS = {"TERM": "xterm-color", "CLICOLOR": "1", "FORCE_COLOR": "1", "CLICOLOR_FORCE": "1"}
NO_PAGERS = {"PAGER": "cat", "GIT_PAGER": "cat"}


class ZMQInteractiveShell(InteractiveShell):
    """Publishes through the kernel. Named as ipykernel's, since libraries tell a notebook by this name."""

    execution_count = ExecutionCount()
    displayhook_class = Type(ResultHook)
    display_pub_class = Type(Publisher)
    compiler_class = Type(CellCompiler)
    kernel = AnyTrait()
    exiter = Instance(ZMQExitAutocall)
    autoindent = CBool(False)
    keepkernel_on_exit: Optional[bool] = None
    loop_runner_map = {**InteractiveShell.loop_runner_map, "asyncio": (loop.run_cell, True)}

    def __init__(self, **kwargs: Any) -> None:
        with _without_database():
            super().__init__(**kwargs)

    def forget_places(self) -> None:
        """Look for the places under HOME anew, when they are needed: IPython may have looked too early."""
        for name in ("ipython_dir", "profile_dir"):
            self._trait_values.pop(name, None)

    @default("exiter")
    def _default_exiter(self) -> ZMQExitAutocall:
        return ZMQExitAutocall(self)

    @default("loop_runner")
    def _default_loop_runner(self) -> Any:
        return loop.run_cell

    # Places under HOME are found when they are first needed: a process that is forked from has no user yet.

    @default("ipython_dir")
    def _default_ipython_dir(self) -> str:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # that a home cannot be written
            return str(get_ipython_dir())

    @default("profile_dir")
    def _default_profile_dir(self) -> ProfileDir:
        if not ZMQInteractiveShell.initialized():
            return ProfileDir()  # while the shell is made; nothing is looked up in it
        try:
            return ProfileDir.create_profile_dir_by_name(self.ipython_dir, "default")
        except Exception:  # a home that cannot be written
            return ProfileDir.create_profile_dir(tempfile.mkdtemp(prefix="ipython-"))

    def init_ipython_dir(self, ipython_dir: Optional[str]) -> None:
        if ipython_dir is not None:
            self.ipython_dir = ipython_dir

    def init_profile_dir(self, profile_dir: Any) -> None:
        if profile_dir is not None:
            self.profile_dir = profile_dir

    @property
    def db(self) -> Any:
        """What %store keeps, in the profile."""
        if self.__dict__.get("_stored") is None:
            self._stored = _open_database(os.path.join(self.profile_dir.location, "db"))
        return self._stored

    @db.setter
    def db(self, value: Any) -> None:
        self._stored = value

    def init_environment(self) -> None:
        os.environ.update({**COLOURS, **NO_PAGERS})

    def init_virtualenv(self) -> None:
        """The kernel runs in the environment that it was started with."""

    def init_traceback_handlers(self, custom_exceptions: Any) -> None:
        super().init_traceback_handlers(custom_exceptions)
        self.InteractiveTB.__class__ = CellTraceback  # made by IPython, whose versions give it different arguments

    def init_events(self) -> None:
        super().init_events()
        figures.follow(self.events)

    def init_history(self) -> None:
        self.history_manager = LazyHistory(shell=self, parent=self)
        self.configurables.append(self.history_manager)

    def init_displayhook(self) -> None:
        super().init_displayhook()
        self.display_trap = ResultTrap(hook=self.displayhook)

    def init_payload(self) -> None:
        self.payload_manager = Payloads(parent=self)
        self.configurables.append(self.payload_manager)

    def init_hooks(self) -> None:
        super().init_hooks()
        self.set_hook("show_in_pager", page.as_hook(self._page), 99)

    def init_magics(self) -> None:
        super().init_magics()
        self.register_magics(KernelMagics)
        self.magics_manager.register_alias("ed", "edit")

    def enable_gui(self, gui: Optional[str] = None) -> None:
        """Graphical toolkits have no display here; asyncio runs anyway."""
        if gui not in (None, "inline", "asyncio", "agg"):
            raise interactiveshell.UsageError(f"{gui} needs a display, which this kernel has not: use %matplotlib inline")
        self.active_eventloop = gui

    # Payloads

    def _page(self, text: Any, start: int = 0, screen_lines: int = 0, pager_cmd: Optional[str] = None) -> None:
        data = text if isinstance(text, dict) else {"text/plain": text}
        self.payload_manager.write_payload({"source": "page", "data": data, "start": max(0, start)})

    def set_next_input(self, s: str, replace: bool = False) -> None:
        self.payload_manager.write_payload({"source": "set_next_input", "text": s, "replace": replace})

    def ask_exit(self) -> None:
        keep = bool(self.keepkernel_on_exit)
        self.exit_now = not keep
        self.payload_manager.write_payload({"source": "ask_exit", "keepkernel": self.keepkernel_on_exit})

    # Errors

    @property
    def _last_traceback(self) -> Optional[List[str]]:
        return state.error["traceback"] if state.error else None

    def showtraceback(self, exc_tuple: Any = None, *args: Any, **kwargs: Any) -> None:
        kind, value, trace = exc_tuple if exc_tuple is not None else sys.exc_info()
        if "pydevd" in sys.modules:
            from .debug_session import hide_debugger

            hide_debugger(trace)
        if isinstance(value, asyncio.CancelledError) and loop.of_this_thread().interrupted:
            value = KeyboardInterrupt()
            exc_tuple = (KeyboardInterrupt, value, trace)
        if _holds_a_group(value) or not _can_be_told(value):  # IPython would print it, and no error would be seen
            self._get_exc_info((kind, value, trace))
            lines = "".join(traceback.format_exception(kind, value, _of_the_cell(trace))).splitlines()
            self._showtraceback(kind, value, lines)
            return
        super().showtraceback(exc_tuple, *args, **kwargs)

    def _showtraceback(self, etype: Any, evalue: Any, stb: List[str]) -> None:
        content = {"ename": etype.__name__, "evalue": text_of(evalue), "traceback": list(stb)}
        state.error = content
        if state.displaying is not None:
            state.display_error = content
        outbox.publish("error", content)

    def _format_exception_for_storage(self, exception: BaseException, *ignored: Any, **kwargs: Any) -> Dict[str, Any]:
        """For the history; what was shown, instead of formatting it a second time."""
        kept = self.history_manager.exceptions
        while self.cache_size and len(kept) >= self.cache_size:
            kept.pop(next(iter(kept)))
        return state.error or {"ename": type(exception).__name__, "evalue": text_of(exception), "traceback": []}

    # Running cells

    @contextlib.contextmanager
    def _tee(self, channel: str) -> Iterator[None]:
        """IPython would keep all that is printed in memory, for %notebook."""
        yield

    def run_request(self, code: str, silent: bool, store_history: bool, metadata: Dict[str, Any]) -> Any:
        """Run a cell as an execute_request asks; the result is IPython's ExecutionResult."""
        given: Dict[str, Any] = {"cell_id": metadata.get("cellId"), "cell_meta": metadata}
        known = _parameters_of_run_cell()
        return self.run_cell(
            code,
            store_history=store_history,
            silent=silent,
            **{name: value for name, value in given.items() if name in known},
        )

    def system_piped(self, cmd: str) -> None:
        """`!command`: its output is printed as it comes, its exit status is left in `_exit_code`."""
        if cmd.rstrip().endswith("&"):
            raise OSError("A command in the background is not supported with !; use subprocess.Popen.")
        status = commands.run(self.var_expand(cmd, depth=1))
        self.user_ns["_exit_code"] = status
        if getattr(self, "system_raise_on_error", False) and status != 0:
            raise CalledProcessError(status, cmd)

    system = system_piped

    # The request, by ipykernel's names

    @property
    def parent_header(self) -> Dict[str, Any]:
        return request.current().message()

    @parent_header.setter
    def parent_header(self, value: Dict[str, Any]) -> None:
        request.adopt(value)

    def get_parent(self) -> Dict[str, Any]:
        return request.current().message()

    def set_parent(self, parent: Dict[str, Any]) -> None:
        request.adopt(parent)


InteractiveShellABC.register(ZMQInteractiveShell)


def text_of(error: Any) -> str:
    """str(error), also of an exception that fails to tell."""
    try:
        return str(error)
    except Exception as failure:
        return f"<{type(error).__name__} whose str() raises {type(failure).__name__}>"


def _can_be_told(error: Any) -> bool:
    try:
        str(error)
    except Exception:
        return False
    return True


def _of_the_cell(trace: Any) -> Any:
    """A traceback without IPython's own frames at its beginning."""
    inner = trace
    while inner is not None and inner.tb_frame.f_code.co_filename == interactiveshell.__file__:
        inner = inner.tb_next
    return inner or trace


def _holds_a_group(error: Any) -> bool:
    seen = set()
    while error is not None and id(error) not in seen:
        if isinstance(error, BaseExceptionGroup):
            return True
        seen.add(id(error))
        error = error.__context__
    return False


def _parameters_of_run_cell() -> Tuple[str, ...]:
    return tuple(inspect.signature(InteractiveShell.run_cell).parameters)


@contextlib.contextmanager
def _without_database() -> Iterator[None]:
    """IPython 8 opens what %store keeps when a shell is made, in a profile that is not known then."""
    opener = getattr(interactiveshell, "PickleShareDB", None)
    if opener is None:
        yield
        return
    interactiveshell.PickleShareDB = lambda path: None
    try:
        yield
    finally:
        interactiveshell.PickleShareDB = opener


def _open_database(path: str) -> Any:
    try:
        from IPython.external.pickleshare import PickleShareDB
    except ImportError:  # IPython 8
        from pickleshare import PickleShareDB
    return PickleShareDB(path)
