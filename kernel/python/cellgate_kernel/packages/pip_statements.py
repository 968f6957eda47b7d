"""`%pip install` and `!pip install` at the top of a cell, as IPython has translated them."""

import ast
import re
from typing import List, Optional, Tuple

_PIP = re.compile(r"\s*(?:\S*python[\d.]*\s+-m\s+)?pip[\d.]*\s+(install\s.*)", re.DOTALL)
_SILENCED = re.compile(r"(\s*(>|&>|2>)\s*(/dev/null|&1))+\s*$")
_OF_THE_SHELL = re.compile(r"[|;&<>`$\\]")


def take(body: List[ast.stmt]) -> int:
    """How many there are. `!pip install` becomes `%pip install`: the environment's own pip could write nowhere."""
    count = 0
    for statement in body:
        if type(statement) is not ast.Expr or type(statement.value) is not ast.Call:
            continue
        method, words = _call_of_ipython(statement.value)
        if method == "run_line_magic" and words[:1] == ["pip"] and words[1].split()[:1] == ["install"]:
            count += 1
        elif method == "system" and len(words) == 1:
            line = _pip_line(words[0])
            if line is not None:
                call = statement.value
                call.func.attr = "run_line_magic"  # type: ignore[attr-defined]
                call.args = [ast.copy_location(ast.Constant(text), call.args[0]) for text in ("pip", line)]
                count += 1
    return count


def _call_of_ipython(call: ast.Call) -> Tuple[str, List[str]]:
    """The method's name and its texts, of `get_ipython().method("text", …)`."""
    function = call.func
    if type(function) is not ast.Attribute or type(function.value) is not ast.Call or call.keywords:
        return "", []
    named = function.value.func
    texts = [each.value for each in call.args if isinstance(each, ast.Constant) and isinstance(each.value, str)]
    if type(named) is not ast.Name or named.id != "get_ipython" or len(texts) != len(call.args):
        return "", []
    return function.attr, texts


def _pip_line(command: str) -> Optional[str]:
    found = _PIP.fullmatch(command)
    if found is None:
        return None
    line = _SILENCED.sub("", found.group(1))
    unquoted = re.sub(r"'[^']*'|\"[^\"]*\"", "", line)
    return None if _OF_THE_SHELL.search(unquoted) else line
