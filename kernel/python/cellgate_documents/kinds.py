"""What kind of document some bytes are: by what they begin with; only where that says "text" does the name count."""

import zipfile
from typing import Optional

from .problem import NotText, Problem
from .source import Source

PICTURES = ("PNG", "JPEG", "GIF", "TIFF", "WEBP", "BMP")

# What it begins with, and what that is.
_BEGINNINGS = (
    (b"\x89PNG\r\n\x1a\n", "PNG"),
    (b"\xff\xd8\xff", "JPEG"),
    (b"GIF87a", "GIF"),
    (b"GIF89a", "GIF"),
    (b"II*\x00", "TIFF"),
    (b"MM\x00*", "TIFF"),
    (b"BM", "BMP"),
)

# The part that makes a zip file a document of this kind.
_PARTS = (("word/", "Word"), ("xl/", "Excel"), ("ppt/", "PowerPoint"))

# What is known and not read, with what to do about it.
_REFUSED = (
    (b"{\\rtf", "an RTF file; save it as .docx"),
    (b"\x1f\x8b", "a gzip file; unpack it with tarfile or gzip, and read what is in it"),
    (b"BZh", "a bzip2 file; unpack it with tarfile or bz2, and read what is in it"),
    (b"\xfd7zXZ\x00", "an xz file; unpack it with tarfile or lzma, and read what is in it"),
    (b"7z\xbc\xaf\x27\x1c", "a 7z archive; unpack it, and read what is in it"),
    (b"Rar!\x1a\x07", "a RAR archive; unpack it, and read what is in it"),
    (b"PAR1", "a Parquet file; read it with pandas.read_parquet"),
    (b"SQLite format 3\x00", "a SQLite database; read it with sqlite3"),
    (b"\x7fELF", "a program, not a document"),
    (b"\x80\x04", "a pickle; read it with the program that wrote it"),
    (b"\x80\x05", "a pickle; read it with the program that wrote it"),
)

_OLE = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"
_MAIL_FIELDS = (b"received:", b"return-path:", b"from:", b"message-id:", b"delivered-to:", b"mime-version:")


def kind_of(source: Source) -> str:
    """ "PDF", "PNG", "Word", …, "zip", "HTML", "mail" or "text". Problem for what cannot be read."""
    head = source.head(4096)
    if not head:
        raise Problem("it is empty: 0 bytes")
    if head[:4] == b"RIFF" and head[8:12] == b"WEBP":
        return "WEBP"
    if head.startswith(_OLE):
        raise Problem(_what_is_wrong_with_ole(source))
    if head.startswith((b"PK\x03\x04", b"PK\x05\x06")):
        return _kind_of_zip(source)
    for beginning, kind in _BEGINNINGS:
        if head.startswith(beginning) and (kind != "BMP" or b"\x00" in head[:32]):
            return kind
    for beginning, what in _REFUSED:
        if head.startswith(beginning):
            raise NotText("it is " + what)
    if b"%PDF-" in head[:1024]:  # after what a mail program or a printer put before it
        return "PDF"
    return _kind_of_text(head, source)


def _kind_of_zip(source: Source) -> str:
    try:
        names = zipfile.ZipFile(source.file).namelist()
    except (zipfile.BadZipFile, ValueError, NotImplementedError, EOFError) as error:
        raise Problem("it begins as a zip file and is damaged (%s); get it anew" % error) from None
    finally:
        source.file.seek(0)
    if "[Content_Types].xml" in names:
        for part, kind in _PARTS:
            if any(name.startswith(part) for name in names):
                return kind
    if "mimetype" in names and "content.xml" in names:
        raise Problem("it is an OpenDocument file; save it as .docx, .xlsx or .pptx")
    return "zip"


def _what_is_wrong_with_ole(source: Source) -> str:
    if "EncryptedPackage".encode("utf-16-le") in source.head(1 << 20):
        return "it is encrypted with a password; save it without one"
    return "it is in an Office format from before 2007; save it as .docx, .xlsx or .pptx"


def _kind_of_text(head: bytes, source: Source) -> str:
    if is_binary(head):
        raise NotText(
            "it is of a kind that cannot be read as text (it begins with %s); what can: PDF, pictures, .docx, .xlsx, .pptx, "
            ".html, .csv, .eml, .zip and plain text" % head[:8].hex(" ")
        )
    return _by_name(source.extension) or _by_content(head)


def _by_name(extension: str) -> Optional[str]:
    if extension in (".html", ".htm", ".xhtml"):
        return "HTML"
    return "mail" if extension == ".eml" else None


def _by_content(head: bytes) -> str:
    begin = head.lstrip(b"\xef\xbb\xbf \t\r\n").lower()
    if begin.startswith((b"<!doctype html", b"<html")):
        return "HTML"
    fields = [line for line in begin.split(b"\n")[:40] if line.startswith(_MAIL_FIELDS)]
    return "mail" if begin.startswith(_MAIL_FIELDS) and len(fields) >= 3 else "text"


def is_binary(head: bytes) -> bool:
    if head.startswith((b"\xff\xfe", b"\xfe\xff")):  # UTF-16 says so itself
        return False
    controls = sum(byte < 32 and byte not in b"\t\n\r\f\x08\x1b" for byte in head)
    return b"\x00" in head or controls * 50 > len(head)
