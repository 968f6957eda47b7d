"""From a process that is forked from to a kernel: nothing that two children would share stays."""

import contextlib
import importlib
import os
import random
import signal
import sys
import tempfile
from typing import Any, Dict

from . import loop, request

_BACKEND = "module://matplotlib_inline.backend_inline"


def prepare() -> None:
    """Before the shell and what is preloaded: the process looks to libraries like a notebook's."""
    os.environ.setdefault("MPLBACKEND", _BACKEND)
    if "" not in sys.path:
        sys.path.insert(_end_of_library(), "")  # modules in the working directory, which must not hide Python's own
    _name_the_interpreter()


def _end_of_library() -> int:
    packages = ("site-packages", "dist-packages")
    return next((at for at, path in enumerate(sys.path) if path.endswith(packages)), len(sys.path))


def warm_up() -> None:
    """Use once what the first cells of a kernel use, so that its children share the memory and need not import it.

    Last before forks are served. Afterwards this process has one thread.
    """
    from IPython.core.interactiveshell import InteractiveShell

    from . import completion

    shell = InteractiveShell.instance()
    completion.complete(shell, "x.a", 3)  # jedi reads the builtins; other modules would cost each child 1 MiB
    completion.inspect(shell, "print", 5, 0)
    shell.find_line_magic("pip")  # IPython imports what it is in when it is first asked for
    try:
        exec(compile("1/0", "<warm-up>", "exec"), {})
    except ZeroDivisionError:
        shell.InteractiveTB.structured_traceback(*sys.exc_info())
    for name in ("concurrent.futures.thread", "sqlite3", "uuid"):
        with contextlib.suppress(ImportError):
            importlib.import_module(name)
    _read_sources("asyncio.base_events", "asyncio.futures", "asyncio.runners", "asyncio.tasks", "subprocess", "threading")
    _stop_threads_of_libraries()


def _read_sources(*modules: str) -> None:
    """What the traceback of an interrupted wait shows: reading these takes longer than all else of an interrupt."""
    with contextlib.suppress(ImportError):
        from executing import Source

        for name in modules:
            Source.for_filename(importlib.import_module(name).__file__)


def _stop_threads_of_libraries() -> None:
    """OpenBLAS starts threads when numpy is imported, stops them before a fork, and needs none until a product."""
    if len(os.listdir("/proc/self/task")) > 1:
        child = os.fork()
        if child == 0:
            os._exit(0)
        with contextlib.suppress(ChildProcessError):  # where SIGCHLD is ignored
            os.waitpid(child, 0)


def after_fork(options: Dict[str, Any]) -> None:
    """Make this forked child a process of its own. First thing after the fork, before Kernel.

    `options`: "env", all of its environment variables; "working_dir", which it changes to. Texts or bytes.
    """
    _replace_environment(options.get("env"))
    if options.get("working_dir"):
        os.chdir(options["working_dir"])
    _reseed()
    _forget_temporary_names()
    _forget_places_of_home()
    _heed_backend()
    request.forget()
    loop.forget()
    _own_multiprocessing()
    signal.signal(signal.SIGCHLD, signal.SIG_DFL)  # or the child could not wait for its own children
    sys.stdin = open(0, encoding="utf-8", errors="replace", closefd=False)


def _replace_environment(env: Any) -> None:
    if env is None:
        return
    env = {os.fsdecode(name): os.fsdecode(value) for name, value in env.items()}
    kept = {name: os.environ[name] for name in _of_the_shell() if name in os.environ}
    for name in list(os.environ):
        if name not in env:
            del os.environ[name]
    os.environ.update(env)
    for name, value in kept.items():
        os.environ.setdefault(name, value)
    if "TZ" in env:
        import time

        time.tzset()


def _of_the_shell() -> Any:
    """Variables that the shell has set, unless the child says otherwise."""
    from .shell import COLOURS, NO_PAGERS

    return ["MPLBACKEND", *COLOURS, *NO_PAGERS]


def _reseed() -> None:
    random.seed()
    numpy_random = sys.modules.get("numpy.random")
    if numpy_random is not None:
        numpy_random.seed()
    torch = sys.modules.get("torch")
    if torch is not None:
        torch.seed()


def _forget_temporary_names() -> None:
    tempfile._name_sequence = None  # type: ignore[attr-defined]
    tempfile.tempdir = None


def _forget_places_of_home() -> None:
    """What libraries have worked out of HOME, and would go on using."""
    matplotlib = sys.modules.get("matplotlib")
    if matplotlib is not None:
        _forget_result(matplotlib.get_configdir)
        _forget_result(matplotlib.get_cachedir)
    cache = os.environ.get("XDG_CACHE_HOME") or os.path.expanduser("~/.cache")
    for name, attribute, folder in (
        ("jedi.settings", "cache_directory", "jedi"),
        ("parso.cache", "_default_cache_path", "parso"),
    ):
        module = sys.modules.get(name)
        if module is not None:
            kept = type(getattr(module, attribute))
            setattr(module, attribute, kept(os.path.join(cache, folder)))


def _forget_result(function: Any) -> None:
    """Of a function that matplotlib lets run once: it keeps the result in its closure."""
    for name, cell in zip(function.__code__.co_freevars, function.__closure__ or ()):
        if name == "called":
            cell.cell_contents = False


def _heed_backend() -> None:
    """MPLBACKEND, which matplotlib has read already, and which pyplot and the inline backend have acted upon."""
    matplotlib, wanted = sys.modules.get("matplotlib"), os.environ.get("MPLBACKEND") or _BACKEND
    if matplotlib is None or wanted == _BACKEND:
        return
    try:
        matplotlib.rcParams["backend"] = wanted
        inline = sys.modules.get("matplotlib_inline.backend_inline")
        if inline is not None:
            from IPython.core.interactiveshell import InteractiveShell

            inline.configure_inline_support(InteractiveShell.instance(), wanted)
        pyplot = sys.modules.get("matplotlib.pyplot")
        if pyplot is not None:
            pyplot.switch_backend(wanted)
    except Exception as error:  # in a program of its own, importing pyplot or the first figure would say so
        print(f"MPLBACKEND={wanted} cannot be used: {error}", file=sys.stderr)


def _own_multiprocessing() -> None:
    process = sys.modules.get("multiprocessing.process")
    if process is not None:
        current = process.current_process()
        current._config["authkey"] = process.AuthenticationString(os.urandom(32))
        current._config.pop("tempdir", None)


def _name_the_interpreter() -> None:
    """sys.executable is what runs Python files: `%pip` and multiprocessing need it, and it is not `cellgate-kernel`."""
    if os.path.basename(sys.executable or "").startswith("python"):
        return
    for name in ("python3", "python"):
        candidate = os.path.join(sys.prefix, "bin", name)
        if os.access(candidate, os.X_OK):
            sys.executable = candidate
            return
