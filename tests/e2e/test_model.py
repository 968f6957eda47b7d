"""Cells ask a model and search the web: invoke_llm, web_search, and the tools by which others ask for both."""

import json
import re
from collections.abc import Iterator

import pytest

from support.gateway import Gateway
from support.processes import TELL_PID, numbered_here
from support.services import MODEL_KEY, SEARCH_KEY, Services
from support.waiting import eventually

KERNELS = ["cellgate", "ipykernel"]
HUNDRED = """
import json
from concurrent.futures import ThreadPoolExecutor
queries = [str(number) for number in range(97)] + ["slow one", "failing one", "limited one"]
with ThreadPoolExecutor(10) as pool:
    answers = list(pool.map(HELPER, queries))
print(json.dumps(answers))"""


@pytest.fixture
def services() -> Iterator[Services]:
    made = Services()
    yield made
    made.close()


def run(gateway: Gateway, code: str, kernel: str = "cellgate") -> object:
    """What a cell printed as JSON, in a session of its own."""
    agent = gateway.agent()
    cell = agent.execute(agent.start_session(kernel_name=kernel)["id"], "import json\n" + code)
    assert cell["status"] == "ok", cell
    return json.loads(cell["stdout"])


def metric(gateway: Gateway, line: str) -> float:
    text = gateway.jupyter().call("GET", "/metrics", 200).text
    found = re.search("^" + re.escape(line) + r" (\S+)$", text, re.MULTILINE)
    assert found, f"no {line} in\n{text}"
    return float(found[1])


def memory_has(pid: int, what: bytes) -> bool:
    """Whether the bytes are anywhere in the private memory of a process."""
    with open(f"/proc/{pid}/maps") as maps, open(f"/proc/{pid}/mem", "rb") as memory:
        for line in maps:
            addresses, permissions, *_ = line.split()
            start, end = (int(each, 16) for each in addresses.split("-"))
            if permissions.startswith("rw"):
                try:
                    memory.seek(start)
                    if what in memory.read(end - start):
                        return True
                except OSError:  # a mapping of a device
                    continue
    return False


@pytest.mark.parametrize("kernel", KERNELS)
def test_a_cell_asks_the_model_and_its_tokens_are_told(start_gateway, services: Services, kernel: str) -> None:
    gateway = start_gateway(**services.settings())
    agent = gateway.agent()
    session = agent.start_session(kernel_name=kernel)["id"]
    assert agent.call("GET", f"/sessions/{session}", 200).json()["tokens"] == {"prompt": 0, "completion": 0, "calls": 0}
    cell = agent.execute(session, "print(invoke_llm('bees', reasoning_effort='low')); print(invoke_llm('ants'))")
    assert cell["stdout"] == "('echo: bees', '')\n('echo: ants', '')\n", cell
    assert agent.call("GET", f"/sessions/{session}", 200).json()["tokens"] == {"prompt": 20, "completion": 8, "calls": 2}
    asked = services.requests[0]
    assert asked["headers"]["Authorization"] == f"Bearer {MODEL_KEY}" and asked["body"]["model"] == "test-model"
    assert asked["body"]["stream"] is True and asked["body"]["reasoning_effort"] == "low"
    assert metric(gateway, 'cellgate_model_tokens_total{kind="prompt"}') == 20
    assert metric(gateway, 'cellgate_service_calls_total{service="model",ended="ok"}') == 2
    assert metric(gateway, f'cellgate_session_model_tokens{{session="{session}",kind="completion"}}') == 8


@pytest.mark.parametrize("provider, kernel", [("searxng", "cellgate"), ("brave", "cellgate"), ("tavily", "cellgate"),
                                              ("exa", "cellgate"), ("exa", "ipykernel")])
def test_a_cell_searches_the_web(start_gateway, services: Services, provider: str, kernel: str) -> None:
    gateway = start_gateway(**services.settings(provider))
    answer, error = run(gateway, "print(json.dumps(web_search('the eclipse')))", kernel)
    assert error == ""
    if provider in ("tavily", "exa"):
        assert answer == "about the eclipse"
    else:
        assert answer == "1. About it\n   http://page.example/\n   the eclipse"
    assert metric(gateway, 'cellgate_service_calls_total{service="search",ended="ok"}') == 1


@pytest.mark.parametrize("kernel", KERNELS)
@pytest.mark.parametrize("helper, echo", [("invoke_llm", "echo: "), ("web_search", "about ")])
def test_a_hundred_calls_of_which_one_is_slow_one_fails_and_one_is_limited(start_gateway, services: Services, helper: str,
                                                                          echo: str, kernel: str) -> None:
    gateway = start_gateway(**services.settings())
    agent = gateway.agent()
    session = agent.start_session(kernel_name=kernel)["id"]
    with agent.connect(session) as socket:
        cell = socket.begin(HUNDRED.replace("HELPER", helper))
        assert services.begun.wait(60)
        # The slow one holds up one thread of ten; all others come through.
        eventually(lambda: len(services.requests) >= 100 + 2, 60, "every other call was made")
        services.release.set()
        assert socket.finished(cell)["status"] == "ok"
        answers = json.loads(socket.text(cell))
    assert answers[:97] == [[f"{echo}{number}", ""] for number in range(97)]
    assert answers[97] == [f"{echo}slow one", ""]
    assert answers[98][0] == "" and "HTTP 500" in answers[98][1]
    assert answers[99] == [f"{echo}limited one", ""]
    assert (services.tries["slow one"], services.tries["failing one"], services.tries["limited one"]) == (1, 1, 3)


@pytest.mark.parametrize("kernel", KERNELS)
@pytest.mark.parametrize("call", ["invoke_llm('slow one')", "web_search('slow one')",
                                  "run_composio_tool('COMPOSIO_SEARCH_EXA_ANSWER', {'content': 'slow one'})"])
def test_an_interrupt_ends_the_call_at_the_server(start_gateway, services: Services, call: str, kernel: str) -> None:
    gateway = start_gateway(**services.settings())
    agent = gateway.agent()
    session = agent.start_session(kernel_name=kernel)["id"]
    with agent.connect(session) as socket:
        cell = socket.begin(call)
        assert services.begun.wait(60)
        agent.call("POST", f"/sessions/{session}/interrupt", 200)
        assert socket.finished(cell)["status"] == "interrupted"
    assert services.left.wait(30)
    service = "model" if "llm" in call else "search"
    eventually(lambda: metric(gateway, f'cellgate_service_calls_running{{service="{service}"}}') == 0, 30, "it was left")
    assert metric(gateway, f'cellgate_service_calls_total{{service="{service}",ended="cancelled"}}') == 1
    assert agent.execute(session, "print(1)")["stdout"] == "1\n"


def test_the_tools_of_the_published_helper_work(start_gateway, services: Services) -> None:
    gateway = start_gateway(**services.settings())
    chat, answer = run(gateway, """
messages = [{"role": "system", "content": "Be brief."}, {"role": "user", "content": "bees"}]
arguments = {"model": "openai/gpt-oss-120b", "messages": messages, "temperature": 0.5}
print(json.dumps([run_composio_tool("COMPOSIO_SEARCH_GROQ_CHAT", arguments),
                  run_composio_tool("COMPOSIO_SEARCH_EXA_ANSWER", {"content": "bees"})]))""")
    assert chat[1] == "" and chat[0]["data"]["choices"][0]["message"]["content"] == "```text\necho: bees\n```"
    assert answer[1] == "" and answer[0]["data"]["answer"] == "about bees"
    asked = services.requests[0]["body"]
    assert asked["model"] == "test-model" and asked["temperature"] == 0.5 and len(asked["messages"]) == 2


def test_no_key_is_anywhere_in_reach_of_a_cell_or_in_the_log(start_gateway, services: Services, tmp_path) -> None:
    key_file = tmp_path / "model.key"
    key_file.write_text(MODEL_KEY + "\n")
    settings = {**services.settings(), "llm__api_key": "", "llm__api_key_file": key_file}
    gateway = start_gateway(**settings, server__log_level="debug")
    agent = gateway.agent()
    session = agent.start_session()["id"]
    cell = agent.execute(session, """
import os
print(invoke_llm("bees"), web_search("bees"), invoke_llm("failing"), web_search("failing"))
print(run_composio_tool("COMPOSIO_SEARCH_EXA_ANSWER", {"content": "failing"}))
print(dict(os.environ), open("/proc/self/environ").read())
%session""")
    assert cell["status"] == "ok" and "(hidden)" in cell["stdout"], cell
    pid = numbered_here(*json.loads(agent.execute(session, TELL_PID)["stdout"]))
    assert memory_has(pid, b"echo: bees") and not memory_has(pid, MODEL_KEY.encode()) and not memory_has(pid, SEARCH_KEY.encode())
    assert services.requests[0]["headers"]["Authorization"] == f"Bearer {MODEL_KEY}"
    shown = json.dumps(cell) + agent.call("GET", f"/sessions/{session}", 200).text + "".join(gateway.log + gateway.output)
    shown += gateway.jupyter().call("GET", "/metrics", 200).text
    assert MODEL_KEY not in shown and SEARCH_KEY not in shown


def test_limits_are_told_by_their_setting(start_gateway, services: Services) -> None:
    gateway = start_gateway(**services.settings(), llm__max_tokens_per_session=20, search__max_calls_per_session=1,
                            llm__max_query_chars=100)
    texts = run(gateway, "print(json.dumps([invoke_llm('a'), invoke_llm('b' * 101), invoke_llm('c'), invoke_llm('d'),"
                         "web_search('a'), web_search('b')]))")
    assert [error for _, error in texts[::2]] == ["", "", ""] and texts[0][0] == "echo: a"
    assert "llm.max_query_chars" in texts[1][1]
    assert "llm.max_tokens_per_session" in texts[3][1]
    assert "search.max_calls_per_session" in texts[5][1]


def test_nothing_configured_says_what_to_set(gateway: Gateway) -> None:
    model, web = run(gateway, "print(json.dumps([invoke_llm('a'), web_search('a')]))")
    assert model[0] == "" and "llm.base_url" in model[1]
    assert web[0] == "" and "search.provider" in web[1]


@pytest.mark.parametrize("kernel", KERNELS)
def test_people_see_what_can_be_called(start_gateway, services: Services, kernel: str) -> None:
    gateway = start_gateway(**services.settings())
    jupyter = gateway.jupyter()
    with jupyter.connect(jupyter.start_kernel(kernel)) as channels:
        listed = channels.run("%tools").result
        assert "COMPOSIO_SEARCH_GROQ_CHAT" in listed and "COMPOSIO_SEARCH_EXA_ANSWER" in listed
        assert "GROQ" not in channels.run("%tools searches web").result
        one = channels.run("%tools composio_search_exa_answer").result
        assert "content" in one and 'run_composio_tool("COMPOSIO_SEARCH_EXA_ANSWER", {"content": ...})' in one
        assert "0 calls" in channels.run("%session").result
        assert channels.run("'tools' in dir(), 'session' in dir()").result == "(False, False)"


@pytest.mark.parametrize("helper", ["run_composio_tool", "invoke_llm", "web_search"])
@pytest.mark.parametrize("kernel", KERNELS)
def test_help_shows_how_a_helper_is_called(gateway: Gateway, kernel: str, helper: str) -> None:
    agent = gateway.agent()
    session = agent.start_session(kernel_name=kernel)["id"]
    with agent.connect(session) as socket:
        shown = socket.call("inspect", code=helper, cursor_pos=len(helper), detail_level=0)
    text = shown["data"]["text/plain"]
    assert f"{helper}(" in text and "error" in text and "if error:" in text

