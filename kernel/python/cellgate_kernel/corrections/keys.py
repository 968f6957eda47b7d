"""Which key a read that missed must have meant: decided from the keys alone."""

import functools
import re
import sys
from typing import Any, Iterable, List, NamedTuple, Optional, Tuple

MOST_KEYS = 200  # of a dict or of a DataFrame's columns; read.c has the same number
_SEPARATORS = re.compile(r"[_\-. ]+")
_MOST_SUGGESTED = 3
_LONGEST_SYMBOL = 3
_WORDS = ("id", "url")  # that are written in all three ways


class Found(NamedTuple):
    """`path`: the keys that lead from the object to the value. `certain`: it may be used, not only suggested."""

    kind: str  # "field_name" or "envelope"; "typo" is never certain
    path: Tuple[str, ...]
    certain: bool


@functools.lru_cache(maxsize=4096)
def fold(key: str) -> str:
    """`key` without case and separators; a separator between two digits counts."""

    def kept(match: "re.Match[str]") -> str:
        before, after = key[match.start() - 1 : match.start()], key[match.end() : match.end() + 1]
        return match.group() if before.isdigit() and after.isdigit() else ""

    return _SEPARATORS.sub(kept, key).casefold()


def bare(key: str) -> str:
    return _SEPARATORS.sub("", key).casefold()


def matches(key: str, keys: Iterable[Any]) -> List[str]:
    """Those of `keys` that are `key` but for case and separators."""
    folded = fold(key)
    return [each for each in keys if type(each) is str and fold(each) == folded] if folded else []


def _is_other_symbol(key: str, other: str) -> bool:
    """Is the case the meaning, as of units and elements (mW and MW, CO and Co), and not as of words (ID, Id, id; To, to)?"""
    if key == other or len(key) > _LONGEST_SYMBOL or len(key) != len(other):
        return False
    ways = {_capitals(key), _capitals(other)}
    return len(key) == 1 or "mixed" in ways or (ways == {"all", "first"} and key.lower() not in _WORDS)


def _capitals(key: str) -> str:
    ways = {key.lower(): "none", key.upper(): "all", key.capitalize(): "first"}
    return ways.get(key, "mixed")


def look(key: str, container: Any) -> List[Found]:
    """What `key`, which is not in `container`, can have meant: one that is certain, or suggestions, or nothing."""
    keys = _keys_of(container)
    if keys is None or key in keys:
        return []
    found = [Found("field_name", (each,), not _is_other_symbol(key, each)) for each in matches(key, keys)]
    if _is_envelope(container):
        inner = container["data"]
        inside = [key] if key in inner else matches(key, inner)
        found += [Found("envelope", ("data", each), not _is_other_symbol(key, each)) for each in inside]
    if len(found) == 1:
        return found
    if found:
        return [each._replace(certain=False) for each in found[:_MOST_SUGGESTED]]
    return [Found("typo", (each,), False) for each in _typos(key, keys)]


def _keys_of(container: Any) -> Optional[List[Any]]:
    """None where nothing is corrected or suggested."""
    if type(container) is dict:
        is_names = "__builtins__" in container or "__module__" in container or container is sys.modules
        if is_names or len(container) > MOST_KEYS:
            return None  # names of a program, not fields of an answer
        return list(container)
    columns = getattr(container, "columns", None)
    try:
        names = list(columns) if columns is not None and len(columns) <= MOST_KEYS else None
    except Exception:
        return None
    return names


def _is_envelope(container: Any) -> bool:
    return (
        type(container) is dict
        and "error" in container
        and ("log_id" in container or "successful" in container)
        and type(container.get("data")) is dict
        and len(container["data"]) <= MOST_KEYS
    )


def _typos(key: str, keys: Iterable[Any]) -> List[str]:
    allowed = 0 if len(key) < 4 else 1 if len(key) < 7 else 2
    near = [(_far(key, each, allowed), each) for each in keys if type(each) is str]
    best = min((far for far, _ in near), default=allowed + 1)
    return [each for far, each in near if far == best <= allowed][:_MOST_SUGGESTED]


def _far(one: str, other: str, most: int) -> int:
    """0 where only a separator between digits differs."""
    return 0 if bare(one) and bare(one) == bare(other) else distance(fold(one), fold(other), most)


def distance(one: str, other: str, most: int) -> int:
    """Insertions, deletions, replacements and swaps of neighbours between two texts; above `most` only that it is."""
    if abs(len(one) - len(other)) > most or len(one) > 100:
        return most + 1
    before: List[int] = []
    row = list(range(len(other) + 1))
    for i, a in enumerate(one, 1):
        earlier, before, row = before, row, [i]
        for j, b in enumerate(other, 1):
            least = min(row[j - 1] + 1, before[j] + 1, before[j - 1] + (a != b))
            if i > 1 and j > 1 and a == other[j - 2] and one[i - 2] == b:
                least = min(least, earlier[j - 2] + 1)
            row.append(least)
        if min(row) > most:
            return most + 1
    return row[-1]
