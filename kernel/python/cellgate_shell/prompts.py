"""pdb and breakpoint(): IPython's debugger, as in ipykernel, whose prompt is left by an interrupt."""

import pdb
import sys
from typing import Any

from IPython.core import debugger


class Debugger(debugger.InterruptiblePdb):
    """An interrupt leaves it, from the moment at which it stops; a cell that goes on is interrupted as any other."""

    _is_answered = False

    def __init__(self, *args: Any, **options: Any) -> None:
        # pdb's own handler of SIGINT would open the prompt again, also where the cell waits in its loop, and what it
        # had replaced would be put back in some later cell.
        super().__init__(*args, **{"nosigint": True, **options})

    def interaction(self, *args: Any) -> None:
        self._is_answered = False
        super().interaction(*args)  # swallows an interrupt, and of one before the prompt nothing would be left
        if not self._is_answered:
            self.stop_here = lambda frame: False
            self.set_quit()
            sys.settrace(None)
            self.quitting = False

    def setup(self, *args: Any) -> Any:
        self._is_answered = super().setup(*args)  # by the user's .pdbrc
        return self._is_answered

    def _cmdloop(self) -> None:
        super()._cmdloop()
        self._is_answered = True


def install() -> None:
    """This debugger is what `pdb` and IPython give from now on."""
    debugger.Pdb = debugger.InterruptiblePdb = Debugger  # type: ignore[misc]
    pdb.Pdb = Debugger  # type: ignore[assignment,misc]
    pdb.set_trace = debugger.set_trace  # what breakpoint() calls
