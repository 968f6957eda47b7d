"""A client's side of a kernel's channels, however they travel: cells begun, run and collected, requests answered."""

import time
import uuid
from dataclasses import dataclass, field
from datetime import datetime, timezone
from typing import Any

from support.framing import Message


@dataclass
class Cell:
    """All that came back for one request."""

    msg_id: str
    messages: list[Message] = field(default_factory=list)
    reply: Message | None = None
    idle: bool = False

    @property
    def done(self) -> bool:
        return self.idle and self.reply is not None

    def of(self, msg_type: str) -> list[Message]:
        return [message["content"] for message in self.messages if message["header"]["msg_type"] == msg_type]

    def text(self, name: str = "stdout") -> str:
        return "".join(content["text"] for content in self.of("stream") if content["name"] == name)

    @property
    def result(self) -> str | None:
        return next((content["data"]["text/plain"] for content in self.of("execute_result")), None)

    @property
    def status(self) -> str:
        return self.reply["content"]["status"] if self.reply else "no reply"

    @property
    def error(self) -> str | None:
        return self.reply["content"].get("ename") if self.reply else None


class Conversation:
    """The verbs over `send_message` and `receive`. Every wait ends at `timeout` seconds with an exception."""

    def __init__(self, timeout: float) -> None:
        self.timeout = timeout
        self.session = uuid.uuid4().hex

    def send_message(self, message: Message) -> None:
        raise NotImplementedError

    def receive(self, timeout: float | None = None) -> Message:
        """The next message on any channel; TimeoutError when none comes in time."""
        raise NotImplementedError

    def send(self, msg_type: str, content: dict[str, Any], *, channel: str = "shell", buffers: tuple = (),
             parent: Message | None = None, metadata: dict[str, Any] | None = None, msg_id: str | None = None,
             subshell: str | None = None) -> str:
        """Its msg_id. `subshell` is the id of the one that is to handle it (JEP 91)."""
        header = {"msg_id": msg_id or uuid.uuid4().hex, "msg_type": msg_type, "session": self.session, "username": "test",
                  "version": "5.3", "date": datetime.now(timezone.utc).isoformat(),
                  **({"subshell_id": subshell} if subshell else {})}
        self.send_message({"header": header, "parent_header": parent["header"] if parent else {}, "metadata": metadata or {},
                           "content": content, "channel": channel, "buffers": list(buffers)})
        return header["msg_id"]

    def wait_for(self, condition, timeout: float | None = None) -> Message:
        """Reads until a message meets the condition."""
        deadline = time.monotonic() + (self.timeout if timeout is None else timeout)
        while True:
            message = self.receive(max(0.001, deadline - time.monotonic()))
            if condition(message):
                return message

    def wait_for_status(self, state: str, timeout: float | None = None) -> Message:
        return self.wait_for(lambda message: message["header"]["msg_type"] == "status"
                             and message["content"]["execution_state"] == state, timeout)

    def begin(self, code: str, subshell: str | None = None, **content: Any) -> Cell:
        """Sends a cell without waiting for anything."""
        asked = {"code": code, "silent": False, "store_history": True, "user_expressions": {}, "allow_stdin": False,
                 "stop_on_error": True, **content}
        return Cell(self.send("execute_request", asked, subshell=subshell))

    def collect(self, *cells: Cell, timeout: float | None = None, until=None) -> None:
        """Gives each cell its messages, until all are done (or `until` is true of a message of theirs)."""
        by_id = {cell.msg_id: cell for cell in cells}
        deadline = time.monotonic() + (self.timeout if timeout is None else timeout)
        while not all(cell.done for cell in cells):
            message = self.receive(max(0.001, deadline - time.monotonic()))
            cell = by_id.get(message["parent_header"].get("msg_id", ""))
            if cell is None:
                continue
            cell.messages.append(message)
            if message["channel"] in ("shell", "control"):
                cell.reply = message
            if message["header"]["msg_type"] == "status" and message["content"]["execution_state"] == "idle":
                cell.idle = True
            if until and until(message):
                return

    def run(self, code: str, timeout: float | None = None, **content: Any) -> Cell:
        cell = self.begin(code, **content)
        self.collect(cell, timeout=timeout)
        return cell

    def run_until_printed(self, code: str, text: str, **content: Any) -> Cell:
        """Begins a cell and reads until its output holds `text`; the cell goes on."""
        cell = self.begin(code, **content)
        self.collect(cell, until=lambda _: text in cell.text())
        return cell

    def request(self, msg_type: str, content: dict[str, Any], channel: str = "shell", timeout: float | None = None,
                subshell: str | None = None, beside: tuple[Cell, ...] = ()) -> dict[str, Any]:
        """The content of the reply. What comes for the cells `beside` it meanwhile is given to them."""
        cell = Cell(self.send(msg_type, content, channel=channel, subshell=subshell))
        self.collect(cell, *beside, timeout=timeout, until=lambda _: cell.reply is not None)
        return cell.reply["content"]

    def answer_input(self, value: str, asked: Message) -> None:
        self.send("input_reply", {"value": value, "status": "ok"}, channel="stdin", parent=asked)
