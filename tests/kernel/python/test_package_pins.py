"""The versions that a cell asks pip for itself, read from its text."""

import ast

import package_path  # noqa: F401  (makes the package importable)
import pytest

from cellgate_kernel.packages.own_pip import OwnPip, Unclear


def asked(code, distribution="humanize"):
    return OwnPip(ast.parse(code)).requirement(distribution)


@pytest.mark.parametrize(
    "code",
    [
        "subprocess.check_call([sys.executable, '-m', 'pip', 'install', '-q', 'humanize==1.0'])",
        "subprocess.run('pip install humanize==1.0', shell=True)",
        "os.system(f'{sys.executable} -m pip install humanize==1.0 tabulate')",
        "get_ipython().system('pip install -q humanize==1.0 2>&1 | tail -1')",
        "get_ipython().system('{sys.executable} -m pip install humanize==1.0')",
        "x = get_ipython().getoutput('pip3 install humanize==1.0 && echo done')",
        "if x:\n    get_ipython().run_line_magic('pip', 'install humanize==1.0')",
        "get_ipython().run_cell_magic('bash', '', 'pip install \"humanize==1.0\"\\n')",
        "wanted = ['humanize==1.0']\nfor each in wanted:\n    get_ipython().system('pip install {each}')",
        "get_ipython().system('/usr/bin/pip3.11 install HUMANIZE==1.0')",
        "get_ipython().system('uv pip install humanize==1.0')",
        "import pip\npip.main(['install', 'humanize==1.0'])",
    ],
)
def test_a_version_counts_however_pip_is_run(code):
    assert asked(code) == "humanize==1.0"


@pytest.mark.parametrize(
    "words, requirement",
    [
        ("humanize>=1,<2", "humanize>=1,<2"),
        ("'humanize >= 1.0, != 1.5'", "humanize>=1.0,!=1.5"),
        ("humanize~=1.0", "humanize~=1.0"),
        ("humanize[fast,slow]==1.0", "humanize[fast,slow]==1.0"),
        ("humanize==1.0.post1", "humanize==1.0.post1"),
        ("humanize==1.*", "humanize==1.*"),
        ("humanize==1.0; python_version > '3'", "humanize==1.0"),
        ("humanize", None),
        ("humanize 2>&1", None),
        ("humanize >/dev/null", None),
        ("humanize>log.txt", None),
        ("-U humanize tabulate==3", None),
        ("humanize-extra==1.0", None),
        ("my-humanize==1.0", None),
        ("humanize.extra==1.0", None),
        ("git+https://x/humanize==1.0", None),
    ],
)
def test_its_versions_are_those_of_its_name(words, requirement):
    assert asked(f"get_ipython().system({'pip install ' + words!r})") == requirement


def test_a_name_has_many_spellings():
    assert asked("os.system('pip install Scikit_Learn==1.5')", "scikit-learn") == "scikit-learn==1.5"


@pytest.mark.parametrize(
    "code",
    [
        "f'pip install humanize=={version}'",
        "os.system('pip install humanize==' + version)",
        "get_ipython().system('pip install humanize=={version}')",
        "get_ipython().system('pip install humanize==$version')",
        "os.system('pip install humanize==1.0' if old else 'pip install humanize==2.0')",
    ],
)
def test_a_version_that_only_the_program_knows_is_left_to_it(code):
    with pytest.raises(Unclear, match="%pip install humanize=="):
        asked(code)
    assert asked(code, "tabulate") is None


@pytest.mark.parametrize("code", ["x = 'humanize==1.0'", "print('humanize==1.0', 'installed')", "x = 'pipe install humanize==1.0'"])
def test_a_cell_without_pip_asks_for_nothing(code):
    assert asked(code) is None


@pytest.mark.parametrize("code", ["os.system('pip install -r {}')", "run(['pip', 'install', '--requirement', '{}'])"])
def test_files_of_requirements_count(tmp_path, code):
    file = tmp_path / "r.txt"
    code = code.replace("{}", str(file))
    assert asked(code) is None, "it is not there"
    file.write_bytes(b"\xef\xbb\xbfhumanize==1.0\r\ntabulate\n")
    assert asked(code) == "humanize==1.0" and asked(code, "tabulate") is None
