"""Magics that a kernel has, or has in another way than a terminal."""

import json
import os
import threading
from pathlib import Path
from typing import Any

from IPython.core import page
from IPython.core.error import UsageError
from IPython.core.magic import Magics, line_magic, magics_class
from IPython.core.magics.code import CodeMagics, MacroToEdit
from IPython.display import Javascript, display
from IPython.utils import openpy

from . import outbox


@magics_class
class KernelMagics(Magics):
    """%connect_info, %subshell, %edit, %less and others."""

    @line_magic
    def connect_info(self, line: str) -> None:
        """Print what another client needs to connect to this kernel, as JSON."""
        core = outbox.core()
        if core is None:
            raise UsageError("This shell is not in a running kernel.")
        print(json.dumps(core.connection(), indent=2))
        print(
            "\nSave this JSON as a file, and connect with:\n"
            "    $> jupyter <app> --existing <file>\n"
        )

    @line_magic
    def subshell(self, line: str) -> None:
        """Print which subshell this is, and which there are."""
        kernel = self.shell.kernel
        if kernel is None:
            raise UsageError("This shell is not in a running kernel.")
        print(f"subshell id: {kernel.subshell_id()}")
        print(f"thread id: {threading.get_ident()}")
        print(f"main thread id: {threading.main_thread().ident}")
        print(f"pid: {os.getpid()}")
        print(f"thread count: {threading.active_count()}")
        print(f"subshell list: {kernel.subshell_ids()}")

    @line_magic
    def edit(self, parameter_s: str = "", last_call: Any = None) -> None:
        """Ask the client to open an editor: %edit [-n LINE] [file, function, or numbers of earlier cells].

        The file is not run when the editor closes, since a kernel does not learn of it.
        """
        options, arguments = self.parse_options(parameter_s, "prn:")
        try:
            name, line, _ = CodeMagics._find_edit_target(self.shell, arguments, options, last_call or ["", ""])
        except MacroToEdit:
            raise UsageError("A macro cannot be edited in a kernel; write it anew with %macro.") from None
        self.shell.payload_manager.write_payload(
            {"source": "edit_magic", "filename": str(Path(name).resolve()), "line_number": line}
        )

    @line_magic
    def clear(self, line: str) -> None:
        """Clear the output of this cell."""
        self.shell.display_pub.clear_output()

    @line_magic
    def less(self, line: str) -> None:
        """Show a file in the pager; Python is highlighted."""
        if not line:
            raise UsageError("%less needs the name of a file.")
        if line.endswith(".py"):
            page.page(self.shell.pycolorize(openpy.read_py_file(line, skip_encoding_cookie=False)))
        else:
            page.page(Path(line).read_text(errors="replace"))

    more = line_magic("more")(less)

    @line_magic
    def man(self, line: str) -> None:
        """Show a manual page in the pager."""
        page.page(self.shell.getoutput(f"man {line} | col -b", split=False))

    @line_magic
    def autosave(self, line: str) -> None:
        """Set how often the classic notebook saves, in seconds; 0 turns it off."""
        try:
            seconds = int(line)
        except ValueError:
            raise UsageError(f"%autosave needs a whole number of seconds, not {line!r}.") from None
        display(Javascript(f"IPython.notebook.set_autosave_interval({1000 * seconds})"))
        print(f"Autosaving every {seconds} seconds" if seconds else "Autosave disabled")
