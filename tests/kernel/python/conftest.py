"""Fixtures that give verbs: a gateway's helper socket, and a real ipykernel that the package is injected into."""

import http.server
import json
import pathlib
import shutil
import socketserver
import sys
import tempfile
import threading
import time

import pytest

PACKAGE_DIR = str(pathlib.Path(__file__).resolve().parents[3] / "kernel" / "python")
sys.path.append(PACKAGE_DIR)

from jupyter_client import KernelManager  # noqa: E402

INJECTION = f"""exec({'''
import sys
if %r not in sys.path: sys.path.append(%r)
import cellgate_kernel
cellgate_kernel.install()
''' % (PACKAGE_DIR, PACKAGE_DIR)!r}, {{}})"""


class _UnixHttpServer(socketserver.ThreadingMixIn, socketserver.UnixStreamServer):
    daemon_threads = True
    request_queue_size = 4  # small on purpose: callers must wait for their turn

    def get_request(self):
        connection, _ = super().get_request()
        return connection, ("unix", 0)

    def handle_error(self, request, client_address):
        pass  # a caller that gave up


class HelperSocket:
    """Answers POST /v1/tools/execute with what `answer(request)` returns: (status, JSON or raw bytes)."""

    def __init__(self, path):
        self.path = str(path)
        self.requests = []
        self.keys = []
        self.answer = lambda request: (200, {"data": request["arguments"], "error": None, "log_id": "log_1"})
        owner = self

        class Handler(http.server.BaseHTTPRequestHandler):
            def do_POST(self):
                request = json.loads(self.rfile.read(int(self.headers["content-length"])))
                owner.requests.append(request)
                owner.keys.append(self.headers["x-cellgate-session-key"])
                status, body = owner.answer(request)
                body = body if isinstance(body, bytes) else json.dumps(body).encode()
                self.send_response(status)
                self.send_header("content-length", str(len(body)))
                self.end_headers()
                self.wfile.write(body)

            def log_message(self, *_):
                pass

        self.server = _UnixHttpServer(self.path, Handler)
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    def close(self):
        self.server.shutdown()
        self.server.server_close()


@pytest.fixture
def helper_socket(tmp_path):
    made = HelperSocket(tmp_path / "h.sock")
    yield made
    made.close()


class Kernel:
    """One ipykernel of this interpreter, driven by jupyter_client."""

    def __init__(self, transport="tcp"):
        self.directory = tempfile.mkdtemp(prefix="cgk")  # short: a Unix socket's path has 108 bytes
        where = {"ip": self.directory + "/k"} if transport == "ipc" else {}
        self.manager = KernelManager(kernel_name="python3", transport=transport, **where)
        self.manager.start_kernel()
        self.client = self.manager.client()
        self.client.start_channels()
        self.client.wait_for_ready(timeout=60)

    def send(self, code, silent=False, metadata=None, **content):
        fields = dict(code=code, silent=silent, store_history=not silent, user_expressions={}, allow_stdin=False)
        fields.update(content)
        message = self.client.session.msg("execute_request", fields, metadata=metadata)
        self.client.shell_channel.send(message)
        return message["header"]["msg_id"]

    def finish(self, msg_id, timeout=60):
        """(reply content, the messages on iopub) of a request."""
        deadline = time.monotonic() + timeout
        seen = []
        while not _is_idle(seen, msg_id):
            message = self.client.get_iopub_msg(timeout=max(0.1, deadline - time.monotonic()))
            if message["parent_header"].get("msg_id") == msg_id:
                seen.append(message)
        while True:
            reply = self.client.get_shell_msg(timeout=max(0.1, deadline - time.monotonic()))
            if reply["parent_header"]["msg_id"] == msg_id:
                return reply["content"], seen

    def inject(self, path, key="the-key", code=INJECTION):
        settings = {"cellgate": {"helper_key": key, "socket": path, "tool_timeout_s": 20}}
        return self.finish(self.send(code, silent=True, metadata=settings))

    def run(self, code):
        """What the cell printed; its error is raised."""
        reply, messages = self.finish(self.send(code))
        if reply["status"] != "ok":
            raise AssertionError("\n".join(reply.get("traceback", [str(reply)])))
        return "".join(m["content"]["text"] for m in messages if m["msg_type"] == "stream")

    def restart(self):
        self.manager.restart_kernel(now=True)
        self.client.wait_for_ready(timeout=60)

    def stop(self):
        self.client.stop_channels()
        self.manager.shutdown_kernel(now=True)
        shutil.rmtree(self.directory, ignore_errors=True)


def _is_idle(messages, msg_id):
    return any(m["msg_type"] == "status" and m["content"]["execution_state"] == "idle" for m in messages)


@pytest.fixture
def kernel():
    made = Kernel()
    yield made
    made.stop()
