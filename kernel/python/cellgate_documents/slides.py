"""A PowerPoint presentation: of each slide its texts and tables, and the speaker's notes."""

from typing import Any, Iterator

from .limits import Budget
from .office_package import measure
from .source import Source
from .tables import as_markdown


def read(source: Source, budget: Budget) -> Iterator[str]:
    import pptx

    measure(source, budget)
    presentation = pptx.Presentation(source.file)
    for number, slide in enumerate(presentation.slides, 1):
        budget.seconds_left()
        yield "## Slide %d\n" % number
        for shape in slide.shapes:
            yield from _texts(shape)
        if slide.has_notes_slide and slide.notes_slide.notes_text_frame is not None:
            notes = slide.notes_slide.notes_text_frame.text.strip()
            if notes:
                yield "Notes: %s\n" % notes
        yield "\n"


def _texts(shape: Any) -> Iterator[str]:
    if hasattr(shape, "shapes"):  # a group
        for inner in shape.shapes:
            yield from _texts(inner)
    elif shape.has_text_frame:
        text = shape.text_frame.text.replace("\v", "\n").strip()
        if text:
            yield text + "\n"
    elif getattr(shape, "has_table", False):
        yield as_markdown([cell.text for cell in row.cells] for row in shape.table.rows)
