"""Corrected code in the company of what pickles, times, profiles, inspects and documents it."""

import ast
import copy
import pickle
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace

import cloudpickle
import pytest

PACKAGE = Path(__file__).resolve().parents[3] / "kernel" / "python" / "cellgate_kernel"
SETUP = 'd = {"api_key": 1, "n": 5}\ndef read(x): return x["n"]\n'


def spawned(program, data):
    """What a fresh interpreter prints, which knows nothing of the package and starts in the root."""
    found = subprocess.run([sys.executable, "-c", program], input=data, capture_output=True, timeout=60, cwd="/")
    assert found.returncode == 0, found.stderr.decode()
    return found.stdout.decode()


CALL = "import sys, pickle; f = pickle.load(sys.stdin.buffer); print(f({'n': 7})); assert 'cellgate_kernel' not in sys.modules"


def test_a_function_goes_to_another_interpreter_by_value(correcting):
    correcting.run(SETUP)
    read = correcting.ip.user_ns["read"]
    assert "__cellgate_read__" in read.__code__.co_names
    assert spawned(CALL, cloudpickle.dumps(read)) == "7\n"


def test_it_goes_on_from_there(correcting):
    correcting.run(SETUP)
    program = (
        "import sys, pickle, cloudpickle; f = cloudpickle.loads(cloudpickle.dumps(pickle.load(sys.stdin.buffer)))\n"
        "print(f({'n': 8}))"
    )
    assert spawned(program, cloudpickle.dumps(correcting.ip.user_ns["read"])) == "8\n"


def test_a_wrong_read_fails_there_as_any_does(correcting):
    correcting.run('def read(x): return x["apiKey"]')
    program = (
        "import sys, pickle; f = pickle.load(sys.stdin.buffer)\n"
        "try: f({'api_key': 7})\nexcept KeyError as e: print(e.args, e.__traceback__.tb_next.tb_next is None)"
    )
    assert spawned(program, cloudpickle.dumps(correcting.ip.user_ns["read"])) == "('apiKey',) True\n"


def test_a_literal_there_is_a_name(correcting):
    correcting.run("def f(x): return true")
    program = "import sys, pickle; f = pickle.load(sys.stdin.buffer)\ntry: f(1)\nexcept NameError as e: print(e)"
    assert spawned(program, cloudpickle.dumps(correcting.ip.user_ns["f"])) == "name 'true' is not defined\n"


def test_classes_generators_and_lambdas_too(correcting):
    correcting.run('class C:\n    def get(self, x):\n        return sum(y["n"] for y in [x])\nf = lambda x: C().get(x)')
    assert spawned(CALL, cloudpickle.dumps(correcting.ip.user_ns["f"])) == "7\n"


@pytest.mark.parametrize("protocol", range(pickle.HIGHEST_PROTOCOL + 1))
def test_the_function_itself_is_operators_getitem_elsewhere(correcting, protocol):
    read = correcting.hook.read
    assert copy.copy(read) is read
    program = "import sys, pickle, operator; print(pickle.load(sys.stdin.buffer) is operator.getitem)"
    assert spawned(program, pickle.dumps(read, protocol)) == "True\n"


def test_joined_processes_of_the_pool(correcting):
    ran = correcting.run(
        SETUP + "import multiprocessing as m\nwith m.get_context('fork').Pool(1) as pool:\n    x = pool.map(read, [d, d])\nx"
    )
    assert ran.value == [5, 5]


def test_the_name_is_hidden(correcting):
    correcting.run(SETUP)
    assert "cellgate" not in correcting.run("%who").out + correcting.run("%whos").out
    assert "cellgate" not in "".join(correcting.run("%who_ls").value)
    correcting.run("%reset -f")
    assert correcting.run(SETUP + "read(d)").value == 5


def test_a_function_survives_the_removal_of_all_variables(correcting):
    correcting.run(SETUP)
    read = correcting.ip.user_ns["read"]
    correcting.run("for name in list(globals()): \n    if name not in ('__builtins__', 'get_ipython'): del globals()[name]\n")
    assert read({"n": 3}) == 3


def test_timing_magics(correcting):
    correcting.run(SETUP)
    assert correcting.run("%timeit -n 2 -r 1 d['n']").result.success
    assert correcting.run("%%timeit -n 2 -r 1\ny = d['n']").result.success
    assert "Wall time" in correcting.run("%%time\ny = d['n']").out
    assert correcting.run("y").value == 5
    assert correcting.run("%time read(d)").value == 5
    assert correcting.run("%prun -q read(d)").result.success
    assert correcting.run("%%capture c\nprint(d['n'])").result.success
    assert correcting.run("c.stdout").value == "5\n"


def test_code_inside_of_a_magic_is_measured_as_it_is(correcting):
    correcting.run(SETUP)
    ran = correcting.run("%%timeit -n 1 -r 1\nd['apiKey']")
    assert isinstance(ran.error, KeyError) and ran.sent == []


@pytest.mark.parametrize("code", ["%%time\nx = 1\nif x:\n    x = d['apiKey']\nx", "%%time\nx = 1\nd['apiKey']", "%time d['apiKey']",
                                  "%%timeit -n 1 -r 1\nd['apiKey']", "%timeit -n 1 -r 1 d['apiKey']"])
def test_a_key_is_suggested_for_what_is_measured(correcting, code):
    correcting.run(SETUP)
    for mode in (True, "report"):
        ran = correcting.run(code, mode=mode)
        assert isinstance(ran.error, KeyError) and (ran.sent, ran.notes) == ([], ['cellgate: did you mean d["api_key"]?'])
    for ran in (correcting.run(code, mode=False), correcting.run("%time d['other']")):
        assert isinstance(ran.error, KeyError) and ran.notes == []
    assert correcting.run("%time true").notes == ["cellgate: did you mean True? In Python it is written so"]


def test_what_is_captured_is_a_cell_with_its_lines_in_the_one_that_was_sent(correcting):
    correcting.run('d = {"api_key": 1}')
    ran = correcting.run('%%capture c\n%%capture\n\nif d:\n    x = d["apiKey"]\nprint(x)')
    assert ran.result.success and [(each["line"], each["column"]) for each in ran.sent] == [(5, 8)]
    ran = correcting.run('%%capture c\nd["apiKey"]\nreturn 5')
    assert [(each["kind"], each["line"]) for each in ran.sent] == [("top_level_return", 3), ("field_name", 2)]
    assert 'cellgate: line 2: d["apiKey"] read as d["api_key"]\n' in correcting.ip.user_ns["c"].stderr
    assert [each["line"] for each in correcting.run('d["apiKey"]').sent] == [1]


def test_a_function_of_a_cell_is_corrected_inside_of_one(correcting):
    correcting.run('d = {"api_key": 1}\ndef f(): return d["apiKey"]')
    ran = correcting.run("%time f()")
    assert ran.result.result == 1 and len(ran.sent) == 1


def test_doctest(correcting):
    ran = correcting.run(
        "import doctest\n"
        "def read(x):\n"
        '    """\n    >>> read({"n": 5})\n    5\n    >>> read({})\n    Traceback (most recent call last):\n      ...\n'
        "    KeyError: 'n'\n    >>> {'n': 5}['N']\n    Traceback (most recent call last):\n    KeyError: 'N'\n    \"\"\"\n"
        '    return x["n"]\n'
        "doctest.run_docstring_examples(read, {'read': read}, verbose=False)\n"
    )
    assert ran.out == ""


def test_dataclasses_and_annotations_of_the_future(correcting):
    ran = correcting.run(
        "from __future__ import annotations\n"
        "import dataclasses, typing\n"
        "@dataclasses.dataclass\nclass P:\n"
        '    a: typing.List["apiKey"] = dataclasses.field(default_factory=list)\n'
        "    b: int = 1\n    def get(self, x): return x['n']\n"
        "class Q(P):\n    c: dict['n', int]\n    def get(self, x): return x['n'] + 1\n"
        "def f(x: dict['n', int]) -> list['n']: return x['n']\n"
        "P.__annotations__, Q.__annotations__, f.__annotations__, P(), Q().get({'n': 1}), P().get({'n': 1})"
    )
    assert repr(ran.value) == (
        "({'a': \"typing.List['apiKey']\", 'b': 'int'}, {'c': \"dict['n', int]\"}, "
        "{'x': \"dict['n', int]\", 'return': \"list['n']\"}, P(a=[], b=1), 2, 1)"
    )
    correcting.ip.compile.flags = type(correcting.ip.compile)().flags


def test_the_source_of_a_function_is_shown(correcting):
    correcting.run(SETUP)
    assert 'return x["n"]' in correcting.run("import inspect\ninspect.getsource(read)").value


def test_a_metaclass_with_a_namespace_of_its_own(correcting):
    ran = correcting.run(
        "import collections, enum\n"
        "class Meta(type):\n"
        "    def __prepare__(name, bases): return collections.defaultdict(lambda: 'auto')\n"
        "class C(metaclass=Meta):\n    x = y\n    def f(self, z={'n': 1}['n']): return {'n': z}['n']\n"
        "class E(enum.Enum):\n    A = {'n': 1}['n']\n    def g(self): return {'n': 2}['n']\n"
        "C.x, sorted(k for k in vars(C) if 'cellgate' in k), C().f(), E.A.value, E.A.g(), list(E)"
    )
    assert ran.value[:5] == ("auto", [], 1, 1, 2) and len(ran.value[5]) == 1


def test_lines_are_traced_in_the_same_order(correcting):
    program = (
        "def f(d, c):\n    x = d[\n        'n'\n    ]\n    y = (d if c else\n       {})['n']\n    z = (\n      d\n    )['n']\n"
        "    w = d.get(\n     'm',\n     d)['n'] + [\n       e['n'] for e in\n         [d]][0]\n    return [x,\n     d['n'], y,\n     f'{d[\"n\"]}'\n    ], w\n"
        "import sys\nseen = []\n"
        "def trace(frame, event, arg):\n    if frame.f_code.co_name in ('f', '<listcomp>'): seen.append((event, frame.f_lineno))\n    return trace\n"
        "sys.settrace(trace)\ntry:\n    f({'n': 5}, True)\nfinally:\n    sys.settrace(None)\nseen"
    )
    plain, hooked = correcting.run(program, mode=False).value, correcting.run(program, mode=True).value
    assert hooked == plain and len(plain) > 15
    assert "__cellgate_read__" in correcting.ip.user_ns["f"].__code__.co_names


def test_a_miss_is_not_traced(correcting):
    ran = correcting.run(
        'import sys\nd = {"api_key": 1}\nseen = set()\n'
        "def trace(frame, event, arg):\n    seen.add(frame.f_code.co_filename.rsplit('/')[-1])\n    return trace\n"
        "def f():\n    x = d['apiKey']\n    seen.add(sys.gettrace() is trace)\n    return x\n"
        "sys.settrace(trace)\nf()\nsys.settrace(None)\nseen"
    )
    assert True in ran.value and "misses.py" not in ran.value and len(ran.sent) == 1


def test_numba_is_given_functions_as_they_are(correcting, monkeypatch):
    monkeypatch.setitem(sys.modules, "numba", object())
    correcting.run('def f(d): return d["n"]\nx = {"api_key": 1}["apiKey"]')
    assert "__cellgate_read__" not in correcting.ip.user_ns["f"].__code__.co_names
    assert correcting.ip.user_ns["x"] == 1


def is_as_written(correcting, code):
    """Whether a function of this cell is compiled as it is written; what is no function's is corrected anyway."""
    correcting.run(code + '\ndef f(d): return d["n"]\nx = {"api_key": 1}["apiKey"]')
    assert correcting.ip.user_ns["x"] == 1
    return "__cellgate_read__" not in correcting.ip.user_ns["f"].__code__.co_names


@pytest.fixture
def has_not_named_torch(correcting, monkeypatch):
    monkeypatch.setattr(correcting.hook, "_has_named_torch", False)


@pytest.mark.usefixtures("has_not_named_torch")
@pytest.mark.parametrize("has_compile", [True, False])
def test_torch_is_given_functions_as_they_are_from_the_cell_that_names_it(correcting, monkeypatch, has_compile):
    monkeypatch.setitem(sys.modules, "torch", SimpleNamespace(compile=print) if has_compile else SimpleNamespace())
    assert not is_as_written(correcting, ""), "it was preloaded, and no cell uses it"
    assert is_as_written(correcting, "import torch") is has_compile
    assert is_as_written(correcting, "") is has_compile


@pytest.mark.usefixtures("has_not_named_torch")
def test_torch_that_is_not_there_yet_may_be_of_any_version(correcting, monkeypatch):
    monkeypatch.delitem(sys.modules, "torch", raising=False)
    assert is_as_written(correcting, "if False: import torch")
    assert not is_as_written(correcting, "")
    monkeypatch.setitem(sys.modules, "torch", SimpleNamespace(compile=print))
    assert is_as_written(correcting, "")


def test_threads_that_correct_at_once(correcting):
    ran = correcting.run(
        'from concurrent.futures import ThreadPoolExecutor\nd = {"api_key": 1}\n'
        'def f(i):\n    return sum(d["apiKey"] for _ in range(100))\n'
        "with ThreadPoolExecutor(8) as pool:\n    x = sum(pool.map(f, range(20)))\nx"
    )
    assert ran.value == 2000 and len(ran.sent) == 1


def test_no_memory_is_kept(correcting):
    ran = correcting.run(
        'import gc, sys, tracemalloc\nd = {"api_key": 1, "n": 5}\n'
        "def f():\n    for _ in range(2000):\n        d['n']; d['apiKey']\n        try: d['zzz']\n        except KeyError: pass\n"
        "f(); gc.collect(); tracemalloc.start(); a = tracemalloc.get_traced_memory()[0]\n"
        "f(); gc.collect(); b = tracemalloc.get_traced_memory()[0]; tracemalloc.stop()\nb - a"
    )
    assert ran.value < 20_000


def test_the_package_is_python_of_3_8():
    for file in PACKAGE.rglob("*.py"):
        ast.parse(file.read_text(), str(file), feature_version=(3, 8))
