"""The Jupyter debug protocol (JEP 47): the Debug Adapter Protocol and what notebooks need beyond it."""

import contextlib
import linecache
import os
import shutil
import sys
import threading
from typing import Any, Callable, Dict, List, Optional

from IPython.core.inputtransformer2 import leading_empty_lines

from . import compiler
from .dap_connection import DapError, Message
from .debug_inspection import EVALUATION_SECONDS, Inspection
from .debug_session import DebugSession, hide_library_threads, is_traced, trace_this_thread
from .debug_stops import Stops

_RESUME_SECONDS = 10.0

# What goes to the debugger as it is, and how long its answer may take (None: as usual).
_FORWARDED: Dict[str, Optional[float]] = {
    "completions": None, "exceptionInfo": EVALUATION_SECONDS, "goto": None, "gotoTargets": None, "next": None,
    "setExpression": EVALUATION_SECONDS, "setFunctionBreakpoints": None, "setVariable": EVALUATION_SECONDS, "stepIn": None,
    "stepInTargets": None, "stepOut": None}


class Debugger:
    """The debugger of a kernel. `handle` is called on the control thread, and blocks it for a bounded time.

    Until a client sends `initialize` nothing is imported, no thread runs, and no code is traced.
    `publish_event` is called on a thread of the debugger with each event to publish.
    """

    def __init__(self, publish_event: Callable[[Message], None], shell: Any) -> None:
        self._publish = publish_event
        self._shell = shell
        self._session: Optional[DebugSession] = None
        self._capabilities: Message = {}
        self._attached = False
        self._breakpoints: Dict[str, List[Message]] = {}
        self._stops = Stops()
        self._cleanups: Optional[List[Any]] = None
        self._inspection = Inspection(shell, self._stops, self._forward)
        self._handlers: Dict[str, Callable[[Message], Message]] = {
            "debugInfo": self._debug_info, "initialize": self._initialize, "attach": self._attach,
            "configurationDone": self._configuration_done, "disconnect": self._disconnect, "terminate": self._disconnect,
            "dumpCell": self._dump_cell, "source": self._source, "setBreakpoints": self._set_breakpoints,
            "setExceptionBreakpoints": self._set_exception_breakpoints, "threads": self._threads,
            "stackTrace": self._stack_trace, "continue": self._continue, "pause": self._pause, "modules": self._modules,
            **self._inspection.handlers}
        self._lock = threading.Lock()  # of close, which the main thread calls, against handle

    def handle(self, request: Message) -> Message:
        """The response to any request, a bad one included."""
        command = request.get("command") if isinstance(request, dict) else None
        arguments = request.get("arguments") if isinstance(request, dict) else None
        answer: Message = {"type": "response", "request_seq": request.get("seq", 0) if isinstance(request, dict) else 0,
                           "command": command, "success": True}
        answer["seq"] = answer["request_seq"]
        try:
            if not isinstance(command, str) or not isinstance(arguments or {}, dict):
                raise DapError('a debug request is an object with "command", a text, and "arguments", an object')
            with self._lock:
                answer["body"] = self._answer(command, arguments or {})
        except DapError as problem:
            answer.update(success=False, message=str(problem), body={})
        except OSError as problem:
            answer.update(success=False, message=f"{command} failed: {problem}", body={})
        except (AttributeError, KeyError, TypeError, ValueError) as problem:
            answer.update(success=False, message=f"bad arguments of {command}: {_say(problem)}", body={})
        return answer

    def close(self) -> None:
        """Ends debugging: stopped threads go on. Before the interpreter waits for its threads, and once only."""
        with self._lock:
            self._stop()
            shutil.rmtree(compiler.tmp_prefix(), ignore_errors=True)

    def begin_cell(self, code: str = "") -> None:
        """On the thread that is about to run a cell, or a callback: it is traced if, and only if, somebody debugs.

        The debugger reads a cell's file to see which exceptions the cell catches, so it is there for every cell.
        """
        if self._session is not None:
            with contextlib.suppress(OSError):  # a full disk: the cell runs nevertheless
                if code:
                    dump(code)
            if sys.gettrace() is None:
                trace_this_thread(True)
        elif is_traced():
            trace_this_thread(False)

    def end_cell(self) -> None:
        """On the thread that has run a cell, however that ended: a step that was asked for ends with it."""
        session = self._session
        if session is not None:
            session.forget_step()

    def _answer(self, command: str, arguments: Message) -> Message:
        if command in self._handlers:
            return self._handlers[command](arguments)
        if command in _FORWARDED:
            return self._forward(command, arguments, _FORWARDED[command])
        raise DapError(f'this kernel\'s debugger does not know "{command}"')

    def _started(self) -> DebugSession:
        if self._session is None:
            raise DapError("debugging has not been started: send initialize and attach first")
        return self._session

    def _forward(self, command: str, arguments: Message, timeout: Optional[float] = None) -> Message:
        session = self._started()
        response = session.request(command, arguments, timeout) if timeout else session.request(command, arguments)
        if not response.get("success"):
            raise DapError(response.get("message") or f"the debugger refused {command}")
        return response.get("body") or {}

    # The life of a session.

    def _debug_info(self, arguments: Message) -> Message:
        return {
            "isStarted": self._session is not None,
            "hashMethod": "Murmur2",
            "hashSeed": compiler.HASH_SEED,
            "tmpFilePrefix": compiler.tmp_prefix(),
            "tmpFileSuffix": compiler.TMP_SUFFIX,
            "breakpoints": [{"source": source, "breakpoints": lines} for source, lines in self._breakpoints.items()],
            "stoppedThreads": self._stops.threads(),
            "richRendering": True,
            "exceptionPaths": ["Python Exceptions"],
            "copyToGlobals": True,
        }

    def _initialize(self, arguments: Message) -> Message:
        if self._session is None:
            self._session = DebugSession(self._take_event)
            try:
                self._capabilities = self._forward("initialize", {"adapterID": "python", **arguments})
            except DapError:
                self._stop()
                raise
            self._keep_leading_lines()
        return self._capabilities

    def _attach(self, arguments: Message) -> Message:
        """Attaches, or joins those who are attached already: the running session, stopped or not, stays as it is."""
        self._started()
        if self._attached:
            self._say("initialized")
            return {}
        wanted = {"justMyCode": True, "guiEventLoop": "none", **arguments}
        wanted.pop("connect", None)
        self._forward("attach", wanted)
        self._forward("configurationDone", {})
        self._attached = True
        return {}

    def _configuration_done(self, arguments: Message) -> Message:
        self._started()
        return {}

    def _disconnect(self, arguments: Message) -> Message:
        """Ends debugging and never the kernel, whatever `terminateDebuggee` says."""
        self._started()
        self._stop()
        self._say("terminated")
        return {}

    def _stop(self) -> None:
        session, self._session = self._session, None
        self._attached = False
        self._breakpoints.clear()
        self._inspection.clear()
        if session is not None:
            self._restore_leading_lines()
            session.close()
            if stopped := self._stops.clear():  # what pydevd said of them was lost at its end
                self._say("continued", threadId=stopped[0], allThreadsContinued=True)

    def _keep_leading_lines(self) -> None:
        """Empty lines at a cell's beginning count for the client's breakpoints: IPython must not cut them off."""
        transforms = self._shell.input_transformer_manager.cleanup_transforms
        self._cleanups = list(transforms)
        transforms[:] = [transform for transform in transforms if transform is not leading_empty_lines]

    def _restore_leading_lines(self) -> None:
        if self._cleanups is not None:
            self._shell.input_transformer_manager.cleanup_transforms[:] = self._cleanups
            self._cleanups = None

    def _say(self, event: str, **body: Any) -> None:
        self._publish({"type": "event", "seq": 0, "event": event, "body": body})

    def _take_event(self, event: Message) -> None:
        self._stops.take(event)
        if event.get("event") != "terminated":  # that is said when everything has ended
            event.pop("pydevd_cmd_id", None)
            self._publish(event)

    # Sources and breakpoints.

    def _dump_cell(self, arguments: Message) -> Message:
        return {"sourcePath": dump(arguments["code"])}

    def _source(self, arguments: Message) -> Message:
        source = arguments.get("source") or {}
        if not source.get("path"):
            return self._forward("source", {"sourceReference": source.get("sourceReference", 0), **arguments})
        path = source["path"]
        linecache.checkcache(path)
        lines = linecache.getlines(path)  # IPython keeps the cells there, those too that nobody dumped
        if not lines and not os.path.isfile(path):
            raise DapError(f"there is no source for {path}")
        return {"content": "".join(lines)}

    def _set_breakpoints(self, arguments: Message) -> Message:
        path = arguments["source"]["path"]
        wanted = arguments.get("breakpoints") or []
        body = self._forward("setBreakpoints", {**arguments, "breakpoints": wanted})
        placed = body.get("breakpoints", [])
        kept = [{**asked, "line": found.get("line", asked.get("line"))} for asked, found in zip(wanted, placed)]
        if kept:
            self._breakpoints[path] = kept
        else:
            self._breakpoints.pop(path, None)
        return body

    def _set_exception_breakpoints(self, arguments: Message) -> Message:
        """IPython catches what a cell raises: what is uncaught for the user is what leaves the user's code."""
        filters = list(arguments.get("filters") or [])
        if "uncaught" in filters and "userUnhandled" not in filters:
            filters.append("userUnhandled")
        return self._forward("setExceptionBreakpoints", {**arguments, "filters": filters})

    # Threads and steps.

    def _threads(self, arguments: Message) -> Message:
        hide_library_threads()
        return self._forward("threads", arguments)

    def _stack_trace(self, arguments: Message) -> Message:
        whole = {name: value for name, value in arguments.items() if name not in ("startFrame", "levels")}
        frames = self._forward("stackTrace", whole).get("stackFrames", [])
        frames = user_frames(frames)
        start, levels = arguments.get("startFrame") or 0, arguments.get("levels") or 0
        return {"stackFrames": frames[start:start + levels] if levels else frames[start:], "totalFrames": len(frames)}

    def _continue(self, arguments: Message) -> Message:
        """All threads go on. The debugger answers when one has; not at all if none was stopped, or an interrupt was faster."""
        before = self._stops.resumed()
        was_stopped = bool(self._stops.threads())
        self._started().tell("continue", {**arguments, "threadId": "*"})
        if was_stopped and not self._stops.wait_until_resumed(before, _RESUME_SECONDS):
            raise DapError(f"no thread has gone on within {_RESUME_SECONDS:g} s: a stopped thread still evaluates something")
        return {"allThreadsContinued": True}

    def _pause(self, arguments: Message) -> Message:
        return self._forward("pause", {**arguments, "threadId": "*"})

    def _modules(self, arguments: Message) -> Message:
        """The modules that have a source file; `startModule` and `moduleCount` count among these."""
        found = []
        for module in list(sys.modules.values()):
            with contextlib.suppress(Exception):  # a module may be any object
                origin = module.__spec__.origin  # type: ignore[union-attr]
                if origin and origin.endswith(".py"):
                    found.append({"id": len(found), "name": module.__name__, "path": origin})
        start, count = arguments.get("startModule") or 0, arguments.get("moduleCount") or 0
        return {"modules": found[start:start + count] if count else found[start:], "totalModules": len(found)}


def dump(code: str) -> str:
    """Writes a cell's file; its path."""
    path = compiler.cell_file_name(code)
    os.makedirs(compiler.tmp_prefix(), mode=0o700, exist_ok=True)
    with open(path, "wb") as file:
        file.write(compiler.as_utf8(code))
    return path


def user_frames(frames: List[Message]) -> List[Message]:
    """A stack without what runs below its outermost cell: the event loop under an await, or our own code."""
    cells = [index for index, frame in enumerate(frames) if is_cell(frame)]
    shown = frames[:cells[-1] + 1] if cells else frames
    return [{**frame, "line": max(1, frame["line"])} for frame in shown]  # 0: before the first line


def is_cell(frame: Message) -> bool:
    return str((frame.get("source") or {}).get("path", "")).startswith(compiler.tmp_prefix())


def _say(problem: Exception) -> str:
    return f"{problem} is missing" if isinstance(problem, KeyError) else str(problem)

