"""Between IPython and the corrections: sees each cell before it is parsed, when it is compiled, and when it fails."""

import ast
import builtins
import contextlib
import sys
import threading
from typing import Any, Callable, List, NamedTuple, Optional

from . import builtin, fences, handovers, misses, modes, places, reads, reports, returns, sources, suggestions


class _Compiled(NamedTuple):
    """A cell that IPython is about to compile."""

    filename: str
    written: str
    text: str
    number: int


class _Here(threading.local):
    """What this thread is at; several shells run cells at once."""

    compiled: Optional[_Compiled] = None  # what is transformed next
    newest: Optional[_Compiled] = None
    measured: Optional[ast.Module] = None  # the code inside of a magic of that cell
    cleaning = False


class Hook:
    """One of a shell. `read` is None where only suggestions are made, and `why` says why."""

    def __init__(self, shell: Any) -> None:
        self._shell = shell
        self._here = _Here()
        looked_up = misses.Misses(shell)
        self.read, self.why = builtin.load(looked_up.missed, looked_up.name_is_read)
        self._has_said_why = False
        self._has_named_torch = False

    def install(self) -> None:
        shell = self._shell
        handovers.begin()
        if self.read is not None:
            setattr(builtins, reads.READ, self.read)
            builtin.accept_in_tracebacks()
        # IPython's list of transformers would do, but for a shell that has one it walks every tree once more.
        _wrap(shell, "transform_ast", self._transform_ast)
        shell.input_transformers_cleanup.insert(0, self.clean)
        _wrap(shell.compile, "cache", self._cache)
        _wrap(shell, "showtraceback", self._showtraceback)
        _wrap(shell, "showsyntaxerror", self._showsyntaxerror)
        _wrap(shell, "should_run_async", self._should_run_async)

    # Text, before IPython's own syntax is replaced. Also asked for cells that are only looked at, so it reports nothing.

    def clean(self, lines: List[str]) -> List[str]:
        if self._here.cleaning:
            return lines
        text = "".join(lines)
        if modes.is_verbatim(text):
            return _without_verbatim(text)
        if self._mode_of(text) is not True:
            return lines
        found = fences.unwrap(text, self._parses)
        return found.text.splitlines(keepends=True) if found is not None else lines

    def _parses(self, text: str) -> bool:
        self._here.cleaning = True
        try:
            return returns.parse(self._shell.input_transformer_manager.transform_cell(text)) is not None
        except SyntaxError:
            return False
        finally:
            self._here.cleaning = False

    def _mode_of(self, written: str) -> modes.Mode:
        verbatim = modes.is_verbatim(written) or modes.is_inside_verbatim(self._shell)
        mode = False if verbatim else modes.asked_for(self._shell)
        return modes.REPORT if mode is True and self.read is None else mode

    # A cell begins

    def _cache(self, original: Callable[..., str], text: str, number: int = 0, *args: Any, **kwargs: Any) -> str:
        filename = original(text, number, *args, **kwargs)
        written = kwargs.get("raw_code") or (args[0] if args else None) or text
        here = self._here
        here.compiled = here.newest = _Compiled(filename, written, text, number)
        here.measured = None
        sources.remember(filename, written, text, number, modes.lines_before(self._shell, written))
        modes.begin(self._shell, filename, written)
        if self.read is None and not self._has_said_why and modes.of_request(self._shell) is True:
            self._has_said_why = True
            reports.say("errors are not corrected here, only explained: %s" % self.why)
        if written != text and self._mode_of(written) is True:
            self._tell_of_fence(filename, written)
        return filename

    def _tell_of_fence(self, filename: str, written: str) -> None:
        found = fences.unwrap(written, self._parses)
        if found is not None:
            line = found.line + sources.lines_before(filename)
            made = reports.Correction(line, found.column, found.written, found.used, "fence")
            reports.tell(self._shell, (filename, "fence"), made)

    # A cell has been parsed; this is called for the code inside of %%time too

    def _transform_ast(self, original: Callable[..., Any], tree: Any) -> Any:
        compiled, self._here.compiled = self._here.compiled, None
        tree = original(tree)
        if compiled is None and isinstance(tree, ast.Module):
            self._here.measured = tree
        if compiled is not None and isinstance(tree, ast.Module) and self._mode_of(compiled.written) is True:
            with contextlib.suppress(Exception):  # a tree that we cannot walk is Python's to refuse or to run
                self._end_at_returns(tree, compiled)
                self._instrument(tree, compiled)
        return tree

    def _instrument(self, tree: ast.Module, compiled: _Compiled) -> None:
        names = self._shell.user_ns
        undefined = frozenset(name for name in reads.LITERALS if name not in names and not hasattr(builtins, name))
        if reads.instrument(tree, compiled.text, not self._compiles_functions(compiled.text), undefined):
            self._show_name(reads.READ, self.read)

    def _compiles_functions(self, text: str) -> bool:
        """Whether the instructions of this cell's functions may be compiled by what knows only Python's own: Numba, and
        torch.compile. PyTorch may be there since the kernel began, so what counts for it is that a cell has named it."""
        torch, named = sys.modules.get("torch"), "torch" in text
        self._has_named_torch = self._has_named_torch or named
        may_be_torch = named if torch is None else self._has_named_torch and hasattr(torch, "compile")
        return may_be_torch or "numba" in sys.modules or "numba" in text

    def _show_name(self, name: str, value: Any) -> None:
        """As a global that %who does not list: what pickles a function by value looks for its names there."""
        self._shell.user_ns[name] = value
        self._shell.user_ns_hidden[name] = value

    def _end_at_returns(self, tree: ast.Module, compiled: _Compiled) -> None:
        if "return" not in compiled.text:
            return
        found = returns.find(tree)
        if not found or not self._can_be_ended(tree):
            return
        for node in found:
            line, column = places.as_written(compiled.filename, places.of_node(node))
            written = places.text_at(compiled.filename, node)
            used = "the cell's result" if node.value is not None else "the cell's end"
            made = reports.Correction(line, column, written, used, "top_level_return")
            reports.tell(self._shell, (compiled.filename, line, column), made)
        if returns.end_there(tree):
            self._show_name(returns.RETURNED, returns.Returned())

    def _can_be_ended(self, tree: ast.Module) -> bool:
        return self._shell.ast_node_interactivity in ("last_expr", "none") and returns.can_be_ended(tree)

    def _should_run_async(self, original: Callable[..., bool], code: str, **kwargs: Any) -> bool:
        """IPython compiles the cell to find out, which a return outside a function prevents."""
        text = kwargs.get("transformed_cell") or code
        if "return" in text and ("await" in text or "async" in text) and self._mode_of(code) is True:
            tree = returns.parse(text)
            if tree is not None and returns.find(tree) and self._can_be_ended(tree):
                returns.end_there(tree)
                return _awaits(tree) if kwargs.get("preprocessing_exc_tuple") is None else False
        return original(code, **kwargs)

    # A cell fails

    def _showtraceback(self, original: Callable[..., Any], exc_tuple: Any = None, *args: Any, **kwargs: Any) -> Any:
        _, error, trace = exc_tuple if exc_tuple is not None else sys.exc_info()
        self._suggest(error, trace)
        return original(exc_tuple, *args, **kwargs)

    def _showsyntaxerror(self, original: Callable[..., Any], *args: Any, **kwargs: Any) -> Any:
        self._suggest(sys.exc_info()[1], None)
        return original(*args, **kwargs)

    def _suggest(self, error: Any, trace: Any) -> None:
        if not isinstance(error, Exception) or modes.of_request(self._shell) is False:
            return
        try:
            if isinstance(error, SyntaxError):
                self._suggest_for_syntax(error)
            else:
                suggestions.add(error, trace, self._here.measured)
        except Exception:  # a suggestion that fails must not hide the error itself
            return

    def _suggest_for_syntax(self, error: SyntaxError) -> None:
        cell = self._here.newest
        if cell is None or suggestions.has_note(error):
            return
        if "'return' outside function" in str(error):
            suggestions.note(error, "end the cell with the expression itself to show its value")
        elif fences.unwrap(cell.written, self._parses) is not None:
            suggestions.note(error, "the cell is Markdown or HTML; did you mean the code inside?")


def _wrap(owner: Any, name: str, around: Callable[..., Any]) -> None:
    original = getattr(owner, name, None)
    if original is None:
        return

    def wrapped(*args: Any, **kwargs: Any) -> Any:
        return around(original, *args, **kwargs)

    # Not by way of traitlets, which would take it for a setting that changed.
    owner.__dict__[name] = wrapped


def _without_verbatim(text: str) -> List[str]:
    """Its line becomes a comment, so that all lines keep their numbers; a magic after it must be the first line."""
    before, _, rest = text.partition(modes.VERBATIM)
    rest_lines = rest.split("\n", 1)[1] if "\n" in rest else ""
    if rest_lines.lstrip().startswith("%%"):
        return rest_lines.splitlines(keepends=True)
    return (before + "# " + modes.VERBATIM + "\n" + rest_lines).splitlines(keepends=True)


def _awaits(tree: ast.Module) -> bool:
    try:
        flags = compile(tree, "<cell>", "exec", flags=getattr(ast, "PyCF_ALLOW_TOP_LEVEL_AWAIT", 0)).co_flags
    except (SyntaxError, ValueError):
        return False
    return bool(flags & 0x80)  # CO_COROUTINE
