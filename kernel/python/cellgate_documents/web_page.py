"""A page of HTML, laid out as text."""

import re
from typing import Iterator

from .limits import Budget
from .plain import encoding_of
from .source import Source

_DECLARED = re.compile(rb"<meta[^>]{0,200}charset", re.IGNORECASE)


def read(source: Source, budget: Budget) -> Iterator[str]:
    yield text_of(source.whole(budget))


def text_of(page: bytes) -> str:
    import lxml.html
    from inscriptis.html_engine import Inscriptis
    from inscriptis.model.config import ParserConfig

    # A page that says its encoding is believed; lxml takes any other for Latin-1.
    encoding = None if _DECLARED.search(page[:4096]) else encoding_of(page)
    if encoding in ("utf-16", "utf-32"):
        page, encoding = page.decode(encoding, "replace").encode(), "utf-8"
    parser = lxml.html.HTMLParser(encoding=encoding, no_network=True, huge_tree=True, remove_comments=True, remove_pis=True)
    tree = lxml.html.document_fromstring(page, parser=parser)
    return str(Inscriptis(tree, ParserConfig()).get_text())
