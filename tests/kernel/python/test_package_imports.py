"""Which imports of a cell are to be installed: read from its text alone, or asked without importing."""

import ast
import sys
import time

import package_path  # noqa: F401  (makes the package importable)
import pytest

from cellgate_kernel.packages import hook, imports, names
from cellgate_kernel.packages.lookup import Lookup


def needed(code, present=()):
    """What a cell needs where nothing but `present` is there."""

    def missing(module, imported):
        top = module.partition(".")[0]
        return [] if top in present else [top]

    return imports.needed(ast.parse(code), missing)


@pytest.mark.parametrize(
    "code, expected",
    [
        ("import a", ["a"]),
        ("import a.b as c, d", ["a", "d"]),
        ("from a.b import c", ["a"]),
        ("import a\nimport a", ["a"]),
        ("def f():\n    import a", ["a"]),
        ("async def f():\n    async with x: import a", ["a"]),
        ("class C:\n    import a", ["a"]),
        ("for i in x:\n    import a\nelse:\n    import b", ["a", "b"]),
        ("while x:\n    import a", ["a"]),
        ("with x:\n    import a", ["a"]),
        ("if x:\n    import a\nelif y:\n    import b\nelse:\n    import c", ["a", "b", "c"]),
        ("match x:\n    case 1:\n        import a", ["a"]),
        ("try:\n    import a\nfinally:\n    import b", ["a", "b"]),
        ("try:\n    import a\nexcept ValueError:\n    import b", ["a", "b"]),
        ("from . import a", []),
        ("from .a import b", []),
        ("x = 'import a'", []),
        ("f(lambda: __import__('a'))", []),
    ],
)
def test_imports_are_found_where_they_stand(code, expected):
    assert needed(code) == expected


@pytest.mark.parametrize("caught", ["ImportError", "ModuleNotFoundError", "Exception", "(ValueError, ImportError)", ""])
def test_an_import_whose_failure_is_caught_is_the_programs_own_affair(caught):
    assert needed(f"try:\n    import a\nexcept {caught}:\n    a = None") == []


@pytest.mark.parametrize(
    "code",
    [
        "try:\n    import a\nexcept ImportError:\n    print('a is not there')",
        "try:\n    import a\nexcept ImportError:\n    print('pip install a')",
        "try:\n    import a\nexcept ImportError:\n    has_a = False\nelse:\n    has_a = True",
        "import contextlib\nwith contextlib.suppress(ImportError):\n    import a",
        "try:\n    from a import b\nexcept ImportError:\n    def b(): pass",
    ],
)
def test_a_program_that_goes_on_without_a_module_goes_on_without_it(code):
    assert "a" not in needed(code)


@pytest.mark.parametrize(
    "handler",
    [
        "raise RuntimeError('you need a')",
        "print('you need a')\n    raise",
        "import sys\n    sys.exit('no a')",
        "exit(1)",
        "import subprocess, sys\n    subprocess.check_call([sys.executable, '-m', 'pip', 'install', 'a'])\n    import a",
        "import os\n    os.system('pip install a')",
    ],
)
def test_a_program_that_gives_up_without_a_module_or_would_install_it_needs_it(handler):
    assert "a" in needed(f"try:\n    import a\nexcept ImportError:\n    {handler}", present=("sys", "os", "subprocess"))


def test_a_replacement_is_needed_where_what_it_replaces_is_missing():
    code = "try:\n    import a\nexcept ImportError:\n    import b as a"
    assert needed(code) == ["b"]
    assert needed(code, present=("a",)) == []
    assert needed(code, present=("b",)) == []


@pytest.mark.parametrize(
    "code",
    [
        "from typing import TYPE_CHECKING\nif TYPE_CHECKING:\n    import a",
        "import sys\nif sys.version_info < (3, 11):\n    import a",
        "import sys\nif sys.platform == 'win32':\n    import a",
        "if False:\n    import a",
    ],
)
def test_what_is_imported_elsewhere_or_never_is_not_needed(code):
    assert needed(code, present=("typing", "sys")) == []


@pytest.mark.parametrize(
    "module", ["os", "sys", "pytest", "tkinter", "distutils", "winreg", "_private", "__future__", "msvcrt", "tomllib", "imp"]
)
def test_pythons_own_what_is_there_and_what_is_private_is_never_missing(module):
    assert Lookup().missing(module) == []


def test_a_file_beside_the_program_is_the_users_own(tmp_path, monkeypatch):
    monkeypatch.syspath_prepend(str(tmp_path))
    (tmp_path / "sklearn_of_mine.py").write_text("1/0")
    assert Lookup().missing("sklearn_of_mine") == []
    assert "sklearn_of_mine" not in sys.modules


def test_of_a_shared_package_the_part_is_missing(tmp_path, monkeypatch):
    (tmp_path / "google" / "cloud" / "storage").mkdir(parents=True)
    monkeypatch.syspath_prepend(str(tmp_path))
    lookup = Lookup()
    assert lookup.missing("google.cloud", ("storage", "bigquery")) == ["google.cloud.bigquery"]
    assert lookup.missing("google.cloud.storage.client") == []
    assert lookup.missing("google.genai") == ["google.genai"]
    assert lookup.missing("google") == []
    assert lookup.missing("google", ("genai", "no_such_part")) == ["google.genai"]
    assert "google" not in sys.modules


@pytest.mark.parametrize(
    "module, distribution",
    [
        ("cv2", "opencv-python-headless"),
        ("sklearn", "scikit-learn"),
        ("bs4", "beautifulsoup4"),
        ("yaml", "PyYAML"),
        ("PIL", "pillow"),
        ("dateutil", "python-dateutil"),
        ("dotenv", "python-dotenv"),
        ("Crypto", "pycryptodome"),
        ("docx", "python-docx"),
        ("pptx", "python-pptx"),
        ("fitz", "PyMuPDF"),
        ("attr", "attrs"),
        ("serial", "pyserial"),
        ("usb", "pyusb"),
        ("jwt", "PyJWT"),
        ("OpenSSL", "pyOpenSSL"),
        ("skimage", "scikit-image"),
        ("pkg_resources", "setuptools"),
        ("google.protobuf", "protobuf"),
        ("googleapiclient", "google-api-python-client"),
        ("seaborn", "seaborn"),
        ("sklearnn", None),
        ("requets", None),
    ],
)
def test_well_known_modules_have_their_distribution(module, distribution):
    assert names.distribution_of(module) == distribution


def test_no_module_has_two_distributions():
    table = (imports.__file__.rpartition("/")[0]) + "/known.txt"
    lines = [line.split() for line in open(table, encoding="utf-8") if line.strip() and not line.startswith("#")]
    modules = [module for words in lines for module in (words[1:] or words)]
    assert sorted({module for module in modules if modules.count(module) > 1}) == []
    distributions = [names.normalized(words[0]) for words in lines]
    assert len(distributions) == len(set(distributions))


@pytest.mark.parametrize(
    "code, own",
    [
        ("open('helper.py', 'w').write('x = 1')\nimport helper", True),
        ("import sys\nsys.path.insert(0, 'lib')\nimport helper", True),
        ("from sys import path\nimport helper", True),
        ("import os\nos.chdir('lib')\nimport helper", True),
        ("import os\nprint(os.path.join('a', 'b'))\nimport helper", False),
        ("import helper", False),
    ],
)
def test_a_cell_that_makes_its_modules_itself_is_seen(code, own):
    assert hook._makes_modules(ast.parse(code), "helper") == own


def test_a_cell_without_new_imports_costs_little():
    """The budget is 0.2 ms; the best of many runs, since this machine has other work."""
    lines = ["import os, sys, json", "from pathlib import Path"]
    lines += [f"def f{i}(x):\n    y = [x + {i} for _ in range(10)]\n    return sum(y)" for i in range(50)]
    tree, lookup = ast.parse("\n".join(lines)), Lookup()
    imports.needed(tree, lookup.missing)
    best = min(_seconds(lambda: imports.needed(tree, lookup.missing)) for _ in range(50))
    assert best < 0.0002


def _seconds(call):
    started = time.perf_counter()
    call()
    return time.perf_counter() - started
