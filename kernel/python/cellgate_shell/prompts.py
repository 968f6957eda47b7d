"""pdb and breakpoint(): IPython's debugger, as in ipykernel."""

import pdb

from IPython.core import debugger


def install() -> None:
    """The debugger whose prompt is left by an interrupt is what `pdb` and IPython give from now on."""
    debugger.Pdb = debugger.InterruptiblePdb  # type: ignore[misc]
    pdb.Pdb = debugger.Pdb  # type: ignore[assignment,misc]
    pdb.set_trace = debugger.set_trace  # what breakpoint() calls
