"""A picture's words, of every page where it has several."""

import warnings
from typing import Any, Iterator

from .kinds import PICTURES
from .limits import Budget
from .ocr import words_in
from .problem import NotText, Problem
from .source import Source


def read(source: Source, budget: Budget) -> Iterator[str]:
    from PIL import Image, ImageOps

    warnings.simplefilter("ignore")  # of a picture that we measure ourselves
    Image.MAX_IMAGE_PIXELS = None
    picture = Image.open(source.file, formats=PICTURES)
    found = False
    for number in range(_pages(picture)):
        budget.seconds_left()
        picture.seek(number)
        _check(picture, budget)
        words = words_in(ImageOps.exif_transpose(picture), budget)
        if words:
            found = True
            yield words + "\n"
    if not found:
        raise NotText("no words were recognized in it; if it has some, enlarge or straighten it, and try again")


def _pages(picture: Any) -> int:
    return int(getattr(picture, "n_frames", 1)) if picture.format == "TIFF" else 1


def _check(picture: Any, budget: Budget) -> None:
    pixels = picture.width * picture.height
    if pixels > budget.limits.pixels:
        raise Problem(
            "it has %d x %d pixels, over the limit of %d million; make it smaller"
            % (picture.width, picture.height, budget.limits.pixels // 1_000_000)
        )
