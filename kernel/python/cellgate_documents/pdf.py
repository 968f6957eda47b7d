"""A PDF, page by page: the text that it has, and by recognition the pages that are only pictures."""

from typing import Any, Iterator

from .limits import Budget
from .ocr import words_in
from .problem import NotText, Problem
from .source import Source

# As pages are scanned; a page of unusual size is drawn smaller.
_DOTS_PER_INCH = 200
_LARGEST_PAGE = 16_000_000  # pixels
_PASSWORD_NEEDED = 4  # FPDF_ERR_PASSWORD


def read(source: Source, budget: Budget) -> Iterator[str]:
    import pypdfium2

    try:
        document = pypdfium2.PdfDocument(source.file)
    except pypdfium2.PdfiumError as error:
        if getattr(error, "err_code", None) == _PASSWORD_NEEDED:
            raise Problem("it is encrypted with a password; save it without one") from None
        raise Problem("it is damaged, or no PDF after all (%s); get it anew" % error) from None
    found = False
    for number in range(len(document)):
        budget.seconds_left()
        page = document[number]
        text = _text_of(page) or _words_of(page, budget)
        page.close()
        if text:
            yield "%s\n" % text if not found else "\n\f%s\n" % text
            found = True
    if not found:
        raise NotText("no words were found on its pages (%d)" % len(document))


def _text_of(page: Any) -> str:
    text_page = page.get_textpage()
    text = text_page.get_text_bounded()
    text_page.close()
    return str(text).replace("\r\n", "\n").strip()


def _words_of(page: Any, budget: Budget) -> str:
    """Of a page that has no text; nothing for one on which nothing is."""
    if next(iter(page.get_objects(max_depth=2)), None) is None:
        return ""
    width, height = page.get_size()  # in points, 72 an inch
    scale = _DOTS_PER_INCH / 72
    pixels = width * height * scale * scale
    if pixels > _LARGEST_PAGE:
        scale *= (_LARGEST_PAGE / pixels) ** 0.5
    bitmap = page.render(scale=scale, grayscale=True)
    words = words_in(bitmap.to_pil(), budget)
    bitmap.close()
    return words
