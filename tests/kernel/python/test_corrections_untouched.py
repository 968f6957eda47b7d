"""What is never corrected, and that what is not corrected fails as it would have."""

import sys
import traceback

import pytest

SETUP = 'd = {"api_key": 1, "inner_part": {"api_key": 2}, "n": 0}\n'


def fails(correcting, code, kind=KeyError):
    ran = correcting.run(SETUP + code)
    assert isinstance(ran.error, kind), ran.error
    assert ran.sent == [] and ran.told == []
    return ran


@pytest.mark.parametrize(
    "code",
    [
        'd["innerPart"]["api_key"] = 1',
        'd["innerPart"]["api_key"] += 1',
        'del d["innerPart"]["api_key"]',
        'd["innerPart"].x = 1',
        'd["innerPart"].x.y["z"] = 1',
        'for d["innerPart"]["x"] in [1]: pass',
        '[0 for d["innerPart"]["x"] in [1]]',
        'with open("/dev/null") as d["innerPart"]["f"]: pass',
        '(d["innerPart"]["x"], y) = 1, 2',
        '[*d["innerPart"]["x"]] = 1, 2',
        'd["innerPart"]["x"]: int = 1',
        'k = "apiKey"; d[k]',
        'd["api" + "Key"]',
        'd[f"apiKey"]',
        'd["apiKey"] += 1',
        'del d["apiKey"]',
        "import collections; collections.OrderedDict(d)['apiKey']",
        "class D(dict): pass\nD(d)['apiKey']",
        "import os; os.environ['path']",
        "globals()['inPuts']",
        "def f():\n    my_name = 1\n    return locals()['myName']\nf()",
        "import sys\nsys.modules['Builtins']",
        'def deco(f): return f\n@deco\ndef f(): return d["apiKey"]\nf()',
        'def deco(f): return f\n@deco\nclass C:\n    def f(self): return d["apiKey"]\nC().f()',
        'class C:\n    x = d["apiKey"]',
        'class C:\n    def f(self, x=d["apiKey"]): pass',
        """exec("d['apiKey']")""",
    ],
)
def test_never_touched(correcting, code):
    fails(correcting, code)


def test_a_store_makes_a_new_key(correcting):
    ran = correcting.run(SETUP + 'd["apiKey"] = 5\nd["apiKey"], d["api_key"]')
    assert ran.value == (5, 1) and ran.sent == []


def test_membership_is_as_it_is(correcting):
    assert correcting.run(SETUP + '"apiKey" in d, d.get("apiKey")').value == (False, None)


def test_what_has_its_own_missing(correcting):
    ran = correcting.run(
        "import collections\n"
        "a = collections.defaultdict(list, api_key=1)\n"
        "b = collections.Counter(api_key=1)\n"
        "class M(dict):\n    def __missing__(self, key): return key\n"
        'a["apiKey"], b["apiKey"], M()["apiKey"]'
    )
    assert ran.value == ([], 0, "apiKey") and ran.sent == []


def test_annotations_are_left_alone(correcting):
    ran = correcting.run(
        "import typing\n"
        'def f(x: typing.List["apiKey"]) -> typing.List["apiKey"]: pass\n'
        'y: typing.List["apiKey"] = []\n'
        "f.__annotations__, __annotations__"
    )
    assert str(ran.value[0]["x"]) == str(ran.value[1]["y"]) == "typing.List[ForwardRef('apiKey')]"


CAUGHT = [
    'try:\n    r = d["apiKey"]\nexcept KeyError:\n    r = "caught"',
    'try:\n    r = d["apiKey"]\nexcept:\n    r = "caught"',
    'try:\n    r = d["apiKey"]\nexcept Exception as e:\n    r = "caught"',
    'try:\n    r = d["apiKey"]\nexcept (ValueError, LookupError):\n    r = "caught"',
    'import builtins\ntry:\n    r = d["apiKey"]\nexcept builtins.KeyError:\n    r = "caught"',
    'E = (KeyError, ValueError)\ntry:\n    r = d["apiKey"]\nexcept E:\n    r = "caught"',
    'def kinds(): return KeyError\ntry:\n    r = d["apiKey"]\nexcept kinds():\n    r = "caught"',
    'try:\n    r = d["apiKey"]\nexcept* KeyError:\n    r = "caught"',
    'def f():\n    return d["apiKey"]\ntry:\n    r = f()\nexcept KeyError:\n    r = "caught"',
    'def f():\n    try:\n        return d["apiKey"]\n    finally:\n        return "caught"\nr = f()',
    'r = "caught"\nfor _ in range(1):\n    try:\n        d["apiKey"]\n    finally:\n        break',
    'import contextlib\nr = "caught"\nwith contextlib.suppress(KeyError):\n    r = d["apiKey"]',
    'from contextlib import suppress as s\nr = "caught"\nwith open("/dev/null"), s(KeyError):\n    r = d["apiKey"]',
    'import unittest\nr = "caught"\nwith unittest.TestCase().assertRaises(KeyError):\n    d["apiKey"]',
    'class Own:\n    def __enter__(self): pass\n    def __exit__(self, *a): return True\nr = "caught"\nwith Own():\n    d["apiKey"]',
    'class Own:\n    def __enter__(self): pass\n    def __exit__(self, *a): return a[0] is KeyError or False\n'
    'r = "caught"\nwith Own():\n    d["apiKey"]',
    'import contextlib\n@contextlib.contextmanager\ndef own():\n    try:\n        yield\n    except KeyError:\n        pass\n'
    'r = "caught"\nwith own():\n    d["apiKey"]',
    'def g():\n    yield d["apiKey"]\ntry:\n    r = list(g())\nexcept KeyError:\n    r = "caught"',
    'try:\n    r = [x["apiKey"] for x in [d]]\nexcept KeyError:\n    r = "caught"',
    'try:\n    r = list(map(lambda x: x["apiKey"], [d]))\nexcept KeyError:\n    r = "caught"',
    'try:\n    for i in range(3):\n        if i == 2:\n            r = f"{d[\'apiKey\']}"\nexcept KeyError:\n    r = "caught"',
    'import collections\nclass M(dict):\n    def own(self): return d["apiKey"]\n    def __getitem__(self, k): return self.own()\n'
    'r = collections.ChainMap(M(), {"x": "caught"})["x"]',
    'import sqlite3\nc = sqlite3.connect(":memory:")\nc.create_function("f", 1, lambda v: d["apiKey"])\n'
    'try:\n    r = c.execute("select f(1)").fetchone()\nexcept sqlite3.Error:\n    r = "caught"\nc.close()',
    'import asyncio\nr = 0\nasync def f():\n    async with asyncio.TaskGroup():\n        d["apiKey"]\n'
    'try:\n    await f()\nexcept* KeyError:\n    r = "caught"',
    'async def f():\n    return d["apiKey"]\ntry:\n    r = await f()\nexcept KeyError:\n    r = "caught"',
    'def f(n):\n    return f(n - 1) if n else d["apiKey"]\ntry:\n    r = f(40)\nexcept KeyError:\n    r = "caught"',
    'import asyncio\nasync def f(): return d["apiKey"]\nr, = await asyncio.gather(f(), return_exceptions=True)\n'
    'if isinstance(r, KeyError): r = "caught"',
    'import asyncio\nasync def f(): return d["apiKey"]\ntry:\n    r, = await asyncio.gather(f())\nexcept LookupError:\n    r = "caught"',
    'import asyncio\nasync def f(): return d["apiKey"]\nt = asyncio.create_task(f())\nawait asyncio.wait([t])\n'
    'r = "caught" if t.exception() else t.result()',
    'from concurrent.futures import ThreadPoolExecutor\nwith ThreadPoolExecutor(1) as pool:\n    t = pool.submit(lambda: d["apiKey"])\n'
    'try:\n    r = t.result()\nexcept KeyError:\n    r = "caught"',
    'import contextlib\nfrom concurrent.futures import ThreadPoolExecutor\nr = "caught"\nwith ThreadPoolExecutor(1) as pool:\n'
    '    with contextlib.suppress(KeyError):\n        r = list(pool.map(lambda x: x["apiKey"], [d]))',
]


@pytest.mark.parametrize("code", CAUGHT)
def test_what_somebody_catches_is_not_corrected(correcting, code):
    ran = correcting.run(SETUP + code + "\nr")
    assert ran.value == "caught" and ran.sent == [] and ran.told == []


NOT_CAUGHT = [
    'try:\n    r = d["apiKey"]\nexcept ValueError:\n    r = "caught"',
    'try:\n    r = d["apiKey"]\nexcept (ValueError, AttributeError):\n    r = "caught"',
    'try:\n    pass\nfinally:\n    r = d["apiKey"]',
    'try:\n    pass\nexcept KeyError:\n    pass\nelse:\n    r = d["apiKey"]',
    'try:\n    1 / 0\nexcept ZeroDivisionError:\n    r = d["apiKey"]',
    'try:\n    def f(): return d["apiKey"]\nexcept KeyError:\n    pass\nr = f()',
    'with open("/dev/null") as f:\n    r = d["apiKey"]',
    'import threading\nlock = threading.Lock()\nwith lock:\n    r = d["apiKey"]',
    'import threading\nwith threading.RLock():\n    r = d["apiKey"]',
    'import io\nwith io.StringIO() as f:\n    r = d["apiKey"]',
    'import sqlite3\nwith sqlite3.connect(":memory:") as c:\n    r = d["apiKey"]',
    'import sqlite3\nc = sqlite3.connect(":memory:")\nwith c:\n    r = d["apiKey"]\nc.close()',
    'from concurrent.futures import ThreadPoolExecutor\nwith ThreadPoolExecutor(2) as pool:\n'
    '    r = list(pool.map(lambda x: x["apiKey"], [d]))[0]',
    'from concurrent.futures import ThreadPoolExecutor\nwith ThreadPoolExecutor(2) as pool:\n    r = d["apiKey"]',
    'import tempfile\nwith tempfile.TemporaryDirectory() as t:\n    r = d["apiKey"]',
    'import contextlib\n@contextlib.contextmanager\ndef own():\n    try:\n        yield\n    finally:\n        pass\n'
    'with own():\n    r = d["apiKey"]',
    'class Own:\n    def __enter__(self): pass\n    def __exit__(self, *a): self.x = 1\nwith Own():\n    r = d["apiKey"]',
    'import asyncio\nasync def f():\n    await asyncio.sleep(0)\n    return d["apiKey"]\nr = (await asyncio.gather(f(), f()))[0]',
    'async def f():\n    yield d["apiKey"]\nr = [x async for x in f()][0]',
    'import asyncio\nasync def f(): return d["apiKey"]\ntry:\n    r, = await asyncio.gather(f(), return_exceptions=False)\n'
    'except (OSError, asyncio.TimeoutError):\n    r = 0',
    'import threading\nfound = []\nt = threading.Thread(target=lambda: found.append(d["apiKey"]))\nt.start(); t.join()\nr = found[0]',
    'r = sorted([d, d], key=lambda x: x["apiKey"])[0]["apiKey"]',
    'def f(n):\n    return f(n - 1) if n else d["apiKey"]\nr = f(40)',
]


def test_a_thread_of_an_earlier_cells_function_is_the_running_cells(correcting):
    correcting.run(SETUP + 'from concurrent.futures import ThreadPoolExecutor\ndef f(x): return x["apiKey"]\npool = ThreadPoolExecutor(1)')
    caught = 'try:\n    r = pool.submit(f, d).result()\nexcept KeyError:\n    r = "caught"\nr'
    assert correcting.run(caught).value == "caught"
    assert correcting.run("r = pool.submit(f, d).result()\npool.shutdown()\nr").value == 1


@pytest.mark.parametrize("code", NOT_CAUGHT)
def test_what_nobody_catches_is_corrected(correcting, code):
    assert correcting.run(SETUP + code + "\nr").value == 1


FAILURES = [
    'd["zzz"]',
    'x = 5 + d["zzz"] * 2',
    'd["inner_part"]["zzz"]["api_key"]',
    'print(d["api_key"],\n      d[\n  "zzz"])',
    'def f(r):\n    return r["zzz"]\n\nf(d)',
    '[x["zzz"] for x in [d]]',
    'f"{d[\'zzz\']}"',
    '5["zzz"]',
    'x = 5\nx["zzz"]',
    'x = [1]\nx["zzz"]',
    'x = None\nx["zzz"]["api_key"]',
    'class L:\n    def __getitem__(self, key): raise KeyError(key, 5)\nL()["zzz"]',
    'class L:\n    def __getitem__(self, key): raise ValueError(key)\nL()["zzz"]',
    'import collections\ncollections.ChainMap(d)["zzz"]',
    'try:\n    1 / 0\nexcept ZeroDivisionError:\n    d["zzz"]',
    'try:\n    d["zzz"]\nexcept KeyError as e:\n    raise ValueError("x") from e',
    'class K(str):\n    def __eq__(self, other): raise RuntimeError("eq")\n    def __hash__(self): return hash("zzz")\n'
    'e = {K("q"): 1}\ne["zzz"]',
    'raise ExceptionGroup("g", [KeyError("x")])',
    'async def f():\n    return d["zzz"]\nawait f()',
    'def f(n):\n    return d["zzz"] if n == 0 else f(n - 1)\nf(5)',
    'def f(): return f()["zzz"]\nf()',
    "true_ = tru",
    'lambda_ = lambda x: (x\n  ["zzz"])\nlambda_(d)',
]


def formatted(error):
    """With what differs from run to run, and IPython's own frames, taken out."""
    trace = error.__traceback__
    while trace is not None and "interactiveshell" in trace.tb_frame.f_code.co_filename:
        trace = trace.tb_next
    return "".join(traceback.format_exception(type(error), error, trace))


@pytest.mark.parametrize("code", FAILURES)
def test_an_error_is_the_same_to_the_byte(correcting, code):
    seen = []
    for mode in (False, True):
        correcting.ip.reset(new_session=True)
        ran = correcting.run(SETUP + code, mode)
        assert ran.sent == []
        seen.append((type(ran.error), repr(ran.error.args), formatted(ran.error), ran.shown, ran.err))
    assert seen[0] == seen[1]


def test_the_failing_expression_is_marked(correcting):
    """What the test above compares is there at all."""
    ran = correcting.run(SETUP + 'x = 5 + d["zzz"] * 2')
    assert '    x = 5 + d["zzz"] * 2\n            ~^^^^^^^' in formatted(ran.error)
    assert "----> 2 x = 5" in ran.shown


def test_a_miss_imports_nothing(correcting, monkeypatch):
    """What runs cells elsewhere is large, and a kernel that does not run by it is not to load it."""
    monkeypatch.delitem(sys.modules, "ipykernel", raising=False)
    monkeypatch.setitem(sys.modules, "tornado", None)
    before = set(sys.modules)
    assert correcting.run(SETUP + 'try:\n    pass\nfinally:\n    r = d["apiKey"]\nr').value == 1
    assert set(sys.modules) == before


def test_evaluation_order_and_number(correcting):
    ran = correcting.run(
        "seen = []\n"
        "class L:\n    def __init__(self, n): self.n = n\n"
        "    def __getitem__(self, key): seen.append((self.n, key)); return L(self.n + 1)\n"
        "def make(): seen.append('make'); return L(0)\n"
        'make()["a"]["b"]\nseen'
    )
    assert ran.value == ["make", (0, "a"), (1, "b")]


def test_an_interrupt_on_a_miss_is_the_cells(correcting, monkeypatch):
    def interrupt(*_):
        raise KeyboardInterrupt

    monkeypatch.setattr("cellgate_kernel.corrections.keys.look", interrupt)
    assert isinstance(correcting.run(SETUP + 'd["apiKey"]').error, KeyboardInterrupt)


def test_a_failure_of_ours_on_a_miss_is_nobodys(correcting, monkeypatch):
    def fail(*_):
        raise ZeroDivisionError

    monkeypatch.setattr("cellgate_kernel.corrections.keys.look", fail)
    ran = correcting.run(SETUP + 'd["apiKey"]')
    assert isinstance(ran.error, KeyError) and ran.error.__context__ is None
