"""A session's files in and out, against nginx on the same disk: the same client, one connection, turn by turn."""

import socket
import statistics
import subprocess
import tempfile
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from urllib.parse import urlsplit

from bench.measures import Numbers, milliseconds
from bench.socket_client import now
from bench.targets import Cellgate, free_port
from support.agent import Agent
from support.files import Files
from support.waiting import eventually

NGINX = "/usr/sbin/nginx"
CONFIG = """
daemon off; worker_processes 1; pid {directory}/pid; error_log {directory}/log;
events {{ worker_connections 64; }}
http {{
  access_log off; sendfile on; client_max_body_size 0;
  client_body_temp_path {directory}/uploads; proxy_temp_path {directory}/p; fastcgi_temp_path {directory}/f;
  uwsgi_temp_path {directory}/u; scgi_temp_path {directory}/s;
  server {{ listen 127.0.0.1:{port}; root {directory}/files; dav_methods PUT DELETE; }}
}}
"""
PIECE = 1 << 20


class Peer:
    """nginx as a file server that takes uploads (its WebDAV module)."""

    def __init__(self, directory: Path) -> None:
        port = free_port()
        for name in ("files", "uploads"):
            (directory / name).mkdir(mode=0o777)
            (directory / name).chmod(0o777)  # its worker is another user
        directory.chmod(0o755)
        (directory / "nginx.conf").write_text(CONFIG.format(directory=directory, port=port))
        self._process = subprocess.Popen([NGINX, "-c", directory / "nginx.conf", "-p", directory], stdin=subprocess.DEVNULL)
        self.url = f"http://127.0.0.1:{port}"
        eventually(self._answers, 30, "nginx answers")

    def _answers(self) -> bool:
        assert self._process.poll() is None, "nginx ended"
        try:
            socket.create_connection(("127.0.0.1", urlsplit(self.url).port), timeout=1).close()
        except OSError:
            return False
        return True

    def close(self) -> None:
        self._process.terminate()
        self._process.wait(30)


def version() -> str:
    said = subprocess.run([NGINX, "-v"], capture_output=True, text=True, check=True).stderr
    return said.strip().removeprefix("nginx version: nginx/")


class Transfer:
    """One connection that sends zeros, and takes what comes without keeping it."""

    def __init__(self, url: str) -> None:
        address = urlsplit(url)
        self._socket = socket.create_connection((address.hostname, address.port), timeout=120)
        self._host = address.netloc
        self._buffer = bytearray(PIECE)

    def _ask(self, method: str, target: str, length: int | None = None) -> None:
        announced = "" if length is None else f"Content-Length: {length}\r\n"
        self._socket.sendall(f"{method} {target} HTTP/1.1\r\nHost: {self._host}\r\n{announced}\r\n".encode())

    def _answer(self) -> int:
        """Reads an answer to its end; the length of its body."""
        head = b""
        while b"\r\n\r\n" not in head:
            head += self._socket.recv(65536)
        head, _, begun = head.partition(b"\r\n\r\n")
        lines = head.decode().split("\r\n")
        assert lines[0].split()[1] in ("200", "201", "204"), head + begun
        length = next((int(line.split(":")[1]) for line in lines if line.lower().startswith("content-length:")), 0)
        left = length - len(begun)
        while left > 0:
            left -= self._socket.recv_into(self._buffer)
        return length

    def put(self, target: str, size: int) -> float:
        begin = now()
        self._ask("PUT", target, size)
        zeros = bytes(PIECE)
        for _ in range(size // PIECE):
            self._socket.sendall(zeros)
        self._answer()
        return size / (now() - begin) / 1e6

    def get(self, target: str, size: int) -> float:
        begin = now()
        self._ask("GET", target)
        assert self._answer() == size
        return size / (now() - begin) / 1e6

    def close(self) -> None:
        self._socket.close()


@contextmanager
def places() -> Iterator[tuple[Files, str, str]]:
    """A session's files, and where the two servers are."""
    with tempfile.TemporaryDirectory(dir="/tmp") as directory, closing(Cellgate("cellgate")) as gateway, \
            closing(Peer(Path(directory))) as peer:
        agent = Agent(gateway.url, gateway.key)
        yield Files(agent, agent.start_session()["id"]), gateway.url, peer.url


def listing(files: Files, count: int) -> float:
    """All of a directory of so many files, in pages of a thousand."""
    made = files.agent.execute(files.session, f"import os; os.makedirs('/mnt/files/many')\n"
                               f"for n in range({count}): open(f'/mnt/files/many/{{n}}', 'w').close()")
    assert made["status"] == "ok", made
    begin = now()
    seen, page = 0, files.page(prefix="many/", limit=1000)
    while True:
        seen += len(page["items"])
        if "next_cursor" not in page:
            break
        page = files.page(prefix="many/", limit=1000, cursor=page["next_cursor"])
    taken = now() - begin
    assert seen == count, seen
    return milliseconds(taken)


def measure(quick: bool) -> dict[str, Numbers]:
    size, turns, count = (16 << 20, 1, 500) if quick else (512 << 20, 5, 10_000)
    rates: dict[tuple[str, str], list[float]] = {}

    def add(whose: str, what: str, rate: Callable[[], float]) -> None:
        rates.setdefault((whose, what), []).append(rate())

    with places() as (files, ours, theirs):
        up = files.link("large", "PUT").removeprefix(ours)
        for turn in range(turns + 1):  # the first touches what is touched for the first time
            for whose, url in (("cellgate", ours), ("nginx", theirs)):
                with closing(Transfer(url)) as transfer:
                    target = up if whose == "cellgate" else "/large"
                    add(whose, "upload, MB/s", lambda: transfer.put(target, size))  # noqa: B023
                    if whose == "cellgate":
                        target = files.link("large").removeprefix(ours)
                    add(whose, "download, MB/s", lambda: transfer.get(target, size))  # noqa: B023
            if turn == 0 and turns > 1:
                rates.clear()
        listed = listing(files, count)
    numbers: dict[str, Numbers] = {"cellgate": {}, "nginx": {}}
    for (whose, what), found in rates.items():
        numbers[whose][what] = round(statistics.median(found))
    numbers["cellgate"][f"list of {count:,} files in pages of 1,000, ms"] = listed
    return numbers


def goals(numbers: dict[str, Numbers]) -> list[tuple[str, bool]]:
    ours, theirs = numbers["cellgate"], numbers["nginx"]
    return [(f"{what.split(',')[0]} at least 0.7 times nginx's", ours[what] >= 0.7 * theirs[what])
            for what in ("upload, MB/s", "download, MB/s")]
