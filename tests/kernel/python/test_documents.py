"""smart_file_extract: documents of every kind, and files that were made to hurt."""

import os
import pathlib
import signal
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor

import package_path  # noqa: F401  (makes the package importable)
import pytest

from cellgate_kernel import document_process
from cellgate_kernel.documents import smart_file_extract

KERNELS = pathlib.Path(__file__).resolve().parents[3] / ".venv" / "kernels" / "bin" / "python"
MAKER = pathlib.Path(__file__).with_name("make_documents.py")


@pytest.fixture(scope="module")
def documents(tmp_path_factory):
    directory = tmp_path_factory.mktemp("documents")
    subprocess.run([KERNELS, MAKER, directory], check=True, timeout=300)
    return directory


@pytest.fixture(autouse=True)
def kernels_python(monkeypatch):
    """The one whose environment has the libraries."""
    monkeypatch.setattr(sys, "executable", str(KERNELS))


@pytest.fixture
def extract(documents):
    return lambda name: smart_file_extract(str(documents / name), show_preview=False)


@pytest.mark.parametrize(
    "name, words",
    [
        ("text.pdf", ["Quarterly report Größe", "\f", "The last page"]),
        ("scanned.pdf", ["Invoice number 4711", "\f", "1234.50"]),
        ("words.png", ["Invoice number 4711", "1234.50"]),
        ("words.jpg", ["Invoice number 4711", "1234.50"]),
        ("two_pages.tif", ["Invoice number 4711", "1234.50"] * 2),
        ("clear.png", ["Transparent ground"]),
        ("word.docx", ["# The title", "## A chapter", "A paragraph.", "- An item", "| a | b |", "| c\\|d | e |", "After the table.", "[comment] A comment on it"]),
        ("book.xlsx", ["## Numbers", "name,value", '"x, y",1.5', ",=B2*2", "## Other", "True,,end"]),
        ("slides.pptx", ["## Slide 1", "The slide", "Its text", "Notes: Say this"]),
        ("page.html", ["Überschrift", "First.", "Second.", "left", "right"]),
        ("letter.eml", ["Ada <ada@example.org>", "Subject: Grüße", "The body", "numbers.csv", "1,2", "the inner one", "inner body"]),
        ("plain.txt", ["plain text äöü"]),
        ("data.json", ['{"a": [1, 2]}']),
        ("notes.md", ["# Notes", "- one"]),
        ("windows.csv", ["name;größe", "Gößmann;4"]),
        ("utf16.csv", ["name,größe"]),
        ("short.txt", ["grüße"]),
        ("cyrillic.txt", ["Привет, как у тебя дела?"]),
    ],
)
def test_the_text_of_a_document_comes_in_its_order(extract, name, words):
    text, error = extract(name)
    assert error == ""
    place = 0
    for word in words:
        assert word in text[place:], text
        place = text.index(word, place) + len(word)


def test_a_script_and_a_style_are_no_text(extract):
    text, _ = extract("page.html")
    assert "hidden" not in text and "red" not in text


def test_an_archive_is_read_with_all_that_is_in_it_and_writes_nothing(extract):
    text, error = extract("archive.zip")
    assert error == ""
    for word in ("Quarterly report", "Invoice number", "# The title", "name,value", "inner body", "the traversed one", "the absolute one"):
        assert word in text
    assert "--- ../../../tmp/escaped.txt" in text and "--- line\\nbreak.txt" in text
    assert "[not read: it is a program, not a document]" in text
    assert not os.path.exists("/tmp/escaped.txt") and not os.path.exists("/etc/cron.d/job")


@pytest.mark.parametrize(
    "name, said",
    [
        ("empty.txt", "it is empty"),
        ("binary.bin", "what can: PDF"),
        ("old.xls", "save it as .docx, .xlsx or .pptx"),
        ("encrypted.xlsx", "encrypted with a password; save it without one"),
        ("encrypted.pdf", "encrypted with a password; save it without one"),
        ("locked.zip", "encrypted with a password; unpack it with zipfile"),
        ("empty.zip", "without a file in it"),
        ("blank.png", "no words were recognized"),
        ("half_text.pdf", "damaged, or no PDF after all"),
        ("half_words.png", "damaged, or no PNG"),
        ("half_words.jpg", "damaged, or no JPEG"),
        ("half_word.docx", "damaged"),
        ("half_book.xlsx", "damaged"),
        ("half_slides.pptx", "damaged"),
        ("half_archive.zip", "damaged"),
        ("broken.docx", "damaged, or no Word"),
        ("broken.xlsx", "damaged, or no Excel"),
        ("deep.html", "nested too deep"),
        ("huge.png", "over the limit of 80 million; make it smaller"),
        ("huge.docx", "over the limit of 256 MiB"),
        ("huge.xlsx", "over the limit of 256 MiB"),
        ("laughs.docx", "damaged"),
        ("laughs.xlsx", "damaged"),
        ("xxe.xlsx", "damaged"),
        ("wide.docx", "more memory than the limit"),
        ("many.eml", "more parts than the limit of 1000"),
        ("bomb.pdf", "no words were found"),
    ],
)
def test_what_cannot_be_read_is_an_error_that_says_what_to_do(extract, documents, name, said):
    text, error = extract(name)
    assert said in error and error.startswith(str(documents / name))
    assert text.strip() in ("", "## Numbers")


def test_no_entity_reads_a_file(extract):
    for name in ("xxe.docx", "xxe.xlsx"):
        text, error = extract(name)
        assert "the-secret" not in text + error


def test_what_is_left_out_of_an_archive_is_said_in_its_place(extract):
    text, error = extract("bomb.zip")
    assert "still read" in text and "[not read: unpacked it is over the limit of 256 MiB" in text
    assert "1 of its parts could not be read (zeros.txt)" in error
    text, error = extract("lying.zip")
    assert "[not read: it is damaged (Bad CRC-32" in text and "1 of its parts" in error
    text, error = extract("nested.zip")
    assert "inside of more than 4 others" in text and "1 of its parts" in error
    text, error = extract("many.zip")
    assert "999.txt" in text and "1000.txt" not in text and "more than 1000 files in it" in error


def test_more_text_than_fits_is_cut_and_said(extract, monkeypatch):
    text, error = extract("bzip2.zip")
    assert len(text) == 16 << 20 and "this is its beginning" in error
    monkeypatch.setattr(document_process, "TEXT_BYTES", 12)
    text, error = extract("plain.txt")
    assert text == "plain text " and error.endswith("this is its beginning; read the rest piece by piece with a library")


@pytest.mark.parametrize(
    "make, said",
    [
        (lambda path: None, "there is no such file"),
        (lambda path: path.mkdir(), "it is a directory"),
        (lambda path: os.mkfifo(path), "it is not a regular file"),
        (lambda path: os.symlink("/dev/zero", path), "it is not a regular file"),
        (lambda path: os.truncate(path.touch() or path, 1 << 30), "over the limit of 512"),
    ],
)
def test_what_is_no_file_is_an_error(tmp_path, make, said):
    make(tmp_path / "report.pdf")
    text, error = smart_file_extract(str(tmp_path / "report.pdf"))
    assert text == "" and said in error


def test_a_mistyped_path_names_close_ones(documents):
    assert "close to it: %s" % (documents / "text.pdf") in smart_file_extract(str(documents / "texts.pdf"))[1]
    assert "no directory /nowhere either" in smart_file_extract("/nowhere/x.pdf")[1]


@pytest.mark.parametrize("path", [None, 7, "", "  ", "a\0b"])
def test_a_path_that_is_none_is_an_error(path):
    text, error = smart_file_extract(path)
    assert text == "" and "path" in error


def test_a_relative_path_and_a_path_object_are_paths(documents, monkeypatch):
    monkeypatch.chdir(documents)
    assert smart_file_extract("plain.txt", False) == ("plain text äöü\n", "")
    assert smart_file_extract(documents / "plain.txt", False) == ("plain text äöü\n", "")


def test_the_preview_is_printed_unless_it_is_not_wanted(documents, capsys):
    smart_file_extract(str(documents / "text.pdf"))
    shown = capsys.readouterr().out
    assert "text.pdf: PDF, " in shown and "Quarterly report" in shown
    smart_file_extract(str(documents / "text.pdf"), show_preview=False)
    assert capsys.readouterr().out == ""


def test_a_run_ends_when_its_time_is_up(extract, monkeypatch):
    monkeypatch.setattr(document_process, "SECONDS", 0)
    assert "it took longer than 0 s" in extract("text.pdf")[1]


def test_a_library_that_hangs_is_killed(extract, monkeypatch):
    monkeypatch.setattr(document_process, "SECONDS", 0.1)
    monkeypatch.setattr(document_process, "GRACE_S", 0.1)
    monkeypatch.setattr(document_process, "_START", "import signal; print('some', flush=True); signal.pause()")
    text, error = extract("plain.txt")
    assert "it took longer than 0.1 s" in error and text in ("", "some\n")


def test_a_library_that_crashes_is_an_error(extract, monkeypatch):
    monkeypatch.setattr(document_process, "_START", "import os; os.write(1, b'begun'); os.abort()")
    text, error = extract("plain.txt")
    assert text == "begun" and "crashed (SIGABRT)" in error


def test_memory_is_limited(extract, monkeypatch):
    eat = "import sys; sys.path += sys.argv[2:]; from cellgate_documents import run, plain; plain.read = lambda *_: ['x' * (2 << 30)]; run.main()"
    monkeypatch.setattr(document_process, "_START", eat)
    assert "more memory than the limit of 1.5 GiB" in extract("plain.txt")[1]


def test_an_interrupt_of_the_cell_ends_the_run(extract, monkeypatch):
    started = []
    popen = subprocess.Popen
    monkeypatch.setattr(subprocess, "Popen", lambda *args, **options: started.append(popen(*args, **options)) or started[-1])
    monkeypatch.setattr(document_process, "_START", "import os, signal; os.kill(os.getppid(), signal.SIGINT); signal.pause()")
    with pytest.raises(KeyboardInterrupt):
        extract("plain.txt")
    assert started[0].returncode == -signal.SIGKILL


def test_an_environment_without_the_library_says_which(extract, monkeypatch):
    monkeypatch.setattr(sys, "executable", "/usr/bin/python3")
    assert "%pip install pypdfium2" in extract("text.pdf")[1]
    monkeypatch.setattr(sys, "executable", "/nonexistent")
    assert "no process can be started" in extract("text.pdf")[1]


def test_a_file_of_the_users_is_no_library(extract, tmp_path, monkeypatch):
    (tmp_path / "pypdfium2.py").write_text("raise SystemExit(3)")
    (tmp_path / "json.py").write_text("raise SystemExit(3)")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", [str(tmp_path), *sys.path])
    assert extract("text.pdf")[1] == ""


def test_threads_read_side_by_side(extract):
    with ThreadPoolExecutor(8) as pool:
        assert list(pool.map(extract, ["plain.txt"] * 16)) == [("plain text äöü\n", "")] * 16
