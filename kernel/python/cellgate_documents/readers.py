"""Which module reads which kind of document, and what the failures of their libraries mean."""

import importlib
from typing import Iterator

from .kinds import PICTURES, kind_of
from .limits import Budget, in_words, is_at_memory_limit
from .problem import Cut, NotText, Problem
from .source import Source

_MODULES = {
    "PDF": "pdf",
    "Word": "word",
    "Excel": "workbook",
    "PowerPoint": "slides",
    "HTML": "web_page",
    "mail": "mail",
    "zip": "archive",
    "text": "plain",
    **{kind: "pictures" for kind in PICTURES},
}


def read_document(source: Source, kind: str, budget: Budget) -> Iterator[str]:
    """The text, in pieces as they are read. Raises Problem and Cut, and nothing else that a document may cause."""
    try:
        reader = importlib.import_module("." + _MODULES[kind], __package__)
        for piece in reader.read(source, budget):
            budget.seconds_left()
            yield piece
    except (Problem, Cut):
        raise
    except ModuleNotFoundError as error:
        name = {"docx": "python-docx", "pptx": "python-pptx", "PIL": "pillow"}.get(error.name or "", error.name)
        raise Problem("reading %s needs %s, which this environment lacks: %%pip install %s" % (kind, name, name)) from None
    except MemoryError:
        raise _too_large(budget) from None
    except RecursionError:
        raise Problem("it is nested too deep") from None
    except Exception as error:  # what its library says of a document that is none
        if is_at_memory_limit(budget.limits):  # and what some say when they get no memory
            raise _too_large(budget) from None
        said = " ".join(str(error).split())[:300]
        raise Problem("it is damaged, or no %s file after all (%s: %s); get it anew" % (kind, type(error).__name__, said)) from None


def _too_large(budget: Budget) -> Problem:
    return Problem("reading it takes more memory than the limit of %s; make it smaller" % in_words(budget.limits.memory_bytes))


def read_part(source: Source, budget: Budget) -> Iterator[str]:
    """A document inside of another one: what cannot be read is said in its place, and what contains it goes on."""
    try:
        if source.depth > budget.limits.depth:
            raise Problem("it is inside of more than %d others; unpack them first" % budget.limits.depth)
        yield from read_document(source, kind_of(source), budget)
    except Problem as problem:
        yield not_read(source.name, problem, budget)


def not_read(name: str, problem: Problem, budget: Budget) -> str:
    if not isinstance(problem, NotText):
        budget.unread.append(name)
    return "\n[not read: %s]\n" % problem
