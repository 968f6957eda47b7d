"""The variables of the user's namespace as the debug protocol shows them, and values in all their representations."""

import json
import re
import types
from typing import Any, Dict, List, Mapping, Tuple

from .debug_session import import_pydevd

Message = Dict[str, Any]

# What IPython puts into the namespace, and Python into every module: nobody looks for these among their variables.
_HIDDEN = frozenset({
    "__name__", "__doc__", "__package__", "__loader__", "__spec__", "__annotations__", "__builtins__", "__builtin__",
    "__display__", "get_ipython", "debugpy", "exit", "quit", "open", "In", "Out", "_oh", "_dh", "_ih", "_", "__", "___",
    "_pydev_stop_at_break"})
_HIDDEN_PATTERN = re.compile(r"_\d+|_i\d*|_ii|_iii")


def is_shown(name: str) -> bool:
    return name not in _HIDDEN and not _HIDDEN_PATTERN.fullmatch(name)


class NamespaceVariables:
    """The variables of a namespace, and what is inside them, while no thread is stopped.

    References stay valid until the next `list`. Reads the namespace while other threads write to it.
    """

    def __init__(self) -> None:
        self._frames: Any = None

    def list(self, namespace: Mapping[str, Any]) -> List[Message]:
        """The variables at the top, those that IPython made left out."""
        import_pydevd()
        from _pydevd_bundle import pydevd_frame_utils
        from _pydevd_bundle.pydevd_api import PyDevdAPI
        from _pydevd_bundle.pydevd_suspended_frames import SuspendedFramesManager, _FramesTracker

        copy = {name: value for name, value in dict(namespace).items() if is_shown(name)}
        presentation = types.SimpleNamespace(variable_presentation=PyDevdAPI.VariablePresentation())
        code = types.SimpleNamespace(co_filename="<namespace>", co_name="<module>")
        frame = types.SimpleNamespace(f_code=code, f_globals=copy, f_locals=copy, f_back=None)
        self._frames = SuspendedFramesManager()
        self._tracker = _FramesTracker(self._frames, presentation)
        self._tracker.track("namespace", pydevd_frame_utils.create_frames_list_from_frame(frame))
        return self.children(id(frame))

    def children(self, reference: int) -> List[Message]:
        """What a variable contains. KeyError: the reference is not of the last list."""
        if self._frames is None:
            raise KeyError(reference)
        variable = self._frames.get_variable(reference)
        return [child.get_var_data() for child in variable.get_children_variables()]

    def has(self, reference: int) -> bool:
        try:
            return self._frames is not None and self._frames.get_variable(reference) is not None
        except KeyError:
            return False

    def clear(self) -> None:
        """Lets go of every value."""
        self._frames = None


def describe(shell: Any, value: Any) -> Tuple[Dict[str, Any], Dict[str, Any]]:
    """A value's representations by media type, and their metadata. A failing one is left out, or its text says so.

    Nothing is published: an object that would display itself is shown as text.
    """
    formatter = shell.display_formatter
    if callable(getattr(type(value), "_ipython_display_", None)):
        return {"text/plain": formatter.formatters["text/plain"](value)}, {}
    data, metadata = formatter.format(value)
    return data, {media_type: about for media_type, about in metadata.items() if media_type in data}


def describe_as_json(value: Any) -> str:
    """`describe` for a value in a stopped frame: the debugger evaluates a call of this there, and gets ASCII."""
    from IPython import get_ipython

    data, metadata = describe(get_ipython(), value)
    return json.dumps({"data": data, "metadata": metadata}, default=repr)


def user_globals() -> Dict[str, Any]:
    """The user's namespace, for an assignment that is evaluated in a stopped frame of whatever module."""
    from IPython import get_ipython

    return get_ipython().user_ns


def evaluate(namespace: Dict[str, Any], expression: str) -> Message:
    """What an expression is in a namespace, or what a statement does to it, as the answer to an evaluate request."""
    try:
        code = compile(expression, "<debugger>", "eval")
    except SyntaxError:
        exec(compile(expression, "<debugger>", "exec"), namespace)
        return {"result": "", "variablesReference": 0}
    value = eval(code, namespace)
    return {"result": repr(value), "type": type(value).__name__, "variablesReference": 0}
