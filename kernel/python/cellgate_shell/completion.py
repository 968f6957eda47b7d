"""Replies to questions about code: completion, inspection, is it complete."""

import threading
from typing import Any, Dict

from IPython.core.completer import provisionalcompleter, rectify_completions
from IPython.utils.tokenutil import token_at_cursor

_TYPES = "_jupyter_types_experimental"
_one_at_a_time = threading.Lock()  # the completer keeps the text that it works on, and shells share it


def complete(shell: Any, code: str, cursor: int) -> Dict[str, Any]:
    """The content of a complete_reply. Positions are in characters."""
    with _one_at_a_time, provisionalcompleter():
        found = list(rectify_completions(code, shell.Completer.completions(code, cursor)))
    typed = [
        {"start": c.start, "end": c.end, "text": c.text, "type": c.type, "signature": c.signature} for c in found
    ]
    return {
        "status": "ok",
        "matches": [c.text for c in found],
        "cursor_start": found[0].start if found else cursor,
        "cursor_end": found[0].end if found else cursor,
        "metadata": {_TYPES: typed},
    }


def inspect(shell: Any, code: str, cursor: int, detail_level: int) -> Dict[str, Any]:
    """The content of an inspect_reply."""
    reply: Dict[str, Any] = {"status": "ok", "found": False, "data": {}, "metadata": {}}
    name = token_at_cursor(code, cursor)
    try:
        data = dict(shell.object_inspect_mime(name, detail_level=detail_level))
    except KeyError:
        return reply
    if not shell.enable_html_pager:
        data.pop("text/html", None)
    return {**reply, "found": True, "data": data}


def is_complete(shell: Any, code: str) -> Dict[str, Any]:
    """The content of an is_complete_reply."""
    status, indent = shell.input_transformer_manager.check_complete(code)
    return {"status": status, "indent": " " * (indent or 0)} if status == "incomplete" else {"status": status}
