"""`pip COMMAND` in this process: a process of its own would take half a second to start each time."""

import contextlib
import os
import sys
from typing import Any, Dict, Iterator, List, Optional, Tuple


class PipFailed(Exception):
    """The text is what pip printed."""


def run(words: List[str], log: str, environment: Optional[Dict[str, str]] = None) -> None:
    """`log` is the file that this process's standard streams are."""
    from pip._internal.cli.main import main

    begun = os.path.getsize(log)
    with _variables(environment or {}):
        status = main(words)
    for stream in (sys.stdout, sys.stderr):
        stream.flush()
    if status != 0:
        with open(log, encoding="utf-8", errors="replace") as file:
            file.seek(begun)
            raise PipFailed(file.read())


@contextlib.contextmanager
def downloads_kept(directory: str) -> Iterator[None]:
    """What pip downloads meanwhile is in `directory` too: to plan, it downloads wheels, and throws them away.

    With a pip that downloads in another way nothing is kept, and so is downloaded again.
    """
    os.mkdir(directory)
    try:
        from pip._internal.network.download import Downloader

        usual = Downloader.__call__
    except (ImportError, AttributeError):
        yield
        return

    def download(self: Any, link: Any, location: str) -> Tuple[str, str]:
        path, kind = usual(self, link, location)
        with contextlib.suppress(OSError):
            os.link(path, os.path.join(directory, os.path.basename(path)))
        return path, kind

    Downloader.__call__ = download
    try:
        yield
    finally:
        Downloader.__call__ = usual


@contextlib.contextmanager
def _variables(given: Dict[str, str]) -> Iterator[None]:
    before = {name: os.environ.get(name) for name in given}
    os.environ.update(given)
    try:
        yield
    finally:
        for name, value in before.items():
            if value is None:
                del os.environ[name]
            else:
                os.environ[name] = value
