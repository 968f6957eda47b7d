"""How programs that a cell starts know the session's packages: by variables of this process, which they inherit."""

import os
import sys
# Of the sitecustomize that puts the packages behind all else, which PYTHONPATH itself could not.
_FOR_PYTHON = os.path.join(os.path.dirname(os.path.abspath(__file__)), "for_programs")


def tell_pip(socket: str, place: str) -> None:
    """From the first cell on that may start a program: where its pip asks. Packages may come while the program runs."""
    os.environ["CELLGATE_PIP"] = socket
    tell(place)


def tell(place: str) -> None:
    """From the first package on: a session that starts no programs and has none has its variables to itself."""
    os.environ["CELLGATE_PACKAGES"] = place
    os.environ["CELLGATE_PACKAGES_OF"] = sys.prefix
    _add("PYTHONPATH", _FOR_PYTHON, first=True)
    _add("PATH", os.path.join(place, "bin"), first=False)


def _add(variable: str, directory: str, first: bool) -> None:
    there = list(filter(None, os.environ.get(variable, "").split(os.pathsep)))
    if directory not in there:
        os.environ[variable] = os.pathsep.join([directory, *there] if first else [*there, directory])
