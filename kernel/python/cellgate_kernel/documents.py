"""smart_file_extract: the text of a document, from a cell."""

import os
from typing import Any, Tuple

from .regular_file import open_regular, path_of

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
    try:
        path = path_of(sandbox_file_path)
        descriptor = open_regular(path)
    except ValueError as problem:
        return "", str(problem)
    try:
        _check_size(path, os.fstat(descriptor).st_size)
        from . import document_process

        text, kind, error = document_process.read(descriptor, os.path.basename(path))
    except ValueError as problem:
        return "", str(problem)
    finally:
        os.close(descriptor)
    if error:
        error = "%s: %s" % (path, error)
    if show_preview and text:
        _show(path, kind, text)
    return text, error


def _check_size(path: str, size: int) -> None:
    if size == 0:
        raise ValueError("%s: it is empty: 0 bytes" % path)
    if size > _MAX_BYTES:
        raise ValueError(
            "%s: it has %d MiB, over the limit of %d; split it, or read it piece by piece with a library"
            % (path, size >> 20, _MAX_BYTES >> 20)
        )


def _show(path: str, kind: Any, text: str) -> None:
    print("%s: %s, %d characters" % (path, kind, len(text)))
    print(text[:_PREVIEW_CHARS] + ("\n…" if len(text) > _PREVIEW_CHARS else ""))
