"""Before a cell runs, what it imports and is not installed is installed."""

import ast
from typing import Any, Callable, Dict, List, Optional, Tuple

from .. import settings
from . import client, imports, names, pip_statements
from .lookup import Lookup
from .own_pip import OwnPip, Unclear

_MOST = 50  # modules that one cell may ask for
_WAYS_TO_MODULES = {("sys", "path"), ("sys", "modules"), ("sys", "meta_path"), ("os", "chdir")}


class Installer:
    """Belongs to one shell. `before_cell` is called with each cell's syntax tree, on the thread that runs it."""

    def __init__(self, shell: Any) -> None:
        self._shell = shell
        self._lookup = Lookup()
        self._later: Optional[Tuple[ast.AST, int]] = None  # a cell, and how many `pip install` of it are still to come
        self._refused: Dict[str, str] = {}  # module → why, told when its import fails

    def before_cell(self, tree: ast.AST) -> None:
        """Raises nothing but KeyboardInterrupt: what was not installed, Python's own ImportError tells."""
        pips = pip_statements.take(getattr(tree, "body", []))
        self._later = (tree, pips) if pips else None
        if not pips:
            self._install_missing(tree)

    def after_pip(self) -> None:
        """A `pip install` of the cell is done. Once all are, what the cell imports and still lacks is installed."""
        if self._later is None:
            return
        tree, pips = self._later
        self._later = (tree, pips - 1) if pips > 1 else None
        if self._later is None:
            self._install_missing(tree)

    def _install_missing(self, tree: ast.AST) -> None:
        missing = imports.needed(tree, self._lookup.missing)
        if not missing or not settings.installs(self._shell):
            return
        missing = [each for each in missing[:_MOST] if names.distribution_of(each) or not _makes_modules(tree, each)]
        wanted = self._wanted(missing, OwnPip(tree)) if missing else []
        if wanted:
            self._install(wanted)

    def _wanted(self, missing: List[str], own: OwnPip) -> List[Dict[str, str]]:
        """Each in the version that the cell asks pip for; without those that it leaves to its program to say."""
        wanted = []
        for module in missing:
            distribution = names.distribution_of(module)
            try:
                asked = own.requirement(distribution or module.partition(".")[0]) or distribution
            except Unclear as problem:
                self._refused[module] = str(problem)
                continue
            wanted.append({"module": module, "distribution": asked} if asked else {"module": module})
        return wanted

    def _install(self, wanted: List[Dict[str, str]]) -> None:
        missing = [each["module"] for each in wanted]
        with client.Progress(_announcement(wanted)) as line:
            try:
                answer = client.install(settings.parent_of_request(self._shell), {"modules": wanted})
            except client.NotInstalled as problem:
                line.end(str(problem))
                self._refused.update((each, str(problem)) for each in missing)
                return
            self._tell(line, missing, answer)

    def _tell(self, line: client.Progress, missing: List[str], answer: client.Answer) -> None:
        known = [each for each in answer["refused"] if names.distribution_of(each.get("module", ""))]
        line.end(client.reasons(known))
        # Of a name that nobody knows it is told when the import has failed: the program may make the module itself.
        for each in answer["refused"]:
            self._refused[each.get("module", "")] = each.get("reason", "") if each not in known else ""
        unknown = [each for each in answer["installed"] if each.get("module") and not names.distribution_of(each["module"])]
        if unknown:
            client.tell("installed %s" % client.described(unknown))

    def after_cell(self, result: Any) -> None:
        error = getattr(result, "error_in_exec", None)
        if isinstance(error, ImportError) and self._refused:
            reason = self._refused.get((error.name or "").partition(".")[0])
            if reason:
                client.tell("%s was not installed: %s" % (error.name, reason))
        self._refused.clear()


def install(shell: Any) -> None:
    """Let the cells of this shell be seen; a second call does nothing.

    IPython's list of syntax tree transformers would do, but for a shell that has one it walks every tree once more.
    """
    if getattr(shell, "_cellgate_installer", None) is not None or not hasattr(shell, "transform_ast"):
        return
    installer = Installer(shell)
    transform: Callable[[ast.AST], ast.AST] = shell.transform_ast

    def transform_ast(node: ast.AST) -> ast.AST:
        installer.before_cell(node)
        return transform(node)

    shell.transform_ast = transform_ast
    shell._cellgate_installer = installer
    shell.events.register("post_run_cell", installer.after_cell)


def _announcement(wanted: List[Dict[str, str]]) -> str:
    told = []
    for each in wanted:
        module, asked = each["module"], each.get("distribution")
        distribution = names.distribution_of(module) or module
        if asked and (asked != distribution or names.distribution_of(module)):
            same = names.normalized(distribution) == names.normalized(module)
            told.append(asked if same else "%s (for %s)" % (asked, module))
    return "installing " + ", ".join(told) if told else ""


def _makes_modules(tree: ast.AST, module: str) -> bool:
    """Whether a cell seems to write this module, or to say where its modules are, before it imports them."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and module + ".py" in node.value:
            return True
        if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name):
            if (node.value.id, node.attr) in _WAYS_TO_MODULES:
                return True
        if isinstance(node, ast.ImportFrom) and node.module == "sys" and any(each.name == "path" for each in node.names):
            return True
    return False
