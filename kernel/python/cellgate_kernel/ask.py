"""A question to a service behind the gateway, which answers with one JSON object."""

import json
from typing import Any, Dict, Tuple

from . import gateway, settings
from .retry import RetryRules, with_retries


def ask(helper: str, path: str, body: Dict[str, Any], text_field: str = "query") -> Tuple[Dict[str, Any], str]:
    """The answer and "", or an empty dict and what happened. Never raises; an interrupt passes through.

    The body's `text_field` is what the caller of the helper gave: it may be anything.
    """
    connection = settings.current()
    if connection is None:
        return {}, settings.not_connected(helper)
    given = body.get(text_field)
    if not isinstance(given, str) or not given.strip():
        return {}, "%s must be a text that is not empty, not %s" % (
            text_field,
            "an empty one" if isinstance(given, str) else type(given).__name__,
        )
    try:
        given.encode("utf-8")
    except UnicodeEncodeError as error:
        return {}, "%s cannot be sent as UTF-8: %s" % (text_field, error)
    text = json.dumps(body).encode("ascii")
    try:
        answer = with_retries(lambda: gateway.send(connection, "POST", path, text), RetryRules())
    except gateway.Unreachable as problem:
        return {}, "%s failed: %s" % (helper, problem)
    return _outcome(helper, answer)


def look(helper: str, path: str) -> Tuple[Dict[str, Any], str]:
    """What the gateway shows at `path`; as ask()."""
    connection = settings.current()
    if connection is None:
        return {}, settings.not_connected(helper)
    try:
        return _outcome(helper, gateway.send(connection, "GET", path))
    except gateway.Unreachable as problem:
        return {}, "%s failed: %s" % (helper, problem)


def _outcome(helper: str, answer: gateway.Answer) -> Tuple[Dict[str, Any], str]:
    if not isinstance(answer.body, dict):
        return {}, "%s failed: the gateway's answer is not a JSON object (HTTP %d)" % (helper, answer.status)
    if answer.status < 400:
        return answer.body, ""
    error = answer.body.get("error")
    text = error.get("message") if isinstance(error, dict) else error
    if answer.retry_after_s:
        text = "%s (try again in %g s)" % (text, answer.retry_after_s)
    return {}, str(text or "%s failed with HTTP %d" % (helper, answer.status))
