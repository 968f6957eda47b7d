"""run_composio_tool: a call of an external tool from a cell."""

import json
from typing import Any, Dict, Mapping, Optional, Tuple

from . import gateway, settings
from .retry import RetryRules, with_retries
from .shape import describe

Result = Tuple[Dict[str, Any], str]


def run_composio_tool(
    tool_slug: str,
    arguments: Dict[str, Any],
    retry_params: Optional[Dict[str, Any]] = None,
    print_schema_for_tool: bool = False,
    *,
    account: Optional[str] = None,
) -> Result:
    """Call an external tool and return ``(result, error)``. A failed call never raises.

    What can be called: ``%tools`` lists all, ``%tools mail send`` searches, ``%tools SLUG`` shows a tool's arguments.

    tool_slug: TOOLKIT_TOOL, for example "EVERYTHING_ECHO". Case does not matter. An unknown slug's error names close ones.
    arguments: the tool's arguments as a dict that JSON can carry.
    retry_params: {"max_retries": 3, "delay_ms": 2000}; only rate limits are tried again.
    print_schema_for_tool: print the keys and types of the answer.
    account: which connected account to use, where the toolkit has several.

    On success `error` is "" and `result` is {"data": {...}, "error": None, "log_id": "..."}. On failure `error` is the
    text to read and `result` is {}, or the whole answer where the tool itself said that it failed. Never assume the shape of ``result["data"]``: look first.

        result, error = run_composio_tool("EVERYTHING_ECHO", {"message": "hi"})
        if error:
            print("failed:", error)
        else:
            print(result["data"])

    Calls from several threads run side by side:

        from concurrent.futures import ThreadPoolExecutor
        with ThreadPoolExecutor(10) as pool:
            answers = list(pool.map(lambda text: run_composio_tool("EVERYTHING_ECHO", {"message": text}), texts))
    """
    try:
        slug, body = _request(tool_slug, arguments, account)
        rules = RetryRules.parse(retry_params)
    except ValueError as problem:
        return {}, str(problem)
    result, error = _call(body, rules)
    if print_schema_for_tool and not error:
        print("%s answers %s" % (slug, describe(result)))
    return result, error


def _request(tool_slug: Any, arguments: Any, account: Any) -> Tuple[str, bytes]:
    """The request's body; ValueError says what is wrong with the arguments."""
    if not isinstance(tool_slug, str) or not tool_slug.strip():
        raise ValueError('tool_slug must be a string such as "TOOLKIT_TOOL", not %r' % (tool_slug,))
    if not isinstance(arguments, Mapping):
        raise ValueError("arguments must be a dict, not %s; use {} for none" % type(arguments).__name__)
    if account is not None and not isinstance(account, str):
        raise ValueError("account must be a string or None, not %s" % type(account).__name__)
    slug = tool_slug.strip().upper()
    body: Dict[str, Any] = {"tool_slug": slug, "arguments": dict(arguments)}
    if account is not None:
        body["account"] = account
    try:
        return slug, json.dumps(body, allow_nan=False).encode("ascii")
    except (TypeError, ValueError, RecursionError) as error:
        raise ValueError(
            "arguments cannot be sent as JSON (%s); use only dict, list, str, int, finite float, bool and None" % error
        ) from None


def _call(body: bytes, rules: RetryRules) -> Result:
    connection = settings.current()
    if connection is None:
        return {}, settings.not_connected("run_composio_tool")
    try:
        answer = with_retries(lambda: gateway.send(connection, "POST", "/v1/tools/execute", body), rules)
    except gateway.Unreachable as problem:
        return {}, "Composio tool request failed: %s" % problem
    return _outcome(answer.status, answer.body)


def _outcome(status: int, answer: Any) -> Result:
    if not isinstance(answer, dict):
        return {}, "Composio tool request failed: the gateway's answer is not a JSON object (HTTP %d)" % status
    error = answer.get("error")
    if isinstance(error, dict):  # refused before it was looked at as a call: too large, for example
        error = error.get("message")
    if status >= 400:  # the gateway's own refusal; it holds nothing but the text and the id under which it was logged
        text = str(error or "Composio tool execution failed with HTTP %d" % status)
        return {}, "%s [%s]" % (text, answer["log_id"]) if answer.get("log_id") else text
    kind = answer.get("result_type")
    if kind == "input_required":
        requests = answer.get("input_requests")
        return {"result_type": kind, "input_requests": requests}, "the tool was not run: it needs input first"
    if error or kind == "failed":
        return answer, str(error or "the tool failed without saying why")
    return answer, ""
