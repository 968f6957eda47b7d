"""sys.stdout and sys.stderr of a kernel."""

import codecs
import io
import sys
from typing import Any, Iterable

from . import outbox


class Stream(io.TextIOBase):
    """Passes text on at once; the kernel gathers and sends it. Cannot be closed, since a cell that does loses its output."""

    encoding = "utf-8"
    errors = "backslashreplace"
    newlines = None
    line_buffering = True
    write_through = True

    def __init__(self, name: str, descriptor: int) -> None:
        self.name = name
        self.buffer = _Bytes(self)
        self._descriptor = descriptor

    @property
    def mode(self) -> str:
        return "w"

    def write(self, text: str) -> int:
        if not isinstance(text, str):
            raise TypeError(f"write() argument must be str, not {type(text).__name__}")
        if text:
            outbox.write(self.name, text)
        return len(text)

    def writelines(self, lines: Iterable[str]) -> None:
        self.write("".join(lines))

    def flush(self) -> None:
        """Nothing to do: text is sent within 50 ms, and before any other output."""

    def close(self) -> None:
        """Stays open."""

    def fileno(self) -> int:
        """A descriptor whose text the kernel shows in the same stream, for subprocesses."""
        return self._descriptor

    def isatty(self) -> bool:
        return False

    def readable(self) -> bool:
        return False

    def writable(self) -> bool:
        return True

    def reconfigure(self, **ignored: Any) -> None:
        """For programs that ask for UTF-8 or line buffering, which this is."""


class _Bytes(io.BufferedIOBase):
    """`sys.stdout.buffer`: bytes are UTF-8, also when a character comes in two pieces."""

    def __init__(self, stream: Stream) -> None:
        self.raw = self
        self._stream = stream
        self._decoder = codecs.getincrementaldecoder("utf-8")("replace")

    def write(self, data: Any) -> int:
        with memoryview(data) as view:
            text = self._decoder.decode(view.tobytes())
            if text:
                self._stream.write(text)
            return view.nbytes

    def writable(self) -> bool:
        return True

    def fileno(self) -> int:
        return self._stream.fileno()

    def close(self) -> None:
        """Stays open, as the stream does."""


def install() -> None:
    sys.stdout, sys.stderr = Stream("stdout", 1), Stream("stderr", 2)
