"""A package index over HTTP on a loopback port: the wheels of a directory, and a count of what was asked for.

It may be broken: then it answers pages, or files, as the test says.
"""

import hashlib
import threading
from collections import Counter
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from urllib.parse import unquote


class PackageIndex:
    """Of pip's simple kind. Its answers say nothing about caching, so that pip itself keeps none of them."""

    def __init__(self, wheels: Path) -> None:
        self.asked: Counter[str] = Counter()  # names of files, and of pages: "thing/"
        self.page: tuple[int, bytes] | None = None  # what each page is answered with
        self.file: tuple[int, bytes] | None = None
        self.is_silent = threading.Event()  # set: nothing is answered until it is closed
        self._closed = threading.Event()
        owner = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_GET(self) -> None:
                name = unquote(self.path).split("?")[0].removeprefix("/simple/").removeprefix("/files/")
                owner.asked[name] += 1
                if owner.is_silent.is_set():
                    owner._closed.wait()
                    self.close_connection = True
                elif wrong := owner.page if name.endswith("/") else owner.file:
                    self.answer(wrong[0], "text/html" if name.endswith("/") else "application/octet-stream", wrong[1])
                elif name.endswith("/"):
                    self.answer(200, "text/html", _page(wheels, name.rstrip("/")).encode())
                elif (wheels / name).is_file():
                    self.answer(200, "application/octet-stream", (wheels / name).read_bytes())
                else:
                    self.answer(404, "text/plain", b"no such file")

            def answer(self, status: int, kind: str, body: bytes) -> None:
                self.send_response(status)
                self.send_header("content-type", kind)
                self.send_header("content-length", str(len(body)))
                if status == 401:
                    self.send_header("www-authenticate", 'Basic realm="packages"')
                self.end_headers()
                self.wfile.write(body)

            def log_message(self, *_: object) -> None:
                pass

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        threading.Thread(target=self._server.serve_forever, daemon=True).start()

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self._server.server_port}/simple"

    def files(self) -> dict[str, int]:
        """How often each file was downloaded."""
        return {name: count for name, count in self.asked.items() if not name.endswith("/")}

    def close(self) -> None:
        self._closed.set()
        self._server.shutdown()
        self._server.server_close()


def _page(wheels: Path, project: str) -> str:
    files = [each for each in sorted(wheels.iterdir()) if each.name.split("-")[0].replace("_", "-").lower() == project]
    links = (f'<a href="/files/{each.name}#sha256={hashlib.sha256(each.read_bytes()).hexdigest()}">{each.name}</a>' for each in files)
    return "<!DOCTYPE html><html><body>" + "\n".join(links) + "</body></html>"
