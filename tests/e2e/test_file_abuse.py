"""What must not be possible with a session's files, and what must not hold anybody up."""

import fcntl
import os
import socket
import struct
import subprocess
import termios
import time
from contextlib import ExitStack
from pathlib import Path
from urllib.parse import urlsplit

import pytest
import requests

from support.files import Files, PeakMemory, Zeros, begun_upload, cut, raw
from support.gateway import Gateway
from support.waiting import eventually

TRAVERSALS = ["../x", "..%2fx", "%2e%2e/x", "%2e%2e%2fx", "%252e%252e/../x", "a/../../x", "a/%2e%2e/%2e%2e/x", "./x", "a//x", "//x/",
              "%c0%ae%c0%ae/x", "%e0%80%ae%e0%80%ae/x", "a%00b", "%2fmnt%2ffiles%2f..%2fx", "x/..", "n" * 256, "/".join(["d"] * 2100)]


@pytest.fixture
def files(gateway: Gateway) -> Files:
    agent = gateway.agent()
    return Files(agent, agent.start_session()["id"])


def all_files(gateway: Gateway) -> list[str]:
    """Those that no running kernel makes by itself."""
    found = (str(each) for each in gateway.directory.rglob("*"))
    return sorted(each for each in found if not {"run", "home", "log"} & set(each.split("/")))


@pytest.mark.parametrize("path", TRAVERSALS)
def test_no_path_leads_out(gateway: Gateway, files: Files, path: str) -> None:
    directory = files.directory(gateway)
    before = all_files(gateway)
    for method in ("GET", "PUT", "DELETE"):
        status, answer = raw(gateway.url, method, f"/api/v1{files.base}/{path}", gateway.token, b"evil" if method == "PUT" else b"")
        assert status in (400, 404), (method, status, answer)
        assert answer["error"]["message"]
    answer = files.agent.call("POST", f"/sessions/{files.session}/links", json={"path": path, "method": "PUT"})
    assert answer.status_code == 400 or answer.json()["path"] == path  # "%2e%2e" is a name there
    assert all_files(gateway) == before and directory.exists()


def test_the_mount_itself_cannot_be_deleted(gateway: Gateway, files: Files) -> None:
    files.put("a", b"x", 201)
    for target in ("files", "files/", "files//", "files/%2f", "files/%2fmnt%2ffiles", "files/.", "files/%2e"):
        status, _ = raw(gateway.url, "DELETE", f"/api/v1/sessions/{files.session}/{target}", gateway.token)
        assert status in (400, 404, 405), target
    assert files.paths() == ["a"]


def test_a_name_injects_no_header(files: Files) -> None:
    name = "a\r\nX-Injected: 1\r\n\r\n<script>.html"
    files.put(name, b"x", 201)
    for answer in (files.get(name), requests.get(files.link(name), timeout=60)):
        assert answer.status_code == 200 and "X-Injected" not in answer.headers and answer.text == "x"
        assert answer.headers["X-Content-Type-Options"] == "nosniff"
        assert "sandbox" in answer.headers["Content-Security-Policy"]


def test_links_and_pipes_lead_nowhere_and_hold_nobody_up(files: Files) -> None:
    files.run("import os; os.chdir('/mnt/files'); os.symlink('/etc/passwd', 'absolute'); os.symlink('../../etc', 'up');"
               "os.symlink('/proc/self/root', 'magic'); os.symlink('absolute', 'chained'); os.mkfifo('pipe')")
    begun = time.monotonic()
    for path in ("absolute", "up/passwd", "magic/etc/passwd", "chained", "pipe"):
        assert files.get(path, 409).json()["error"]["code"] == "file_unusable"
    files.put("up/new", b"x", 409)
    files.put("magic/tmp/new", b"x", 409)
    files.delete("up/passwd", 409)
    assert files.paths() == []
    files.put("absolute", b"mine", 200)  # in the link's own place
    assert files.get("absolute").text == "mine"
    assert time.monotonic() - begun < 30


SWAP = """
import ctypes, os, shutil, threading
os.chdir('/mnt/files')
def make():
    for name in ('d', 'other'):
        os.unlink(name) if os.path.islink(name) else shutil.rmtree(name, ignore_errors=True)
    os.symlink('VICTIM', 'other')
    os.makedirs('d/deep'); open('d/secret', 'w').write('mine'); open('d/deep/more', 'w').write('mine')
make()
swap = ctypes.CDLL(None).renameat2
def forever():
    while True:
        if swap(-100, b'd', -100, b'other', 2) != 0:
            try: make()
            except OSError: pass
threading.Thread(target=forever, daemon=True).start()
"""


def race(files: Files, victim: Path, seconds: float) -> None:
    """A directory and a link to the host's `victim` take each other's names while everything is done by that name."""
    (victim / "deep").mkdir()
    (victim / "secret").write_text("theirs")
    (victim / "deep" / "more").write_text("theirs")
    before = sorted(str(each) for each in victim.rglob("*"))
    files.run(SWAP.replace("VICTIM", str(victim)))
    seen = {200: 0, 404: 0, 409: 0}
    deadline = time.monotonic() + seconds
    while time.monotonic() < deadline or not (seen[200] and seen[409]):
        assert time.monotonic() < deadline + 60, f"there was no race: {seen}"
        answer = files.get("d/secret", None)
        assert answer.status_code in seen and (answer.status_code != 200 or answer.text == "mine"), answer.text[:200]
        seen[answer.status_code] += 1
        assert files.put("d/new", b"x").status_code in (200, 201, 404, 409)
        assert files.delete("d/new").status_code in (200, 404, 409)
        assert all(item["size"] <= 4 for item in files.page(prefix="d/")["items"])
        if seen[200] % 5 == 0:
            assert files.delete("d").status_code in (200, 404, 409, 500)  # what is changed all the time may not go
    assert sorted(str(each) for each in victim.rglob("*")) == before
    assert (victim / "secret").read_text() == (victim / "deep" / "more").read_text() == "theirs"


def test_a_link_that_is_swapped_in_leads_nowhere(files: Files, tmp_path: Path) -> None:
    race(files, tmp_path, 3)


@pytest.mark.soak
def test_a_link_that_is_swapped_in_for_a_minute_leads_nowhere(files: Files, tmp_path: Path) -> None:
    race(files, tmp_path, 60)


def test_a_half_upload_leaves_nothing(gateway: Gateway, files: Files) -> None:
    directory = files.directory(gateway)
    files.put("a", b"old", 201)
    with begun_upload(gateway.url, f"/api/v1{files.base}/a", gateway.token, 10_000_000, b"x" * 3_000_000) as peer:
        eventually(lambda: all_is_read(peer), 30, "the gateway has read what was sent")
        assert files.get("a").text == "old" and files.paths() == ["a"]
        cut(peer)
    eventually(lambda: not open_in(gateway.pid, directory / "uploads"), 30, "the upload is given up")
    assert files.get("a").text == "old" and files.paths() == ["a"]
    assert list((directory / "uploads").iterdir()) == []


def all_is_read(peer: socket.socket) -> bool:
    """Whether the other side has acknowledged all that was sent."""
    return struct.unpack("i", fcntl.ioctl(peer, termios.TIOCOUTQ, bytes(4)))[0] == 0


def open_in(pid: int, directory: Path) -> list[str]:
    links = []
    for each in Path(f"/proc/{pid}/fd").iterdir():
        try:
            links.append(os.readlink(each))
        except OSError:
            pass  # closed meanwhile
    return [link for link in links if link.startswith(str(directory) + "/")]


def begun_download(gateway: Gateway, link: str) -> socket.socket:
    """A peer that has asked, and reads nothing yet; little fits on the way to it."""
    address = urlsplit(gateway.url)
    peer = socket.socket()
    peer.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
    peer.settimeout(60)
    peer.connect((address.hostname, address.port))
    peer.sendall(f"GET {link.removeprefix(gateway.url)} HTTP/1.1\r\nHost: {address.netloc}\r\n\r\n".encode())
    return peer


@pytest.mark.release
def test_peers_that_do_not_read_take_no_memory_and_hold_nobody_up(gateway: Gateway, files: Files) -> None:
    directory = files.directory(gateway)
    files.put("large", Zeros(100 << 20), 201)
    files.put("small", b"x", 201)
    link = files.link("large")
    with ExitStack() as peers, PeakMemory(gateway.pid) as memory:
        stalled = [peers.enter_context(begun_download(gateway, link)) for _ in range(40)]
        eventually(lambda: len(open_in(gateway.pid, directory / "files")) == 40, 30, "all are being answered")
        begun = time.monotonic()
        assert all(files.get("small").text == "x" for _ in range(20))
        assert time.monotonic() - begun < 20
        for peer in stalled:
            cut(peer)
    assert memory.growth < 64 << 20, f"{memory.growth >> 20} MiB"
    eventually(lambda: not open_in(gateway.pid, directory / "files"), 30, "the file is let go of")


def test_a_byte_at_a_time_comes_whole(gateway: Gateway, files: Files) -> None:
    data = os.urandom(2000)
    with begun_upload(gateway.url, f"/api/v1{files.base}/a", gateway.token, len(data), b"") as peer:
        peer.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        for at in range(len(data)):
            peer.sendall(data[at:at + 1])
        assert peer.recv(65536).startswith(b"HTTP/1.1 201 ")
    with begun_download(gateway, files.link("a")) as peer:
        got = b""
        while not got.endswith(data[-16:]):
            got += peer.recv(1)
    assert got.endswith(b"\r\n\r\n" + data)


def move_much(gateway: Gateway, megabytes: int) -> None:
    """Up by a link and down again; no more than 64 MiB of it are ever in the gateway's memory."""
    agent = gateway.agent()
    files = Files(agent, agent.start_session()["id"])
    size = megabytes << 20
    with PeakMemory(gateway.pid) as memory:
        made = requests.put(files.link("much", "PUT"), data=Zeros(size), timeout=1500)
        assert made.status_code == 201 and made.json()["size"] == size
        got = 0
        with requests.get(files.link("much"), stream=True, timeout=1500) as answer:
            for piece in answer.iter_content(1 << 20):
                got += len(piece)
        assert got == size
    assert memory.growth < 64 << 20, f"{memory.growth >> 20} MiB"
    files.delete("much", 200)


@pytest.mark.release
@pytest.mark.timeout(600)
def test_two_gigabytes_take_little_memory(gateway: Gateway) -> None:
    move_much(gateway, 2048)


@pytest.mark.release
@pytest.mark.soak
@pytest.mark.timeout(1800)
def test_ten_gigabytes_take_little_memory(gateway: Gateway) -> None:
    move_much(gateway, 10_240)


@pytest.mark.skipif(os.geteuid() != 0, reason="mounts a file system")
def test_a_full_disk_is_told_and_nothing_is_left(start_gateway, tmp_path: Path) -> None:
    subprocess.run(["mount", "-t", "tmpfs", "-o", "size=48m", "tmpfs", tmp_path], check=True)
    try:
        gateway = start_gateway(storage__data_dir=tmp_path / "data")
        agent = gateway.agent()
        files = Files(agent, agent.start_session()["id"])
        error = files.put("d/too-much", Zeros(100 << 20), 507).json()["error"]
        assert error["code"] == "storage_full" and "No space left" in error["message"]
        assert files.paths() == []
        files.put("d/some", Zeros(8 << 20), 201)
        gateway.finish()
    finally:
        subprocess.run(["umount", "-l", tmp_path], check=True)
