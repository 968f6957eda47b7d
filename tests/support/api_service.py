"""A service with an API of its own, behind a key: what accounts of the tests belong to, instead of a real one."""

import base64
import gzip
import html
import json
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import parse_qs, quote, urlsplit

BOMB = gzip.compress(bytes(5_000_000))


class ApiService:
    """What a path does: `do_PATH` below. Everything that it was asked is in `requests`."""

    def __init__(self, address: str = "127.0.0.1", port: int = 0) -> None:
        self.requests: list[dict[str, Any]] = []  # {"method", "path", "query", "headers", "body"}, in order
        self.release = threading.Event()  # lets the slow ones end
        self.begun = threading.Event()  # a slow one is there
        owner = self

        class Handler(BaseHTTPRequestHandler):
            def serve(self) -> None:
                owner.serve(self)

            do_GET = do_HEAD = do_POST = do_PUT = do_PATCH = do_DELETE = serve

            def log_message(self, *_: object) -> None:
                pass

        class Server(ThreadingHTTPServer):
            request_queue_size = 128
            daemon_threads = True

            def handle_error(self, *_: object) -> None:
                pass  # whoever asked left

        self._server = Server((address, port), Handler)
        threading.Thread(target=self._server.serve_forever, daemon=True).start()

    @property
    def port(self) -> int:
        return self._server.server_port

    def url(self, host: str = "127.0.0.1") -> str:
        return f"http://{host}:{self.port}"

    def serve(self, on: BaseHTTPRequestHandler) -> None:
        parts = urlsplit(on.path)
        body = on.rfile.read(int(on.headers["content-length"] or 0))
        asked = {"method": on.command, "path": parts.path, "query": parse_qs(parts.query), "headers": dict(on.headers), "body": body}
        self.requests.append(asked)
        getattr(self, "do_" + parts.path.strip("/").split("/")[0], self.do_nothing)(on, asked)

    def do_user(self, on: BaseHTTPRequestHandler, asked: dict[str, Any]) -> None:
        self.answer(on, 200, json.dumps({"login": "ada"}).encode())

    def do_echo(self, on: BaseHTTPRequestHandler, asked: dict[str, Any]) -> None:
        """As a careless service would: with the key in it."""
        text = json.dumps({**asked, "body": asked["body"].decode()}).encode()
        self.answer(on, 200, text, {"X-Echo": on.headers["authorization"] or "none", "Set-Cookie": "session=of-the-account"})

    def do_spelled(self, on: BaseHTTPRequestHandler, asked: dict[str, Any]) -> None:
        """The key in what libraries make of it."""
        key = on.headers["authorization"].removeprefix("Bearer ")
        forms = {
            "percent": "".join(f"%{byte:02x}" for byte in key.encode()),
            "path": quote(key),
            "json": "".join(letter if letter.isalnum() else f"\\u{ord(letter):04X}" for letter in key),
            "slash": key.replace("/", "\\/"),
            "html": html.escape(key),
            "header": base64.b64encode(f"Bearer {key}".encode()).decode().rstrip("="),
            "hex": key.encode().hex(),
        }
        form = forms[asked["query"]["form"][0]]
        self.answer(on, 200, f'{{"seen": "{form}"}}'.encode(), {"X-Seen": form})

    def do_limited(self, on: BaseHTTPRequestHandler, asked: dict[str, Any]) -> None:
        """Once."""
        is_first = len([each for each in self.requests if each["path"] == "/limited"]) == 1
        self.answer(on, 429 if is_first else 200, b"{}", {"Retry-After": "0"} if is_first else None)

    def do_to(self, on: BaseHTTPRequestHandler, asked: dict[str, Any]) -> None:
        self.answer(on, int(asked["query"].get("status", ["302"])[0]), b"", {"Location": asked["query"]["url"][0]})

    def do_picture(self, on: BaseHTTPRequestHandler, asked: dict[str, Any]) -> None:
        self.answer(on, 200, b"\x89PNG\r\n\x1a\n\x00", {"Content-Type": "image/png"})

    def do_bomb(self, on: BaseHTTPRequestHandler, asked: dict[str, Any]) -> None:
        self.answer(on, 200, BOMB, {"Content-Encoding": "gzip"})

    def do_endless(self, on: BaseHTTPRequestHandler, asked: dict[str, Any]) -> None:
        on.send_response(200)
        on.end_headers()
        while True:  # until the connection breaks
            on.wfile.write(b"x" * 65536)

    def do_slow(self, on: BaseHTTPRequestHandler, asked: dict[str, Any]) -> None:
        self.begun.set()
        self.release.wait(60)
        self.answer(on, 200, b"{}")

    def do_cut(self, on: BaseHTTPRequestHandler, asked: dict[str, Any]) -> None:
        """It may have had its effect, and nobody is told."""
        on.close_connection = True

    def do_nothing(self, on: BaseHTTPRequestHandler, asked: dict[str, Any]) -> None:
        self.answer(on, 404, json.dumps({"message": "there is no such thing"}).encode())

    @staticmethod
    def answer(on: BaseHTTPRequestHandler, status: int, body: bytes, headers: dict[str, str] | None = None) -> None:
        on.send_response(status)
        for name, value in {"Content-Type": "application/json", **(headers or {})}.items():
            on.send_header(name, value)
        on.send_header("Content-Length", str(len(body)))
        on.end_headers()
        on.wfile.write(body)

    def close(self) -> None:
        self.release.set()
        self._server.shutdown()
        self._server.server_close()
