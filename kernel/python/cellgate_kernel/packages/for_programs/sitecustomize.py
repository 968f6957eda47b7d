"""Python runs this when a program starts that a cell has started: the session's packages are last on its sys.path.

Only where the program's environment is the kernel's, for which they were chosen. What it would have run without this, it
runs too.
"""

import os
import sys

_own = os.path.realpath(os.environ.get("CELLGATE_PACKAGES_OF") or "/") == os.path.realpath(sys.prefix)
if _own and "CELLGATE_PIP" in os.environ:
    import cellgate_pip

    cellgate_pip.take_over()

_here = os.path.dirname(os.path.abspath(__file__))
_mine = sys.modules.pop(__name__)
sys.path[:] = [each for each in sys.path if each != _here]

_place = os.environ.get("CELLGATE_PACKAGES")
if _own and _place and os.path.isdir(_place) and os.listdir(_place):
    import site

    _before = list(sys.path)
    site.addsitedir(_place)
    sys.path[:] = _before + [each for each in sys.path if each not in _before]

try:
    import sitecustomize  # noqa: F401
except ModuleNotFoundError as _missing:
    sys.modules[__name__] = _mine  # Python wants the module that it has begun
    if _missing.name != __name__:
        raise
