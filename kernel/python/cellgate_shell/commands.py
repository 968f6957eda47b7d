"""`!command`: a shell command whose output is printed as it comes, and which an interrupt ends."""

import codecs
import contextlib
import os
import select
import signal
import subprocess
import sys
import termios
from typing import Iterator

_SIZE = (24, 80)  # rows and columns, as a terminal's
_CHUNK = 1 << 16
_LOOK_S = 0.05  # how often a thread that no signal reaches looks whether it is interrupted
_GRACE_S = ((signal.SIGINT, 0.2), (signal.SIGTERM, 0.3), (signal.SIGKILL, 5.0))


def run(command: str) -> int:
    """Run it in the shell; its exit status, negative for the signal that ended it.

    Its output is a terminal, so that programs show colours and progress; its input is empty, since nobody could type.
    A KeyboardInterrupt ends the command and is raised.
    """
    reader, writer = os.openpty()
    try:
        _make_raw(writer)
        shell = os.environ.get("SHELL") or "/bin/sh"
        process = subprocess.Popen(
            [shell if os.access(shell, os.X_OK) else "/bin/sh", "-c", command],
            stdin=subprocess.DEVNULL,
            stdout=writer,
            stderr=writer,
            start_new_session=True,
        )
        os.close(writer)
        writer = -1
        return _follow(process, reader)
    finally:
        os.close(reader)
        if writer >= 0:
            os.close(writer)


def _make_raw(terminal: int) -> None:
    """Lines end in \\n, as those of a pipe do."""
    attributes = termios.tcgetattr(terminal)
    attributes[1] &= ~termios.OPOST
    termios.tcsetattr(terminal, termios.TCSANOW, attributes)
    termios.tcsetwinsize(terminal, _SIZE)


def _follow(process: "subprocess.Popen[bytes]", reader: int) -> int:
    decoder = codecs.getincrementaldecoder("utf-8")("replace")
    ended = os.pidfd_open(process.pid)
    try:
        for data in _output(reader, ended):
            sys.stdout.write(decoder.decode(data))
        return process.wait()
    except KeyboardInterrupt:
        _end(process, ended)
        for data in _output(reader, ended):
            sys.stdout.write(decoder.decode(data))
        raise
    finally:
        os.close(ended)
        rest = decoder.decode(b"", final=True)
        if rest:
            sys.stdout.write(rest)


def _output(reader: int, ended: int) -> Iterator[bytes]:
    """What is written until the command ends. What it left running in the background may write on, to nobody."""
    while True:
        ready, _, _ = select.select([reader, ended], [], [], _LOOK_S)
        if reader in ready:
            try:
                data = os.read(reader, _CHUNK)
            except OSError:  # EIO: nobody has the other side any more
                return
            yield data
        elif ended in ready:
            return


def _end(process: "subprocess.Popen[bytes]", ended: int) -> None:
    """Ask, insist, kill: the whole process group. A second interrupt kills at once."""
    for number, patience in _GRACE_S:
        with contextlib.suppress(ProcessLookupError):
            os.killpg(process.pid, number)
        try:
            if select.select([ended], [], [], patience)[0]:
                break
        except KeyboardInterrupt:
            with contextlib.suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)
    process.wait()
