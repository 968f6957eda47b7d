"""Rich output: results of cells, and what display() shows."""

import contextlib
import io
import json
import sys
import threading
import tokenize
from typing import Any, Callable, Dict, List, Optional

from IPython.core.display_trap import DisplayTrap
from IPython.core.displayhook import DisplayHook
from IPython.core.displaypub import DisplayPublisher

from . import outbox, request
from .per_thread import state

Message = Dict[str, Any]
Hook = Callable[[Message], Optional[Message]]

_KEPT_RESULT_BYTES = 1 << 20  # a bigger one is not kept a second time for %notebook


class Hooks(threading.local):
    """What libraries have registered to see or take a message of this thread before it goes out."""

    def __init__(self) -> None:
        self.all: List[Hook] = []

    def send(self, msg_type: str, content: Dict[str, Any], buffers: Any = None) -> None:
        message = self._pass(msg_type, content) if self.all else None
        if not self.all:
            outbox.publish(msg_type, content, buffers=buffers)
        elif message is not None:
            outbox.publish(
                message["header"]["msg_type"],
                message["content"],
                metadata=message.get("metadata"),
                buffers=buffers,
                parent=json.dumps(message.get("parent_header") or {}, default=str),
            )

    def _pass(self, msg_type: str, content: Dict[str, Any]) -> Optional[Message]:
        message: Optional[Message] = {
            "header": {"msg_type": msg_type},
            "msg_type": msg_type,
            "parent_header": request.current().message()["header"],
            "metadata": {},
            "content": content,
        }
        for hook in list(self.all):
            message = hook(message)
            if message is None:
                return None
        return message


class _Hooked:
    """register_hook and unregister_hook as ipykernel has them, and its names for the parent."""

    _hooks: Hooks

    def register_hook(self, hook: Hook) -> None:
        self._hooks.all.append(hook)

    def unregister_hook(self, hook: Hook) -> bool:
        """False when it is not registered on this thread."""
        with contextlib.suppress(ValueError):
            self._hooks.all.remove(hook)
            return True
        return False

    @property
    def parent_header(self) -> Dict[str, Any]:
        header: Dict[str, Any] = request.current().message()["header"]
        return header

    def set_parent(self, parent: Message) -> None:
        request.adopt(parent)


class ResultHook(_Hooked, DisplayHook):
    """sys.displayhook of the shells: the value of a cell's last expression becomes an execute_result."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        self._hooks = Hooks()
        super().__init__(*args, **kwargs)

    @property
    def exec_result(self) -> Any:  # type: ignore[override]
        return state.exec_result

    @exec_result.setter
    def exec_result(self, value: Any) -> None:
        state.exec_result = value

    @property
    def prompt_count(self) -> int:
        result = state.exec_result
        count = getattr(result, "execution_count", None)
        return count if count is not None else self.shell.execution_count

    def quiet(self) -> bool:
        """Does the cell end in a semicolon? IPython asks its history, where another shell's cell may be the newest."""
        info = getattr(state.exec_result, "info", None)
        if info is None:
            return False
        return _ends_in_semicolon(getattr(info, "transformed_cell", None) or info.raw_cell)

    def start_displayhook(self) -> None:
        state.displaying = {"data": {}, "metadata": {}}

    def write_output_prompt(self) -> None:
        if state.displaying is not None:
            state.displaying["execution_count"] = self.prompt_count

    def write_format_data(self, format_dict: Dict[str, Any], md_dict: Any = None) -> None:
        if state.displaying is not None:
            state.displaying.update(data=format_dict, metadata=md_dict or {})

    def finish_displayhook(self) -> None:
        shown, state.displaying = state.displaying, None
        if shown and shown["data"]:
            self._hooks.send("execute_result", shown)

    def log_output(self, format_dict: Dict[str, Any]) -> None:
        """IPython's, without keeping what is big, nor more than the output cache does."""
        history = self.shell.history_manager
        if sum(len(value) for value in format_dict.values() if isinstance(value, (str, bytes))) <= _KEPT_RESULT_BYTES:
            super().log_output(format_dict)
        for kept in (history.output_hist_reprs, getattr(history, "outputs", {})):
            while self.cache_size and len(kept) > self.cache_size:
                kept.pop(next(iter(kept)), None)


def _ends_in_semicolon(cell: str) -> bool:
    without_meaning = {tokenize.ENDMARKER, tokenize.NL, tokenize.NEWLINE, tokenize.COMMENT}
    try:
        tokens = [t for t in tokenize.generate_tokens(io.StringIO(cell).readline) if t.type not in without_meaning]
    except (tokenize.TokenError, SyntaxError):  # a magic's text
        return False
    return bool(tokens) and tokens[-1].string == ";"


class ResultTrap(DisplayTrap):
    """Puts the hook in place while a cell runs; nesting is counted for each thread."""

    def __enter__(self) -> "ResultTrap":
        if state.hook_level == 0:
            sys.displayhook = self.hook
        state.hook_level += 1
        return self

    def __exit__(self, *error: Any) -> bool:
        state.hook_level -= 1
        return False

    @property
    def is_active(self) -> bool:
        return state.hook_level > 0


class Publisher(_Hooked, DisplayPublisher):
    """display(), update_display() and clear_output()."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        self._hooks = Hooks()
        super().__init__(*args, **kwargs)

    def publish(  # type: ignore[override]
        self,
        data: Dict[str, Any],
        metadata: Optional[Dict[str, Any]] = None,
        source: Any = None,
        *,
        transient: Optional[Dict[str, Any]] = None,
        update: bool = False,
        buffers: Any = None,
        **ignored: Any,
    ) -> None:
        """Send `data`, by MIME type. `transient` may hold a display_id; with `update` the displays that bear it change."""
        self._validate_data(data, metadata)
        content = {"data": data, "metadata": metadata or {}, "transient": transient or {}}
        self._hooks.send("update_display_data" if update else "display_data", content, buffers)

    def clear_output(self, wait: bool = False) -> None:
        self._hooks.send("clear_output", {"wait": bool(wait)})

