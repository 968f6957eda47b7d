"""Python values as JSON text, whatever users put into an output: never an error for a value that can be told."""

import json
import math
import numbers
from binascii import b2a_base64
from collections.abc import Iterable, Mapping
from datetime import date, datetime
from typing import Any, Callable, List, Tuple

_exact = json.JSONEncoder(ensure_ascii=False, allow_nan=False, separators=(",", ":"), default=lambda o: _other(o))


# Copying a text of megabytes, and looking at each character, is the greater part of showing it: such a text is left to C++.
_LARGE = 1 << 20
# JSON text has no NUL of its own.
_APART = "\0"


def dumps(value: Any) -> str:
    """JSON without NaN and without half characters; bytes become base64, a key that is no string its str().

    Raises TypeError for an object that has no JSON form.
    """
    return _encoded(value, _exact.encode)


def dumps_apart(value: Any) -> Tuple[str, List[str]]:
    """As dumps(), but each large text stands beside the JSON, which has a NUL where its literal belongs."""
    if not _has_large_text(value):
        return dumps(value), []
    apart: List[str] = []

    def literal(text: str) -> str:
        if len(text) < _LARGE:
            return json.encoder.encode_basestring(text)
        apart.append(text)
        return _APART

    encode = json.encoder.c_make_encoder({}, _other, literal, None, ":", ",", False, False, False)

    def encode_anew(given: Any) -> str:
        apart.clear()
        return "".join(encode(given, 0))

    return _encoded(value, encode_anew), apart


def _encoded(value: Any, encode: Callable[[Any], str]) -> str:
    try:
        text = encode(value)
    except (TypeError, ValueError):
        text = encode(_clean(value))
    return text if text.isascii() else _whole_characters(text)


def _has_large_text(value: Any, depth: int = 3) -> bool:
    """Where outputs have it: a display's data, by MIME type."""
    if isinstance(value, (str, bytes)):
        return len(value) >= _LARGE
    if depth and isinstance(value, dict):
        return any(_has_large_text(item, depth - 1) for item in value.values())
    return False


def _whole_characters(text: str) -> str:
    try:
        text.encode()
    except UnicodeEncodeError:
        return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")
    return text


def _other(value: Any) -> Any:
    if isinstance(value, datetime):
        return (value if value.tzinfo else value.astimezone()).isoformat().replace("+00:00", "Z")
    if isinstance(value, date):
        return value.isoformat()
    if isinstance(value, (bytes, bytearray, memoryview)):
        return b2a_base64(value, newline=False).decode("ascii")
    if isinstance(value, Mapping):
        return dict(value)
    if isinstance(value, numbers.Integral):
        return int(value)
    if isinstance(value, numbers.Real):
        return float(value)
    if isinstance(value, Iterable):
        return list(value)
    raise TypeError(f"{type(value).__name__} has no JSON form: {value!r}")


def _clean(value: Any) -> Any:
    """A copy that the encoder takes: numbers that JSON lacks become their repr, keys become strings."""
    if value is None or isinstance(value, (bool, str)):
        return value
    if isinstance(value, numbers.Integral):
        return int(value)
    if isinstance(value, numbers.Real):
        number = float(value)
        return number if math.isfinite(number) else repr(number)
    if isinstance(value, Mapping):
        return {key if isinstance(key, str) else str(key): _clean(item) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [_clean(item) for item in value]
    return _clean(_other(value))
