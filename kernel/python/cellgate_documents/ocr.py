"""The words in a picture, by Tesseract: a program, which is sent the picture and is ended when the time is up."""

import io
import subprocess
from shutil import which
from typing import Any, List

from .limits import Budget
from .problem import Cut, Problem

# Letters should be about 30 pixels high; what is smaller than a screen is enlarged, what is larger than this only costs time.
_FEW_PIXELS = 1_500_000
_MANY_PIXELS = 25_000_000


def words_in(picture: Any, budget: Budget) -> str:
    """Of a PIL image; "" when there are none."""
    program = which("tesseract")
    if not program:
        raise Problem("reading pictures needs Tesseract on the gateway's machine: apt-get install tesseract-ocr")
    packed = io.BytesIO()
    _fitting(picture).save(packed, "PPM")
    command = [program, "stdin", "stdout", "-l", "+".join(_languages(program)), "--dpi", "300"]
    left = budget.seconds_left()
    try:
        done = subprocess.run(command, input=packed.getvalue(), stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, timeout=left)
    except subprocess.TimeoutExpired:
        budget.seconds_left()
        raise Cut("recognizing its words took too long") from None
    if done.returncode != 0:
        raise Problem("recognizing the words of a picture failed; make the picture smaller")
    return done.stdout.decode("utf-8", "replace").strip()


def _fitting(picture: Any) -> Any:
    """In grey, on white, and of a size at which words are recognized."""
    from PIL import Image

    if picture.mode in ("RGBA", "LA", "PA") or "transparency" in picture.info:
        seen = picture.convert("RGBA")
        ground = Image.new("RGBA", seen.size, "white")
        ground.alpha_composite(seen)
        picture = ground
    picture = picture.convert("L")
    pixels = max(1, picture.width * picture.height)
    if pixels > _MANY_PIXELS:
        scale = (_MANY_PIXELS / pixels) ** 0.5
        picture = picture.resize((max(1, int(picture.width * scale)), max(1, int(picture.height * scale))))
    elif pixels < _FEW_PIXELS:
        picture = picture.resize((picture.width * 2, picture.height * 2), Image.LANCZOS)
    return picture


_known: List[str] = []


def _languages(program: str) -> List[str]:
    """Those that are installed, English first; a few at most, since each takes its time."""
    if not _known:
        listed = subprocess.run([program, "--list-langs"], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, timeout=20)
        names = [line.strip() for line in listed.stdout.decode().splitlines()[1:]]
        names = [name for name in names if name and name not in ("osd", "equ") and "/" not in name]
        _known.extend(sorted(names, key=lambda name: (name != "eng", name))[:3])
        if not _known:
            raise Problem("Tesseract has no language: apt-get install tesseract-ocr-eng on the gateway's machine")
    return _known
