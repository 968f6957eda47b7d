"""What belongs to one session or user is not there for another, and keys are nowhere that code could read them: the numbers are those
of docs/security.md."""

import json
import os
import stat
from pathlib import Path

import pytest
import requests
from e2e.test_access import add_key
from e2e.test_boundary import Inside, inside, shared_gateway  # noqa: F401

from support.gateway import Gateway
from support.toolkits import everything
from support.waiting import eventually

CRASHES = {
    "os._exit": "import os; os._exit(3)",
    "a segmentation fault": "import ctypes; ctypes.string_at(0)",
    "an abort": "import os; os.abort()",
    "sockets that are broken": "import os, socket, stat\nfor fd in range(3, 300):\n    try:\n"
                               "        if stat.S_ISSOCK(os.fstat(fd).st_mode): socket.socket(fileno=os.dup(fd)).shutdown(socket.SHUT_RDWR)\n"
                               "    except OSError: pass\nimport time; time.sleep(1000)",
    "all files closed": "import os, time\nos.closerange(0, 4096)\ntime.sleep(1000)",
}


@pytest.mark.parametrize("kernel", ["cellgate", "ipykernel"])
@pytest.mark.parametrize("how", CRASHES)
def test_15_a_kernel_that_breaks_itself_loses_its_cell_and_keeps_its_files(gateway: Gateway, how: str, kernel: str) -> None:
    agent = gateway.agent()
    session = agent.start_session(kernel_name=kernel)["id"]
    assert agent.execute(session, "open('/mnt/files/kept.txt', 'w').write('kept')")["status"] == "ok"
    cell = agent.execute(session, CRASHES[how], timeout_s=15)
    # A kernel whose sockets alone are broken may be heard of no more: its deadline ends it then.
    expected = [("lost", "crashed"), *[("timeout", "deadline")] * (how == "sockets that are broken")]
    assert (cell["status"], cell["reason"]) in expected, cell
    assert agent.execute(session, "open('/mnt/files/kept.txt').read()")["result"]["text/plain"] == "'kept'"


@pytest.mark.parametrize("kernel", ["cellgate", "ipykernel"])
def test_15_a_kernel_without_its_standard_streams_goes_on(gateway: Gateway, kernel: str) -> None:
    agent = gateway.agent()
    session = agent.start_session(kernel_name=kernel)["id"]
    agent.execute(session, "import os\nfor fd in (0, 1, 2): os.close(fd)")
    again = agent.execute(session, "6 * 7")
    assert again["status"] == "ok" and again["result"]["text/plain"] == "42", again


def paths_of(document: dict) -> list[tuple[str, str]]:
    methods = ("get", "put", "post", "patch", "delete")
    of_one = [path for path in document["paths"] if ("{session" in path or "{kernel" in path) and not path.endswith("/ws")]
    return [(method.upper(), path) for path in of_one for method in document["paths"][path] if method in methods]


def test_32_a_session_of_another_user_is_not_there_on_any_route(start_gateway) -> None:
    gateway = start_gateway()
    ana = gateway.agent(add_key(gateway, "ana", "session"))
    ben = add_key(gateway, "ben", "session")
    session = ana.start_session()
    ana.execute(session["id"], "open('/mnt/files/a', 'w').write('x')")
    command = ana.bash(session["id"], "sleep 1000", background=True)["command_id"]
    cell = ana.cells(session["id"])[0]["cell_id"]
    names = {"session": session["id"], "session_id": session["id"], "cell_id": cell, "command_id": command, "path": "a",
             "kernel_id": ana.session(session["id"])["kernel"]["id"], "kernel": ana.session(session["id"])["kernel"]["id"]}
    document = requests.get(f"{gateway.url}/api/v1/openapi.json", timeout=60).json()
    routes = paths_of(document)
    assert len(routes) > 15
    answers = {}
    for method, path in routes:
        for name, value in names.items():
            path = path.replace("{" + name + "}", value)
        assert "{" not in path, f"a parameter that this test does not know: {path}"
        answer = requests.request(method, gateway.url + path, headers={"Authorization": f"Bearer {ben}"}, timeout=60,
                                  data=b"{}" if method in ("POST", "PUT", "PATCH") else None)
        answers[f"{method} {path}"] = answer.status_code
    # Links need no key: without their signature they are refused, whatever there is.
    assert {answers.pop(route) for route in list(answers) if "/files/ses_" in route and "/api/" not in route} == {403}
    assert set(answers.values()) == {404}, {route: status for route, status in answers.items() if status != 404}
    assert ana.command(session["id"], command)["status"] == "running"


@pytest.mark.parametrize("path", ["/api/v1/sessions/{session}/ws", "/api/kernels/{kernel}/channels"])
def test_32_nor_by_a_websocket(start_gateway, path: str) -> None:
    gateway = start_gateway()
    ana = gateway.agent(add_key(gateway, "ana", "session"))
    session = ana.start_session()["id"]
    ana.execute(session, "1")
    url = gateway.url + path.format(session=session, kernel=ana.session(session)["kernel"]["id"])
    upgrade = {"Upgrade": "websocket", "Connection": "Upgrade", "Sec-WebSocket-Version": "13", "Sec-WebSocket-Key": "AAAAAAAAAAAAAAAAAAAAAA=="}
    ben = add_key(gateway, "ben", "session")
    assert requests.get(url, headers={**upgrade, "Authorization": f"Bearer {ben}"}, timeout=60).status_code == 404


def test_32_nor_by_the_tool_router_and_mcp(start_gateway) -> None:
    gateway = start_gateway(config=everything())
    ana, ben = (add_key(gateway, user, "session") for user in ("ana", "ben"))
    router = "/api/v3.1/tool_router/session"

    def call(key: str, method: str, path: str, body: dict | None = None) -> requests.Response:
        headers = {"x-api-key": key, "Accept": "application/json, text/event-stream"}
        return requests.request(method, gateway.url + path, json=body, headers=headers, timeout=60)

    made = call(ana, "POST", router, {"user_id": "ana"})
    assert made.status_code in (200, 201), made.text
    session = made.json()["session_id"]
    tool = {"tool_slug": "EVERYTHING_ECHO", "arguments": {"message": "hi"}}
    listing = {"jsonrpc": "2.0", "id": 1, "method": "tools/list", "params": {}}
    calls = [("GET", f"{router}/{session}", None), ("PATCH", f"{router}/{session}", {}), ("POST", f"{router}/{session}/execute", tool),
             ("GET", f"{router}/{session}/tools", None), ("DELETE", f"{router}/{session}", None), ("POST", f"/tool_router/{session}/mcp", listing)]
    assert [call(ana, *each).status_code for each in (calls[0], calls[2], calls[5])] == [200] * 3
    assert {each[:2]: status for each in calls if (status := call(ben, *each).status_code) != 404} == {}


def test_47_speculation_is_as_the_machine_has_it(inside: Inside) -> None:  # noqa: F811
    words = ("Speculation_Store_Bypass", "SpeculationIndirectBranch")
    outside = [line.strip() for line in Path("/proc/self/status").read_text().splitlines() if line.startswith(words)]
    assert inside.probe(f"result = [line.strip() for line in open('/proc/self/status') if line.startswith({words!r})]") == outside


LOOK = """
def readable():
    for process in filter(str.isdigit, os.listdir('/proc')):
        for name in ('environ', 'cmdline'): yield f'/proc/{process}/{name}'
    for top in ('/run', '/tmp', '/home/user', '/mnt', '/dev/shm', '/etc'):
        for directory, _, names in os.walk(top):
            for name in names:
                if stat.S_ISREG(os.lstat(f'{directory}/{name}').st_mode): yield f'{directory}/{name}'
result = []
for path in readable():
    try: text = open(path, 'rb').read(4 << 20)
    except OSError: continue
    # Of halves, so that the cell that asks is not what is found.
    result += [[path, number] for number, (one, other) in enumerate(HALVES) if (one + other).encode() in text]
"""


def test_63_no_key_is_where_code_could_read_it(inside: Inside) -> None:  # noqa: F811
    agent = inside.gateway.agent()
    key = agent.execute(inside.session, "from cellgate_kernel import settings\nprint(settings.current().helper_key)")["stdout"].strip()
    agent.execute(inside.session, "del settings\nget_ipython().history_manager.reset()")
    assert len(key) >= 32
    secrets = [inside.gateway.token, *((inside.gateway.directory / "data" / name).read_text().strip() for name in ("link.key", "session.key", "env.key"))]
    halves = [(each[:8], each[8:]) for each in secrets]
    assert inside.probe(LOOK.replace("HALVES", repr(halves))) == []
    # The session's own was printed above, so that it is in its cell's record, and nowhere else.
    assert inside.probe(LOOK.replace("HALVES", repr([(key[:8], key[8:])]))) == []
    assert key not in "".join(inside.gateway.log) and inside.gateway.token not in json.dumps(agent.notebook(inside.session))


def test_63_a_connection_file_is_for_its_kernel_alone(inside: Inside) -> None:  # noqa: F811
    files = list((inside.gateway.directory / "run").rglob("connection.json"))
    assert files
    for each in files:
        assert not stat.S_IMODE(os.stat(each).st_mode) & 0o077 or not stat.S_IMODE(os.stat(each.parent).st_mode) & 0o007, each
    found = inside.probe("""
result = [os.path.join(directory, name) for directory, _, names in os.walk('/run') for name in names if 'connection' in name]
""")
    assert len(found) <= 1, f"those of other sessions: {found}"


def test_64_a_kernels_key_is_good_for_its_helpers_alone_and_ends_with_it(start_gateway) -> None:
    gateway = start_gateway(config=everything())
    agent = gateway.agent()
    one, other = (agent.start_session()["id"] for _ in range(2))
    read = "from cellgate_kernel import settings\nprint(settings.current().helper_key)"
    key = agent.execute(one, read)["stdout"].strip()
    agent.execute(other, "1")

    def status(method: str, path: str) -> int:
        return requests.request(method, gateway.url + path, headers={"Authorization": f"Bearer {key}"}, json={}, timeout=60).status_code

    for method, path in (("GET", "/api/v1/sessions"), ("POST", "/api/v1/sessions"), ("GET", f"/api/v1/sessions/{one}"), ("GET", "/api/kernels"),
                         ("GET", f"/api/v1/sessions/{other}/files"), ("POST", f"/api/v1/sessions/{other}/execute"), ("GET", "/api/v1/accounts")):
        assert status(method, path) in (401, 403), (method, path)
    use = ("from cellgate_kernel import settings\nimport dataclasses, unittest.mock\nmine = settings.current()\n"
           f"try: object.__setattr__(mine, 'helper_key', {key!r})\nexcept AttributeError: pass\n"
           "print(run_composio_tool('EVERYTHING_ECHO', {'message': 'hi'})[1] == '')")
    assert agent.execute(other, use)["stdout"] == "True\n", "while its session lives"
    agent.end_session(one)
    assert eventually(lambda: agent.execute(other, use)["stdout"]) == "False\n", "it has ended with its session"


def test_67_no_socket_of_another_kernel_can_be_reached(inside: Inside) -> None:  # noqa: F811
    """A kernel that connects to, or binds in place of, another's iopub would speak in its name."""
    agent = inside.gateway.agent()
    other = agent.start_session()["id"]
    agent.execute(other, "1")
    try:
        running = list((inside.gateway.directory / "run").rglob("k"))
        assert len(running) >= 2
        assert inside.probe(f"""
paths = [os.path.join(directory, name) for directory, _, names in os.walk('/run') for name in names]
sockets = [path for path in paths if stat.S_ISSOCK(os.lstat(path).st_mode)]
result = [[path for path in sockets if not path.startswith('/run/k/') and 'helper' not in path],
          [path for path in {[str(each) for each in running]!r} if os.path.exists(path)]]
""") == [[], []]
    finally:
        agent.end_session(other)


def test_71_a_page_that_a_session_made_runs_nothing_in_the_gateways_origin(gateway: Gateway) -> None:
    agent = gateway.agent()
    session = agent.start_session()["id"]
    agent.execute(session, "class Page:\n    def _repr_html_(self): return '<script>alert(1)</script>'\n"
                           "open('/mnt/files/page.html', 'w').write('<script>alert(1)</script>')\nPage()")
    page = agent.call("GET", f"/sessions/{session}/files/page.html", 200)
    assert "sandbox" in page.headers["Content-Security-Policy"] and page.headers["Content-Disposition"].startswith("attachment")
    for path in (f"/sessions/{session}/notebook", f"/sessions/{session}/cells"):
        answer = agent.call("GET", path, 200)
        assert "alert" in answer.text and answer.headers["Content-Type"].startswith(("application/json", "application/x-ipynb+json"))
        assert answer.headers.get("X-Content-Type-Options") == "nosniff", path
