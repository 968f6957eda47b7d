"""Whether a module can be imported, without importing it."""

import importlib.util
import os
import pkgutil
import sys
from typing import List, Optional, Set, Tuple

from . import names

# Modules that Python itself has on some machine or had in some version: nobody may take their place.
_STANDARD = frozenset(getattr(sys, "stdlib_module_names", ())) | frozenset(sys.builtin_module_names) | frozenset(
    """asynchat asyncore audioop cgi cgitb chunk crypt curses dbm distutils ensurepip idlelib imghdr imp lib2to3 lzma
    mailcap msilib msvcrt nis nntplib nt ossaudiodev pipes readline smtpd sndhdr spwd sqlite3 sunau telnetlib test this
    tkinter tomllib turtle turtledemo uu winreg winsound xdrlib zoneinfo""".split()
)


class Lookup:
    """Remembers what it found: a module that was there is not looked for again."""

    def __init__(self) -> None:
        self._present: Set[str] = set()

    def missing(self, module: str, imported: Tuple[str, ...] = ()) -> List[str]:
        """What is missing of `import module`, or of `from module import …`: the module's first name, or of a package
        that distributions share as much of it as is known. Never a module of Python's, nor a private one."""
        top = module.partition(".")[0]
        if top in names.SHARED_ROOTS:
            return self._missing_of_shared(module, imported)
        if top in sys.modules or top in self._present:
            return []
        if top.startswith("_") or top in _STANDARD or _can_be_found(top):
            self._present.add(top)
            return []
        return [top]

    def _missing_of_shared(self, module: str, imported: Tuple[str, ...]) -> List[str]:
        wanted = [names.longest_known("%s.%s" % (module, each)) for each in imported] or [names.longest_known(module)]
        found = []
        for name in wanted:
            if name is None or name in sys.modules or name in self._present:
                continue
            if _has_part(name):
                self._present.add(name)
            elif name not in found:
                found.append(name)
        return found

    def forget(self) -> None:
        self._present.clear()


def _can_be_found(top: str) -> bool:
    try:
        return importlib.util.find_spec(top) is not None
    except Exception:  # somebody's finder fails: the import will tell
        return True


def _has_part(dotted: str) -> bool:
    """As find_spec(dotted), which would import its parents."""
    places = [path or os.getcwd() for path in sys.path]
    name = ""
    for part in dotted.split("."):
        name = name + "." + part if name else part
        found = _locations(name, places)
        if found is None:
            return False
        places = found
    return True


def _locations(name: str, places: List[str]) -> Optional[List[str]]:
    """Where the parts of the module `name` are; None when it is in none of these places."""
    shared: List[str] = []
    for place in places:
        finder = pkgutil.get_importer(place)
        spec = finder.find_spec(name) if finder is not None else None
        if spec is None:
            continue
        if spec.loader is not None:  # an ordinary module or package: the whole of it is here
            return list(spec.submodule_search_locations or [])
        shared += spec.submodule_search_locations or []
    return shared or None
