"""proxy_execute: a request to a service with one of the user's connected accounts, from a cell."""

import base64
import email.utils
import json
import re
import time
from typing import Any, Dict, List, Mapping, Optional, Tuple

from . import gateway, settings
from .retry import RetryRules, with_retries

_METHODS = ("GET", "POST", "PUT", "PATCH", "DELETE")
_WITH_BODY = ("POST", "PUT", "PATCH")


def proxy_execute(
    method: str,
    endpoint: str,
    toolkit: str,
    query_params: Optional[Mapping[str, Any]] = None,
    body: Any = None,
    headers: Optional[Mapping[str, Any]] = None,
    *,
    account: Optional[str] = None,
) -> Tuple[Any, str]:
    """Call a service's own API with a connected account and return ``(data, error)``. A failed call never raises.

    method: "GET", "POST", "PUT", "PATCH" or "DELETE".
    endpoint: a path below the account's base URL, such as "/user/repos", or a whole URL on one of the account's hosts.
    toolkit: whose account is used, such as "github".
    query_params: a dict; values are texts, numbers, booleans, or lists of them (the parameter is repeated). None leaves
        a parameter out.
    body: for POST, PUT and PATCH, which need one: a dict or list is sent as JSON, a str as text, bytes as they are.
    headers: a dict of texts. Those that authenticate, or belong to the connection, are the gateway's and are refused.
    account: the account's id or alias, where there are several for the toolkit.

    On success `error` is "" and `data` is the service's answer: JSON as Python values, text as str, anything else as
    bytes, nothing as None. When the service answers with a status of 400 or more, `data` is {"status", "headers", "data"}
    and `error` names the status. When there was no answer, `data` is None. A 429 (too many requests) is tried again, at
    most three times, when the service asks for, if that is within a minute.

        repos, error = proxy_execute("GET", "/user/repos", "github", query_params={"per_page": 5})
        if error:
            print("failed:", error)
        else:
            print(len(repos), "repositories")

    The secret stays in the gateway; it is sent to the account's own hosts alone.
    """
    try:
        request = _request(method, endpoint, toolkit, query_params, body, headers, account)
    except ValueError as problem:
        return None, str(problem)
    connection = settings.current()
    if connection is None:
        return None, settings.not_connected("proxy_execute")
    latest: List[gateway.Answer] = []

    def send() -> gateway.Answer:
        latest[:] = [gateway.send(connection, "POST", "/v1/proxy", request)]
        return _with_limit_of_service(latest[0])

    try:
        with_retries(send, RetryRules())
    except gateway.Unreachable as problem:
        return None, "proxy_execute failed: %s" % problem
    return _outcome(latest[0])


def _request(
    method: Any, endpoint: Any, toolkit: Any, query_params: Any, body: Any, headers: Any, account: Any
) -> bytes:
    """The request's body; ValueError says what is wrong with the arguments."""
    if not isinstance(method, str) or method.strip().upper() not in _METHODS:
        raise ValueError("method must be GET, POST, PUT, PATCH or DELETE, not %r" % (method,))
    method = method.strip().upper()
    for name, value in (("endpoint", endpoint), ("toolkit", toolkit)):
        if not isinstance(value, str) or not value.strip():
            raise ValueError("%s must be a text that is not empty, not %r" % (name, value))
    if account is not None and not isinstance(account, str):
        raise ValueError("account must be a string or None, not %s" % type(account).__name__)
    if method in _WITH_BODY and body is None:
        raise ValueError("a %s request needs a body; {} for an empty one" % method)
    if method not in _WITH_BODY and body is not None:
        raise ValueError("a %s request has no body: use query_params" % method)
    made: Dict[str, Any] = {
        "toolkit_slug": toolkit.strip().lower(),
        "endpoint": endpoint.strip(),
        "method": method,
        "parameters": _parameters("query_params", "query", query_params) + _parameters("headers", "header", headers),
    }
    if account is not None:
        made["account"] = account
    if isinstance(body, (bytes, bytearray, memoryview)):
        made["binary_body"] = {"base64": base64.b64encode(body).decode("ascii")}
    elif body is not None:
        made["body"] = body
    try:
        return json.dumps(made, allow_nan=False).encode("ascii")
    except (TypeError, ValueError, RecursionError) as error:
        raise ValueError(
            "the body cannot be sent as JSON (%s); use only dict, list, str, int, finite float, bool and None, or bytes"
            % error
        ) from None


def _parameters(argument: str, kind: str, given: Any) -> List[Dict[str, str]]:
    if given is None:
        return []
    if not isinstance(given, Mapping):
        raise ValueError("%s must be a dict or None, not %s" % (argument, type(given).__name__))
    made = []
    for name, value in given.items():
        for each in value if isinstance(value, (list, tuple)) and kind == "query" else (value,):
            if each is not None:
                made.append({"name": str(name), "type": kind, "value": _text(argument, name, each)})
    return made


def _text(argument: str, name: Any, value: Any) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, (str, int, float)):
        return str(value)
    raise ValueError("%s[%r] must be a text, a number or a boolean, not %s" % (argument, name, type(value).__name__))


def _with_limit_of_service(answer: gateway.Answer) -> gateway.Answer:
    """The service's "too many requests" as if it were the gateway's: whatever was asked for was not done."""
    found = answer.body
    if answer.status != 200 or not isinstance(found, dict) or found.get("status") != 429:
        return answer
    headers = found.get("headers")
    return answer._replace(status=429, retry_after_s=_seconds(headers.get("retry-after") if isinstance(headers, dict) else None))


def _seconds(retry_after: Any) -> float:
    """Of the header's two forms, a number and a date (RFC 9110, section 10.2.3); 0 for anything else."""
    try:
        if re.fullmatch(r"\d{1,9}(\.\d+)?", str(retry_after).strip()):
            return float(retry_after)
        return max(0.0, email.utils.parsedate_to_datetime(str(retry_after)).timestamp() - time.time())
    except (TypeError, ValueError, OverflowError):
        return 0.0


def _outcome(answer: gateway.Answer) -> Tuple[Any, str]:
    found = answer.body
    if not isinstance(found, dict):
        return None, "proxy_execute failed: the gateway's answer is not a JSON object (HTTP %d)" % answer.status
    if answer.status >= 400:
        error = found.get("error")
        text = error.get("message") if isinstance(error, dict) else error
        return None, str(text or "proxy_execute failed with HTTP %d" % answer.status)
    data = found.get("data")
    binary = found.get("binary_data")
    if isinstance(binary, dict) and isinstance(binary.get("base64"), str):
        data = base64.b64decode(binary["base64"])
    status = found.get("status")
    if isinstance(status, int) and status >= 400:
        return {"status": status, "headers": found.get("headers"), "data": data}, _said(status, data)
    return data, ""


def _said(status: int, data: Any) -> str:
    text = data if isinstance(data, str) else "" if data is None or isinstance(data, bytes) else json.dumps(data)
    return "API returned status %d%s" % (status, ": " + text[:500] if text else "")
