"""A Word document: headings, paragraphs, lists and tables in their order, then its notes."""

from typing import Any, Iterator

from .limits import Budget
from .office_package import measure
from .source import Source
from .tables import as_markdown

_NOTES = ("footnotes", "endnotes", "comments")


def read(source: Source, budget: Budget) -> Iterator[str]:
    import docx

    measure(source, budget)
    document = docx.Document(source.file)
    for block in document.iter_inner_content():
        budget.seconds_left()
        yield _text_of(block)
    yield from _notes(document)


def _text_of(block: Any) -> str:
    if hasattr(block, "rows"):
        return "\n%s\n" % as_markdown(_cells(row) for row in block.rows)
    text = block.text
    if not text.strip():
        return "\n"
    return "%s%s\n" % (_mark(block), text)


def _mark(paragraph: Any) -> str:
    name = (paragraph.style.name if paragraph.style is not None else "") or ""
    if name == "Title":
        return "# "
    if name.startswith("Heading ") and name[8:].isdigit():
        return "#" * min(6, int(name[8:])) + " "
    return "- " if name.startswith("List ") else ""


def _cells(row: Any) -> Iterator[str]:
    """A cell that spans columns comes once."""
    before = None
    for cell in row.cells:
        if cell._tc is not before:
            yield cell.text
        before = cell._tc


def _notes(document: Any) -> Iterator[str]:
    """The library has no footnotes: their part is a tree of the same elements."""
    from docx.oxml.ns import qn
    from docx.oxml.parser import parse_xml

    for related in document.part.rels.values():
        kind = related.reltype.rpartition("/")[2]
        if related.is_external or kind not in _NOTES:
            continue
        for note in parse_xml(related.target_part.blob):
            text = "".join(each.text or "" for each in note.iter(qn("w:t"))).strip()
            if text:
                yield "[%s] %s\n" % (kind[:-1], text)
