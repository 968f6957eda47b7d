"""A gateway's helper socket, with answers that a test writes."""

import http.server
import json
import socketserver
import threading


class _UnixHttpServer(socketserver.ThreadingMixIn, socketserver.UnixStreamServer):
    daemon_threads = True
    request_queue_size = 4  # small on purpose: callers must wait for their turn

    def get_request(self):
        connection, _ = super().get_request()
        return connection, ("unix", 0)

    def handle_error(self, request, client_address):
        pass  # a caller that gave up


class HelperSocket:
    """Answers every request with what `answer(request)` returns: (status, JSON or raw bytes), and headers where there are any."""

    def __init__(self, path):
        self.path = str(path)
        self.requests = []
        self.paths = []
        self.keys = []
        self.answer = lambda request: (200, {"data": request["arguments"], "error": None, "log_id": "log_1"})
        owner = self

        class Handler(http.server.BaseHTTPRequestHandler):
            def do_GET(self):
                self.reply(None)

            def do_POST(self):
                request = json.loads(self.rfile.read(int(self.headers["content-length"])))
                owner.requests.append(request)
                self.reply(request)

            def reply(self, request):
                owner.paths.append(self.path)
                owner.keys.append(self.headers["x-cellgate-session-key"])
                status, body, *headers = owner.answer(request)
                body = body if isinstance(body, bytes) else json.dumps(body).encode()
                self.send_response(status)
                self.send_header("content-length", str(len(body)))
                for name, value in headers[0].items() if headers else ():
                    self.send_header(name, value)
                self.end_headers()
                self.wfile.write(body)

            def log_message(self, *_):
                pass

        self.server = _UnixHttpServer(self.path, Handler)
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    def close(self):
        self.server.shutdown()
        self.server.server_close()
