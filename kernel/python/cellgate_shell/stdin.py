"""input() and getpass(): the client is asked."""

import builtins
import getpass
from typing import Any

from IPython.core.error import StdinNotImplementedError

from . import outbox, request

_END_OF_FILE = "\x04"  # Ctrl-D


def install() -> None:
    builtins.input = _input
    getpass.getpass = _getpass


def _input(prompt: object = "", /) -> str:
    """Ask the client for a line of text. Raises StdinNotImplementedError when it takes no questions."""
    return _ask(str(prompt), False)


def _getpass(prompt: object = "Password: ", stream: Any = None, **ignored: Any) -> str:
    """Ask the client for a line of text that is not shown."""
    return _ask(str(prompt), True)


def _ask(prompt: str, password: bool) -> str:
    asking = request.current()
    if not asking.allow_stdin or not outbox.reachable():
        raise StdinNotImplementedError(
            f"{'getpass' if password else 'input'}() was called, but this client takes no input requests (allow_stdin)."
        )
    answer: str = outbox.core().ask(prompt, password, asking.header)
    if answer == _END_OF_FILE:
        raise EOFError
    return answer
