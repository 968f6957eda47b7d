"""A gateway on a TCP port as a sandbox of one's own sees it: tools as a test answers them, and files in memory."""

import http.server
import json
import threading
import urllib.parse


class LocalGateway:
    """`answer(path, request)` gives (status, JSON or raw bytes) and headers where there are any, for each POST of the tool router."""

    def __init__(self):
        self.requests = []  # (path, JSON)
        self.keys = []  # (header, value)
        self.files = {}
        self.answer = lambda path, request: (200, {"data": request["arguments"], "error": None, "log_id": "log_1"})
        owner = self

        class Handler(http.server.BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_POST(self):
                request = json.loads(self.rfile.read(int(self.headers["content-length"])))
                owner.requests.append((self.path, request))
                if self.path.endswith("/sessions/ses_a/links"):
                    return self.reply(*owner.link(request["path"]))
                self.reply(*owner.answer(self.path, request))

            def do_PUT(self):
                data = self.rfile.read(int(self.headers["content-length"]))
                owner.requests.append((self.path, self.headers["if-none-match"]))
                owner.files[self.name()] = data
                self.reply(201, {"path": self.name()})

            def do_GET(self):
                data = owner.files.get(self.name())
                if data is None:
                    return self.reply(404, {"error": {"code": "file_not_found", "message": "there is no file " + self.name()}})
                self.reply(200, data, {"content-length": str(len(data) + owner.missing)})

            do_HEAD = do_GET

            def name(self):
                return urllib.parse.unquote(self.path).partition("/files/")[2]

            def reply(self, status, body, headers=None):
                for name in ("x-session-access-key", "x-api-key"):
                    if self.headers[name]:
                        owner.keys.append((name, self.headers[name]))
                body = body if isinstance(body, bytes) else json.dumps(body).encode()
                self.send_response(status)
                for name, value in {"content-length": str(len(body)), **(headers or {})}.items():
                    self.send_header(name, value)
                self.end_headers()
                if self.command != "HEAD":
                    self.wfile.write(body)
                self.close_connection = True

            def log_message(self, *_):
                pass

        self.missing = 0  # bytes that a download says it has, and that never come
        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.url = "http://127.0.0.1:%d" % self.server.server_port
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    def link(self, path):
        if path not in self.files:
            return 404, {"error": {"code": "file_not_found", "message": "there is no file " + path}}
        return 201, {"url": self.url + "/link/" + path, "path": path, "expires_at": "2026-11-30T14:00:00Z"}

    def close(self):
        self.server.shutdown()
        self.server.server_close()
