"""A DNS server (RFC 1035) whose answers a test writes: for names that change what they mean."""

import socket
import struct
import threading
from collections.abc import Callable


class NameServer:
    """Answers each question for an IPv4 address with what `answer(name)` returns, and for IPv6 with nothing."""

    def __init__(self, answer: Callable[[str], str], address: str = "127.0.0.1", port: int = 53) -> None:
        self.asked: list[str] = []
        self._answer = answer
        self._socket = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        self._socket.bind((address, port))
        threading.Thread(target=self._serve, daemon=True).start()

    def _serve(self) -> None:
        while True:
            try:
                question, whence = self._socket.recvfrom(512)
            except OSError:
                return  # closed
            self._socket.sendto(self._reply(question), whence)

    def _reply(self, question: bytes) -> bytes:
        labels, at = [], 12
        while question[at]:
            labels.append(question[at + 1:at + 1 + question[at]].decode())
            at += 1 + question[at]
        asked = question[12:at + 5]
        (kind,) = struct.unpack("!H", question[at + 1:at + 3])
        records = b""
        if kind == 1:  # A
            name = ".".join(labels)
            self.asked.append(name)
            records = struct.pack("!HHHIH", 0xC00C, 1, 1, 0, 4) + socket.inet_aton(self._answer(name))
        head = struct.pack("!HHHHHH", struct.unpack("!H", question[:2])[0], 0x8180, 1, 1 if records else 0, 0, 0)
        return head + asked + records

    def close(self) -> None:
        self._socket.close()
