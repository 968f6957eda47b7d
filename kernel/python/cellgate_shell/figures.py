"""Figures of pyplot: each shell has its own, so that a cell's end shows what that cell drew and nothing else.

pyplot and its inline backend keep the open figures, and whether something was drawn, once for a process. Which shell's
they are is told by the request that is handled; a thread that a cell starts, and a task, draw into their cell's shell.
"""

import sys
from collections import OrderedDict
from collections.abc import MutableMapping
from typing import Any, Callable, Dict, Iterator, List, Optional

from . import request

_INLINE = "matplotlib_inline.backend_inline"


def follow(events: Any) -> None:
    """Take the figures apart as soon as the inline backend asks to be called at the ends of cells."""
    register: Callable[..., None] = events.register

    def register_and_look(event: str, function: Any) -> None:
        if getattr(function, "__module__", None) == _INLINE:
            _take_apart(sys.modules[_INLINE])
        register(event, function)

    events.register = register_and_look


def forget(shell_id: Optional[str]) -> None:
    """A shell has ended, and nobody can reach its figures any more."""
    inline = sys.modules.get(_INLINE)
    if inline is not None and isinstance(inline.show, Show):
        inline.Gcf.figs.forget(shell_id)
        inline.show.forget(shell_id)


def _take_apart(inline: Any) -> None:
    if isinstance(inline.show, Show):
        return
    if not isinstance(inline.Gcf.figs, OpenFigures):
        inline.Gcf.figs = OpenFigures(inline.Gcf.figs)
    inline.show = Show(inline.show)


class OpenFigures(MutableMapping):  # type: ignore[type-arg]
    """`Gcf.figs`: an OrderedDict for each shell, of which everybody sees the one of the shell that asks."""

    def __init__(self, of_main: Any) -> None:
        self._of: Dict[Optional[str], Any] = {None: of_main}

    def _here(self) -> Any:
        return self._of.setdefault(request.current().shell_id, OrderedDict())

    def __getitem__(self, number: Any) -> Any:
        return self._here()[number]

    def __setitem__(self, number: Any, manager: Any) -> None:
        self._here()[number] = manager

    def __delitem__(self, number: Any) -> None:
        del self._here()[number]

    def __iter__(self) -> Iterator[Any]:
        return iter(self._here())

    def __reversed__(self) -> Iterator[Any]:
        return reversed(self._here())

    def __len__(self) -> int:
        return len(self._here())

    def __repr__(self) -> str:
        return repr(self._here())

    def keys(self) -> Any:
        return self._here().keys()

    def values(self) -> Any:
        return self._here().values()

    def items(self) -> Any:
        return self._here().items()

    def move_to_end(self, number: Any, last: bool = True) -> None:
        self._here().move_to_end(number, last)

    def forget(self, shell_id: Optional[str]) -> None:
        self._of.pop(shell_id, None)


class Show:
    """The inline backend's function `show`, whose attributes say what is to be drawn: for each shell."""

    def __init__(self, show: Any) -> None:
        self.__wrapped__ = show
        self.__doc__, self.__name__, self.__module__ = show.__doc__, show.__name__, show.__module__
        self._of: Dict[Optional[str], Dict[str, Any]] = {
            None: {"to_draw": show._to_draw, "draw_called": show._draw_called}
        }

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        return self.__wrapped__(*args, **kwargs)

    def _here(self) -> Dict[str, Any]:
        return self._of.setdefault(request.current().shell_id, {"to_draw": [], "draw_called": False})

    @property
    def _to_draw(self) -> List[Any]:
        drawn: List[Any] = self._here()["to_draw"]
        return drawn

    @_to_draw.setter
    def _to_draw(self, figures: List[Any]) -> None:
        self._here()["to_draw"] = figures

    @property
    def _draw_called(self) -> bool:
        return bool(self._here()["draw_called"])

    @_draw_called.setter
    def _draw_called(self, called: bool) -> None:
        self._here()["draw_called"] = called

    def forget(self, shell_id: Optional[str]) -> None:
        self._of.pop(shell_id, None)
