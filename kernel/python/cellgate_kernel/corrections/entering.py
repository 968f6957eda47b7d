"""What a frame was entered by: does an exception come out of that into the frame below?

A function that Python code calls itself hands it on; C code between the two may keep it (a destructor, numpy asking for
a length, ctypes). Which it was is read from the instruction that the caller is at, and its source.
"""

import ast
import functools
import opcode
import sys
import types
from typing import Any, Dict, NamedTuple, Optional, Tuple

from . import places, sources, values
from .swallowing import ANY, MayBeCaught

_HEAP_TYPE = 1 << 9
_NO_CARRIERS = frozenset(("weakref", "_weakrefset", "ctypes", "sqlite3", "asyncio", "threading", "concurrent", "tkinter", "signal", "atexit"))

# Modules whose C code lets the exceptions of what it calls pass.
_HARMLESS_C = frozenset(
    ("builtins", "itertools", "functools", "_functools", "operator", "_operator", "collections", "_collections", "heapq", "_heapq")
    + ("math", "bisect", "_bisect", "random", "_random", "re", "_sre", "json", "_json", "_csv", "csv", "types", "_contextvars")
    + ("datetime", "decimal", "_io", "io", "_abc", "abc", "_pickle", "copy", "_struct", "typing", "enum")
)

# Instructions that call a method, by what their names begin with. What else enters a frame is none of their doing.
_CALLS = ("CALL", "PRECALL")
_ASKS_FOR_TRUTH = ("POP_JUMP_", "JUMP_IF_", "TO_BOOL", "UNARY_NOT")
_COMPUTES = ("BINARY_OP", "COMPARE_OP", "UNARY_")
_USES_ITEMS = (
    ("BINARY_SUBSCR", "STORE_SUBSCR", "DELETE_SUBSCR", "BINARY_SLICE", "STORE_SLICE", "CONTAINS_OP", "LOAD_ATTR", "LOAD_METHOD")
    + ("LOAD_SUPER_ATTR", "STORE_ATTR", "DELETE_ATTR", "FOR_ITER", "GET_", "SEND", "YIELD_", "LIST_EXTEND", "SET_", "DICT_", "MAP_ADD")
    + ("BUILD_MAP", "BUILD_SET", "BUILD_CONST_KEY_MAP", "UNPACK_", "FORMAT_", "CONVERT_VALUE", "BEFORE_", "LOAD_SPECIAL", "IMPORT_", "MATCH_")
    + ("WITH_EXCEPT_START", "LIST_TO_TUPLE", "LIST_APPEND", "CLEANUP_THROW", "RESUME_CHECK")
)
_TRUTH_METHODS = frozenset(("__bool__", "__len__"))
_OPERATORS = frozenset(
    "__%s%s__" % (side, name)
    for side in ("", "r", "i")
    for name in "add sub mul matmul truediv floordiv mod divmod pow lshift rshift and or xor".split()
) | frozenset("__%s__" % name for name in "lt le eq ne gt ge neg pos invert".split())
_ITEM_METHODS = frozenset(
    "__%s__" % name
    for name in (
        "getitem setitem delitem missing class_getitem contains eq hash iter next await aiter anext enter exit aenter aexit "
        "getattr getattribute setattr delattr get set delete str repr format"
    ).split()
)


_DISPLAYS = {ast.List: list, ast.Dict: dict, ast.Set: set, ast.Tuple: tuple, ast.JoinedStr: str, ast.ListComp: list}
_MAKES_CLASSES = frozenset(("__init_subclass__", "__prepare__", "__new__", "__init__", "__call__"))


class _Site(NamedTuple):
    """An instruction: its name, and the source of the expression that it is of, where that is known."""

    code: types.CodeType
    instruction: str
    expression: Optional[ast.AST]
    method: Optional[str]  # the name by which the function is called
    is_class: bool


_sites: "Dict[Tuple[int, int], _Site]" = {}
_MOST_SITES = 4096


def through(callee: Any, caller: Any, error: Optional[type]) -> Optional[type]:
    """The exception that comes from the frame `callee` into `caller`; raises MayBeCaught."""
    name = callee.f_code.co_name
    site = _site(caller)
    if name == "__del__":
        raise MayBeCaught
    if site.instruction.startswith(_CALLS):
        return _through_call(site, callee.f_code, caller, error)
    for instructions, methods in ((_ASKS_FOR_TRUTH, _TRUTH_METHODS), (_COMPUTES, _OPERATORS), (_USES_ITEMS, _ITEM_METHODS)):
        if site.instruction.startswith(instructions) and (not _is_special(name) or name in methods):
            return error
    raise MayBeCaught


def _is_special(name: str) -> bool:
    return name.startswith("__") and name.endswith("__")


def _site(frame: Any) -> _Site:
    code, at = frame.f_code, frame.f_lasti
    kept = _sites.get((id(code), at))
    if kept is None or kept.code is not code:
        if len(_sites) >= _MOST_SITES:
            _sites.clear()
        kept = _sites[id(code), at] = _look(frame)
    return kept


def _look(frame: Any) -> _Site:
    code, at, raw = frame.f_code, frame.f_lasti, frame.f_code.co_code
    while at > 0 and raw[at] == 0:  # what an instruction keeps behind itself
        at -= 2
    text, is_method = _text(frame)
    is_class = text.startswith(("class ", "@"))
    expression: Optional[ast.AST] = None
    try:
        expression = ast.parse("(%s)" % text, mode="eval").body if text and not is_class else None
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        pass
    method = getattr(getattr(expression, "func", None), "attr", None)
    if is_method:  # Python places a call over several lines at the method's name
        method = getattr(getattr(expression, "func", None), "id", None)
        expression = None
    return _Site(code, opcode.opname[raw[at]], expression, method, is_class)


def _text(frame: Any) -> Tuple[str, bool]:
    """The source of the instruction, and whether it is an attribute of what stands before it."""
    code = frame.f_code
    where = places.position(code, frame.f_lasti)
    if where is None or not sources.belongs(code, frame.f_globals):
        return "", False
    before = places.line_text(code.co_filename, where.line).encode()[: where.column].decode(errors="replace")
    return places.between(code.co_filename, where, frame.f_globals), before.rstrip().endswith(".")


def _through_call(site: _Site, code: types.CodeType, caller: Any, error: Optional[type]) -> Optional[type]:
    name = code.co_name
    if name == "__set_name__":
        return ANY  # a RuntimeError, before Python 3.12
    if site.is_class:
        return _sure(not _is_special(name) or name in _MAKES_CLASSES, error)
    if site.method == name or name in ("__enter__", "__exit__", "__aenter__", "__aexit__"):
        return error
    if _is_trusted(caller, _is_special(name)):
        return error
    called = site.expression
    if called is None:
        return _sure(site.method is None and name in site.code.co_names and not sources.text_of(site.code.co_filename), error)
    if isinstance(called, ast.Subscript):  # READ, in the place of a subscript
        return _sure(not _is_special(name) or name in _ITEM_METHODS, error)
    if isinstance(called, (ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)):
        return _sure(name in ("<listcomp>", "<setcomp>", "<dictcomp>"), error)
    function = called.func if isinstance(called, ast.Call) else called
    if isinstance(function, ast.Lambda):
        return _sure(name == "<lambda>", error)
    try:
        value = _callable(function, caller)
    except LookupError:
        raise MayBeCaught from None
    return _sure(_hands_on(value, code), error)


def _sure(is_sure: bool, error: Optional[type]) -> Optional[type]:
    if not is_sure:
        raise MayBeCaught
    return error


def _is_trusted(caller: Any, is_special: bool) -> bool:
    """Code whose C code hands on what it calls: most of the standard library, and pandas what is no special method."""
    module = str(caller.f_globals.get("__name__", "")).split(".")[0]
    if sources.is_of_packages(caller.f_code.co_filename):
        return module == "pandas" and not is_special
    return module not in _NO_CARRIERS and sources.is_of_python(caller.f_code.co_filename)


def _callable(node: Any, frame: Any) -> Any:
    """What an expression is called by; LookupError where that is not known."""
    if isinstance(node, ast.Constant):
        return node.value
    if type(node) in _DISPLAYS:
        return _DISPLAYS[type(node)]()
    if isinstance(node, ast.Subscript):
        owner, index = _callable(node.value, frame), places.index_of(node)
        if type(owner) in (dict, list, tuple) and type(index) in (str, int):
            return owner[index]
        raise LookupError("not a plain item")
    if isinstance(node, ast.Attribute):
        return values.bound_to(_callable(node.value, frame), node.attr)
    return values.value_of(node, frame)


def _hands_on(called: Any, code: types.CodeType) -> bool:
    """Does the call of this object hand on what code that it enters raises?"""
    for _ in range(8):
        if isinstance(called, types.FunctionType):
            return called.__code__ is code
        if isinstance(called, types.MethodType):
            called = called.__func__
        elif type(called) is functools.partial:
            called = called.func
        elif type(called) is functools._lru_cache_wrapper:
            called = called.__wrapped__
        else:
            break
    if isinstance(called, type):
        return _makes_by(called, code)
    if isinstance(called, types.BuiltinFunctionType):
        owner = called.__self__
        module = called.__module__ if owner is None or isinstance(owner, types.ModuleType) else type(owner).__module__
        return module in _HARMLESS_C
    if isinstance(called, (types.MethodDescriptorType, types.WrapperDescriptorType, types.ClassMethodDescriptorType)):
        return called.__objclass__.__module__ in _HARMLESS_C
    own = next((vars(each)["__call__"] for each in type(called).__mro__ if "__call__" in vars(each)), None)
    if isinstance(own, types.FunctionType):
        return own.__code__ is code
    return type(called).__module__ in _HARMLESS_C


def _makes_by(made: type, code: types.CodeType) -> bool:
    methods = (vars(type(made)).get("__call__"), *(getattr(made, name, None) for name in ("__new__", "__init__")))
    if any(getattr(each, "__code__", None) is code for each in methods):
        return True
    return all(each.__module__ in _HARMLESS_C or _is_in_python(each) for each in made.__mro__)


def _is_in_python(made: type) -> bool:
    filename = getattr(sys.modules.get(made.__module__), "__file__", None)
    is_made_at_run_time = bool(made.__flags__ & _HEAP_TYPE)
    return is_made_at_run_time and (made.__module__ == "__main__" or str(filename).endswith(".py"))

