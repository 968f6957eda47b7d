"""Cells read documents: smart_file_extract, in the box, with the libraries of the kernels' environment."""

import json

import pytest

from support.gateway import Gateway

DOCUMENT = """
import docx, zipfile
made = docx.Document()
made.add_heading('Chapter', 1)
made.add_paragraph('written in a cell')
made.save('/mnt/files/report.docx')
"""
SCAN = """
from PIL import Image, ImageDraw, ImageFont
page = Image.new('RGB', (1000, 200), 'white')
font = ImageFont.truetype('/usr/share/fonts/truetype/dejavu/DejaVuSans.ttf', 48)
ImageDraw.Draw(page).text((40, 40), 'Invoice number 4711', font=font, fill='black')
page.save('/mnt/files/scan.pdf')
"""

READERS = """
import psutil
def readers():
    return [each.pid for each in psutil.process_iter() if any('cellgate_documents' in word for word in each.cmdline())]
"""
MANY_PAGES = READERS + """
import pypdfium2, threading
many = pypdfium2.PdfDocument.new()
for _ in range(200):
    many.import_pages(pypdfium2.PdfDocument('/mnt/files/scan.pdf'))
many.save('/mnt/files/many.pdf')
def tell():
    while not readers():
        pass
    print('reading', flush=True)
threading.Thread(target=tell).start()
smart_file_extract('/mnt/files/many.pdf')
"""


def run(gateway: Gateway, code: str, kernel: str = "cellgate") -> dict:
    agent = gateway.agent()
    cell = agent.execute(agent.start_session(kernel_name=kernel)["id"], "import json\n" + code)
    assert cell["status"] == "ok", cell
    return cell


@pytest.mark.parametrize("kernel", ["cellgate", "ipykernel"])
def test_a_document_is_read_and_a_scan_is_recognized(gateway: Gateway, kernel: str) -> None:
    cell = run(gateway, DOCUMENT + SCAN + """
import os
os.chdir('/mnt/files')
print(json.dumps([smart_file_extract('report.docx', False), smart_file_extract('/mnt/files/scan.pdf', show_preview=False)]))""", kernel)
    word, scan = json.loads(cell["stdout"])
    assert word == ["# Chapter\nwritten in a cell\n", ""]
    assert "Invoice number 4711" in scan[0] and scan[1] == ""


def test_an_interrupted_cell_leaves_no_reader_and_the_kernel_goes_on(gateway: Gateway) -> None:
    """200 scanned pages would take minutes."""
    agent = gateway.agent()
    session = agent.start_session()["id"]
    with agent.connect(session) as socket:
        cell = socket.begin(SCAN + MANY_PAGES)
        socket.wait_for(lambda event: event["method"] == "output" and "reading" in event.get("text", ""))
        socket.call("cancel", cell_id=cell)
        done = socket.finished(cell)
    assert done["status"] == "interrupted" and done["duration_ms"] < 60_000, done
    left = agent.execute(session, READERS + "print(readers())")
    assert left["stdout"] == "[]\n", left
