"""A message as it is mailed: who, when and what about, its text, and its attachments."""

import email
import email.message
import email.policy
import io
from typing import Iterator

from .limits import Budget
from .problem import Problem
from .readers import read_part
from .source import Source, printable
from .web_page import text_of

_FIELDS = ("From", "To", "Cc", "Date", "Subject")


def read(source: Source, budget: Budget) -> Iterator[str]:
    data = source.whole(budget)
    # Each part begins with such a line. The parser takes minutes for very many.
    if data.count(b"\n--") > 10 * budget.limits.members:
        raise Problem("it has more parts than the limit of %d; take it apart with email, and read what you need" % budget.limits.members)
    message = email.message_from_bytes(data, policy=email.policy.default)
    assert isinstance(message, email.message.EmailMessage)
    for field in _FIELDS:
        if message[field]:
            yield "%s: %s\n" % (field, message[field])
    yield "\n"
    body = message.get_body(("plain", "html"))
    if body is not None:
        yield _text(body)
    for part in message.iter_attachments():
        yield from _attachment(part, source, budget)


def _text(body: email.message.EmailMessage) -> str:
    if body.get_content_subtype() == "html":
        return text_of(_bytes(body)) + "\n"
    return str(body.get_content()).replace("\r\n", "\n").rstrip() + "\n"


def _attachment(part: email.message.EmailMessage, message: Source, budget: Budget) -> Iterator[str]:
    budget.open_member()
    name = part.get_filename() or ""
    data = _bytes(part)
    budget.unpack(len(data))
    yield "\n--- attachment: %s\n" % (printable(name) or part.get_content_type())
    yield from read_part(Source(io.BytesIO(data), name or ".eml", message.depth + 1), budget)


def _bytes(part: email.message.EmailMessage) -> bytes:
    content = part.get_content()
    if isinstance(content, bytes):
        return content
    return content.encode("utf-8", "replace") if isinstance(content, str) else content.as_bytes()
