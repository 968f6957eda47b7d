"""An exception of a thread or a task goes to whoever asks for its result, who is not on its stack."""

import ast
from typing import Any, Callable, List, Optional

from . import places

_ASKED_BY = frozenset(("exception", "suppress", "assertRaises", "raises"))  # of a future or a task; for a with


def may_be_taken(filename: Optional[str], handles: Callable[[Optional[ast.AST]], bool]) -> bool:
    """Does that cell take exceptions anywhere? By what it says alone: who waits for a thread is not known.

    `handles`: does an except clause of this type catch the one in question?
    """
    if filename is None or places.cell_of(filename) is None:
        return False
    tree = places.tree_of(filename)
    if tree is None:
        return True
    return any(not isinstance(node, ast.ExceptHandler) or handles(node.type) for node in _takers(tree))


def _takers(tree: ast.Module) -> List[ast.AST]:
    """Kept with the tree: a thread may miss often."""
    kept: Any = tree
    if not hasattr(kept, "_cellgate_takers"):
        kept._cellgate_takers = [node for node in ast.walk(tree) if _takes(node)]
    return kept._cellgate_takers  # type: ignore[no-any-return]


def _takes(node: ast.AST) -> bool:
    if isinstance(node, ast.keyword):
        return node.arg == "return_exceptions" and not (isinstance(node.value, ast.Constant) and not node.value.value)
    name = node.attr if isinstance(node, ast.Attribute) else node.id if isinstance(node, ast.Name) else None
    return isinstance(node, ast.ExceptHandler) or name in _ASKED_BY
