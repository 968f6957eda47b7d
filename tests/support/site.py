"""What sessions reach over the network in tests: one address with HTTP and HTTPS under many names, a package index, a git
repository. Run in a network namespace of its own by network_scene.py:

    python -m support.site ADDRESS DIRECTORY

DIRECTORY has cert.pem, key.pem and what is served; every request is a line of DIRECTORY/asked: `PORT HOST PATH`."""

import ssl
import sys
import threading
import time
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from urllib.parse import parse_qs, urlsplit

PIECE = b"x" * 65536


class Handler(SimpleHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_GET(self) -> None:
        self.note()
        parts = urlsplit(self.path)
        known = {"/to": self.redirect, "/bytes": self.send_bytes, "/slow": self.send_slowly}.get(parts.path)
        if known:
            known(parse_qs(parts.query))
        else:
            super().do_GET()

    def do_POST(self) -> None:
        self.note()
        size = len(self.rfile.read(int(self.headers.get("content-length", 0))))
        self.answer(str(size).encode())

    def note(self) -> None:
        with open(Path(self.directory) / "asked", "a") as asked:
            asked.write(f"{self.server.server_port} {self.headers.get('host')} {self.path}\n")

    def redirect(self, query: dict[str, list[str]]) -> None:
        self.send_response(302)
        self.send_header("location", query["url"][0])
        self.send_header("content-length", "0")
        self.end_headers()

    def answer(self, body: bytes) -> None:
        self.send_response(200)
        self.send_header("content-length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def send_bytes(self, query: dict[str, list[str]]) -> None:
        count = int(query["n"][0])
        self.send_response(200)
        self.send_header("content-length", str(count))
        self.end_headers()
        while count:
            count -= self.wfile.write(PIECE[:count])

    def send_slowly(self, query: dict[str, list[str]]) -> None:
        self.send_response(200)
        self.send_header("content-length", str(10**9))
        self.end_headers()
        for _ in range(600):
            self.wfile.write(b"y")
            time.sleep(0.1)

    def log_message(self, *_: object) -> None:
        pass


class Server(ThreadingHTTPServer):
    daemon_threads = True

    def handle_error(self, *_: object) -> None:
        pass  # whoever asked left


def main() -> None:
    address, directory = sys.argv[1], sys.argv[2]

    def handler(*arguments: object) -> Handler:
        return Handler(*arguments, directory=directory)

    plain, other, secure = Server((address, 80), handler), Server((address, 8443), handler), Server((address, 443), handler)
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(f"{directory}/cert.pem", f"{directory}/key.pem")
    for each in (other, secure):
        each.socket = context.wrap_socket(each.socket, server_side=True, do_handshake_on_connect=False)
    for each in (plain, other, secure):
        threading.Thread(target=each.serve_forever, daemon=True).start()
    print("ready", flush=True)
    sys.stdin.read()


main()
