"""The network of a session: what it reaches, and what it does not; each statement with its number in docs/security.md.

What needs a network, names and addresses is done in namespaces of its own by network_scene.py, and told here."""

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from support.gateway import Gateway, ordinary_user
from support.waiting import eventually

Told = dict[str, Any]


def users() -> list[str]:
    return ["root", "ordinary"] if os.getuid() == 0 else ["ordinary"]


@pytest.fixture(scope="module", params=users())
def told(request: pytest.FixtureRequest) -> Told:
    if request.param == "ordinary":
        ordinary_user()  # skips what cannot be
    command = ["unshare", "--net", "--mount", *([] if os.geteuid() == 0 else ["--map-root-user"]), sys.executable,
               str(Path(__file__).with_name("network_scene.py")), request.param if os.geteuid() == 0 else "as it is"]
    done = subprocess.run(command, capture_output=True, text=True, timeout=170)
    assert done.returncode == 0, done.stderr[-5000:]
    return json.loads(done.stdout.splitlines()[-1])


def test_51_without_a_policy_there_is_nothing_but_loopback(told: Told) -> None:
    off = told["off"]
    assert off["interfaces"] == ["lo"] and off["routes"] == 1, off  # the table's heading
    assert off["sysfs"] and not any(off["sysfs"]), "the machine's interfaces and disks"
    assert off["name"] != "done" and off["gateway"] == "Connection refused" and off["site"] == "Network is unreachable"
    assert [status for status, _ in off["asked"]] == [403, 0]
    for _, why in off["asked"]:
        assert "the session's network policy has mode none" in why


def test_51_what_was_denied_is_told_with_host_port_count_and_time(told: Told) -> None:
    network = told["off"]["network"]
    assert (network["mode"], network["bytes_in"], network["bytes_out"], network["destinations"]) == ("none", 0, 0, [])
    assert [(row["destination"], row["count"], row["reason"]) for row in network["denied"]] == \
        [("a.example:443", 1, "network_off"), ("a.example:80", 1, "network_off")]
    assert all(row["last_at"].startswith("20") for row in network["denied"])


def test_52_and_54_no_policy_opens_what_is_not_public(told: Told) -> None:
    everything = told["all"]
    assert everything["public"] == [[200, 4], [200, 4]]
    for way in ("refused", "connect"):
        wrong = {host: answer for host, answer in everything[way].items() if answer not in ("403 address_refused", "400 invalid_request")}
        assert wrong == {}, way
    assert [status for status, _ in everything["redirect"]] == [403] * 3, everything["redirect"]


def test_52_a_name_that_changes_its_address_reaches_nothing_inside(told: Told) -> None:
    assert told["all"]["rebinding"] == [[200, 4], [403, "address_refused"]] or told["all"]["rebinding"][1][0] == 403, told["all"]["rebinding"]


def test_53_only_http_and_connect(told: Told) -> None:
    assert [answer.split()[0] for answer in told["all"]["schemes"]] == ["400"] * 4, told["all"]["schemes"]


def test_55_a_list_lets_through_what_it_names_and_nothing_beside(told: Told) -> None:
    listed = told["list"]
    assert listed["allowed"] == [[200, 4]] * 5
    assert [status for status, _ in listed["denied"]] == [0, 403, 0, 0, 0, 0], listed["denied"]
    assert listed["sni"][0] == "HTTP/1.0 200" or listed["sni"][0] == "HTTP/1.1 200"
    assert listed["sni"][1:] == ["TLSV1_ALERT_ACCESS_DENIED"] * 2
    assert listed["host"] == "403 host_header_mismatch" and listed["idn"].startswith("400") and listed["no tls"] == ""
    # Nothing of it came there, and no name was looked up that no rule has.
    asked = {line.split()[1] for line in told["site asked"]}
    assert not asked & {"evil-a.example", "a.example:8443"}, asked
    assert "evil-a.example" not in told["names asked"]
    reasons = {row["destination"]: row["reason"] for row in listed["network"]["denied"]}
    assert reasons["b.example:443"] == "host_not_allowed" and reasons["a.example:8443"] == "port_not_allowed"


def test_55_and_57_no_udp_and_no_icmp(told: Told) -> None:
    assert told["off"]["udp"] == "Network is unreachable"
    assert all(answer in ("Operation not permitted", "Permission denied") for answer in told["off"]["icmp"]), told["off"]["icmp"]


def test_pip_and_git_work_over_https(told: Told) -> None:
    programs = told["programs"]
    assert programs["pip"]["status"] == "ok" and programs["pip"]["stdout"].endswith("delivered\n"), programs["pip"]
    assert programs["git"]["status"] == "ok" and programs["git"]["stdout"].endswith("cloned\n"), programs["git"]
    assert programs["cell"]["status"] == "ok" and "cloned" in programs["cell"]["stdout"], programs["cell"]
    assert programs["node"]["stdout"] == "here", programs["node"]


def test_a_program_is_told_why_it_was_refused(told: Told) -> None:
    said = told["programs"]["other"]["stderr"] + told["programs"]["other"]["stdout"]
    assert "no rule of the session's network policy allows this host" in said, said


def test_a_change_counts_for_open_connections(told: Told) -> None:
    changed = told["changes"]
    assert changed["cell"] == "ok" and changed["text"].split()[1] in ("IncompleteRead", "ConnectionResetError", "RemoteDisconnected"), changed
    assert changed["cut after"] < 10
    assert changed["then"][0] == 403
    denied = [event for event in changed["events"] if event["method"] == "network_denied"]
    assert [(event["host"], event["port"], event["reason"]) for event in denied] == [("a.example", 80, "network_off")]


def test_the_proxy_and_its_counts_outlive_the_kernel(told: Told) -> None:
    changed = told["changes"]
    assert changed["after the restart"][0] == 403 and changed["opened again"] == [200, 4]
    (before,), (after,) = changed["before"]["destinations"], changed["network"]["destinations"]
    assert after["connections"] == before["connections"] + 1 and after["bytes_in"] > before["bytes_in"]
    assert changed["configured"] == {"mode": "none"}


def test_59_bytes_are_counted_within_a_hundredth(told: Told) -> None:
    counted, size = told["counts"], told["counts"]["size"]
    assert counted["read"] == [[200, size], [200, len(str(size // 10))]]
    rows = {row["destination"]: row for row in counted["network"]["destinations"]}
    assert size <= rows["a.example:443"]["bytes_in"] <= 1.01 * size
    assert size // 10 <= rows["b.example:80"]["bytes_out"] <= 1.01 * size // 10
    assert counted["network"]["bytes_in"] == sum(row["bytes_in"] for row in rows.values())


def test_59_the_ceiling_stops_transfer(told: Told) -> None:
    counted = told["counts"]
    assert counted["stopped"] != [200, counted["size"]] and counted["refused"][0] == 403
    network = counted["at the ceiling"]
    assert network["bytes_in"] + network["bytes_out"] == counted["ceiling"]
    assert counted["event"]["max_bytes"] == counted["ceiling"]


def test_54_and_62_sessions_do_not_see_each_other_or_the_machine(told: Told) -> None:
    assert told["neighbours"] == {"port": "Connection refused", "abstract": ["Connection refused"] * 2, "own": "done"}


# ---- what needs no network


@pytest.fixture(scope="module")
def gateway() -> Iterator[Gateway]:
    made = Gateway(network__mode="allow", network__allow=["preset:pypi", "*.example.com:8443", "203.0.113.0/24"])
    yield made
    made.finish()
    made.remove()


CONFIGURED = {"mode": "allow", "allow": [{"preset": "pypi"}, {"host": "*.example.com", "ports": [8443]},
                                         {"cidr": "203.0.113.0/24", "ports": [80, 443]}]}
NAMESPACE = "import os; print(os.readlink('/proc/self/ns/net'))"


def test_what_is_configured_holds_where_nothing_is_said(gateway: Gateway) -> None:
    agent = gateway.agent()
    session = agent.start_session()
    assert session["network"] == CONFIGURED
    told = agent.call("GET", f"/sessions/{session['id']}/network", 200).json()
    assert {key: told[key] for key in CONFIGURED} == CONFIGURED and told["open_connections"] == 0
    agent.end_session(session["id"])


@pytest.mark.parametrize("policy, said", [
    ({"mode": "some"}, "network.mode"), ({"mode": "allow"}, "network.allow"), ({"mode": "none", "alow": []}, "alow"),
    ({"mode": "allow", "allow": [{"host": "*"}]}, "mode \"all\""), ({"mode": "allow", "allow": [{"host": "a.example", "ports": [0]}]}, "ports"),
    ({"mode": "allow", "allow": [{"host": f"a{n}.example"} for n in range(201)]}, "network.max_rules"), ("all", "object"), ([], "object"),
    ({"mode": "all", "max_bytes": -1}, "max_bytes")])
def test_a_policy_that_is_none_is_refused(gateway: Gateway, policy: object, said: str) -> None:
    agent = gateway.agent()
    refused = agent.call("POST", "/sessions", 400, json={"network": policy}).json()["error"]
    assert said in refused["message"], refused
    session = agent.start_session()["id"]
    assert said in agent.call("PATCH", f"/sessions/{session}", 400, json={"network": policy}).json()["error"]["message"]
    assert agent.session(session)["network"] == CONFIGURED
    agent.end_session(session)


def test_a_policy_outlives_the_gateway() -> None:
    gateway = Gateway()
    policy = {"mode": "allow", "allow": [{"host": "a.example", "ports": [443]}], "max_bytes": 1000}
    session = gateway.agent().start_session(network=policy)["id"]
    assert gateway.agent().execute(session, NAMESPACE)["status"] == "ok"
    gateway.kill()
    again = gateway.restart()
    try:
        assert again.agent().session(session)["network"] == policy
        ours = os.readlink("/proc/self/ns/net")
        assert again.agent().execute(session, NAMESPACE)["stdout"].strip() not in ("", ours)
        again.agent().call("PATCH", f"/sessions/{session}", 200, json={"network": None})
        assert again.agent().session(session)["network"] == {"mode": "none"}
    finally:
        again.finish()
        again.remove()


@pytest.mark.parametrize("kernel", ["cellgate", "ipykernel"])
def test_all_of_a_session_is_in_one_network(gateway: Gateway, kernel: str) -> None:
    agent = gateway.agent()
    session = agent.start_session(kernel_name=kernel)["id"]
    inside = agent.execute(session, NAMESPACE)["stdout"].strip()
    assert inside != os.readlink("/proc/self/ns/net")
    assert agent.bash(session, "readlink /proc/self/ns/net")["stdout"].strip() == inside
    variables = agent.bash(session, "env | grep -i _proxy | sort")["stdout"].split()
    assert variables == ["HTTPS_PROXY=http://127.0.0.1:3128", "HTTP_PROXY=http://127.0.0.1:3128", "NODE_USE_ENV_PROXY=1", "NO_PROXY=localhost,127.0.0.1,::1",
                         "http_proxy=http://127.0.0.1:3128", "https_proxy=http://127.0.0.1:3128", "no_proxy=localhost,127.0.0.1,::1"]
    agent.end_session(session)


def test_a_person_who_enters_a_session_is_in_its_network(gateway: Gateway) -> None:
    session = gateway.agent().start_session()["id"]
    jupyter = gateway.jupyter()
    inside = gateway.agent().execute(session, NAMESPACE)["stdout"]
    alias = jupyter.start_kernel(f"attach-{session}")
    with jupyter.connect(alias) as channels:
        assert channels.run(NAMESPACE).text() == inside
    gateway.agent().end_session(session)


@pytest.mark.parametrize("jupyter_has", ["host", "own"])
def test_kernels_of_jupyter_clients_have_their_own_default(jupyter_has: str) -> None:
    gateway = Gateway(network__jupyter=jupyter_has)
    jupyter, ours = gateway.jupyter(), os.readlink("/proc/self/ns/net")
    kernel = jupyter.start_kernel()
    with jupyter.connect(kernel) as channels:
        assert (channels.run(NAMESPACE).text().strip() == ours) == (jupyter_has == "host")
    (session,) = gateway.agent().call("GET", "/sessions", 200).json()["items"]
    assert session["network"] == {"mode": "host" if jupyter_has == "host" else "none"}
    policy = {"network": {"mode": "all"}}
    answer = gateway.agent().call("PATCH", f"/sessions/{session['id']}", 409 if jupyter_has == "host" else 200, json=policy)
    assert jupyter_has == "own" or "network.jupyter" in answer.json()["error"]["message"]
    gateway.finish()
    gateway.remove()


def test_agents_may_be_left_in_the_machines_network() -> None:
    gateway = Gateway(network__agents="host")
    agent = gateway.agent()
    session = agent.start_session()
    assert session["network"] == {"mode": "host"}
    assert agent.execute(session["id"], NAMESPACE)["stdout"].strip() == os.readlink("/proc/self/ns/net")
    assert "PROXY" not in agent.bash(session["id"], "env")["stdout"]
    assert "network.agents" in agent.call("POST", "/sessions", 409, json={"network": {"mode": "none"}}).json()["error"]["message"]
    assert agent.call("GET", f"/sessions/{session['id']}/network", 200).json() == {"mode": "host"}
    assert any("network.agents" in line for line in gateway.log)
    gateway.finish()
    gateway.remove()


def test_a_kernel_of_the_pool_has_its_way_out() -> None:
    gateway = Gateway(kernels__pool={"cellgate": 1}, network__mode="none")
    agent = gateway.agent()
    session = agent.start_session()
    eventually(lambda: agent.session(session["id"])["state"] == "idle", what="a kernel")
    agent.end_session(session["id"])
    taken: dict[str, Any] = {}

    def is_from_the_pool() -> bool:
        taken.update(agent.start_session())
        return taken["state"] == "idle"

    eventually(is_from_the_pool, what="a kernel of the pool")
    session = taken["id"]
    asked = agent.bash(session, "curl -s -o /dev/null -w '%{http_code}' http://a.example/")
    assert asked["stdout"] == "403", asked
    assert agent.call("GET", f"/sessions/{session}/network", 200).json()["denied"][0]["destination"] == "a.example:80"
    gateway.finish()
    gateway.remove()


def test_a_cells_own_key_changes_no_policy(gateway: Gateway) -> None:
    """The policy comes from whoever made the session, never from code inside."""
    agent = gateway.agent()
    session = agent.start_session()["id"]
    asked = ("import http.client, socket, json\n"
             "class Helper(http.client.HTTPConnection):\n"
             "    def connect(self):\n"
             "        self.sock = socket.socket(socket.AF_UNIX); self.sock.connect('/run/cellgate/helper.sock')\n"
             "import cellgate_kernel, gc\n"
             "for method, path in (('PATCH', '/api/v1/sessions/%s'), ('PATCH', '/sessions/%s'), ('GET', '/api/v1/sessions/%s/network')):\n"
             f"    c = Helper('x'); c.request(method, path % '{session}', json.dumps({{'network': {{'mode': 'all'}}}}), {{'authorization': 'Bearer x'}})\n"
             "    print(c.getresponse().status)")
    done = agent.execute(session, asked)
    assert done["status"] == "ok" and set(done["stdout"].split()) <= {"401", "403", "404"}, done
    assert agent.session(session)["network"] == CONFIGURED
    agent.end_session(session)
