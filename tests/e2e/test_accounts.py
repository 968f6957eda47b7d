"""Connected accounts: cells call services by proxy_execute, with secrets that never leave the gateway."""

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from support.api_service import ApiService
from support.gateway import Gateway
from support.memory import holds
from support.processes import TELL_PID, numbered_here
from support.waiting import Stopwatch

SECRET = "the-secret-of-the-tests"
KERNELS = ["cellgate", "ipykernel"]


@pytest.fixture
def start(start_gateway):
    """A gateway that may reach this machine, as one beside an on-premise service."""
    return lambda **settings: start_gateway(
        **{"accounts__allow_networks": ["127.0.0.1"], "accounts__plain_http": True, **settings})


def account(service: ApiService, **more: object) -> dict[str, object]:
    return {"toolkit": "github", "base_url": service.url(), "auth_scheme": "bearer", "secret": SECRET, **more}


def add(gateway: Gateway, given: dict[str, object], key: str | None = None) -> dict:
    return gateway.agent(key).call("POST", "/accounts", 201, json=given).json()


def run(gateway: Gateway, call: str, session: str | None = None, key: str | None = None, **body: object) -> object:
    """What a call gives, through JSON; bytes as their repr."""
    agent = gateway.agent(key)
    session = session or agent.start_session(**body)["id"]
    cell = agent.execute(session, f"import json\nprint(json.dumps({call}, default=repr))")
    assert cell["status"] == "ok", cell
    return json.loads(cell["stdout"])


@pytest.mark.parametrize("kernel", KERNELS)
def test_a_cell_calls_a_service_with_an_account(start, service: ApiService, kernel: str) -> None:
    gateway = start()
    add(gateway, account(service))
    data, error = run(gateway, "proxy_execute('GET', '/user', 'github', query_params={'q': 'a b'}, headers={'X-A': 'v'})",
                      kernel_name=kernel)
    assert (data, error) == ({"login": "ada"}, "")
    asked = service.requests[0]
    assert asked["headers"]["authorization"] == f"Bearer {SECRET}" and asked["headers"]["X-A"] == "v"
    assert asked["query"] == {"q": ["a b"]}


def test_bodies_bytes_and_failures(start, service: ApiService) -> None:
    gateway = start()
    add(gateway, account(service))
    posted, picture, missing, wrong = run(gateway, """[
        proxy_execute("POST", "/user", "github", body={"a": [1, None]}), proxy_execute("GET", "/picture", "github"),
        proxy_execute("GET", "/missing", "github"), proxy_execute("GET", "/user", "gitlab")]""")
    assert posted[1] == "" and json.loads(service.requests[0]["body"]) == {"a": [1, None]}
    assert picture == [repr(b"\x89PNG\r\n\x1a\n\x00"), ""]
    assert missing[0]["status"] == 404 and "API returned status 404" in missing[1]
    assert wrong[0] is None and "no connected account for gitlab" in wrong[1]


def test_accounts_are_managed_on_the_command_line(start, service: ApiService, tmp_path: Path) -> None:
    gateway = start()
    secret_file = tmp_path / "secret"
    secret_file.write_text(SECRET + "\n")
    made = gateway.command("accounts", "add", "github", "--base-url", service.url(), "--scheme", "api_key", "--header",
                           "X-Token", "--alias", "work", "--secret-file", str(secret_file)).strip()
    assert made.startswith("ca_")
    listed = gateway.command("accounts", "list")
    assert made in listed and "work" in listed and SECRET not in listed
    assert run(gateway, "proxy_execute('GET', '/user', 'github')")[1] == ""
    assert service.requests[0]["headers"]["x-token"] == SECRET
    assert made in gateway.command("accounts", "remove", made)
    assert "no connected account" in run(gateway, "proxy_execute('GET', '/user', 'github')")[1]
    for words in (["add"], ["add", "github", "--base-url", "x", "--scheme", "bearer"], ["remove", "ca_none"],
                  ["add", "github", "--base-url", service.url(), "--scheme", "bearer", "--secret", SECRET],
                  ["add", "github", "--base-url", service.url(), "--scheme", "api_key", "--query", "", "--secret-file", str(secret_file)],
                  ["add", "github", "--base-url", service.url(), "--scheme", "api_key", "--header", "a b", "--secret-file", str(secret_file)],
                  ["add", "github", "--base-url", service.url(), "--scheme", "bearer", "--alias", "a\x9b31m", "--secret-file", str(secret_file)],
                  ["add", "github", "--base-url", service.url(), "--scheme", "bearer", "--alias", "caf\udce9", "--secret-file", str(secret_file)]):
        with pytest.raises(AssertionError, match="ended with [12]"):
            gateway.command("accounts", *words)


def test_a_secret_comes_from_standard_input(start, service: ApiService) -> None:
    gateway = start()
    done = subprocess.run([gateway.program(), "accounts", "add", "github", "--base-url", service.url(), "--scheme", "basic",
                           "--username", "ada"], env=gateway._variables(), input="pass word\n", text=True,
                          capture_output=True, timeout=60)
    assert done.returncode == 0, done.stderr
    assert run(gateway, "proxy_execute('GET', '/user', 'github')")[1] == ""
    assert service.requests[0]["headers"]["authorization"] == "Basic YWRhOnBhc3Mgd29yZA=="


def test_a_users_accounts_are_nobody_elses(start, service: ApiService) -> None:
    gateway = start()
    ana, eve = (gateway.command("keys", "add", f"k-{user}", "--user", user, "--scope", "session").strip() for user in ("ana", "eve"))
    made = add(gateway, account(service), ana)
    assert made["user_id"] == "ana" and "secret" not in made
    for method in ("GET", "PATCH", "DELETE"):
        gateway.agent(eve).call(method, f"/accounts/{made['id']}", 404, json={})
    assert gateway.agent(eve).call("GET", "/accounts", 200).json()["items"] == []
    assert "no connected account" in run(gateway, f"proxy_execute('GET', '/user', 'github', account={made['id']!r})", key=eve)[1]
    assert service.requests == []
    assert run(gateway, "proxy_execute('GET', '/user', 'github')", key=ana)[1] == ""


def test_among_several_one_must_be_named(start, service: ApiService) -> None:
    gateway = start()
    work, home = (add(gateway, account(service, alias=alias))["id"] for alias in ("work", "home"))
    unsaid, named = run(gateway, "[proxy_execute('GET', '/user', 'github'), proxy_execute('GET', '/user', 'github', account='home')]")
    assert f"{work} (work)" in unsaid[1] and f"{home} (home)" in unsaid[1]
    assert named[1] == ""


def test_65_a_session_may_be_made_without_proxy_execution(start, service: ApiService) -> None:
    gateway = start()
    add(gateway, account(service))
    data, error = run(gateway, "proxy_execute('GET', '/user', 'github')", sandbox={"enable_proxy_execution": False})
    assert data is None and "enable_proxy_execution" in error and service.requests == []


def test_no_secret_is_anywhere_in_reach_of_a_cell_or_in_the_log(start, service: ApiService) -> None:
    gateway = start(server__log_level="debug")
    add(gateway, account(service))
    agent = gateway.agent()
    session = agent.start_session()["id"]
    cell = agent.execute(session, """
import os
answer = proxy_execute("GET", "/echo?mark=seen-by-the-cell", "github")
print(answer, proxy_execute("GET", "/to?url=http://evil.example/", "github"), proxy_execute("GET", "/missing", "github"))
print(dict(os.environ), open("/proc/self/environ").read())""")
    assert cell["status"] == "ok" and "(hidden)" in cell["stdout"] and "of-the-account" not in cell["stdout"], cell
    assert service.requests[0]["headers"]["authorization"] == f"Bearer {SECRET}"
    pid = numbered_here(*json.loads(agent.execute(session, TELL_PID)["stdout"]))
    assert holds(pid, b"seen-by-the-cell") and not holds(pid, SECRET.encode())
    shown = json.dumps(cell) + agent.call("GET", f"/sessions/{session}", 200).text + "".join(gateway.log + gateway.output)
    shown += agent.call("GET", "/accounts", 200).text + gateway.jupyter().call("GET", "/metrics", 200).text
    assert SECRET not in shown
    data = Path(gateway.settings["storage__data_dir"])
    kept = b"".join(each.read_bytes() for each in data.rglob("*") if each.is_file())
    assert SECRET.encode() not in kept
    assert all(each.stat().st_mode & 0o77 == 0 for each in data.glob("accounts.key"))


def test_a_secret_is_hidden_however_the_service_spells_it(start, service: ApiService) -> None:
    gateway = start()
    add(gateway, account(service, secret="sk/live+abc=d&e<f>'g"))
    forms = ["percent", "path", "json", "slash", "html", "header", "hex"]
    answers = run(gateway, f"[proxy_execute('GET', '/spelled', 'github', {{'form': form}}) for form in {forms!r}]")
    for form, (data, error) in zip(forms, answers):
        assert error == "" and data["seen"].endswith("(hidden)") and "live" not in data["seen"], (form, data)
    pieces = run(gateway, "proxy_execute('GET', '/echo', 'github', headers={'Range': 'bytes=0-9'})")
    assert pieces[0] is None and "Range" in pieces[1]


def test_a_service_that_has_too_many_requests_is_asked_again(start, service: ApiService) -> None:
    gateway = start()
    add(gateway, account(service))
    assert run(gateway, "proxy_execute('POST', '/limited', 'github', body={})") == [{}, ""]
    assert len(service.requests) == 2


def test_plain_http_that_is_withdrawn_is_not_used(start, service: ApiService) -> None:
    gateway = start()
    add(gateway, account(service))
    gateway.terminate()
    gateway.settings["accounts__plain_http"] = False
    again = gateway.restart()
    try:
        data, error = run(again, "proxy_execute('GET', '/user', 'github')")
        assert data is None and "accounts.plain_http" in error
        assert service.requests == []
    finally:
        again.finish()


def test_this_machine_is_not_reached_unless_the_operator_names_it(start_gateway, service: ApiService) -> None:
    gateway = start_gateway(accounts__plain_http=True)
    for number, host in enumerate(["127.0.0.1", "localhost", "[::1]", "[::ffff:127.0.0.1]", "[64:ff9b::7f00:1]", "0.0.0.0"]):
        add(gateway, account(service, toolkit=f"t{number}", base_url=service.url(host)))
    answers = run(gateway, "[proxy_execute('GET', '/user', f't{number}') for number in range(6)]")
    assert all(data is None and "may not be reached" in error for data, error in answers), answers
    assert service.requests == []


@pytest.mark.parametrize("host", ["2130706433", "0x7f000001", "0177.0.0.1", "127.1", "127.0.0.1.", "0x7f.1", "１２７.0.0.1",
                                  "127.0.0.1%00.example.com", "me:pw@127.0.0.1"])
def test_an_address_in_an_odd_spelling_is_no_host(module_gateway: Gateway, host: str) -> None:
    refused = module_gateway.agent().call("POST", "/accounts", json={
        "toolkit": "odd", "base_url": f"https://{host}/", "auth_scheme": "bearer", "secret": SECRET})
    assert refused.status_code == 400 and "base_url" in refused.json()["error"]["message"], refused.text


def test_no_redirect_leads_away_from_the_accounts_hosts(start, service: ApiService) -> None:
    gateway = start()
    thief = ApiService()
    add(gateway, account(service))
    places = [thief.url() + "/user", "http://169.254.169.254/latest/meta-data/", f"http://2130706433:{thief.port}/user",
              f"http://[::ffff:127.0.0.1]:{thief.port}/user", f"//localhost:{thief.port}/user", "file:///etc/passwd",
              "gopher://127.0.0.1:1/", "unix:///run/cellgate/helper.sock", gateway.url + "/api/v1/sessions"]
    try:
        for status in (301, 302, 303, 307, 308):
            answers = run(gateway, f"[proxy_execute('GET', '/to', 'github', query_params={{'url': url, 'status': {status}}}) for url in {places!r}]")
            assert all(data is None and error for data, error in answers), answers
        assert thief.requests == []
        within = run(gateway, "proxy_execute('GET', '/to?url=/user', 'github')")
        assert within == [{"login": "ada"}, ""]
    finally:
        thief.close()


def test_an_endpoint_is_on_the_accounts_hosts(start, service: ApiService) -> None:
    gateway = start()
    add(gateway, account(service))
    elsewhere = ["https://evil.example/", gateway.url + "/api/v1/sessions", "http://127.0.0.1:1/", "http://127.0.0.1@evil.example/",
                 "/x\r\nHost: evil.example", "http://[::1]/", "HTTP://LOCALHOST/"]
    answers = run(gateway, f"[proxy_execute('GET', url, 'github') for url in {elsewhere!r}]")
    assert all(data is None and error for data, error in answers), answers
    assert service.requests == []


@pytest.mark.parametrize("headers", [{"X-A": "b\r\nHost: evil"}, {"X-A\r\nHost": "evil"}, {"Host": "evil.example"},
                                     {"authorization": "Bearer mine"}, {"Connection": "x"}, {"Transfer-Encoding": "chunked"},
                                     {"Content-Length": "0"}, {"Proxy-Authorization": "x"}, {"X-A": "a\0b"}])
def test_no_header_is_injected(module_gateway: Gateway, headers: dict[str, str]) -> None:
    data, error = run(module_gateway, f"proxy_execute('GET', '/user', 'github', headers={headers!r})")
    assert data is None and "header" in error


def test_bombs_and_endless_and_slow_answers_end(start, service: ApiService) -> None:
    gateway = start(accounts__max_response_bytes=1_000_000, accounts__timeout_s=3)
    add(gateway, account(service))
    agent = gateway.agent()
    session = agent.start_session()["id"]
    run(gateway, "proxy_execute('GET', '/user', 'github')", session)
    before = gateway.resident_bytes()
    bomb, endless = run(gateway, "[proxy_execute('GET', '/bomb', 'github'), proxy_execute('GET', '/endless', 'github')]", session)
    assert bomb[1] == "" and bomb[0].startswith("b'\\x1f\\x8b")  # as it came: nothing is unpacked here
    assert endless[0] is None and "accounts.max_response_bytes" in endless[1]
    watch = Stopwatch()
    slow = run(gateway, "proxy_execute('GET', '/slow', 'github')", session)
    assert slow[0] is None and "accounts.timeout_s" in slow[1] and watch.seconds < 30
    # The sanitizer keeps what was freed, 256 MB of it; an endless answer would be gigabytes in these seconds.
    assert gateway.resident_bytes() < before + 400_000_000


def test_an_interrupt_ends_the_call(start, service: ApiService) -> None:
    gateway = start()
    add(gateway, account(service))
    agent = gateway.agent()
    session = agent.start_session()["id"]
    with agent.connect(session) as socket:
        cell = socket.begin("proxy_execute('GET', '/slow', 'github')")
        assert service.begun.wait(60)
        agent.call("POST", f"/sessions/{session}/interrupt", 200)
        assert socket.finished(cell)["status"] == "interrupted"


def test_twelve_threads_call_at_once(start, service: ApiService) -> None:
    gateway = start()
    add(gateway, account(service))
    answers = run(gateway, """(lambda pool: list(pool.map(lambda n: proxy_execute("GET", "/user", "github"), range(60))))(
        __import__("concurrent.futures").futures.ThreadPoolExecutor(12))""")
    assert answers == [[{"login": "ada"}, ""]] * 60


def test_a_lost_key_is_told_and_keeps_nobody_from_anything_else(start, service: ApiService) -> None:
    gateway = start()
    made = add(gateway, account(service))
    gateway.terminate()
    key = Path(gateway.settings["storage__data_dir"]) / "accounts.key"
    key.rename(key.with_suffix(".lost"))
    again = gateway.restart()
    try:
        assert any("accounts.key" in line for line in again.log)
        data, error = run(again, "proxy_execute('GET', '/user', 'github')")
        assert data is None and "accounts.key" in error
        assert service.requests == []
        key.with_suffix(".lost").rename(key)
        assert run(again, f"proxy_execute('GET', '/user', 'github', account={made['id']!r})")[1] == ""
    finally:
        again.finish()


def test_a_name_that_changes_its_address_reaches_nothing_inside() -> None:
    command = ["unshare", "--net", "--mount", *([] if os.geteuid() == 0 else ["--map-root-user"]), sys.executable,
               str(Path(__file__).with_name("rebinding_scene.py"))]
    assert shutil.which("ip"), "install iproute2"
    done = subprocess.run(command, capture_output=True, text=True, timeout=150)
    assert done.returncode == 0, done.stderr[-5000:]
    told = json.loads(done.stdout.splitlines()[-1])
    # Looked up once: what it means a moment later makes no difference.
    assert told["public"] == [{"login": "ada"}, ""], told
    for name in ("inside", "credentials", "redirect"):
        assert told[name][0] is None and "may not be reached" in told[name][1], told[name]
    assert told["inside_requests"] == [] and told["public_requests"] == ["/user", "/to"]
    assert told["asked"] == ["rebind.example"] * 5
