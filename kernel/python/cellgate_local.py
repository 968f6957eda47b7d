"""The helpers of a session, for a sandbox of one's own: any Python from 3.8 on, with nothing installed.

POST /api/v1/sessions/{session}/local_sandbox gives this text and the environment variables that it reads:

    BACKEND_URL                      the gateway
    COMPOSIO_TOOLROUTER_SESSION_ID   the session
    COMPOSIO_WORKBENCH_ACCESS_KEY    the session's own key; or COMPOSIO_API_KEY, a key of the gateway's

Every helper returns a pair whose second part is "" or the error, and never raises for what fails elsewhere.
"""

import base64
import email.utils
import http.client
import json
import mimetypes
import os
import random
import re
import shutil
import tempfile
import time
import urllib.error
import urllib.parse
import urllib.request
import uuid
import zipfile
from typing import Any, BinaryIO, Dict, List, Mapping, Optional, Set, Tuple

__all__ = [
    "download_mount_file",
    "get_mount_file_s3_key",
    "get_mount_file_url",
    "invoke_llm",
    "proxy_execute",
    "run_composio_tool",
    "upload_local_file",
    "web_search",
]

# Without a byte from the gateway, which sends one every few seconds while something runs.
_SILENCE_S = 120
_LONGEST_PAUSE_S = 60.0
_PIECE = 1 << 20
_METHODS = ("GET", "POST", "PUT", "PATCH", "DELETE")
_WITH_BODY = ("POST", "PUT", "PATCH")
_RATE_LIMIT = re.compile(r"rate[\s_-]?limit|too many requests|quota exceeded|resource[\s_-]?exhausted", re.IGNORECASE)


def run_composio_tool(
    tool_slug: str,
    arguments: Dict[str, Any],
    retry_params: Optional[Dict[str, Any]] = None,
    print_schema_for_tool: bool = False,
    *,
    account: Optional[str] = None,
) -> Tuple[Dict[str, Any], str]:
    """Call a tool of the session: ({"data", "error", "log_id"}, "") or ({} or the whole answer, error).

    retry_params: {"max_retries": 3, "delay_ms": 2000}; only rate limits are tried again.
    """
    if not isinstance(tool_slug, str) or not tool_slug.strip():
        return {}, 'tool_slug must be a string such as "TOOLKIT_TOOL", not %r' % (tool_slug,)
    if not isinstance(arguments, Mapping):
        return {}, "arguments must be a dict, not %s; use {} for none" % type(arguments).__name__
    slug = tool_slug.strip().upper()
    body: Dict[str, Any] = {"tool_slug": slug, "arguments": dict(arguments)}
    if account is not None:
        body["account"] = account
    try:
        status, answer = _retried(_router_path("execute"), body, retry_params)
    except _Failed as problem:
        return {}, "Composio tool request failed: %s" % problem
    result, error = _tool_outcome(status, answer)
    if print_schema_for_tool and not error:
        print("%s answers %s" % (slug, json.dumps(_shape(result), indent=2)))
    return result, error


def invoke_llm(query: str, reasoning_effort: Optional[str] = None) -> Tuple[str, str]:
    """Ask the gateway's model: (text, error). reasoning_effort: None, "low", "medium" or "high"."""
    if not isinstance(query, str) or not query.strip():
        return "", "query must be a text that is not empty"
    arguments: Dict[str, Any] = {"messages": [{"role": "user", "content": query}]}
    if reasoning_effort is not None:
        if reasoning_effort not in ("low", "medium", "high"):
            return "", 'reasoning_effort must be None, "low", "medium" or "high", not %r' % (reasoning_effort,)
        arguments["reasoning_effort"] = reasoning_effort
    result, error = run_composio_tool("COMPOSIO_SEARCH_GROQ_CHAT", arguments)
    if error:
        return "", error
    try:
        return _without_fence(result["data"]["choices"][0]["message"]["content"]), ""
    except (KeyError, IndexError, TypeError):
        return "", "the model's answer has no text: %.200r" % (result,)


def web_search(query: str) -> Tuple[str, str]:
    """Search the web through the gateway: (answer, error)."""
    if not isinstance(query, str) or not query.strip():
        return "", "query must be a text that is not empty"
    result, error = run_composio_tool("COMPOSIO_SEARCH_EXA_ANSWER", {"content": query})
    return ("", error) if error else (str((result.get("data") or {}).get("answer") or ""), "")


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
    """Call a service's own API with a connected account: (data, error).

    data: JSON as Python values, text as str, anything else as bytes; {"status", "headers", "data"} of an error. account:
    the account's id or alias, where there are several.
    """
    try:
        request = _proxy_request(method, endpoint, toolkit, query_params, body, headers, account)
    except ValueError as problem:
        return None, str(problem)
    try:
        status, answer = _retried(_router_path("proxy_execute"), request, None)
        if status >= 400 or not isinstance(answer, dict):
            return None, _said(answer) or "proxy_execute failed with HTTP %d" % status
        reached, data = _service_status(answer), _service_data(answer)
    except _Failed as problem:
        return None, "proxy_execute failed: %s" % problem
    if reached < 400:
        return data, ""
    text = data if isinstance(data, str) else "" if data is None or isinstance(data, bytes) else json.dumps(data)
    error = "API returned status %d%s" % (reached, ": " + text[:500] if text else "")
    return {"status": reached, "headers": answer.get("headers"), "data": data}, error


def upload_local_file(*file_paths: str) -> Tuple[Dict[str, Any], str]:
    """Put a file, or several as one zip file, into the session's files:

    ({"s3_url": a link for everybody, "uploaded_file", "type", "id", "s3key", "message"}, error).
    """
    if not file_paths:
        return {}, 'give the path of a file: upload_local_file("report.csv")'
    try:
        files = [open(each, "rb") for each in file_paths]
    except (OSError, TypeError, ValueError) as error:
        return {}, "%s" % error
    try:
        if len(files) == 1:
            return _uploaded(os.path.basename(os.fspath(file_paths[0])), files[0])
        with tempfile.TemporaryFile() as packed:
            _zip([os.path.basename(os.fspath(each)) for each in file_paths], files, packed)
            packed.seek(0)
            return _uploaded("files.zip", packed)
    except _Failed as problem:
        return {}, str(problem)
    except OSError as error:
        return {}, "the files cannot be packed: %s" % error
    finally:
        for file in files:
            file.close()


def download_mount_file(path: str, to: Optional[str] = None) -> Tuple[str, str]:
    """Copy a file of the session here: (the local path, error). to: a file's name; that of `path` when absent.

    What is there already is replaced when all has arrived, and not before.
    """
    part = ""
    try:
        inside = _mount_path(path)
        local = os.fspath(to) if to is not None else os.path.basename(inside)
        with _answer("GET", _files_path(inside)) as source:
            descriptor, part = tempfile.mkstemp(prefix=".", suffix=".part", dir=os.path.dirname(os.path.abspath(local)))
            with os.fdopen(descriptor, "wb") as target:
                _copy(source, target)
        os.replace(part, local)
        return local, ""
    except _Failed as problem:
        return "", str(problem)
    except OSError as error:
        return "", "%s cannot be written: %s" % (to or path, error)
    finally:
        if part and os.path.exists(part):
            os.unlink(part)


def get_mount_file_url(path: str) -> Tuple[str, str]:
    """A link from which everybody can download a file of the session: (url, error)."""
    try:
        return str(_link(_mount_path(path))["url"]), ""
    except _Failed as problem:
        return "", str(problem)


def get_mount_file_s3_key(path: str) -> Tuple[str, str]:
    """The key by which tools know a file of the session: (key, error)."""
    try:
        return str(_link(_mount_path(path))["path"]), ""
    except _Failed as problem:
        return "", str(problem)


class _Failed(Exception):
    """What a helper returns as its error."""


class _NoRedirects(urllib.request.HTTPRedirectHandler):
    """The key must not go elsewhere."""

    def redirect_request(self, *_: Any) -> None:
        return None


_opener = urllib.request.build_opener(_NoRedirects)


def _needed(name: str) -> str:
    value = os.environ.get(name, "").strip()
    if not value:
        raise _Failed("%s is not set: the environment that the gateway gave with these helpers is needed" % name)
    return value


def _credentials() -> Dict[str, str]:
    own = os.environ.get("COMPOSIO_WORKBENCH_ACCESS_KEY", "").strip()
    return {"x-session-access-key": own} if own else {"x-api-key": _needed("COMPOSIO_API_KEY")}


def _router_path(call: str) -> str:
    session = urllib.parse.quote(_needed("COMPOSIO_TOOLROUTER_SESSION_ID"), safe="")
    return "/api/v3/tool_router/session/%s/%s" % (session, call)


def _session_path(call: str) -> str:
    return "/api/v1/sessions/%s/%s" % (urllib.parse.quote(_needed("COMPOSIO_TOOLROUTER_SESSION_ID"), safe=""), call)


def _files_path(inside: str) -> str:
    return _session_path("files/" + urllib.parse.quote(inside.encode("utf-8", "surrogateescape")))


def _mount_path(path: Any) -> str:
    if not isinstance(path, str) or not path.strip():
        raise _Failed("path must be a text such as /mnt/files/report.csv, not %r" % (path,))
    inside = path[len("/mnt/files/") :] if path.startswith("/mnt/files/") else path.lstrip("/")
    if not inside or ".." in inside.split("/"):
        raise _Failed("%r is no path of a file below /mnt/files" % path)
    return inside


def _answer(method: str, path: str, body: Any = None, headers: Optional[Dict[str, str]] = None) -> Any:
    """An answer of status 2xx, to be read and closed. _Failed says what else it was."""
    try:
        return _open(method, path, body, headers)
    except urllib.error.HTTPError as error:
        with error:
            raise _Failed(_said(_json(error.read(_PIECE))) or "the gateway answered with HTTP %d" % error.code) from None


def _open(method: str, path: str, body: Any = None, headers: Optional[Dict[str, str]] = None) -> Any:
    url = _needed("BACKEND_URL").rstrip("/") + path
    all_headers = {"x-request-id": str(uuid.uuid4()), "Content-Type": "application/json", **_credentials(), **(headers or {})}
    try:
        request = urllib.request.Request(url, data=body, method=method, headers=all_headers)
        return _opener.open(request, timeout=_SILENCE_S)
    except urllib.error.HTTPError:
        raise
    except (OSError, ValueError, http.client.HTTPException) as error:
        raise _Failed("the gateway at %s cannot be reached: %s" % (url, getattr(error, "reason", error))) from None


def _json(data: bytes) -> Any:
    try:
        return json.loads(data)
    except ValueError:
        return data.decode("utf-8", "replace")


def _said(answer: Any) -> str:
    """The text of an error in any of the shapes that a gateway answers with."""
    if not isinstance(answer, dict):
        return ""
    error = answer.get("error") or answer.get("message")
    if isinstance(error, dict):
        error = error.get("message")
    return str(error or "")


def _retried(path: str, body: Dict[str, Any], retry_params: Optional[Mapping[str, Any]]) -> Tuple[int, Any]:
    """Status and JSON; what says that there were too many calls is asked again."""
    rules = {"max_retries": 3, "delay_ms": 2000, **(retry_params or {})}
    try:
        data = json.dumps(body, allow_nan=False).encode("ascii")
        most, delay = int(rules["max_retries"]), float(rules["delay_ms"]) / 1000
    except (TypeError, ValueError, RecursionError) as error:
        raise _Failed("arguments cannot be sent as JSON: %s" % error) from None
    for attempt in range(most + 1):
        status, answer, pause = _posted(path, data)
        if status == 200 and isinstance(answer, dict) and _service_status(answer) == 429:
            limited, pause = True, _service_pause(answer)
        else:
            limited = status == 429 or (200 <= status < 300 and _RATE_LIMIT.search(_said(answer)) is not None)
        if not limited or attempt >= most or pause > _LONGEST_PAUSE_S:
            break
        own = delay * 2 ** min(attempt, 30)
        time.sleep(max(own, pause) + random.uniform(0, min(own * 0.2, 0.5)))
    return status, answer


def _posted(path: str, data: bytes) -> Tuple[int, Any, float]:
    """Status, JSON, and the seconds that the gateway asks to wait."""
    try:
        with _open("POST", path, data) as answer:
            return answer.status, _json(answer.read()), 0.0
    except urllib.error.HTTPError as error:
        with error:
            after = error.headers.get("Retry-After", "")
            return error.code, _json(error.read(_PIECE)), float(after) if after.replace(".", "", 1).isdigit() else 0.0
    except (OSError, http.client.HTTPException) as error:
        raise _Failed("the gateway's answer broke off: %s" % (error or type(error).__name__)) from None


def _tool_outcome(status: int, answer: Any) -> Tuple[Dict[str, Any], str]:
    if not isinstance(answer, dict):
        return {}, "Composio tool request failed: the gateway's answer is not a JSON object (HTTP %d)" % status
    if status >= 400:
        return answer, _said(answer) or "Composio tool execution failed with HTTP %d" % status
    kind = answer.get("result_type")
    if kind == "input_required":
        requests = answer.get("input_requests")
        return {"result_type": kind, "input_requests": requests}, "the tool was not run: it needs input first"
    if answer.get("error") or kind == "failed":
        return answer, str(answer.get("error") or "the tool failed without saying why")
    return answer, ""


def _shape(value: Any, depth: int = 0) -> Any:
    """Keys and types without the values."""
    if depth > 12:
        return "…"
    if isinstance(value, dict):
        return {str(key): _shape(item, depth + 1) for key, item in value.items()}
    if isinstance(value, list):
        return [_shape(value[0], depth + 1)] if value else []
    return type(value).__name__ if value is not None else "null"


def _without_fence(text: str) -> str:
    found = re.match(r"\s*```[^\n`]*\n(.*?)\n?```\s*$", text, re.DOTALL)
    return found.group(1) if found else text


def _service_status(answer: Dict[str, Any]) -> int:
    """What the service answered, in an answer of proxy_execute; 0: it is none."""
    found = answer.get("status")
    if isinstance(found, str) and found.isdigit():
        found = int(found)
    return found if isinstance(found, int) and "headers" in answer else 0


def _service_pause(answer: Dict[str, Any]) -> float:
    """The seconds that the service asks to wait: a number or a date (RFC 9110, section 10.2.3)."""
    asked = str((answer.get("headers") or {}).get("retry-after", "")).strip()
    try:
        if re.fullmatch(r"\d{1,9}(\.\d+)?", asked):
            return float(asked)
        return max(0.0, email.utils.parsedate_to_datetime(asked).timestamp() - time.time())
    except (TypeError, ValueError, OverflowError):
        return 0.0


def _service_data(answer: Dict[str, Any]) -> Any:
    """JSON or text; what is neither comes as a URL that has it, or says where it is."""
    binary = answer.get("binary_data")
    if not isinstance(binary, dict):
        return answer.get("data")
    url, encoded = binary.get("url"), binary.get("base64")
    try:
        if isinstance(encoded, str):
            return base64.b64decode(encoded)
        if isinstance(url, str) and url.startswith("data:"):
            return base64.b64decode(url.rpartition(";base64,")[2])
        if isinstance(url, str) and url.startswith(("https://", "http://")):
            with _opener.open(url, timeout=_SILENCE_S) as found:
                return found.read()
    except (OSError, ValueError, http.client.HTTPException) as error:
        raise _Failed("the service's answer cannot be fetched: %s" % error) from None
    raise _Failed("the service's answer is neither data nor a URL: %.200r" % (binary,))


def _proxy_request(
    method: Any, endpoint: Any, toolkit: Any, query_params: Any, body: Any, headers: Any, account: Any
) -> Dict[str, Any]:
    if not isinstance(method, str) or method.strip().upper() not in _METHODS:
        raise ValueError("method must be GET, POST, PUT, PATCH or DELETE, not %r" % (method,))
    method = method.strip().upper()
    for name, value in (("endpoint", endpoint), ("toolkit", toolkit)):
        if not isinstance(value, str) or not value.strip():
            raise ValueError("%s must be a text that is not empty, not %r" % (name, value))
    if account is not None and not isinstance(account, str):
        raise ValueError("account must be a string or None, not %s" % type(account).__name__)
    if (method in _WITH_BODY) != (body is not None):
        raise ValueError("a %s request %s" % (method, "needs a body" if method in _WITH_BODY else "has no body"))
    made: Dict[str, Any] = {"toolkit_slug": toolkit.strip().lower(), "endpoint": endpoint.strip(), "method": method}
    made["parameters"] = _parameters("query_params", "query", query_params) + _parameters("headers", "header", headers)
    if account is not None:
        made["account"] = account
    if isinstance(body, (bytes, bytearray, memoryview)):
        made["binary_body"] = {"base64": base64.b64encode(body).decode("ascii")}
    elif body is not None:
        made["body"] = body
    return made


def _parameters(argument: str, kind: str, given: Any) -> List[Dict[str, str]]:
    """None leaves a parameter out."""
    if given is not None and not isinstance(given, Mapping):
        raise ValueError("%s must be a dict or None, not %s" % (argument, type(given).__name__))
    made = []
    for name, value in (given or {}).items():
        for each in value if isinstance(value, (list, tuple)) and kind == "query" else (value,):
            if each is None:
                continue
            if not isinstance(each, (str, int, float)):
                raise ValueError(
                    "%s[%r] must be a text, a number or a boolean, not %s" % (argument, name, type(each).__name__)
                )
            text = json.dumps(each) if isinstance(each, bool) else str(each)
            made.append({"name": str(name), "type": kind, "value": text})
    return made


def _zip(names: List[str], files: List[BinaryIO], target: BinaryIO) -> None:
    taken: Set[str] = set()
    with zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, file in zip(names, files):
            stem, extension = os.path.splitext(name)
            inside, number = name, 1
            while inside in taken:
                number += 1
                inside = "%s_%d%s" % (stem, number, extension)
            taken.add(inside)
            with archive.open(zipfile.ZipInfo(inside), "w", force_zip64=True) as member:
                shutil.copyfileobj(file, member, _PIECE)


def _uploaded(name: str, file: BinaryIO) -> Tuple[Dict[str, Any], str]:
    size = file.seek(0, os.SEEK_END)
    file.seek(0)
    inside = "uploads/" + name
    if _is_there(inside):
        stem, extension = os.path.splitext(inside)
        inside = "%s_%s%s" % (stem, uuid.uuid4().hex[:8], extension)
    headers = {"Content-Length": str(size), "Content-Type": "application/octet-stream", "If-None-Match": "*"}
    with _answer("PUT", _files_path(inside), file, headers) as answer:
        answer.read()
    link = _link(inside)
    result = {
        "s3_url": link["url"],
        "uploaded_file": "/mnt/files/" + inside,
        "type": mimetypes.guess_type(name)[0] or "application/octet-stream",
        "id": "file_" + uuid.uuid4().hex[:16],
        "s3key": inside,
        "message": "%s (%d bytes) can be downloaded from s3_url until %s" % (name, size, link["expires_at"]),
    }
    return result, ""


def _is_there(inside: str) -> bool:
    try:
        with _open("HEAD", _files_path(inside)):
            return True
    except urllib.error.HTTPError as error:
        with error:
            return error.code != 404


def _link(inside: str) -> Dict[str, Any]:
    with _answer("POST", _session_path("links"), json.dumps({"path": inside}).encode()) as answer:
        found = _json(answer.read())
    if not isinstance(found, dict) or not {"url", "path", "expires_at"} <= set(found):
        raise _Failed("the gateway's answer is no link: %.200r" % (found,))
    return found


def _copy(source: Any, target: BinaryIO) -> None:
    wanted = source.headers.get("Content-Length")
    try:
        shutil.copyfileobj(source, target, _PIECE)
    except http.client.HTTPException as error:
        raise _Failed("the download broke off: %s" % error) from None
    if wanted is not None and target.tell() != int(wanted):
        raise _Failed("the download broke off: %d of %s bytes came" % (target.tell(), wanted))
