"""What sessions reach of a network, and what they do not. Run in namespaces of its own by test_network.py, where port 53
and every address are ours; prints what happened as JSON.

    unshare --net --mount python network_scene.py
"""

import json
import signal
import socket as sockets
import subprocess
import sys
import tempfile
import time
import zipfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from support.agent import Agent
from support.gateway import LAB, Gateway, ordinary_user
from support.name_server import NameServer

SITE = "192.31.196.1"  # AS112's, which is public and nobody's
LONGEST = 150
GATE = "192.31.196.9"  # of the gateway's own interface
NAMES = {"meta.example": "169.254.169.254", "inside.example": "127.0.0.1", "private.example": "10.1.2.3", "gate.example": GATE}

# In a cell: `ask(URL)` is the status, or what the proxy says; `tunnel` what became of a TLS connection by hand.
TOOLS = """
import http.client, json, os, socket, ssl, urllib.error, urllib.request
for name in ('no_proxy', 'NO_PROXY'): os.environ.pop(name, None)
context = ssl.create_default_context(cafile='/mnt/files/cert.pem')
def ask(url, data=None, headers={}):
    opener = urllib.request.build_opener(urllib.request.HTTPSHandler(context=context))
    try:
        with opener.open(urllib.request.Request(url, data, headers), timeout=20) as answer:
            return [answer.status, len(answer.read())]
    except urllib.error.HTTPError as error:
        return [error.code, error.reason]
    except (OSError, http.client.HTTPException) as error:
        return [0, str(error)]
def proxy(head):
    connection = socket.create_connection(('127.0.0.1', 3128), 20)
    connection.sendall(head.encode('latin-1'))
    return connection
def raw(head):
    answer = proxy(head).recv(65536).decode('latin-1')
    return answer.split(' ', 2)[1] + ' ' + (json.loads(answer.partition('\\r\\n\\r\\n')[2])['error']['code'] if '"error"' in answer else '')
def tunnel(to, name):
    connection = proxy(f'CONNECT {to} HTTP/1.1\\r\\nHost: {to}\\r\\n\\r\\n')
    connection.recv(65536)
    unchecked = ssl._create_unverified_context()
    try:
        with unchecked.wrap_socket(connection, server_hostname=name) as secure:
            secure.sendall(b'GET /here HTTP/1.0\\r\\nHost: a.example\\r\\n\\r\\n')
            return secure.recv(12).decode()
    except ssl.SSLError as error:
        return error.reason
    except OSError as error:
        return 'ended'
def failure(what, *arguments):
    try: what(*arguments)
    except OSError as error: return os.strerror(error.errno) if error.errno else str(error)
    return 'done'
"""


def take_over_the_network() -> subprocess.Popen:
    """The gateway's side of a wire, and a process that holds the other."""
    holder = subprocess.Popen(["unshare", "--net", "sh", "-c", "echo made && exec cat"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    assert holder.stdout.readline() == "made\n"
    there = ["nsenter", "--target", str(holder.pid), "--net"]
    for command in (["ip", "link", "set", "lo", "up"],
                    ["ip", "link", "add", "gate", "type", "veth", "peer", "name", "site", "netns", str(holder.pid)],
                    ["ip", "address", "add", f"{GATE}/24", "dev", "gate"], ["ip", "link", "set", "gate", "up"],
                    [*there, "ip", "address", "add", f"{SITE}/24", "dev", "site"], [*there, "ip", "link", "set", "site", "up"],
                    [*there, "ip", "link", "set", "lo", "up"]):
        subprocess.run(command, check=True)
    with tempfile.NamedTemporaryFile("w", suffix=".conf") as resolver:
        resolver.write("nameserver 127.0.0.1\noptions timeout:1 attempts:1\n")
        resolver.flush()
        subprocess.run(["mount", "--bind", resolver.name, "/etc/resolv.conf"], check=True)
    return holder


def make_site(directory: Path) -> None:
    names = ",".join(f"DNS:{name}" for name in ("a.example", "*.a.example", "b.example", "index.example", "git.example", "elsewhere.example"))
    subprocess.run(["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-days", "2", "-subj",
                    "/CN=site", "-addext", f"subjectAltName={names}", "-keyout", directory / "key.pem", "-out", directory / "cert.pem"],
                   check=True, capture_output=True)
    (directory / "here").write_text("here")
    make_package(directory / "simple" / "parcel")
    make_repository(directory)


def make_package(into: Path) -> None:
    into.mkdir(parents=True)
    with zipfile.ZipFile(into / "parcel-1.0-py3-none-any.whl", "w") as wheel:
        wheel.writestr("parcel.py", "word = 'delivered'\n")
        wheel.writestr("parcel-1.0.dist-info/METADATA", "Metadata-Version: 2.1\nName: parcel\nVersion: 1.0\n")
        wheel.writestr("parcel-1.0.dist-info/WHEEL", "Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n")
        wheel.writestr("parcel-1.0.dist-info/RECORD", "")
    (into / "index.html").write_text('<a href="parcel-1.0-py3-none-any.whl">parcel-1.0-py3-none-any.whl</a>')


def make_repository(directory: Path) -> None:
    """For git's plain HTTP protocol, which needs only files."""
    work = directory / "work"
    work.mkdir()
    (work / "readme").write_text("cloned\n")
    git = ["git", "-C", work, "-c", "user.name=a", "-c", "user.email=a@a.example"]
    for words in (["init", "-q", "-b", "main"], ["add", "."], ["commit", "-q", "-m", "one"],
                  ["clone", "-q", "--bare", work, directory / "thing.git"], ["--git-dir", directory / "thing.git", "update-server-info"]):
        subprocess.run([*git, *words], check=True, capture_output=True)


class Scene:
    def __init__(self, agent: Agent, certificate: str) -> None:
        self.agent, self.certificate = agent, certificate

    def session(self, **body: object) -> str:
        made = self.agent.start_session(**body)["id"]
        done = self.agent.execute(made, f"open('/mnt/files/cert.pem', 'w').write({self.certificate!r})\n" + TOOLS)
        assert done["status"] == "ok", done
        return made

    def inside(self, session: str, expression: str) -> object:
        done = self.agent.execute(session, f"print(json.dumps({expression}))")
        assert done["status"] == "ok", done
        return json.loads(done["stdout"].splitlines()[-1])

    def network(self, session: str) -> dict:
        return self.agent.call("GET", f"/sessions/{session}/network", 200).json()

    def change(self, session: str, policy: object) -> None:
        self.agent.call("PATCH", f"/sessions/{session}", 200, json={"network": policy})


def with_network_off(scene: Scene) -> dict:
    off = scene.session()
    port = scene.agent.url.rsplit(":", 1)[1]
    told = {"routes": scene.inside(off, "open('/proc/net/route').read().count('\\n')"),
            "interfaces": scene.inside(off, "[name for _, name in socket.if_nameindex()]"),
            "sysfs": scene.inside(off, "[os.listdir(each) for each in ('/sys/class/net', '/sys/devices/virtual/net', '/sys/block', '/sys/fs/btrfs') if os.path.exists(each)]"),
            "name": scene.inside(off, "failure(socket.getaddrinfo, 'a.example', 80)"),
            "gateway": scene.inside(off, f"failure(socket.create_connection, ('127.0.0.1', {port}), 5)"),
            "site": scene.inside(off, f"failure(socket.create_connection, ('{SITE}', 80), 5)"),
            "udp": scene.inside(off, f"failure(socket.socket(socket.AF_INET, socket.SOCK_DGRAM).sendto, b'q', ('{SITE}', 443))"),
            "icmp": scene.inside(off, "[failure(socket.socket, socket.AF_INET, kind, 1) for kind in (socket.SOCK_DGRAM, socket.SOCK_RAW)]"),
            "asked": scene.inside(off, "[ask('http://a.example/here'), ask('https://a.example/here')]"),
            "network": scene.network(off)}
    scene.agent.end_session(off)
    return told


def with_everything_public(scene: Scene, names: NameServer) -> dict:
    opened = scene.session(network={"mode": "all"})
    port = scene.agent.url.rsplit(":", 1)[1]
    hosts = ["169.254.169.254", "[fd00:ec2::254]", "100.100.100.200", "2852039166", "0xa9fea9fe", "0251.0376.0251.0376",
             "[::ffff:169.254.169.254]", "[64:ff9b::a9fe:a9fe]", "127.0.0.1", "127.1", "0.0.0.0", "[::1]", "[::]", "10.0.0.1", "172.17.0.1",
             "192.168.1.1", "169.254.1.1", "[fe80::1]", "[fc00::1]", "224.0.0.1", GATE, "localhost", *NAMES]
    told = {"public": scene.inside(opened, "[ask('http://a.example/here'), ask('https://b.example/here')]"),
            "refused": {host: scene.inside(opened, f"raw('GET http://{host}:{port}/ HTTP/1.1\\r\\nHost: {host}:{port}\\r\\n\\r\\n')") for host in hosts},
            "connect": {host: scene.inside(opened, f"raw('CONNECT {host}:443 HTTP/1.1\\r\\nHost: {host}:443\\r\\n\\r\\n')") for host in hosts},
            "redirect": scene.inside(opened, f"[ask('http://a.example/to?url=http://' + host + '/') for host in ('127.0.0.1:{port}', 'meta.example', '169.254.169.254')]"),
            "schemes": scene.inside(opened, "[raw(f'GET {url} HTTP/1.1\\r\\nHost: a.example\\r\\n\\r\\n') for url in ('ftp://a.example/', 'file:///etc/passwd', 'gopher://a.example/', 'unix:///run/x')]")}
    answers = [SITE, "127.0.0.1", "127.0.0.1"]
    names.changing = lambda name: answers.pop(0) if len(answers) > 1 else answers[0]
    told["rebinding"] = scene.inside(opened, "[ask('http://rebind.example/here'), ask('http://rebind.example/here')]")
    names.changing = None
    scene.agent.end_session(opened)
    return told


def with_a_list(scene: Scene) -> dict:
    """One site, many names: which of them are let through."""
    listed = scene.session(network={"mode": "allow", "allow": [{"host": "a.example"}, {"host": "*.a.example"}, {"cidr": f"{SITE}/32", "ports": [80]}]})
    told = {"allowed": scene.inside(listed, f"[ask(url) for url in ('https://a.example/here', 'https://A.EXAMPLE/here', 'http://a.example./here', 'https://deep.a.example/here', 'http://{SITE}/here')]"),
            "denied": scene.inside(listed, f"[ask(url) for url in ('https://b.example/here', 'http://b.example/here', 'https://evil-a.example/here', 'https://a.example:8443/here', 'https://{SITE}/here', 'https://example/here')]"),
            "sni": scene.inside(listed, "[tunnel('a.example:443', name) for name in ('a.example', 'b.example', None)]"),
            "host": scene.inside(listed, "raw('GET http://a.example/here HTTP/1.1\\r\\nHost: b.example\\r\\n\\r\\n')"),
            "idn": scene.inside(listed, "raw('CONNECT \\u0430.example:443 HTTP/1.1\\r\\nHost: a.example\\r\\n\\r\\n'.encode().decode('latin-1'))"),
            "no tls": scene.inside(listed, "(lambda c: [c.recv(65536).decode(), c.sendall(b'SSH-2.0-x\\r\\n'), c.recv(10).decode()])(proxy('CONNECT a.example:443 HTTP/1.1\\r\\nHost: a.example:443\\r\\n\\r\\n'))[2]"),
            "network": scene.network(listed)}
    scene.agent.end_session(listed)
    return told


def programs(scene: Scene) -> dict:
    """pip and git, from a cell's point of view and in a command."""
    session = scene.session(network={"mode": "allow", "allow": [{"host": "index.example"}, {"host": "git.example"}]})
    pip = "python3 -m venv /tmp/v && /tmp/v/bin/pip install --cert /mnt/files/cert.pem -i https://index.example/simple parcel && /tmp/v/bin/python -c 'import parcel; print(parcel.word)'"
    git = "GIT_SSL_CAINFO=/mnt/files/cert.pem git clone https://git.example/thing.git /tmp/thing && cat /tmp/thing/readme"
    other = "/tmp/v/bin/pip download --cert /mnt/files/cert.pem --retries 1 -d /tmp -i https://elsewhere.example/simple parcel"
    node = "node -e 'require(\"https\")' && curl -sS --cacert /mnt/files/cert.pem https://git.example/here"
    told = {name: scene.agent.bash(session, words) for name, words in (("pip", pip), ("git", git), ("other", other), ("node", node))}
    told["cell"] = scene.agent.execute(session, f"!{git.replace('/tmp/thing', '/tmp/again')}")
    scene.agent.end_session(session)
    return told


def changes(scene: Scene) -> dict:
    """Another policy while a connection is open, over a kernel's restart, and back to what is configured."""
    session = scene.session(network={"mode": "all"})
    agent = scene.agent
    with agent.connect(session) as socket:
        socket.call("attach")
        cell = socket.begin("import time\nbegan = urllib.request.urlopen('http://a.example/slow', timeout=60)\nprint('open', flush=True)\ntry:\n    print(len(began.read()))\nexcept Exception as error:\n    print(type(error).__name__)")
        socket.wait_for(lambda event: event["method"] == "output" and event.get("cell_id") == cell and "open" in event.get("text", ""))
        started = time.monotonic()
        scene.change(session, {"mode": "none"})
        ended = socket.finished(cell, 30)
        told = {"cut after": time.monotonic() - started, "cell": ended["status"], "text": socket.text(cell)}
        told["then"] = scene.inside(session, "ask('http://a.example/here')")
        told["events"] = [event for event in socket.events if event["method"].startswith("network_")]
    told["before"] = scene.network(session)
    agent.call("POST", f"/sessions/{session}/restart", 200, json={})
    agent.execute(session, TOOLS)
    told["after the restart"] = scene.inside(session, "ask('http://a.example/here')")
    scene.change(session, {"mode": "allow", "allow": [{"host": "a.example"}]})
    told["opened again"] = scene.inside(session, "ask('http://a.example/here')")
    told["network"] = scene.network(session)
    scene.change(session, None)
    told["configured"] = agent.session(session)["network"]
    agent.end_session(session)
    return told


def counts(scene: Scene) -> dict:
    session = scene.session(network={"mode": "all"})
    size = 20_000_000
    told = {"size": size, "read": scene.inside(session, f"[ask('https://a.example/bytes?n={size}'), ask('http://b.example/x', b'z' * {size // 10})]"),
            "network": scene.network(session)}
    ceiling = told["network"]["bytes_in"] + told["network"]["bytes_out"] + 5_000_000
    with scene.agent.connect(session) as socket:
        socket.call("attach")
        scene.change(session, {"mode": "all", "max_bytes": ceiling})
        told["stopped"] = scene.inside(session, f"ask('https://a.example/bytes?n={size}')")
        told["refused"] = scene.inside(session, "ask('http://a.example/here')")
        told["event"] = socket.wait_for(lambda event: event["method"] == "network_used_up")
    told["ceiling"], told["at the ceiling"] = ceiling, scene.network(session)
    scene.agent.end_session(session)
    return told


def neighbours(scene: Scene) -> dict:
    one, other = scene.session(), scene.session()
    scene.agent.execute(one, "a = socket.create_server(('127.0.0.1', 5000)); b = socket.socket(socket.AF_UNIX); b.bind('\\0secret'); b.listen()")
    host = sockets.socket(sockets.AF_UNIX)
    host.bind("\0of the host")
    host.listen()
    connect = "failure(socket.socket(socket.AF_UNIX).connect, '\\0{}')"
    told = {"port": scene.inside(other, "failure(socket.create_connection, ('127.0.0.1', 5000), 5)"),
            "abstract": [scene.inside(other, connect.format(name)) for name in ("secret", "of the host")],
            "own": scene.inside(one, "failure(socket.create_connection, ('127.0.0.1', 5000), 5)")}
    host.close()
    for each in (one, other):
        scene.agent.end_session(each)
    return told


def too_long(*_: object) -> None:
    raise TimeoutError(f"the scene took longer than {LONGEST} s")


def main() -> None:
    holder = take_over_the_network()
    directory = Path(tempfile.mkdtemp(prefix="site"))
    make_site(directory)
    site = subprocess.Popen(["nsenter", "--target", str(holder.pid), "--net", LAB / "bin" / "python", "-m", "support.site", SITE, directory],
                            cwd=Path(__file__).resolve().parents[1], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    assert site.stdout.readline() == "ready\n"
    names = NameServer(lambda name: names.changing(name) if names.changing else NAMES.get(name, SITE))
    names.changing = None
    as_user = len(sys.argv) > 1 and sys.argv[1] == "ordinary"
    gateway = Gateway(user=ordinary_user() if as_user else None)
    told: dict[str, object] = {}

    def act(name: str, part, *arguments: object) -> None:
        began = time.monotonic()
        told[name] = part(scene, *arguments)
        print(f"{name}: {time.monotonic() - began:.1f} s", file=sys.stderr, flush=True)

    try:
        signal.signal(signal.SIGALRM, too_long)
        signal.alarm(LONGEST)  # whoever runs this would kill it, and nothing here would be ended
        scene = Scene(gateway.agent(), (directory / "cert.pem").read_text())
        act("off", with_network_off)
        act("all", with_everything_public, names)
        act("list", with_a_list)
        act("programs", programs)
        act("changes", changes)
        act("counts", counts)
        act("neighbours", neighbours)
        told["names asked"] = names.asked
        told["site asked"] = (directory / "asked").read_text().splitlines()
    finally:
        signal.alarm(0)
        gateway.finish()
        gateway.remove()
        for each in (site, holder):
            each.stdin.close()
            each.wait(30)
        subprocess.run(["rm", "-rf", directory], check=True)
    print(json.dumps(told))


main()
