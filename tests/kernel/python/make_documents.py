"""Makes the documents that smart_file_extract is tried on; run by the kernels' Python, which has the libraries.

python make_documents.py DIRECTORY
"""

import os
import pathlib
import struct
import sys
import zipfile
import zlib

import docx
import openpyxl
import pptx
from PIL import Image, ImageDraw, ImageFont
from reportlab.pdfgen import canvas

FONT = "/usr/share/fonts/truetype/dejavu/DejaVuSans.ttf"
XXE = b'<?xml version="1.0"?><!DOCTYPE x [<!ENTITY secret SYSTEM "file://%s">]>'
LAUGHS = (
    b'<?xml version="1.0"?><!DOCTYPE x [<!ENTITY a0 "ha">'
    + b"".join(b'<!ENTITY a%d "%s">' % (n, b"&a%d;" % (n - 1) * 10) for n in range(1, 12))
    + b"]>"
)
MAIL = """From: Ada <ada@example.org>
To: bob@example.org
Subject: =?utf-8?q?Gr=C3=BC=C3=9Fe?=
Date: Mon, 30 Nov 2026 10:00:00 +0000
MIME-Version: 1.0
Content-Type: multipart/mixed; boundary=XX

--XX
Content-Type: text/html; charset=utf-8

<p>The body</p>
--XX
Content-Type: text/csv
Content-Disposition: attachment; filename="numbers.csv"

a,b
1,2
--XX
Content-Type: message/rfc822

From: inner@example.org
Subject: the inner one

inner body
--XX--
"""
PAGE = """<!DOCTYPE html><html><head><meta charset="utf-8"><title>T</title><style>p {color: red}</style>
<script>var hidden = 1</script></head><body><h1>Überschrift</h1><p>First.</p><p>Second.</p>
<table><tr><td>left</td><td>right</td></tr></table></body></html>"""


def pictures() -> None:
    picture = Image.new("RGB", (1000, 260), "white")
    drawn = ImageDraw.Draw(picture)
    drawn.text((40, 40), "Invoice number 4711\nTotal 1234.50 EUR", font=ImageFont.truetype(FONT, 48), fill="black")
    picture.save("words.png")
    picture.save("words.jpg", quality=90)
    picture.save("two_pages.tif", save_all=True, append_images=[picture])
    Image.new("RGB", (200, 200), "white").save("blank.png")
    clear = Image.new("RGBA", (1000, 260), (0, 0, 0, 0))
    ImageDraw.Draw(clear).text((40, 40), "Transparent ground", font=ImageFont.truetype(FONT, 48), fill="black")
    clear.save("clear.png")
    pathlib.Path("huge.png").write_bytes(png(100_000, 100_000))


def png(width: int, height: int) -> bytes:
    """Of black pixels; only the first rows are there."""

    def chunk(kind: bytes, data: bytes) -> bytes:
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))

    rows = zlib.compress(b"\0" * (1 + width) * 10)
    header = struct.pack(">IIBBBBB", width, height, 8, 0, 0, 0, 0)
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", header) + chunk(b"IDAT", rows) + chunk(b"IEND", b"")


def pdfs() -> None:
    made = canvas.Canvas("text.pdf")
    made.drawString(100, 700, "Quarterly report Größe")
    made.showPage()
    made.showPage()  # empty
    made.drawString(100, 700, "The last page")
    made.save()
    made = canvas.Canvas("scanned.pdf")
    for _ in range(2):
        made.drawImage("words.png", 50, 500, 500, 130)
        made.showPage()
    made.save()
    made = canvas.Canvas("encrypted.pdf", encrypt="secret")
    made.drawString(100, 700, "hidden")
    made.save()
    # Its page is 200 inches wide; its picture has 10^10 pixels of which a stream of 1 GB of zeros would be a part.
    zeros = zlib.compress(b"\0" * (1 << 28), 9)
    write_pdf("bomb.pdf", zeros, b"/Type /XObject /Subtype /Image /Width 100000 /Height 100000 /ColorSpace /DeviceGray /BitsPerComponent 8")


def write_pdf(name: str, stream: bytes, words: bytes) -> None:
    """A page of 14,400 points with one picture on it."""
    content = b"q 14400 0 0 14400 0 0 cm /I Do Q"
    objects = [
        b"<</Type /Catalog /Pages 2 0 R>>",
        b"<</Type /Pages /Kids [3 0 R] /Count 1>>",
        b"<</Type /Page /Parent 2 0 R /MediaBox [0 0 14400 14400] /Contents 4 0 R /Resources <</XObject <</I 5 0 R>>>>>>",
        b"<</Length %d>>stream\n%s\nendstream" % (len(content), content),
        b"<</Filter /FlateDecode /Length %d %s>>stream\n%s\nendstream" % (len(stream), words, stream),
    ]
    data, places = b"%PDF-1.4\n", []
    for number, each in enumerate(objects, 1):
        places.append(len(data))
        data += b"%d 0 obj\n%s\nendobj\n" % (number, each)
    table = b"".join(b"%010d 00000 n \n" % place for place in places)
    data += b"xref\n0 6\n0000000000 65535 f \n%strailer<</Size 6 /Root 1 0 R>>\nstartxref\n%d\n%%%%EOF\n" % (table, len(data))
    pathlib.Path(name).write_bytes(data)


def office() -> None:
    word = docx.Document()
    word.add_heading("The title", 0)
    word.add_heading("A chapter", 2)
    word.add_paragraph("A paragraph.")
    word.add_paragraph("An item", style="List Bullet")
    table = word.add_table(2, 2)
    for place, text in enumerate(("a", "b", "c|d", "e")):
        table.cell(place // 2, place % 2).text = text
    after = word.add_paragraph("After the table.")
    word.add_comment(after.runs, text="A comment on it")
    word.save("word.docx")
    book = openpyxl.Workbook()
    sheet = book.active
    sheet.title = "Numbers"
    sheet.append(["name", "value"])
    sheet.append(["x, y", 1.5])
    sheet["B4"] = "=B2*2"
    book.create_sheet("Other").append([True, None, "end"])
    book.save("book.xlsx")
    slides = pptx.Presentation()
    slide = slides.slides.add_slide(slides.slide_layouts[1])
    slide.shapes.title.text = "The slide"
    slide.placeholders[1].text = "Its text"
    slide.notes_slide.notes_text_frame.text = "Say this"
    slides.save("slides.pptx")


def with_part(source: str, target: str, part: str, content: bytes) -> None:
    """A copy of an office file in which one part is another."""
    with zipfile.ZipFile(source) as old, zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED) as new:
        for name in old.namelist():
            new.writestr(name, content if name == part else old.read(name))


def office_attacks(secret: str) -> None:
    word = b'<w:document xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"><w:body><w:p><w:r><w:t>%s</w:t></w:r></w:p></w:body></w:document>'
    sheet = b'<worksheet xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main"><sheetData><row r="1"><c r="A1" t="inlineStr"><is><t>%s</t></is></c></row></sheetData></worksheet>'
    many = word.replace(b"<w:body>", b"<w:body>" + b"<w:p/>" * 8_000_000) % b"x"
    with_part("word.docx", "wide.docx", "word/document.xml", many)
    for kind, source, part, xml in (
        ("docx", "word.docx", "word/document.xml", word),
        ("xlsx", "book.xlsx", "xl/worksheets/sheet1.xml", sheet),
    ):
        with_part(source, "xxe." + kind, part, XXE % secret.encode() + xml % b"see &secret;")
        with_part(source, "laughs." + kind, part, LAUGHS + xml % b"&a11;")
        with_part(source, "huge." + kind, part, b'<?xml version="1.0"?>' + xml % (b" " * (300 << 20)))
        with_part(source, "broken." + kind, part, b"<w:document")


def archives() -> None:
    with zipfile.ZipFile("archive.zip", "w", zipfile.ZIP_DEFLATED) as archive:
        for name in ("text.pdf", "words.png", "word.docx", "book.xlsx", "letter.eml"):
            archive.write(name)
        archive.writestr("../../../tmp/escaped.txt", "the traversed one")
        archive.writestr("/etc/cron.d/job", "the absolute one")
        archive.writestr("line\nbreak.txt", "the broken one")
        archive.writestr("program", b"\x7fELF\0\0\0")
        archive.writestr("directory/", "")
    with zipfile.ZipFile("bomb.zip", "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("zeros.txt", b"0" * (300 << 20))
        archive.writestr("small.txt", "still read")
    with zipfile.ZipFile("many.zip", "w") as archive:
        for number in range(1100):
            archive.writestr("%d.txt" % number, "x")
    with zipfile.ZipFile("empty.zip", "w"):
        pass
    inner = b"the innermost"
    for depth in range(8):
        with zipfile.ZipFile("nested.zip", "w", zipfile.ZIP_DEFLATED) as archive:
            archive.writestr("%d.%s" % (depth, "zip" if depth else "txt"), inner)
        inner = pathlib.Path("nested.zip").read_bytes()
    with zipfile.ZipFile("lying.zip", "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("zeros.txt", b"0" * (64 << 20))
    lying = bytearray(pathlib.Path("lying.zip").read_bytes())
    directory = lying.rindex(b"PK\x01\x02")
    lying[directory + 24 : directory + 28] = struct.pack("<I", 10)
    pathlib.Path("lying.zip").write_bytes(lying)
    # Of bzip2, of which a kilobyte may become a gigabyte, a library cannot say how much it wants.
    with zipfile.ZipFile("bzip2.zip", "w", zipfile.ZIP_BZIP2) as archive:
        archive.writestr("zeros.txt", b"0" * (200 << 20))
    with zipfile.ZipFile("locked.zip", "w") as archive:
        archive.writestr("secret.txt", "secret")
    locked = bytearray(pathlib.Path("locked.zip").read_bytes())
    locked[6] |= 1
    locked[locked.rindex(b"PK\x01\x02") + 8] |= 1
    pathlib.Path("locked.zip").write_bytes(locked)


def texts() -> None:
    pathlib.Path("letter.eml").write_text(MAIL)
    pathlib.Path("page.html").write_text(PAGE)
    pathlib.Path("deep.html").write_text("<div>" * 20_000 + "bottom")
    pathlib.Path("plain.txt").write_text("plain text äöü\n")
    pathlib.Path("data.json").write_text('{"a": [1, 2]}')
    pathlib.Path("notes.md").write_text("# Notes\n\n- one\n")
    pathlib.Path("windows.csv").write_bytes("name;größe\nMüller;3\nGößmann;4\n".encode("cp1252"))
    pathlib.Path("short.txt").write_bytes("grüße".encode("latin-1"))
    pathlib.Path("cyrillic.txt").write_bytes(("Привет, как у тебя дела? Сегодня хорошая погода. " * 20).encode("cp1251"))
    parts = b"--XX\nContent-Type: text/plain\n\nx\n" * 11_000
    pathlib.Path("many.eml").write_bytes(b"From: a@b.c\nContent-Type: multipart/mixed; boundary=XX\n\n" + parts)
    pathlib.Path("utf16.csv").write_bytes("name,größe\n".encode("utf-16"))
    pathlib.Path("binary.bin").write_bytes(bytes(range(256)) * 10)
    pathlib.Path("empty.txt").write_bytes(b"")
    pathlib.Path("old.xls").write_bytes(b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + b"\0" * 5000)
    pathlib.Path("encrypted.xlsx").write_bytes(
        b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + b"\0" * 5000 + "EncryptedPackage".encode("utf-16-le") + b"\0" * 5000
    )


def main() -> None:
    os.chdir(sys.argv[1])
    pathlib.Path("secret").write_text("the-secret-of-the-machine")
    pictures()
    pdfs()
    office()
    office_attacks(os.path.abspath("secret"))
    texts()
    archives()
    for name in ("text.pdf", "words.png", "words.jpg", "word.docx", "book.xlsx", "slides.pptx", "archive.zip"):
        whole = pathlib.Path(name).read_bytes()
        pathlib.Path("half_" + name).write_bytes(whole[: len(whole) // 2])


main()
