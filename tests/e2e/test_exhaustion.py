"""What a session may take of the machine, and that others have theirs meanwhile: the numbers are those of docs/security.md. Processors,
memory and processes, whose limits not every machine has, are in test_limits.py."""

import json
import os
import time
from concurrent.futures import ThreadPoolExecutor

import pytest
from e2e.test_boundary import Inside, inside, shared_gateway  # noqa: F401

from support.gateway import Gateway
from support.waiting import Stopwatch, eventually

MIB = 1 << 20
PTYS = 64  # of a box, kernel/sandbox/root.cpp

# `take` does something until it is refused: how often, and by which error.
TAKE = """
def take(what, most=100_000):
    for count in range(most):
        if (answer := what(count)) != 'done': return [count, answer]
    return [most, 'done']
"""


def test_6_nobody_takes_more_of_the_processors_than_he_has(inside: Inside) -> None:  # noqa: F811
    """Nor becomes more important than others: no lower nice value, no real time, no processor that is not the session's."""
    assert inside.probe("""
import resource
result = [attempt(os.setpriority, os.PRIO_PROCESS, 0, -20)]
result += [attempt(os.sched_setscheduler, 0, policy, os.sched_param(1)) for policy in (os.SCHED_FIFO, os.SCHED_RR)]
deadline = ctypes.create_string_buffer(bytes.fromhex('30000000' '06000000') + bytes(16) + (10**7).to_bytes(8, 'little') * 3)
result += [call(314, 0, deadline, 0), call(251, 1, 0, 1 << 13)]  # sched_setattr; ioprio_set: real time
for kind in (resource.RLIMIT_NICE, resource.RLIMIT_RTPRIO):
    try: resource.setrlimit(kind, (40, 40))
    except (OSError, ValueError) as error: result.append('EPERM')
    else: result.append('done')
""") == ["EACCES", "EPERM", "EPERM", "EPERM", "EPERM", "EPERM", "EPERM"]
    assert inside.probe("""
may = [line.split(':')[1].strip() for line in open('/proc/self/status') if line.startswith('Cpus_allowed_list')]
child = os.fork()
if child == 0:
    answers = [attempt(os.sched_setaffinity, 0, range(1024)), attempt(os.sched_setaffinity, 0, [0])]
    os._exit(os.sched_getaffinity(0) != {0})
result = [os.waitpid(child, 0)[1], [line.split(':')[1].strip() for line in open('/proc/self/status') if line.startswith('Cpus_allowed_list')] == may,
          [path for path in ('/sys/fs/cgroup', '/dev/cpuset', '/sys/devices/system/cpu/cpu1/online') if attempt(open, path + '/cpus', 'w') == 'done']]
""") == [0, True, []]


def test_9_open_files_end_inside_only(inside: Inside) -> None:  # noqa: F811
    found = inside.probe(TAKE + """
import resource
result = []
most = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
for limit in (resource.getrlimit(resource.RLIMIT_NOFILE)[0], most):
    reading, writing = os.pipe()
    child = os.fork()
    if child == 0:
        resource.setrlimit(resource.RLIMIT_NOFILE, (limit, most))
        os.write(writing, json.dumps(take(lambda _: attempt(os.dup, writing), 1_100_000)).encode())
        os._exit(0)
    os.waitpid(child, 0)
    result.append(json.loads(os.read(reading, 1000)))
""")
    (usual, one), (highest, other) = found
    assert (one, other) == ("EMFILE", "EMFILE") and usual <= 4096 and usual <= highest
    agent = inside.gateway.agent()
    session = agent.start_session()["id"]
    assert agent.execute(session, "open('/dev/null').read()")["status"] == "ok"
    agent.end_session(session)


KINDS = {
    "inotify": ("call(294, 0)", "EMFILE"),
    "epoll": ("call(291, 0)", "EMFILE"),
    "timerfd": ("call(283, 1, 0)", "EMFILE"),
    "eventfd": ("call(290, 0, 0)", "EMFILE"),
    "message queue": ("call(240, ctypes.c_char_p(b'q%d' % n), os.O_CREAT | os.O_RDWR, 0o600, None)", "EMFILE"),
    "shared memory": ("call(29, 0, 4096, 0o1600)", "ENOSPC"),
    "semaphores": ("call(64, 0, 1, 0o1600)", "ENOSPC"),
    "message queue of System V": ("call(68, 0, 0o1600)", "ENOSPC"),
    "terminal": ("attempt(os.open, '/dev/ptmx', os.O_RDWR | os.O_NOCTTY)", "ENOSPC"),
    "key": ("call(248, b'user', b'name', b'x', 1, ctypes.c_int(-3))", "EPERM"),
    "keyring": ("call(250, 1, None)", "EPERM"),
}
# What Linux counts by the user outside: an ordinary user's sessions share these with each other and with all else of that user.
OF_A_USER = ("inotify", "message queue")


@pytest.mark.parametrize("kind", KINDS)
def test_12_what_one_session_has_used_up_others_have(shared_gateway: Gateway, kind: str) -> None:  # noqa: F811
    """The first takes all that it can and keeps it; the second has some all the same."""
    outside = "a user for each" if os.getuid() == 0 and shared_gateway.user is None else "one user for all"
    taking, error = KINDS[kind]
    code = ("import ctypes, errno, json, os, time\nlibc = ctypes.CDLL(None, use_errno=True)\n"
            "def call(number, *arguments):\n    ctypes.set_errno(0)\n"
            "    return 'done' if libc.syscall(number, *arguments) >= 0 else errno.errorcode[ctypes.get_errno()]\n"
            "def attempt(what, *arguments):\n    try: what(*arguments)\n    except OSError as error: return errno.errorcode[error.errno]\n"
            f"    return 'done'\n{TAKE}\nprint(json.dumps(take(lambda n: {taking}, MOST)), flush=True)\ntime.sleep(SLEEP)")
    agent = shared_gateway.agent()
    one, other = (agent.start_session()["id"] for _ in range(2))
    taken = agent.bash(one, ["python3", "-c", code.replace("MOST", "100_000").replace("SLEEP", "1000")], background=True)
    told = eventually(lambda: agent.command(one, taken["command_id"])["stdout"], 60, "that all is taken")
    count, found = json.loads(told)
    assert found == error
    assert count <= {"terminal": PTYS, "key": 0, "keyring": 0}.get(kind, 40_000)
    again = agent.bash(other, ["python3", "-c", code.replace("MOST", "5").replace("SLEEP", "0")])
    none = error == "EPERM" or (kind in OF_A_USER and outside == "one user for all")
    assert again["stdout"] == (f'[0, "{error}"]\n' if none else '[5, "done"]\n'), again
    assert agent.execute(one, "1 + 1")["status"] == "ok"
    for each in (one, other):
        agent.end_session(each)


FLOODS = {"lines": "while True: print('x' * 1000)", "one line": "while True: print('x' * 100_000, end='')",
          "displays": "from IPython.display import display\nwhile True: display({'text/plain': 'x' * 1000}, raw=True)"}


@pytest.mark.parametrize("kernel", ["cellgate", "ipykernel"])
@pytest.mark.parametrize("kind", FLOODS)
@pytest.mark.release
def test_10_a_flood_is_kept_in_a_file_and_can_be_interrupted(start_gateway, kind: str, kernel: str) -> None:
    gateway = start_gateway(output_log__memory_bytes=4 * MIB, output_log__disk_bytes=64 * MIB)
    agent = gateway.agent()
    session = agent.start_session(kernel_name=kernel)["id"]
    agent.execute(session, "1")
    before = gateway.resident_bytes()
    with ThreadPoolExecutor(1) as pool:
        running = pool.submit(gateway.agent().execute, session, FLOODS[kind])
        highest, end = 0, time.monotonic() + 4
        while time.monotonic() < end:
            highest = max(highest, gateway.resident_bytes())
            time.sleep(0.05)
        watch = Stopwatch()
        agent.call("POST", f"/sessions/{session}/interrupt", 200)
        answered = watch.seconds
        record = running.result()
        # The end comes behind what was printed before, all of which is kept.
        assert answered < 1 and watch.seconds < 30, (answered, watch.seconds)
    # The log, as much again on its way to disk and to its file, and what the allocator keeps.
    assert highest - before < 256 * MIB, (highest - before) // MIB
    if kernel == "ipykernel" and record["status"] == "lost":  # it has no limit for what it has not sent yet but its memory's
        assert record["reason"] == "oom"
        return
    assert record["status"] == "interrupted", record["status"]
    if kind != "displays":
        path = record["truncated"]["stdout"]
        assert len(record["stdout"]) < 41_000
        assert agent.execute(session, f"import os\nprint(os.path.getsize({path!r}) > 1_000_000)")["stdout"] == "True\n"
    assert agent.execute(session, "6 * 7")["result"]["text/plain"] == "42"


def flood_of(gateway: Gateway, code: str, timeout: int) -> None:
    agent = gateway.agent()
    session = agent.start_session()["id"]
    agent.execute(session, "1")
    before, highest = gateway.resident_bytes(), 0
    with ThreadPoolExecutor(1) as pool:
        running = pool.submit(gateway.agent().execute, session, code, timeout, timeout_s=timeout)
        while not running.done():
            highest = max(highest, gateway.resident_bytes())
            time.sleep(0.1)
        assert running.result()["status"] == "ok", running.result()
    assert highest - before < 3 * 64 * MIB, (highest - before) // MIB
    agent.end_session(session)


@pytest.mark.soak
@pytest.mark.release
@pytest.mark.timeout(3600)
@pytest.mark.parametrize("code", [
    "line = 'x' * 999_999\nfor _ in range(10_000): print(line)",
    "for _ in range(1000): print('x' * 1_000_000, end='')",
    "from IPython.display import display\nfor n in range(1_000_000): display({'text/plain': str(n)}, raw=True)",
], ids=["ten gigabytes", "one line of a gigabyte", "a million displays"])
def test_10_large_floods_leave_the_memory_bounded(start_gateway, code: str) -> None:
    flood_of(start_gateway(), code, 3000)
