"""The requests of the debug protocol about values: scopes, variables, evaluation, representations."""

import ast
import json
import queue
import threading
import traceback
from typing import Any, Callable, Dict, List, Optional

from . import debug_variables
from .dap_connection import DapError, Message, hide_from_debugger
from .debug_stops import Stops
from .debug_variables import NamespaceVariables

EVALUATION_SECONDS = 30.0  # code of the user runs for the answer; the control thread does nothing else meanwhile

_GROUPS = ("special variables", "function variables", "class variables", "protected variables")


class Inspection:
    """Answers from the debugger while a thread is stopped, from the user's namespace else. On the control thread."""

    def __init__(self, shell: Any, stops: Stops, forward: Callable[..., Message]) -> None:
        self._shell = shell
        self._stops = stops
        self._forward = forward
        self._namespace = NamespaceVariables()
        self._top_level: set[int] = set()  # references whose variables are filtered
        self.handlers: Dict[str, Callable[[Message], Message]] = {
            "scopes": self.scopes, "variables": self.variables, "inspectVariables": self.inspect_variables,
            "richInspectVariables": self.rich_inspect_variables, "evaluate": self.evaluate,
            "copyToGlobals": self.copy_to_globals}

    def clear(self) -> None:
        """Lets go of every value."""
        self._namespace.clear()
        self._top_level.clear()

    def scopes(self, arguments: Message) -> Message:
        body = self._forward("scopes", arguments)
        self._top_level.update(scope["variablesReference"] for scope in body.get("scopes", []))
        return body

    def variables(self, arguments: Message) -> Message:
        reference = arguments["variablesReference"]
        if self._stops.threads() and not self._namespace.has(reference):
            found = self._forward("variables", arguments, EVALUATION_SECONDS).get("variables", [])
            if reference in self._top_level:
                found = [variable for variable in found if debug_variables.is_shown(variable["name"])]
            return {"variables": _page(found, arguments)}
        try:
            return {"variables": _page(self._namespace.children(reference), arguments)}
        except KeyError:
            raise DapError(f"variablesReference {reference} is out of date: ask inspectVariables again") from None

    def inspect_variables(self, arguments: Message) -> Message:
        return {"variables": self._namespace.list(self._shell.user_ns)}

    def rich_inspect_variables(self, arguments: Message) -> Message:
        name, frame = arguments["variableName"], arguments.get("frameId")
        if name in _GROUPS:
            return {"data": {}, "metadata": {}}
        if not name.isidentifier():
            raise DapError(f"{name!r} is no variable's name")
        if self._stops.threads() and frame is not None:
            return self._describe_in_frame(name, frame)
        if name not in self._shell.user_ns:
            raise DapError(f"there is no variable {name}")
        data, metadata = debug_variables.describe(self._shell, self._shell.user_ns[name])
        return {"data": data, "metadata": metadata}

    def evaluate(self, arguments: Message) -> Message:
        if arguments.get("frameId") is not None:
            return self._forward("evaluate", arguments, EVALUATION_SECONDS)
        expression, namespace = arguments["expression"], self._shell.user_ns
        return within(EVALUATION_SECONDS, lambda: debug_variables.evaluate(namespace, expression))

    def _describe_in_frame(self, name: str, frame: int) -> Message:
        expression = f"__import__({debug_variables.__name__!r}, fromlist=['*']).describe_as_json({name})"
        asked = {"expression": expression, "frameId": frame, "context": "clipboard"}  # which shortens nothing
        body = self._forward("evaluate", asked, EVALUATION_SECONDS)
        try:
            return json.loads(ast.literal_eval(body["result"]))
        except (SyntaxError, ValueError):
            raise DapError(f"{name} cannot be shown: {body['result']}") from None  # the exception, which is an answer here

    def copy_to_globals(self, arguments: Message) -> Message:
        target, source, frame = (arguments[name] for name in ("dstVariableName", "srcVariableName", "srcFrameId"))
        for name in (target, source):
            if not name.isidentifier():
                raise DapError(f"{name!r} is no variable's name: dstVariableName and srcVariableName must be identifiers")
        expression = f"__import__({debug_variables.__name__!r}, fromlist=['*']).user_globals()[{target!r}]"
        return self._forward("setExpression", {"expression": expression, "value": source, "frameId": frame}, EVALUATION_SECONDS)


def within(seconds: float, work: Callable[[], Message]) -> Message:
    """What the user's code answers, run on a thread of its own; DapError when it raises, or takes longer."""
    answer: "queue.SimpleQueue[Any]" = queue.SimpleQueue()

    def run() -> None:
        try:
            answer.put(work())
        except BaseException as problem:
            answer.put(DapError("".join(traceback.format_exception_only(type(problem), problem)).strip()))

    thread = threading.Thread(target=run, name="cellgate.DebugEvaluation", daemon=True)
    hide_from_debugger(thread)
    thread.start()
    try:
        found = answer.get(timeout=seconds)
    except queue.Empty:
        raise DapError(f"the expression is not evaluated within {seconds:g} s, and goes on") from None
    if isinstance(found, DapError):
        raise found
    return found


def _page(variables: List[Message], arguments: Message) -> List[Message]:
    start, count = arguments.get("start") or 0, arguments.get("count") or 0
    return variables[start:start + count] if count else variables[start:]
