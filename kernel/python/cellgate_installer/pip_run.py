"""`pip COMMAND` in this process: a process of its own would take half a second to start each time."""

import contextlib
import logging
import os
import sys
from typing import Any, Dict, Iterator, List, Optional, Tuple


class PipFailed(Exception):
    """The text is what pip printed; `unfetched` what it says only when asked: why it could not have pages of the index."""

    def __init__(self, text: str, unfetched: str) -> None:
        super().__init__(text)
        self.unfetched = unfetched


def run(words: List[str], log: str, environment: Optional[Dict[str, str]] = None) -> None:
    """`log` is the file that this process's standard streams are."""
    from pip._internal.cli.main import main

    begun = os.path.getsize(log)
    with _variables(environment or {}), _unfetched() as unfetched:
        status = main(words)
    for stream in (sys.stdout, sys.stderr):
        stream.flush()
    if status != 0:
        with open(log, encoding="utf-8", errors="replace") as file:
            file.seek(begun)
            raise PipFailed(file.read(), "\n".join(unfetched))


@contextlib.contextmanager
def _unfetched() -> Iterator[List[str]]:
    """The same words for an index that fails and for one that has no such page are all that pip shows without this."""
    logger = logging.getLogger("pip._internal.index.collector")
    kept: List[str] = []

    class Keep(logging.Handler):
        def emit(self, record: logging.LogRecord) -> None:
            text = record.getMessage()
            if text.startswith("Could not fetch"):
                kept.append(text)

    keep, level = Keep(), logger.level
    logger.addHandler(keep)
    logger.setLevel(logging.DEBUG)
    try:
        yield kept
    finally:
        logger.removeHandler(keep)
        logger.setLevel(level)


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
