"""Which distribution a module is a part of, as far as that is known. Read when a module is missing, not before."""

import functools
import pathlib
import re
from typing import Dict, Optional

# Packages that many distributions have a part of: that one is there says nothing about another.
SHARED_ROOTS = frozenset({"azure", "backports", "google", "mpl_toolkits", "mysql", "ruamel", "snowflake", "zope"})


def distribution_of(module: str) -> Optional[str]:
    """The distribution that has `module` ("cv2", "google.cloud.storage"); None for one that is not known."""
    return _distributions().get(module)


def longest_known(module: str) -> Optional[str]:
    """The longest beginning of a dotted name that is known: of google.cloud.storage.client, google.cloud.storage."""
    known = _distributions()
    while module:
        if module in known:
            return module
        module = module.rpartition(".")[0]
    return None


def normalized(distribution: str) -> str:
    """One spelling of a distribution's name (PEP 503)."""
    return re.sub(r"[-_.]+", "-", distribution).lower()


@functools.lru_cache(maxsize=None)
def _distributions() -> Dict[str, str]:
    found: Dict[str, str] = {}
    text = (pathlib.Path(__file__).parent / "known.txt").read_text(encoding="utf-8")
    for line in text.splitlines():
        words = line.split()
        if not words or words[0].startswith("#"):
            continue
        for module in words[1:] or words:
            found[module] = words[0]
    return found
