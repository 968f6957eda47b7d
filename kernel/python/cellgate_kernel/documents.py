"""smart_file_extract: the text of a document, from a cell."""

import os
import stat
from typing import Any, Tuple

_PREVIEW_CHARS = 1000
_MAX_BYTES = 512 << 20


def smart_file_extract(sandbox_file_path: str, show_preview: bool = True) -> Tuple[str, str]:
    """Read the text of a document and return ``(text, error)``. Never raises.

    What can be read: PDF (pages that are only pictures too), PNG, JPEG and other pictures (their words are recognized),
    .docx, .xlsx, .pptx, .html, .csv, .eml with its attachments, .zip with all that is in it, and any plain text. What a
    file is is seen from its content; the name counts only among texts.

    sandbox_file_path: of the file, for example "/mnt/files/report.pdf".
    show_preview: print what it is and how its text begins.

    On success `error` is "". When not all could be read (there is more text than 16 MiB, it took longer than 120 s, a page
    or a file in it is damaged), `error` says so beside the text there is. Otherwise `text` is "". Tables come as Markdown,
    sheets of a workbook as CSV, pages of a PDF are separated by form feeds.

        text, error = smart_file_extract("/mnt/files/report.pdf")
        if error:
            print("failed:", error)

    Many documents side by side:

        from concurrent.futures import ThreadPoolExecutor
        with ThreadPoolExecutor(4) as pool:
            texts = list(pool.map(lambda path: smart_file_extract(path, show_preview=False), paths))
    """
    if not isinstance(sandbox_file_path, (str, os.PathLike)) or not str(sandbox_file_path).strip():
        return "", 'sandbox_file_path must be a path such as "/mnt/files/report.pdf", not %r' % (sandbox_file_path,)
    path = os.path.expanduser(str(sandbox_file_path))
    try:
        descriptor = _open(path)
    except ValueError as problem:
        return "", str(problem)
    try:
        from . import document_process

        text, kind, error = document_process.read(descriptor, os.path.basename(path))
    finally:
        os.close(descriptor)
    if error:
        error = "%s: %s" % (path, error)
    if show_preview and text:
        _show(path, kind, text)
    return text, error


def _open(path: str) -> int:
    """Of a regular file, for reading. ValueError says what it is else."""
    try:
        # Without waiting: a named pipe has no end.
        descriptor = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_NOCTTY | os.O_CLOEXEC)
    except FileNotFoundError:
        raise ValueError("%s: there is no such file%s" % (path, _instead_of(path))) from None
    except OSError as error:
        raise ValueError("%s: it cannot be opened: %s" % (path, error.strerror)) from None
    except ValueError:
        raise ValueError("%r: a path has no NUL in it" % path) from None
    try:
        _check(path, os.fstat(descriptor))
    except ValueError:
        os.close(descriptor)
        raise
    return descriptor


def _check(path: str, found: os.stat_result) -> None:
    if stat.S_ISDIR(found.st_mode):
        raise ValueError("%s: it is a directory; give the path of a file in it: os.listdir(%r)" % (path, path))
    if not stat.S_ISREG(found.st_mode):
        raise ValueError("%s: it is not a regular file (a pipe, a socket or a device); write what it has to a file" % path)
    if found.st_size == 0:
        raise ValueError("%s: it is empty: 0 bytes" % path)
    if found.st_size > _MAX_BYTES:
        raise ValueError(
            "%s: it has %d MiB, over the limit of %d; split it, or read it piece by piece with a library"
            % (path, found.st_size >> 20, _MAX_BYTES >> 20)
        )


def _instead_of(path: str) -> str:
    """What may have been meant."""
    import difflib
    import itertools

    directory = os.path.dirname(path) or "."
    try:
        with os.scandir(directory) as entries:
            names = [entry.name for entry in itertools.islice(entries, 1000)]
    except OSError:
        return "; there is no directory %s either" % directory
    close = difflib.get_close_matches(os.path.basename(path), names, 3, 0.6)
    if close:
        return "; close to it: %s" % ", ".join(os.path.join(directory, name) for name in close)
    return "; os.listdir(%r) shows what is there" % directory


def _show(path: str, kind: Any, text: str) -> None:
    print("%s: %s, %d characters" % (path, kind, len(text)))
    print(text[:_PREVIEW_CHARS] + ("\n…" if len(text) > _PREVIEW_CHARS else ""))
