"""Statement 16: sessions that were made, used and deleted leave nothing of the machine in use, nor do killed gateways and launchers."""

import os
import signal
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor

import pytest

from support.gateway import Gateway, ordinary_user
from support.holdings import assert_as_before, control_groups, identities, kept_users, launcher_of, settled
from support.processes import children
from support.waiting import eventually

pytestmark = pytest.mark.release
MIB = 1 << 20
AT_ONCE = 4

USE = """
import os, socket, subprocess, tempfile, threading
open('/mnt/files/made.txt', 'w').write('x' * 100_000)
kept = [tempfile.NamedTemporaryFile(), socket.create_server(('127.0.0.1', 0)), os.memfd_create('m'), open('/dev/shm/s', 'w'),
        subprocess.Popen(['setsid', 'sleep', '1000'])]
threading.Thread(target=threading.Event().wait, daemon=True).start()
print('x' * 200_000)
"""


def use(gateway: Gateway, number: int) -> None:
    """Forked when the pool is empty, from the pool, or an ipykernel; deleted idle, busy, or with somebody connected."""
    agent = gateway.agent()
    session = agent.start_session(kernel_name="ipykernel" if number % 5 == 0 else "cellgate")["id"]
    assert agent.execute(session, USE)["status"] == "ok"
    assert agent.bash(session, "(setsid sleep 1000 &); ls / > /mnt/files/listed.txt")["status"] == "ok"
    agent.call("PUT", f"/sessions/{session}/files/uploaded.txt", 201, data=b"x" * 100_000)
    agent.bash(session, "sleep 1000", background=True)
    if number % 4 == 1:
        agent.call("POST", f"/sessions/{session}/restart", 200)
        assert agent.execute(session, "1 + 1")["status"] == "ok"
    if number % 4 == 2:
        with agent.connect(session) as socket:
            socket.begin("while True: pass")
            agent.end_session(session)
    elif number % 4 == 3:
        with agent.connect(session) as socket:
            socket.call("attach", after_seq=0)
            agent.end_session(session)
            socket.read_to_close()
    else:
        agent.end_session(session)
    agent.http.close()


def use_many(gateway: Gateway, count: int) -> None:
    with ThreadPoolExecutor(AT_ONCE) as pool:
        list(pool.map(lambda number: use(gateway, number), range(count)))


def users() -> list[str]:
    return ["root", "ordinary"] if os.getuid() == 0 else ["ordinary"]


@pytest.fixture(params=users())
def used(request: pytest.FixtureRequest, start_gateway) -> Gateway:
    """One whose zygotes, caches and database are there."""
    gateway = start_gateway(user=None if request.param == "root" else ordinary_user(), kernels__pool={"cellgate": 1})
    use_many(gateway, 2 * AT_ONCE)
    return gateway


def leave_nothing(gateway: Gateway, batches: int, count: int) -> None:
    before = settled(gateway)
    resident = []
    for _ in range(batches):
        use_many(gateway, count)
        assert_as_before(gateway, before)
        assert kept_users(launcher_of(gateway)) <= 2 * 3 * AT_ONCE
        resident.append(gateway.resident_bytes())
    # The first batch is the first of its size.
    assert max(resident[1:]) - resident[0] < 4 * MIB, [each // MIB for each in resident]


@pytest.mark.timeout(400)
def test_16_fifty_sessions_leave_nothing_behind(used: Gateway) -> None:
    leave_nothing(used, batches=2, count=25)


@pytest.mark.soak
@pytest.mark.timeout(3600)
def test_16_a_thousand_sessions_leave_nothing_behind(used: Gateway) -> None:
    leave_nothing(used, batches=5, count=200)


def test_16_what_a_living_session_holds_is_counted(used: Gateway) -> None:
    """Without this the others would show nothing."""
    before = settled(used)
    agent = used.agent()
    session = agent.start_session()["id"]
    agent.execute(session, USE)
    told = "\n".join(settled(used).difference(before))
    held = ["process sleep", "namespace pid", "namespace mnt", "namespace user", "namespace ipc", "namespace uts", "file run/#/#",
            "file data/sessions/#/files/made.txt", "descriptor of the gateway: socket", "descriptor of the launcher: anon_inode:[pidfd]"]
    if control_groups(launcher_of(used)):
        held.append("control group")
    assert [kind for kind in held if f" {kind}" not in told] == [], told
    agent.end_session(session)
    agent.http.close()
    assert_as_before(used, before)


def hold_sessions(gateway: Gateway) -> list[str]:
    agent = gateway.agent()
    sessions = [agent.start_session(kernel_name=kernel)["id"] for kernel in ("cellgate", "ipykernel", "cellgate")]
    for each in sessions:
        assert agent.execute(each, USE)["status"] == "ok"
        agent.bash(each, "sleep 1000", background=True)
    return sessions


@pytest.mark.timeout(300)
@pytest.mark.parametrize("who", ["gateway", "launcher"])
def test_16_what_is_killed_leaves_nothing_to_the_next_one(used: Gateway, start_gateway: Callable[..., Gateway], who: str) -> None:
    before = settled(used)
    sessions = hold_sessions(used)
    launcher = launcher_of(used)
    groups, lived = control_groups(launcher), identities([used.pid, *children(used.pid)])
    used.expected_status = 1
    os.kill(used.pid if who == "gateway" else launcher, signal.SIGKILL)
    used.process.wait(60)
    eventually(lambda: not lived & identities([pid for pid, _ in lived]), 30, "the end of all processes")

    again = start_gateway(keep=used, user=used.user, **used.settings)
    assert not [group for group in groups if group.exists()], "the next launcher removes what was left"
    agent = again.agent()
    for each in sessions:
        assert agent.execute(each, "open('/mnt/files/made.txt').read(1)")["result"]["text/plain"] == "'x'"
        agent.end_session(each)
    agent.http.close()
    use_many(again, 2 * AT_ONCE)
    assert_as_before(again, before)
