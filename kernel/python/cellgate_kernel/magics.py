"""Magics for people: %tools and %session."""

from typing import Any, Dict
from urllib.parse import quote

from .ask import look
from .catalog import Tool, ToolList
from .session_view import SessionView


def register(shell: Any) -> None:
    """In an IPython shell; without one (xeus-python in raw mode) there are no magics."""
    add = getattr(shell, "register_magic_function", None)
    if add is None:
        return
    add(show_tools, magic_kind="line", magic_name="tools")
    add(show_session, magic_kind="line", magic_name="session")


def show_tools(line: str) -> Any:
    """Show what run_composio_tool can call.

    %tools                  every tool
    %tools mail send        those in which all of the words occur
    %tools FILES_READ_FILE  one, with its arguments

    The result is a sequence (or one tool) with slug, description, arguments and input_schema.
    """
    words = line.strip()
    found = _answer("%tools", "/v1/tools?query=" + quote(words) if words else "/v1/tools")
    listed = found.get("tools")
    tools = [Tool(each) for each in listed if isinstance(each, dict)] if isinstance(listed, list) else []
    for each in tools:
        if each.slug == words.upper():
            return each
    return ToolList(tools, words, int(found.get("left_out") or 0))


def show_session(line: str) -> SessionView:
    """Show the session that this kernel belongs to: its name, its limits, and what it used."""
    if line.strip():
        raise _usage_error("%%session takes no arguments, and got %r" % line.strip())
    return SessionView(_answer("%session", "/v1/session"))


def _answer(magic: str, path: str) -> Dict[str, Any]:
    answer, error = look(magic, path)
    if error:
        raise _usage_error(error)
    return answer


def _usage_error(text: str) -> Exception:
    """What IPython prints on one line, without a traceback."""
    from IPython.core.error import UsageError

    return UsageError(text)
