"""A model server and the four search providers, on one loopback port: what tests set instead of the real ones."""

import json
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import parse_qs, urlsplit

MODEL_KEY = "sk-the-model-key-of-the-tests"
SEARCH_KEY = "the-search-key-of-the-tests"


class Services:
    """Answers "echo: QUERY" and one page about what was searched for. What a query says changes that: see `behave`."""

    def __init__(self) -> None:
        self.requests: list[dict[str, Any]] = []  # {"method", "path", "headers", "body"}, in order
        self.release = threading.Event()  # lets the slow ones end
        self.begun = threading.Event()  # a slow one is there
        self.left = threading.Event()  # whoever asked a slow one left
        self.tries: dict[str, int] = {}
        self._lock = threading.Lock()
        owner = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_GET(self) -> None:
                owner.serve(self, None)

            def do_POST(self) -> None:
                owner.serve(self, json.loads(self.rfile.read(int(self.headers["content-length"]))))

            def log_message(self, *_: object) -> None:
                pass

        class Server(ThreadingHTTPServer):
            request_queue_size = 128
            daemon_threads = True

            def handle_error(self, *_: object) -> None:
                pass  # whoever asked left

        self._server = Server(("127.0.0.1", 0), Handler)
        threading.Thread(target=self._server.serve_forever, daemon=True).start()

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self._server.server_port}"

    def settings(self, provider: str = "exa") -> dict[str, object]:
        """Of a gateway that asks this server."""
        return {"llm__base_url": self.url + "/v1", "llm__model": "test-model", "llm__api_key": MODEL_KEY,
                "search__provider": provider, "search__url": self.url, "search__api_key": SEARCH_KEY}

    def serve(self, on: BaseHTTPRequestHandler, body: Any) -> None:
        parts = urlsplit(on.path)
        with self._lock:
            self.requests.append({"method": on.command, "path": parts.path, "headers": dict(on.headers), "body": body})
        if parts.path == "/v1/chat/completions":
            return self.complete(on, body)
        query = body["query"] if body else parse_qs(parts.query)["q"][0]
        if not self.behave(on, query):
            found = {"title": "About <b>it</b>", "url": "http://page.example/"}
            self.answer(on, 200, {
                "/search": {"results": [{**found, "content": query}], "answer": f"about {query}"},
                "/res/v1/web/search": {"type": "search", "web": {"results": [{**found, "description": query}]}},
                "/answer": {"answer": f"about {query}", "citations": [found]},
            }[parts.path])

    def behave(self, on: BaseHTTPRequestHandler, query: str) -> bool:
        """Whether the query says something of how it is answered: "slow", "failing", "limited"."""
        with self._lock:
            tries = self.tries[query] = self.tries.get(query, 0) + 1
        if query.startswith("slow"):
            self.begun.set()
            self.wait(on)
        if query.startswith("failing"):  # as a careless server would: with the key in its text
            key = on.headers["authorization"] or on.headers["x-api-key"] or on.headers["x-subscription-token"]
            self.answer(on, 500, {"error": {"message": f"it broke, asked with {key}"}})
            return True
        if query.startswith("limited") and tries <= 2:
            self.answer(on, 429, {"error": {"message": "slow down"}}, {"Retry-After": "1"})
            return True
        return False

    def wait(self, on: BaseHTTPRequestHandler) -> None:
        """Until it is released, or whoever asked leaves."""
        on.connection.settimeout(0.05)
        while not self.release.is_set():
            try:
                if on.connection.recv(1) == b"":
                    self.left.set()
                    raise ConnectionAbortedError
            except TimeoutError:
                continue
        on.connection.settimeout(None)

    def complete(self, on: BaseHTTPRequestHandler, body: dict[str, Any]) -> None:
        query = body["messages"][-1]["content"]
        if self.behave(on, query):
            return
        on.send_response(200)
        on.send_header("content-type", "text/event-stream")
        on.send_header("transfer-encoding", "chunked")
        on.end_headers()
        for data in self.chunks(query):
            event = f"data: {data}\n\n".encode()
            on.wfile.write(b"%x\r\n%s\r\n" % (len(event), event))
            on.wfile.flush()
        on.wfile.write(b"0\r\n\r\n")

    @staticmethod
    def chunks(query: str) -> Iterator[str]:
        for part in ("```text\n", "echo: ", query, "\n```"):
            yield json.dumps({"model": "test-model-1", "choices": [{"index": 0, "delta": {"content": part}}]})
        yield json.dumps({"choices": [{"index": 0, "delta": {}, "finish_reason": "stop"}]})
        yield json.dumps({"choices": [], "usage": {"prompt_tokens": 10, "completion_tokens": 4}})
        yield "[DONE]"

    @staticmethod
    def answer(on: BaseHTTPRequestHandler, status: int, body: Any, headers: dict[str, str] | None = None) -> None:
        text = json.dumps(body).encode()
        on.send_response(status)
        on.send_header("content-type", "application/json")
        on.send_header("content-length", str(len(text)))
        for name, value in (headers or {}).items():
            on.send_header(name, value)
        on.end_headers()
        on.wfile.write(text)

    def close(self) -> None:
        self.release.set()
        self._server.shutdown()
        self._server.server_close()
