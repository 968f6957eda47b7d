"""Tracebacks of cells, without the frames of this package: what a user sees ends where the user's own code does."""

import os
from typing import Any, List

from IPython.core.ultratb import AutoFormattedTB

_PACKAGE = os.path.dirname(os.path.abspath(__file__)) + os.sep


def is_ours(filename: str) -> bool:
    return filename.startswith(_PACKAGE)


class CellTraceback(AutoFormattedTB):
    """IPython's, which leaves out its own frames already. An error whose every frame is ours is told whole."""

    def get_records(self, *args: Any, **kwargs: Any) -> List[Any]:
        found: List[Any] = super().get_records(*args, **kwargs)
        return _without_ours(found, lambda record: getattr(record, "filename", None))

    def _extract_tb(self, tb: Any) -> Any:
        """For %xmode Plain."""
        found = super()._extract_tb(tb)
        return found and _without_ours(list(found), lambda frame: frame.filename)


def _without_ours(frames: List[Any], filename_of: Any) -> List[Any]:
    return [frame for frame in frames if not is_ours(filename_of(frame) or "")] or frames
