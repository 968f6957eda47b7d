"""One execute_request: its count, its interrupts, its reply."""

import sys
from typing import Any, Dict, Optional

from . import interrupts, loop, outbox, request
from .per_thread import ExecutionCount, state
from .shell import ZMQInteractiveShell, text_of

_counts: ExecutionCount = ZMQInteractiveShell.execution_count


def reserve_count(shell: Any) -> int:
    return _counts.reserve()


def release_count(shell: Any) -> None:
    _counts.release()


def execute(
    shell: Any, code: str, silent: bool, stored: bool, expressions: Dict[str, str], allow_stdin: bool
) -> Dict[str, Any]:
    """The content of the execute_reply. `stored`: the cell goes into the history and has a count of its own."""
    asked = request.current()
    asked.allow_stdin = allow_stdin
    asked.content = {
        "code": code,
        "silent": silent,
        "store_history": stored,
        "user_expressions": expressions,
        "allow_stdin": allow_stdin,
    }
    state.error = state.display_error = state.displaying = None
    shell.payload_manager.clear_payload()
    count = _counts.begin(stored)
    used = False
    try:
        with interrupts.possible():
            result = shell.run_request(code, silent, stored, asked.message()["metadata"])
            outbox.end_if_forked(result.error_before_exec or result.error_in_exec)
            used = stored and _has_run(result)
            reply = _reply_of(shell, result, expressions)
    except KeyboardInterrupt as interrupt:  # between the steps of a cell
        used = stored
        shell.showtraceback()
        reply = _error_reply(interrupt)
    finally:
        _counts.end(used)
    reply["execution_count"] = count if used else count - 1
    reply["payload"] = shell.payload_manager.read_payload()
    shell.payload_manager.clear_payload()
    return reply


def _has_run(result: Any) -> bool:
    """Is its count taken? IPython gives none to an empty cell, nor to one that it lost on the way, having stored it."""
    return getattr(result, "execution_count", None) is not None or result.error_in_exec is not None


def _reply_of(shell: Any, result: Any, expressions: Dict[str, str]) -> Dict[str, Any]:
    error = result.error_before_exec if result.error_before_exec is not None else result.error_in_exec
    if error is not None:
        return _error_reply(error)
    if state.display_error is not None:
        return {"status": "error", "user_expressions": {}, **state.display_error}
    return {"status": "ok", "user_expressions": shell.user_expressions(expressions)}


def _error_reply(error: BaseException) -> Dict[str, Any]:
    shown = state.error or {}
    interrupted = shown.get("ename") == "KeyboardInterrupt"  # which a cell that waited saw as a cancellation
    return {
        "status": "error",
        "ename": "KeyboardInterrupt" if interrupted else type(error).__name__,
        "evalue": "" if interrupted else text_of(error),
        "traceback": shown.get("traceback", []),
        "user_expressions": {},
    }
