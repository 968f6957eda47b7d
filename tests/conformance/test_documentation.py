"""What the documentation shows is done as it is written: its curl commands, its WebSocket transcript, its toolkit's call."""

import json
import re
import subprocess
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from support.gateway import LAB, ROOT, Gateway

PAGES = sorted(page.name for page in (ROOT / "docs").glob("*.md") if re.search(r"^ +(\$ )?curl ", page.read_text(), re.MULTILINE))
# What a page says that is no real value.
PLACEHOLDER = re.compile(r"…|\bNAME\b|\bSESSION\b|example\.(com|org)")
EVERYTHING = ROOT / "tests/conformance/node/node_modules/@modelcontextprotocol/server-everything/dist/index.js"


def code_lines(page: str) -> Iterator[str]:
    """The lines of its code blocks, without what they are indented by; an empty one for each line of other text."""
    fenced = False
    for line in (ROOT / page).read_text().splitlines():
        if line.startswith("```"):
            fenced = not fenced
        elif fenced or line.startswith("    "):
            yield line if fenced else line[4:]
        else:
            yield ""


@dataclass
class Command:
    """A curl command, of one line or several, and the answer that the page shows below it; empty: none."""

    text: str
    shown: str = ""

    def expected(self) -> dict[str, Any]:
        """Without what the page leaves out."""
        return json.loads(re.sub(r",\s*…", "", self.shown)) if self.shown else {}

    def files(self) -> list[str]:
        """What it sends."""
        return re.findall(r"(?:-T |--data-binary @)(\S+)", self.text)


def commands(page: str) -> list[Command]:
    found: list[Command] = []
    goes_on = shows = False
    for line in code_lines(f"docs/{page}"):
        if goes_on:
            found[-1].text += "\n" + line
        elif line.startswith(("curl ", "$ curl ")):
            found.append(Command(line.removeprefix("$ ")))
            shows = True
        elif shows and line.startswith(("{", " ")):
            found[-1].shown += line
        else:
            shows = False
            continue
        goes_on = line.endswith("\\")
    return [command for command in found if not PLACEHOLDER.search(command.text)]


def same(value: Any, shown: Any) -> bool:
    """Whether that is what the page shows; an id, an address or a time is another one each time."""
    if isinstance(shown, str) and ("…" in shown or re.match(r"https?://|\d{4}-\d\d-\d\dT", shown)):
        return isinstance(value, str)
    return value == shown


@pytest.mark.parametrize("page", PAGES)
def test_its_curl_commands_do_what_they_say(start_gateway, tmp_path: Path, page: str) -> None:
    """In order, in one shell; each must be answered by a success, with what is shown. Packages come from an empty directory."""
    gateway = start_gateway(packages__find_links=[tmp_path])
    steps = commands(page)
    for name in (name for step in steps for name in step.files()):
        (tmp_path / name).write_text("month,sum\nMay,7\n")
    script = 'curl() { command curl --fail-with-body -sS "$@"; }\nset -eux\n' + "".join(
        f"{{ {step.text}\n}} > answer-{number}\n" for number, step in enumerate(steps))
    done = subprocess.run(["bash", "-c", script], cwd=tmp_path, text=True, capture_output=True, timeout=150,
                          env={"PATH": "/usr/bin:/bin", "URL": gateway.url, "KEY": gateway.token, "HOME": str(tmp_path)})
    answers = [answer.read_text() for answer in sorted(tmp_path.glob("answer-*"), key=lambda path: int(path.name[7:]))]
    assert done.returncode == 0, answers[-1] + done.stderr[-5000:]
    for step, answer in zip(steps, answers, strict=True):
        for key, value in step.expected().items():
            assert same(json.loads(answer)[key], value), (step.text, key)


def shape(value: Any) -> Any:
    """An object's keys; anything else as it is."""
    return sorted(value) if isinstance(value, dict) else value


def test_its_websocket_transcript_is_what_comes(gateway: Gateway) -> None:
    """Every message that api.md shows, in its order; values that differ each time are not compared, keys are."""
    agent = gateway.agent()
    agent.execute(agent.start_session(name="demo")["id"], "1")
    lines = [line for line in code_lines("docs/api.md") if line.startswith(("> {", "< {"))]
    sent = [line[2:] for line in lines if line.startswith(">")]
    shown = [json.loads(line[2:].replace(",…", "")) for line in lines if line.startswith("<")]
    assert len(sent) == 1 and len(shown) == 5
    with agent.connect("demo") as socket:
        socket.socket.send(sent[0])
        answer = json.loads(socket.socket.recv())
        assert (answer["id"], shape(answer["result"])) == (1, shape(shown[0]["result"]))
        for expected in shown[1:]:
            event = socket.wait_for(lambda event, name=expected["method"]: event["method"] == name)
            for key, value in expected["params"].items():
                assert key in event
                if key in ("code", "text", "origin", "status", "type", "name", "store_history"):
                    assert event[key] == value


def test_its_tool_call_works_with_the_server_that_it_names(start_gateway) -> None:
    node = json.dumps([str(LAB / "bin" / "node"), str(EVERYTHING)])
    gateway = start_gateway(config=f"[tools.toolkits.EVERYTHING]\ncommand = {node}\n")
    text = (ROOT / "docs/tools.md").read_text()
    code = re.search(r"^    (result, error = run_composio_tool.*\n(?:    .*\n)+)", text, re.MULTILINE)
    assert code
    agent = gateway.agent()
    cell = agent.execute(agent.start_session()["id"], re.sub(r"^    ", "", code[1], flags=re.MULTILINE))
    assert cell["status"] == "ok" and "failed" not in cell["stdout"] and "5" in cell["stdout"], cell
