"""What untrusted code must not be able to do, each statement with its number in docs/security.md: by a forked kernel, a
kernel of another kernelspec, and a command; under a gateway that runs as root, and as an ordinary user."""

import json
import os
import secrets
import socket
from collections.abc import Iterator
from dataclasses import dataclass

import pytest

from support.gateway import Gateway, ordinary_user
from support.waiting import eventually

PLACES = ("forked kernel", "kernelspec kernel", "command")

# Every probe begins so: `call` makes a system call by its number, `attempt` names the error of what it is given.
BEGINNING = """
import ctypes, errno, json, os, signal, socket, stat, sys
libc = ctypes.CDLL(None, use_errno=True)
def call(number, *arguments):
    ctypes.set_errno(0)
    return 'done' if libc.syscall(number, *arguments) >= 0 else errno.errorcode[ctypes.get_errno()]
def attempt(what, *arguments, **named):
    try:
        what(*arguments, **named)
    except OSError as error:
        return errno.errorcode[error.errno]
    return 'done'
def status(pid='self'):
    return dict(line.rstrip('\\n').split(':\\t', 1) for line in open(f'/proc/{pid}/status') if ':\\t' in line)
"""
# landlock_create_ruleset(), asked for its version
LANDLOCK_VERSION = "max(0, libc.syscall(444, None, ctypes.c_size_t(0), 1))"


@dataclass
class Inside:
    """Python that runs in one of the places; what it leaves in `result` comes back."""

    gateway: Gateway
    place: str
    session: str
    user: int

    def probe(self, code: str) -> object:
        source = BEGINNING + code + "\nprint('result:', json.dumps(result))"
        agent = self.gateway.agent()
        done = agent.bash(self.session, ["python3", "-c", source]) if self.place == "command" else agent.execute(self.session, source)
        assert done["status"] == "ok", done
        return json.loads(done["stdout"].rpartition("result:")[2])


def users() -> list[str]:
    return ["root", "ordinary"] if os.getuid() == 0 else ["ordinary"]


@pytest.fixture(scope="module", params=users())
def shared_gateway(request: pytest.FixtureRequest) -> Iterator[Gateway]:
    gateway = Gateway(user=None if request.param == "root" else ordinary_user())
    yield gateway
    gateway.finish()
    gateway.remove()


@pytest.fixture(scope="module", params=PLACES)
def inside(request: pytest.FixtureRequest, shared_gateway: Gateway) -> Iterator[Inside]:
    kernel = "ipykernel" if request.param == "kernelspec kernel" else "cellgate"
    session = shared_gateway.agent().start_session(kernel_name=kernel)["id"]
    user = os.getuid() if shared_gateway.user is None else shared_gateway.user
    yield Inside(shared_gateway, request.param, session, user)
    shared_gateway.agent().end_session(session)


def test_13_what_is_left_in_the_background_dies_with_the_session(shared_gateway: Gateway) -> None:
    agent = shared_gateway.agent()
    session = agent.start_session()["id"]
    seconds = str(secrets.randbelow(10 ** 8) + 10 ** 8)  # by which these are known
    agent.execute(session, f"import subprocess; p = subprocess.Popen(['setsid', 'sleep', '{seconds}'], start_new_session=True)")
    agent.bash(session, f"(setsid sleep {seconds} &) ; true")

    def sleepers() -> list[str]:
        return [pid for pid in os.listdir("/proc") if pid.isdigit() and seconds in _command_line(pid)]

    assert len(sleepers()) == 2
    agent.end_session(session)
    eventually(lambda: not sleepers(), what="the end of what was left")


def _command_line(pid: str) -> str:
    try:
        return open(f"/proc/{pid}/cmdline").read()
    except OSError:
        return ""


def test_17_the_clock_cannot_be_set(inside: Inside) -> None:
    assert inside.probe("import time\nresult = [attempt(time.clock_settime, time.CLOCK_REALTIME, 0), call(164, None, None), call(159, 0)]") == \
        ["EPERM"] * 3


def test_21_files_of_the_host_cannot_be_read(inside: Inside) -> None:
    kept = inside.gateway.directory / "data"
    paths = ["/etc/shadow", "/root", str(kept), str(kept / "cellgate.db"), str(kept / "env.key"), str(inside.gateway.directory / "cellgate.toml")]
    found = inside.probe(f"result = {{path: attempt(os.open, path, os.O_RDONLY) for path in {paths!r}}}")
    assert set(found.values()) <= {"ENOENT", "EACCES"}, found
    # Not by way of the descriptors of others either.
    assert inside.probe("""
result = []
for pid in filter(str.isdigit, os.listdir('/proc')):
    for number in (os.listdir(f'/proc/{pid}/fd') if os.access(f'/proc/{pid}/fd', os.R_OK) else []):
        try: target = os.stat(f'/proc/{pid}/fd/{number}')
        except OSError: continue
        if stat.S_ISDIR(target.st_mode) and attempt(os.open, f'/proc/{pid}/fd/{number}/etc/shadow', os.O_RDONLY) == 'done': result.append((pid, number))
""") == []


def test_21_home_directories_of_others_are_not_there(inside: Inside) -> None:
    assert inside.probe("result = os.listdir('/home')") == ["user"]


def test_28_and_29_no_program_with_rights_and_no_device_can_be_made(inside: Inside) -> None:
    assert inside.probe("""
path = '/mnt/files/program'
open(path, 'w').close()
result = [attempt(os.chmod, path, mode) for mode in (0o4755, 0o2755, 0o755)]
result += [attempt(os.mknod, '/tmp/device', kind | 0o666, device) for kind in (stat.S_IFCHR, stat.S_IFBLK) for device in (0, os.makedev(1, 3))]
result.append(attempt(os.setxattr, path, 'security.capability', bytes.fromhex('0100000202000000000000000000000000000000')))
os.unlink(path)
""") == ["EPERM", "EPERM", "done", "EPERM", "EPERM", "EPERM", "EPERM", "EPERM"]
    assert inside.probe("result = sorted(os.listdir('/dev'))") == \
        sorted(["fd", "full", "null", "ptmx", "pts", "random", "shm", "stderr", "stdin", "stdout", "tty", "urandom", "zero"])
    assert inside.probe("""
result = {line.split()[4]: line.split()[5] for line in open('/proc/self/mountinfo') if 'nosuid' not in line.split()[5].split(',')}
""") == {}, "mounts on which set-user-id programs count"


def test_33_no_process_looks_into_another(inside: Inside) -> None:
    found = inside.probe("""
other = os.fork()
if other == 0:
    signal.pause()
handle = os.pidfd_open(other)
result = [call(101, 16, other, 0, 0), call(310, other, None, 0, None, 0, 0), call(311, other, None, 0, None, 0, 0), call(438, handle, 0, 0),
          call(312, os.getpid(), other, 0, 0, 0)]
os.kill(other, signal.SIGKILL)
os.waitpid(other, 0)
""")
    assert found == ["EPERM"] * 5


def test_33_what_is_beside_a_program_keeps_its_memory(inside: Inside) -> None:
    """Init's, and under a gateway of root nobody could change it before; with Landlock, a command and the kernel each
    other's too."""
    version = inside.probe(f"result = {LANDLOCK_VERSION}")
    opened = inside.probe("result = [attempt(os.open, f'/proc/{pid}/mem', os.O_RDWR) for pid in (1, 2) if pid != os.getpid()]")
    own = inside.place == "command"  # of the kernel, which is process 2
    assert opened[0] == ("done" if version == 0 and inside.user != 0 else "EACCES")
    assert opened[1:] == ([] if not own else ["done" if version == 0 else "EACCES"])


def test_34_and_36_no_mounts_roots_or_namespaces(inside: Inside) -> None:
    assert inside.probe("""
names = dict(pivot_root=155, chroot=161, mount=165, umount2=166, setns=308, open_tree=428, move_mount=429, fsopen=430, fsconfig=431,
             fsmount=432, fspick=433, mount_setattr=442)
result = {name: answer for name in names if (answer := call(names[name], 0, 0, 0, 0, 0)) != 'EPERM'}
""") == {}
    assert inside.probe("""
new = dict(mount=0x20000, cgroup=0x2000000, uts=0x4000000, ipc=0x8000000, user=0x10000000, pid=0x20000000, network=0x40000000, time=0x80)
result = {name: answers for name, flag in new.items()
          if (answers := [call(272, flag), 'EPERM' if flag == 0x80 else call(56, flag | 17, 0, 0, 0, 0)]) != ['EPERM', 'EPERM']}
""") == {}
    assert inside.probe("result = call(435, 0, 0)") == "ENOSYS", "clone3, whose flags a filter cannot see"


def test_37_what_has_been_a_way_out_does_not_exist_here(inside: Inside) -> None:
    assert inside.probe("""
names = dict(add_key=248, request_key=249, keyctl=250, bpf=321, perf_event_open=298, io_uring_setup=425, io_uring_enter=426,
             io_uring_register=427, userfaultfd=323, kexec_load=246, kexec_file_load=320, init_module=175, finit_module=313,
             delete_module=176, iopl=172, ioperm=173, swapon=167, swapoff=168, reboot=169, acct=163, quotactl=179, nfsservctl=180,
             lookup_dcookie=212, fanotify_init=300, open_by_handle_at=304, name_to_handle_at=303, vhangup=153)
result = {name: answer for name in names if (answer := call(names[name], 0, 0, 0, 0, 0)) not in ('EPERM', 'ENOSYS')}
result['no randomisation'] = call(135, 0x0040000)
result['x32'] = call(0x40000000 + 39)
""") == {"no randomisation": "EPERM", "x32": "ENOSYS"}


def test_39_sockets_reach_no_part_of_the_kernel(inside: Inside) -> None:
    assert inside.probe("""
families = dict(netlink_audit=(16, 3, 9), netlink_netfilter=(16, 3, 12), key=(15, 3, 2), packet=(17, 3, 0), bluetooth=(31, 3, 1),
                alg=(38, 5, 0), vsock=(40, 1, 0), xdp=(44, 3, 0), raw=(2, 3, 1), raw6=(10, 3, 58))
result = [name for name, which in families.items() if attempt(socket.socket, *which) == 'done']
""") == []
    assert inside.probe("result = [attempt(socket.socket, *which) for which in ((1, 1), (2, 1), (10, 2), (16, 3, 0))]") == ["done"] * 4


def test_41_filters_are_added_and_never_loosened(inside: Inside) -> None:
    assert inside.probe("""
child = os.fork()
if child == 0:
    # One that allows everything: load a word, return ALLOW.
    program = ctypes.create_string_buffer(bytes.fromhex('0600000000 00ff7f'.replace(' ', '')))
    class Program(ctypes.Structure):
        _fields_ = [('length', ctypes.c_ushort), ('rules', ctypes.c_void_p)]
    added = call(317, 1, 0, ctypes.byref(Program(1, ctypes.addressof(program))))
    os._exit(0 if (added, call(317, 0, 0, None), call(165, 0, 0, 0, 0, 0)) == ('done', 'EINVAL', 'EPERM') else 1)
result = os.waitpid(child, 0)[1]
""") == 0


def test_42_no_core_file_leaves_the_session(inside: Inside) -> None:
    assert inside.probe("""
import resource
result = [call(157, 35, 1, 0, 0, 0), attempt(lambda: open('/proc/sys/kernel/core_pattern', 'w'))]
child = os.fork()
if child == 0:
    os.chdir('/tmp')
    os.abort()
how = os.waitpid(child, 0)[1]
result += [os.WCOREDUMP(how), [name for name in os.listdir('/tmp') if 'core' in name]]
""") == ["EPERM", "EROFS", False, []]


def test_43_and_44_the_machines_own_files_are_closed(inside: Inside) -> None:
    assert inside.probe("""
pids = [int(name) for name in os.listdir('/proc') if name.isdigit()]
result = max(pids) < 10000 and 1 in pids
""") is True
    assert inside.probe("""
masked = ['kcore', 'keys', 'key-users', 'kallsyms', 'timer_list', 'sched_debug', 'latency_stats', 'sysrq-trigger']
result = [name for name in masked if os.path.exists('/proc/' + name) and attempt(open, '/proc/' + name) == 'done' and open('/proc/' + name).read()]
""") == []
    assert inside.probe("""
written = []
for top in ('/proc/sys', '/sys/kernel', '/sys/fs', '/sys/firmware', '/sys/module'):
    for directory, _, files in os.walk(top):
        for name in files:
            if attempt(os.open, f'{directory}/{name}', os.O_WRONLY | os.O_NONBLOCK) == 'done': written.append(f'{directory}/{name}')
result = written
""") == []
    assert inside.probe("result = [attempt(os.open, path, os.O_RDONLY) == 'done' for path in ('/dev/kmsg', '/dev/mem', '/dev/kvm')] + [call(103, 3, None, 0)]") == \
        [False, False, False, "EPERM"]


def test_45_there_are_no_capabilities_anywhere(inside: Inside) -> None:
    found = inside.probe("""
child = os.fork()
if child == 0:
    os.execvp('sleep', ['sleep', '30'])
pids = [name for name in os.listdir('/proc') if name.isdigit()]
result = {pid: [status(pid)[name] for name in ('CapInh', 'CapPrm', 'CapEff', 'CapBnd', 'CapAmb', 'NoNewPrivs', 'Seccomp')] for pid in pids}
os.kill(child, signal.SIGKILL)
os.waitpid(child, 0)
""")
    assert len(found) >= 3, "init, the kernel, and a child"
    assert all(each == ["0" * 16] * 5 + ["1", "2"] for each in found.values()), found


def test_46_the_user_is_nobody_else_outside(inside: Inside) -> None:
    uid, outside = inside.probe("result = [os.getuid(), int(open('/proc/self/uid_map').read().split()[1])]")
    assert uid == 1000
    if inside.user == 0:
        assert 2_000_000_000 <= outside < 2_000_065_536
    else:
        assert outside == inside.user


def test_46_each_session_of_a_root_gateway_is_another_user(shared_gateway: Gateway) -> None:
    agent = shared_gateway.agent()
    sessions = [agent.start_session()["id"] for _ in range(3)]
    outside = {agent.execute(session, "print(open('/proc/self/uid_map').read().split()[1])")["stdout"] for session in sessions}
    assert len(outside) == (3 if shared_gateway.user is None and os.getuid() == 0 else 1)
    for session in sessions:
        agent.end_session(session)


def test_48_none_of_the_usual_doors_is_open(inside: Inside) -> None:
    assert inside.probe("""
doors = ['/var/run/docker.sock', '/run/docker.sock', '/run/containerd/containerd.sock', '/run/dbus/system_bus_socket', '/run/systemd/private']
result = [path for path in doors if os.path.exists(path)]
result += [path for path in ('/sys/fs/cgroup', '/proc/1/root') if attempt(lambda: open(path + '/x', 'w')) == 'done']
""") == []


def test_50_two_forks_share_no_randomness(shared_gateway: Gateway) -> None:
    agent = shared_gateway.agent()
    seen = []
    for _ in range(2):
        session = agent.start_session()["id"]
        seen.append(agent.execute(session, "import os, random, secrets, tempfile, uuid, numpy\n"
                                           "print(random.random(), uuid.uuid4(), os.urandom(8).hex(), secrets.token_hex(8), "
                                           "next(tempfile._get_candidate_names()), numpy.random.random(), sep='\\n')")["stdout"].split())
        agent.end_session(session)
    assert len(seen[0]) == 6 and not set(seen[0]) & set(seen[1])


def test_62_no_abstract_socket_of_the_machine_is_reached(inside: Inside) -> None:
    name = f"cellgate-test-{secrets.token_hex(8)}"
    with socket.socket(socket.AF_UNIX) as server:
        server.bind(f"\0{name}")
        server.listen()
        assert inside.probe(f"result = attempt(socket.socket(socket.AF_UNIX).connect, '\\0{name}')") in \
            ({"EPERM", "ECONNREFUSED"} if inside.probe(f"result = {LANDLOCK_VERSION}") >= 6 else {"done", "ECONNREFUSED"})
    assert inside.probe("""
own = socket.socket(socket.AF_UNIX)
own.bind('\\0own')
own.listen()
result = attempt(socket.socket(socket.AF_UNIX).connect, '\\0own')
""") == "done"


def test_files_belong_to_whom_they_did(inside: Inside) -> None:
    """What a cell writes is the gateway's on the disk, and what comes by the API is the cell's to change."""
    agent = inside.gateway.agent()
    agent.call("PUT", f"/sessions/{inside.session}/files/uploaded.txt", data=b"from outside")
    assert inside.probe("""
path = '/mnt/files/uploaded.txt'
result = [open(path).read(), os.stat(path).st_uid == os.getuid(), attempt(lambda: open(path, 'a').write(' and inside'))]
open('/mnt/files/made.txt', 'w').write('made')
""") == ["from outside", True, "done"]
    assert agent.call("GET", f"/sessions/{inside.session}/files/uploaded.txt", 200).content == b"from outside and inside"
    for name in ("uploaded.txt", "made.txt"):
        agent.call("DELETE", f"/sessions/{inside.session}/files/{name}")


def test_no_program_that_people_use_is_hindered(inside: Inside) -> None:
    assert inside.probe("""
import asyncio, concurrent.futures, multiprocessing, sqlite3, subprocess, tempfile, threading
import numpy, pandas
result = [subprocess.run(['bash', '-c', 'echo $((6 * 7)); git --version >/dev/null && node -e "process.stdout.write(String(1))"'], capture_output=True, text=True).stdout]
with multiprocessing.get_context('fork').Pool(2) as pool:
    result.append(sum(pool.map(abs, [-1, -2])))
with concurrent.futures.ThreadPoolExecutor(8) as pool:
    result.append(sum(pool.map(abs, range(100))))
result.append(float(numpy.linalg.norm(numpy.ones((200, 200)) @ numpy.ones((200, 200)))) > 0)
with tempfile.NamedTemporaryFile(suffix='.parquet', dir='/mnt/files') as file:
    sqlite3.connect(file.name + '.db').execute('create table t (a)')
    os.unlink(file.name + '.db')
pandas.DataFrame({'a': [1]}).to_csv('/mnt/files/t.csv')
os.unlink('/mnt/files/t.csv')
async def server():
    listening = await asyncio.start_server(lambda r, w: w.close(), '127.0.0.1', 0)
    reader, writer = await asyncio.open_connection(*listening.sockets[0].getsockname())
    result.append((await reader.read()).decode())
    listening.close()
worker = threading.Thread(target=lambda: asyncio.run(server()))
worker.start()
worker.join()
result.append(len(socket.if_nameindex()) > 0)
""") == ["42\n1", 3, 4950, True, "", True]


def test_a_session_that_closed_its_own_directories_starts_again(shared_gateway: Gateway) -> None:
    agent = shared_gateway.agent()
    session = agent.start_session()["id"]
    closed = agent.execute(session, "import os\nfor path in ('/home/user', '/mnt/files'): os.chmod(path, 0)\nprint('closed')")
    assert closed["stdout"] == "closed\n"
    agent.call("POST", f"/sessions/{session}/restart", 200)
    again = agent.execute(session, "import os\nfor path in ('/home/user', '/mnt/files'): open(path + '/x', 'w').close()\n"
                                   "print(oct(os.stat('/home/user').st_mode))")
    assert again["stdout"] == "0o40700\n", again
    agent.end_session(session)
