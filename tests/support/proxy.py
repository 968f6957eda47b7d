"""A TCP proxy between a client and the gateway whose connections can be cut in every way that networks do."""

import select
import socket
import struct
import threading
import time


class Proxy:
    """Forwards connections to `url`'s port. idle_timeout closes a connection on which nothing passed for so long."""

    def __init__(self, url: str, idle_timeout: float | None = None) -> None:
        host, port = url.split("//", 1)[1].split("/", 1)[0].rsplit(":", 1)
        self._target = (host, int(port))
        self._idle_timeout = idle_timeout
        self._listener = socket.create_server(("127.0.0.1", 0))
        self.url = f"http://127.0.0.1:{self._listener.getsockname()[1]}"
        self._pairs: list[tuple[socket.socket, socket.socket]] = []
        self._lock = threading.Lock()
        self._open = threading.Event()  # bytes pass; cleared: a black hole
        self._open.set()
        self._refusing = False
        threading.Thread(target=self._accept, daemon=True).start()

    def _accept(self) -> None:
        while True:
            try:
                client, _ = self._listener.accept()
            except OSError:
                return
            if self._refusing:
                self._reset(client)
                continue
            server = socket.create_connection(self._target)
            with self._lock:
                self._pairs.append((client, server))
            threading.Thread(target=self._forward, args=(client, server), daemon=True).start()

    def _forward(self, client: socket.socket, server: socket.socket) -> None:
        last = time.monotonic()
        try:
            while True:
                self._open.wait()
                ready, _, _ = select.select([client, server], [], [], 0.05)
                if not self._open.is_set():
                    continue
                for source in ready:
                    data = source.recv(65536)
                    if not data:
                        return
                    (server if source is client else client).sendall(data)
                    last = time.monotonic()
                if self._idle_timeout and time.monotonic() - last > self._idle_timeout:
                    return
        except (OSError, ValueError):  # reset, by a peer or by cut()
            pass
        finally:
            client.close()
            server.close()

    @staticmethod
    def _reset(which: socket.socket) -> None:
        try:
            which.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
            which.close()
        except OSError:
            pass

    def cut(self) -> None:
        """Resets every connection, on both sides."""
        with self._lock:
            pairs, self._pairs = self._pairs, []
        for pair in pairs:
            for end in pair:
                self._reset(end)

    def refuse(self, refusing: bool = True) -> None:
        """New connections are reset at once, until refuse(False)."""
        self._refusing = refusing

    def swallow(self) -> None:
        """A black hole: connections stay up, and nothing passes, until pass_on()."""
        self._open.clear()

    def pass_on(self) -> None:
        self._open.set()

    def close(self) -> None:
        self._listener.close()
        self._open.set()
        self.cut()

    def __enter__(self) -> "Proxy":
        return self

    def __exit__(self, *_: object) -> None:
        self.close()
