"""A real ipykernel that the package is injected into, driven by jupyter_client."""

import shutil
import tempfile
import time

from jupyter_client import KernelManager

from package_path import PACKAGE_DIR

INJECTION = f"""exec({'''
import sys
if %r not in sys.path: sys.path.append(%r)
import cellgate_kernel
cellgate_kernel.install()
''' % (PACKAGE_DIR, PACKAGE_DIR)!r}, {{}})"""


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
