"""Other people's MCP clients, each run in its own environment."""

import json
import subprocess
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from support.gateway import CLIENTS

SCRIPTS = Path(__file__).parent / "clients"


@dataclass
class Answer:
    """What a tool's call gave."""

    error: bool
    content: list[dict[str, Any]]

    @property
    def text(self) -> str:
        return "\n".join(part["text"] for part in self.content if part["type"] == "text")

    @property
    def images(self) -> list[str]:
        """Base64."""
        return [part["data"] for part in self.content if part["type"] == "image"]


@dataclass
class Talk:
    revision: str
    tools: list[str]
    answers: list[Answer]


def talk(script: str, calls: list[tuple[str, dict[str, Any]]], *, mode: str = "auto", timeout: float = 150,
         **server: Any) -> Talk:
    """Has clients/`script` call the tools in order; its protocol revision, the tools it saw, and the answers."""
    done = subprocess.run([CLIENTS / "bin" / "python", SCRIPTS / script], text=True, capture_output=True, timeout=timeout,
                          input=json.dumps({**server, "mode": mode, "calls": calls}))
    assert done.returncode == 0, done.stderr[-8000:]
    told = json.loads(done.stdout)
    return Talk(told["revision"], told["tools"], [Answer(**answer) for answer in told["answers"]])
