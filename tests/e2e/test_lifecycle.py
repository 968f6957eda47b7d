"""Kernels start, die, restart and end. Numbers in names are the rows of docs/jupyter-rows.md."""

import json
import os
import signal
import socket
import threading
import uuid
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from support.conversation import Cell
from support.gateway import ORDINARY, Gateway, ordinary_user
from support.jupyter import Jupyter
from support.processes import TELL_PID, children, is_alive, is_zombie, marked, numbered_here, open_files
from support.specs import IPYKERNEL, make_spec
from support.waiting import Stopwatch, eventually


def pid_of(jupyter: Jupyter, kernel: str) -> int:
    """The kernel's own process, as this process sees it."""
    with jupyter.connect(kernel) as channels:
        return numbered_here(*json.loads(channels.run(TELL_PID).text()))


def test_row_13_a_killed_gateway_leaves_no_kernel_and_knows_none_later(start_gateway) -> None:
    gateway = start_gateway()
    jupyter = gateway.jupyter()
    pid = pid_of(jupyter, jupyter.start_kernel())
    assert is_alive(pid)
    gateway.kill()
    eventually(lambda: not is_alive(pid), 60, "the kernel ends with its gateway")
    eventually(lambda: not marked(str(gateway.directory)), 60, "and so does everything else that it started")
    again = gateway.restart()
    try:
        assert again.jupyter().kernels() == []
        assert again.jupyter().start_kernel()
    finally:
        again.finish()


def test_row_15_what_a_cell_started_ends_with_the_kernel(gateway: Gateway) -> None:
    jupyter = gateway.jupyter()
    kernel = jupyter.start_kernel()
    mark = f"9{uuid.uuid4().int % 10**9}"
    with jupyter.connect(kernel) as channels:
        channels.run(f"import subprocess; subprocess.Popen(['sleep', '{mark}'], start_new_session=True)")
    assert marked(mark)
    jupyter.delete(kernel)
    eventually(lambda: not marked(mark), 60, "the child of the cell ends")


def test_row_15_what_a_cell_started_ends_with_a_restart(gateway: Gateway) -> None:
    jupyter = gateway.jupyter()
    kernel = jupyter.start_kernel()
    mark = f"9{uuid.uuid4().int % 10**9}"
    with jupyter.connect(kernel) as channels:
        channels.run(f"import subprocess; subprocess.Popen(['sleep', '{mark}'], start_new_session=True)")
        jupyter.restart(kernel)
        assert channels.run("1 + 1").result == "2"
    eventually(lambda: not marked(mark), 60, "the child of the cell ends")


@pytest.mark.parametrize("how", [signal.SIGTERM, signal.SIGINT, signal.SIGKILL])
def test_row_16_no_kernel_outlives_its_gateway(start_gateway, how: signal.Signals) -> None:
    gateway = start_gateway()
    jupyter = gateway.jupyter()
    kernels = [jupyter.start_kernel() for _ in range(3)]
    pids = [pid_of(jupyter, kernel) for kernel in kernels]
    with jupyter.connect(kernels[0]) as channels:
        channels.begin("while True: pass")
        os.kill(gateway.pid, how)
        eventually(lambda: not any(is_alive(pid) for pid in pids), 100, "every kernel ends")
        gateway.process.wait(60)


class PortGrabber:
    """Takes ephemeral ports and gives them back all the time, as a busy machine does."""

    def __enter__(self) -> "PortGrabber":
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._grab)
        self._thread.start()
        return self

    def _grab(self) -> None:
        held: list[socket.socket] = []
        while not self._stop.wait(0.001):
            held.append(socket.create_server(("127.0.0.1", 0)))
            if len(held) > 200:
                held.pop(0).close()
        for one in held:
            one.close()

    def __exit__(self, *_: object) -> None:
        self._stop.set()
        self._thread.join()


@pytest.mark.timeout(600)
@pytest.mark.parametrize("transport", ["ipc", "tcp"])
def test_row_17_fifty_kernels_start_at_once_while_ports_are_grabbed(start_gateway, tmp_path: Path, transport: str) -> None:
    count = 50 if transport == "ipc" else 10
    make_spec(tmp_path, "tcp", IPYKERNEL, metadata={"transport": "tcp"})
    gateway = start_gateway(kernels__launch_timeout_s=500, kernels__kernelspec_dirs=[tmp_path])
    name = "tcp" if transport == "tcp" else None

    def start_and_run(_: int) -> str | None:
        jupyter = gateway.jupyter()
        with jupyter.connect(jupyter.start_kernel(name), timeout=500) as channels:
            return channels.run("6 * 7").result

    with PortGrabber(), ThreadPoolExecutor(count) as pool:
        assert list(pool.map(start_and_run, range(count))) == ["42"] * count


def cycles(gateway: Gateway, kernels: int, sockets: int) -> None:
    jupyter = gateway.jupyter()

    def cycle() -> None:
        kernel = jupyter.start_kernel()
        for _ in range(sockets):
            with jupyter.connect(kernel, v1=True) as channels:
                assert channels.run("1 + 1").result == "2"
        jupyter.delete(kernel)

    cycle()
    eventually(lambda: len(jupyter.kernels()) == 0)
    baseline = open_files(gateway.pid)
    for _ in range(kernels):
        cycle()
    eventually(lambda: open_files(gateway.pid) <= baseline + 2, 30, f"open files come back to {baseline}")
    assert not [pid for pid in children(gateway.pid) if is_zombie(pid)]


def test_row_18_open_files_come_back_after_every_kernel(start_gateway) -> None:
    cycles(start_gateway(), kernels=12, sockets=10)


@pytest.mark.soak
@pytest.mark.timeout(3600)
def test_row_18_open_files_come_back_after_five_hundred_kernels(start_gateway) -> None:
    cycles(start_gateway(), kernels=500, sockets=1)


def test_row_20_a_kernel_killed_while_busy_is_seen_and_its_cell_ends(gateway: Gateway) -> None:
    jupyter = gateway.jupyter()
    kernel = jupyter.start_kernel()
    pid = pid_of(jupyter, kernel)
    with jupyter.connect(kernel, v1=True) as channels:
        cell = channels.run_until_printed("print('begun', flush=True)\nwhile True: pass", "begun")
        os.kill(pid, signal.SIGKILL)
        seen: list[str] = []
        while "restarting" not in seen:
            message = channels.receive()
            if message["header"]["msg_type"] == "status":
                seen.append(message["content"]["execution_state"])
                cell.idle |= seen[-1] == "idle" and message["parent_header"].get("msg_id") == cell.msg_id
            if message["channel"] == "shell":
                cell.reply = message
        assert cell.status == "error" and cell.error == "DeadKernelError" and cell.idle
        eventually(lambda: jupyter.state(kernel) == "idle", 50, "the kernel is back")
        assert channels.run("1 + 1").result == "2"


def test_row_20_such_a_kernel_is_culled(start_gateway) -> None:
    gateway = start_gateway(culling__idle_timeout_s=2, culling__interval_s=1)
    jupyter = gateway.jupyter()
    kernel = jupyter.start_kernel()
    pid = pid_of(jupyter, kernel)
    with jupyter.connect(kernel) as channels:
        channels.run_until_printed("print('begun', flush=True)\nwhile True: pass", "begun")
        os.kill(pid, signal.SIGKILL)
        channels.wait_for_status("restarting")
    eventually(lambda: jupyter.call("GET", f"/api/kernels/{kernel}").status_code == 404, 60, "the kernel is culled")


def test_row_23_a_restarted_kernel_still_shows_its_activity(gateway: Gateway) -> None:
    jupyter = gateway.jupyter()
    kernel = jupyter.start_kernel()
    with jupyter.connect(kernel) as channels:
        channels.run("1")
        jupyter.restart(kernel)
        before = jupyter.kernel(kernel)
        cell = channels.run_until_printed("import time\nprint('begun', flush=True)\ntime.sleep(0.5)", "begun")
        assert jupyter.state(kernel) == "busy"
        channels.collect(cell)
        eventually(lambda: jupyter.state(kernel) == "idle")
        assert jupyter.kernel(kernel)["last_activity"] > before["last_activity"]


@pytest.mark.parametrize("busy", [False, True], ids=["idle", "busy"])
def test_row_41_a_restart_keeps_the_socket_usable(gateway: Gateway, busy: bool) -> None:
    jupyter = gateway.jupyter()
    kernel = jupyter.start_kernel()
    with jupyter.connect(kernel, v1=True) as channels:
        channels.run("x = 1")
        cell = channels.run_until_printed("print('begun', flush=True)\nwhile True: pass", "begun") if busy else None
        watch = Stopwatch()
        model = jupyter.restart(kernel)
        assert watch.seconds < 30 and model["id"] == kernel
        if cell:
            channels.collect(cell)
            assert cell.status != "no reply"
        assert channels.run("'x' in globals()").result == "False"


def test_row_41_two_restarts_at_once_are_one(gateway: Gateway) -> None:
    jupyter = gateway.jupyter()
    mark = uuid.uuid4().hex
    # ipykernel, whose processes are found by the environment that they were started with.
    kernel = jupyter.start_kernel("ipykernel", env={"KERNEL_MARK": mark})
    with jupyter.connect(kernel) as channels:
        channels.run("1")
    pids: set[int] = set()
    stop = threading.Event()

    def watch() -> None:
        while not stop.wait(0.01):
            pids.update(pid for pid in marked(mark) if b"ipykernel_launcher" in Path(f"/proc/{pid}/cmdline").read_bytes())

    before = set(marked(mark))
    watcher = threading.Thread(target=watch)
    watcher.start()
    with ThreadPoolExecutor(2) as pool:
        models = list(pool.map(lambda _: gateway.jupyter().restart(kernel), range(2)))
    stop.set()
    watcher.join()
    assert [model["id"] for model in models] == [kernel, kernel]
    after = {pid for pid in pids - before if pid in marked(mark)}
    born = {pid for pid in pids - before}
    assert after and born == after, f"{len(born)} processes were started for one restart"
    with jupyter.connect(kernel) as channels:
        assert channels.run("1 + 1").result == "2"


def test_row_42_a_kernel_that_ends_at_import_stays_dead(start_gateway, tmp_path: Path) -> None:
    make_spec(tmp_path, "broken", ["/bin/sh", "-c", "echo there is no such module >&2; exit 1", "{connection_file}"])
    gateway = start_gateway(kernels__kernelspec_dirs=[tmp_path], kernels__restart_limit=3)
    jupyter = gateway.jupyter()
    kernel = jupyter.start_kernel("broken")
    model = eventually(lambda: (found := jupyter.kernel(kernel))["execution_state"] == "dead" and found, 60, "it is dead")
    assert model["reason"]
    before = cpu_seconds(gateway.pid)
    settled = Stopwatch()
    while settled.seconds < 2:
        assert jupyter.state(kernel) == "dead"
    assert not [pid for pid in children(gateway.pid) if is_zombie(pid)]
    # The polling above costs the gateway something; a crash loop would keep it and the launcher busy.
    assert cpu_seconds(gateway.pid) - before < 2


def cpu_seconds(pid: int) -> float:
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def test_row_42_a_kernel_that_keeps_dying_is_restarted_no_more_than_the_limit(start_gateway) -> None:
    gateway = start_gateway(kernels__restart_limit=2)
    jupyter = gateway.jupyter()
    kernel = jupyter.start_kernel()
    with jupyter.connect(kernel, v1=True) as channels:
        channels.run("1")
        states: list[str] = []
        for _ in range(3):
            channels.begin("import os; os._exit(1)")
            while True:
                message = channels.receive()
                if message["header"]["msg_type"] == "status" and message["content"]["execution_state"] in ("restarting", "dead"):
                    states.append(message["content"]["execution_state"])
                    break
        assert states[-1] == "dead" and states.count("restarting") == 2
    assert jupyter.state(kernel) == "dead"


def test_environments_of_simultaneous_starts_do_not_mix(gateway: Gateway) -> None:
    """Twelve starts at once, each with an environment of its own, and one without."""
    def value(number: int) -> str | None:
        jupyter = gateway.jupyter()
        env = {"KERNEL_NUMBER": str(number)} if number else None
        with jupyter.connect(jupyter.start_kernel(env=env)) as channels:
            return channels.run("import os; os.environ.get('KERNEL_NUMBER')").result

    with ThreadPoolExecutor(12) as pool:
        found = list(pool.map(value, range(12)))
    assert found == [None, *(f"'{number}'" for number in range(1, 12))]


def test_a_kernel_gets_no_other_variables_than_allowed_ones(start_gateway) -> None:
    gateway = start_gateway(environment={"AWS_SECRET_ACCESS_KEY": "gateway-secret", "TZ": "Europe/Berlin"})
    jupyter = gateway.jupyter()
    kernel = jupyter.start_kernel(env={"KERNEL_ALLOWED": "yes"})
    with jupyter.connect(kernel) as channels:
        environment = json.loads(channels.run("import os, json; print(json.dumps(dict(os.environ)))").text())
    assert environment["KERNEL_ALLOWED"] == "yes" and environment["TZ"] == "Europe/Berlin"
    assert not [name for name in environment if name.startswith(("AWS_", "CELLGATE_SERVER"))]
    assert gateway.token not in json.dumps(environment)


def test_an_ordinary_users_gateway_runs_boxed_kernels(start_gateway) -> None:
    gateway = start_gateway(user=ordinary_user())
    agent, session = gateway.agent(), gateway.agent().start_session()["id"]
    ran = agent.execute(session, "import os\nopen('/mnt/files/kept', 'w').write('41')\nos.getuid(), os.getcwd()")
    assert ran["result"]["text/plain"] == f"({ORDINARY if os.getuid() == 0 else os.getuid()}, '/home/user')"
    assert agent.execute(session, "import os; os.path.exists('/root') or os.path.exists(%r)" % str(gateway.directory))[
        "result"]["text/plain"] == "False"
    agent.call("POST", f"/sessions/{session}/restart")
    assert agent.execute(session, "int(open('/mnt/files/kept').read()) + 1")["result"]["text/plain"] == "42"
    jupyter = gateway.jupyter()
    with jupyter.connect(jupyter.start_kernel("bash")) as channels:
        assert channels.run("echo $((6 * 7))").text().strip() == "42"


def test_a_message_mode_kernel_and_others_run(gateway: Gateway) -> None:
    jupyter = gateway.jupyter()
    assert {"cellgate", "python3", "ipykernel", "xpython", "bash"} <= set(jupyter.get("/api/kernelspecs")["kernelspecs"])
    with jupyter.connect(jupyter.start_kernel("xpython")) as channels:
        assert channels.run("print(6 * 7)").text() == "42\n"
    with jupyter.connect(jupyter.start_kernel("bash")) as channels:
        assert channels.run("echo $((6 * 7))").text().strip() == "42"


def test_a_cell_on_another_clients_kernel_ends_for_both(gateway: Gateway) -> None:
    jupyter = gateway.jupyter()
    kernel = jupyter.start_kernel()
    with jupyter.connect(kernel, "a", v1=True) as one, jupyter.connect(kernel, "b") as other:
        cell = one.begin("print('shared')")
        seen = Cell(cell.msg_id)
        other.collect(seen, until=lambda _: seen.idle)
        one.collect(cell)
        assert seen.text() == cell.text() == "shared\n"
        assert seen.reply is None, "a reply goes to its asker alone"
