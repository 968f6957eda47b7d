"""cellgate_installer, as the gateway runs it: into a site directory, out of a directory of wheels, with no index."""

import json
import os
import pathlib
import subprocess
import time

import pytest
from package_path import PACKAGE_DIR
from shell_client import INTERPRETER
from support.package_index import PackageIndex
from support.wheels import make_wheel

from cellgate_installer import reasons, wheels as store


class Site:
    """A session's site directory; `links` is the package index."""

    def __init__(self, root, name="site", shared=None):
        self.root = root
        self.place = root / name
        self.place.mkdir()
        self.shared = shared or root / "wheels"
        self.shared.mkdir(exist_ok=True)
        self.links = root / "links"
        self.links.mkdir(exist_ok=True)
        self._runs = 0

    def install(self, *requirements, upgrade=False, max_bytes=10**9, most=50, links=None, index=None, python=INTERPRETER, **variables):
        """(name-version of what was installed, requirement → reason)"""
        self._runs += 1
        staging = self.root / f"{self.place.name}-staging-{self._runs}"
        (staging / "tmp").mkdir(parents=True)
        request = {"requirements": requirements, "site": str(self.place), "staging": str(staging), "upgrade": upgrade,
                   "wheels": str(self.shared), "max_bytes": max_bytes, "max_distributions": most, "cache_bytes": 10**9}
        source = {"PIP_INDEX_URL": index} if index else {"PIP_NO_INDEX": "1", "PIP_FIND_LINKS": links or str(self.links)}
        variables |= {"PATH": os.environ["PATH"], "HOME": str(self.root), "PIP_CONFIG_FILE": os.devnull, **source, "PIP_CACHE_DIR": str(self.root / "pip"),
                     "TMPDIR": str(staging / "tmp"), "PIP_DISABLE_PIP_VERSION_CHECK": "1", "PIP_NO_INPUT": "1"}
        done = subprocess.run([str(python), "-I", PACKAGE_DIR + "/cellgate_installer"], input=json.dumps(request), text=True,
                              capture_output=True, env=variables, cwd=self.root, timeout=120)
        assert done.returncode == 0 and done.stderr == "", done
        self.log = (staging / "pip.log").read_text()
        answer = json.loads(done.stdout)
        return ([f"{each['name']}-{each['version']}" for each in answer["installed"]],
                {each["requirement"]: each["reason"] for each in answer["refused"]})

    def run(self, code):
        """With the environment's Python, and the site directory last."""
        start = f"import sys; sys.path.append({str(self.place)!r})\n"
        done = subprocess.run([str(INTERPRETER), "-I", "-c", start + code], text=True, capture_output=True, timeout=60)
        return done.stdout.strip() or done.stderr.splitlines()[-1]


@pytest.fixture
def site(tmp_path):
    return Site(tmp_path)


def version_of_environment(name):
    code = f"import importlib.metadata as m; print(m.version({name!r}))"
    return subprocess.run([str(INTERPRETER), "-c", code], text=True, capture_output=True, check=True).stdout.strip()


def test_a_distribution_comes_with_what_it_needs_but_not_with_what_is_there(site):
    make_wheel(site.links, "outer", requires=["inner>=1", "requests"])
    make_wheel(site.links, "inner", "1.5")
    installed, refused = site.install("outer")
    assert sorted(installed) == ["inner-1.5", "outer-1.0"] and refused == {}
    assert site.run("import outer, inner; print(outer.version, inner.version)") == "1.0 1.5"
    assert not list(site.place.glob("requests*"))


def test_what_is_installed_already_is_not_installed_again(site):
    make_wheel(site.links, "thing")
    assert site.install("thing") == (["thing-1.0"], {})
    assert site.install("thing") == ([], {})
    assert site.install("requests") == ([], {})


def test_a_version_of_the_environment_is_never_replaced_and_that_is_said(site):
    version = version_of_environment("requests")
    make_wheel(site.links, "requests", "0.1")
    make_wheel(site.links, "old-fashioned", requires=["requests<1"])
    installed, refused = site.install("requests==0.1")
    assert installed == [] and f"requests {version} is part of the environment and stays" in refused["requests==0.1"]
    installed, refused = site.install("old-fashioned")
    assert installed == [] and "old-fashioned 1.0 depends on requests<1" in refused["old-fashioned"]
    assert list(site.place.iterdir()) == []


def test_upgrading_leaves_the_environment_as_it_is(site):
    make_wheel(site.links, "requests", "999")
    make_wheel(site.links, "wants-requests", requires=["requests"])
    assert site.install("wants-requests", upgrade=True) == (["wants-requests-1.0"], {})


def test_a_version_of_the_session_is_replaced_only_by_name(site):
    make_wheel(site.links, "thing", "1.0", {"thing.py": "version = '1.0'\n", "only_in_1.py": ""})
    make_wheel(site.links, "thing", "2.0")
    make_wheel(site.links, "needs-two", requires=["thing>=2"])
    assert site.install("thing==1.0")[0] == ["thing-1.0"]
    installed, refused = site.install("needs-two")
    assert installed == [] and "thing 1.0 is part of this session and stays" in refused["needs-two"]
    assert site.install("thing==2.0")[0] == ["thing-2.0"]
    assert site.run("import thing; print(thing.version)") == "2.0"
    assert not (site.place / "only_in_1.py").exists() and len(list(site.place.glob("thing-*.dist-info"))) == 1


def test_upgrade_takes_the_newest(site):
    make_wheel(site.links, "thing", "1.0")
    site.install("thing")
    make_wheel(site.links, "thing", "2.0")
    assert site.install("thing") == ([], {})
    assert site.install("thing", upgrade=True)[0] == ["thing-2.0"]


def test_packages_that_share_a_root_are_joined(site):
    make_wheel(site.links, "shared-a", modules={"shared/a/__init__.py": "x = 1\n"})
    make_wheel(site.links, "shared-b", modules={"shared/b/__init__.py": "x = 2\n"})
    site.install("shared-a")
    site.install("shared-b")
    assert site.run("import shared.a, shared.b; print(shared.a.x + shared.b.x)") == "3"


def test_nothing_is_built(site):
    """A source distribution could run anything while it is built."""
    evidence = site.root / "built"
    source = site.root / "sdist" / "source-1.0"
    source.mkdir(parents=True)
    (source / "setup.py").write_text(f"open({str(evidence)!r}, 'w')\nfrom setuptools import setup\nsetup(name='source', version='1.0')\n")
    (source / "PKG-INFO").write_text("Metadata-Version: 2.1\nName: source\nVersion: 1.0\n")
    subprocess.run(["tar", "-C", source.parent, "-czf", site.links / "source-1.0.tar.gz", "source-1.0"], check=True)
    installed, refused = site.install("source")
    assert installed == [] and "no wheel of source" in refused["source"]
    assert not evidence.exists()


def test_what_can_be_had_is_had(site):
    make_wheel(site.links, "thing")
    installed, refused = site.install("thing", "nowhere-to-be-found")
    assert installed == ["thing-1.0"] and list(refused) == ["nowhere-to-be-found"]


@pytest.mark.parametrize("module", ["json.py", "json/__init__.py", "requests/__init__.py"])
def test_a_module_that_would_hide_another_is_refused(site, module):
    make_wheel(site.links, "hiding", modules={module: "x = 1"})
    installed, refused = site.install("hiding")
    assert installed == [] and "already" in refused["hiding"]
    assert list(site.place.iterdir()) == []


@pytest.mark.parametrize("file", ["thing.py", "thing/__init__.py", "thing/inner.so"])
def test_a_module_of_another_distribution_of_the_session_is_not_replaced(site, file):
    make_wheel(site.links, "first", modules={file: "x = 1", "first.py": ""})
    make_wheel(site.links, "second", modules={file: "x = 2", "second.py": ""})
    make_wheel(site.links, "outer", requires=["second"])
    assert site.install("first")[0] == ["first-1.0"]
    for asked in ("second", "outer"):
        installed, refused = site.install(asked)
        assert installed == [] and refused[asked] == f"second 1.0 has another {file} than first 1.0, which this session has already"
    assert (site.place / file).read_text() == "x = 1" and not (site.place / "second.py").exists()


def test_a_script_of_another_distribution_of_the_session_is_not_replaced(site):
    for name in ("first", "second"):
        make_wheel(site.links, name, modules={f"{name}.py": "def main(): pass\n"}, scripts={"go": f"{name}:main"})
    assert site.install("first")[0] == ["first-1.0"]
    assert "second 1.0 has another bin/go than first 1.0" in site.install("second")[1]["second"]


def test_what_nobody_imports_does_not_keep_two_distributions_apart(site):
    for name in ("first", "second"):
        make_wheel(site.links, name, modules={f"{name}.py": "", "tests/test_it.py": name, "LICENSE": name, "shared/__init__.py": "# same\n"})
        assert site.install(name)[0] == [f"{name}-1.0"]
    assert (site.place / "tests" / "test_it.py").read_text() == (site.place / "LICENSE").read_text() == "first", "the first stays"
    make_wheel(site.links, "second", "2.0")
    assert site.install("second==2.0")[0] == ["second-2.0"]
    assert (site.place / "shared" / "__init__.py").exists(), "it is of the first, too"


def test_a_variant_that_comes_along_is_satisfied_by_the_one_that_is_there(site):
    """As opencv-python by opencv-python-headless. Asked for by its name, it is refused."""
    make_wheel(site.links, "eyes-headless", modules={"eyes/__init__.py": "x = 'headless'\n"})
    make_wheel(site.links, "eyes", modules={"eyes/__init__.py": "x = 'windows'\n", "eyes/data.txt": "more"})
    make_wheel(site.links, "outer", requires=["eyes"])
    site.install("eyes-headless")
    assert "than eyes-headless 1.0" in site.install("eyes")[1]["eyes"]
    assert sorted(site.install("outer")[0]) == ["eyes-1.0", "outer-1.0"]
    assert site.run("import eyes, outer; print(eyes.x)") == "headless"


def test_a_requirement_for_another_machine_is_told_alone_and_left_out_beside_others(site):
    make_wheel(site.links, "thing")
    elsewhere = "thing; sys_platform == 'win32'"
    installed, refused = site.install(elsewhere)
    assert installed == [] and "not for this machine" in refused[elsewhere]
    assert site.install(elsewhere, "thing; python_version > '3'") == (["thing-1.0"], {})


def test_nothing_of_a_distribution_runs_while_it_or_another_is_installed(site):
    evidence = site.root / "ran"
    mine = f"open({str(evidence)!r}, 'w')\n"
    modules = {name: mine for name in ("thing.py", "keyring.py", "_manylinux.py", "usercustomize.py", "pip_hook.py")}
    modules["thing.pth"] = f"import sys; {mine}"
    make_wheel(site.links, "thing", modules=modules)
    make_wheel(site.links, "other")
    assert site.install("thing")[0] == ["thing-1.0"]
    assert site.install("other")[0] == ["other-1.0"]
    assert not evidence.exists()


def test_a_session_may_have_so_much_and_no_more(site):
    make_wheel(site.links, "large", modules={"large.py": "#" * 3_000_000})
    installed, refused = site.install("large", max_bytes=2_000_000)
    assert installed == [] and refused["large"] == "the packages of a session may have at most 2 MB together"
    assert list(site.place.iterdir()) == []


def test_so_many_at_a_time_and_no_more(site):
    make_wheel(site.links, "outer", requires=["inner"])
    make_wheel(site.links, "inner")
    assert "at most 1 are allowed" in site.install("outer", most=1)[1]["outer"]


def test_a_second_session_needs_no_index(site):
    """What was downloaded for the first is enough."""
    file = make_wheel(site.links, "thing")
    site.shared.joinpath(file.name).write_bytes(file.read_bytes())  # as downloaded
    file.unlink()
    second = Site(site.root, "second", site.shared)
    assert second.install("thing", links=str(site.root / "nothing-here")) == (["thing-1.0"], {})
    assert "Looking in links: " + str(site.shared) in second.log


@pytest.fixture
def index(site):
    made = PackageIndex(site.links)
    yield made
    made.close()


def test_nothing_is_downloaded_twice_for_one_session_or_two(site, index):
    make_wheel(site.links, "outer", requires=["inner"])
    make_wheel(site.links, "inner")
    assert sorted(site.install("outer", index=index.url)[0]) == ["inner-1.0", "outer-1.0"]
    assert sorted(index.files().values()) == [1, 1]
    index.asked.clear()
    second = Site(site.root, "second", site.shared)
    assert sorted(second.install("outer", index=index.url)[0]) == ["inner-1.0", "outer-1.0"]
    assert index.asked == {}, "not even its pages"


def test_only_what_is_installed_stays_of_what_was_looked_at(site, index):
    """pip looks at the newest version first."""
    make_wheel(site.links, "thing", "1.0")
    make_wheel(site.links, "thing", "2.0", requires=["requests<1"])
    assert site.install("thing", index=index.url) == (["thing-1.0"], {})
    assert index.files() == {"thing-1.0-py3-none-any.whl": 1, "thing-2.0-py3-none-any.whl": 1}
    assert [each.name for each in site.shared.iterdir()] == ["thing-1.0-py3-none-any.whl"]


def test_what_is_not_what_the_index_says_is_downloaded_anew(site, index):
    make_wheel(site.links, "thing")
    site.shared.joinpath("thing-1.0-py3-none-any.whl").write_bytes(b"something else")
    assert site.install("thing", index=index.url)[0] == ["thing-1.0"]
    assert index.files() == {"thing-1.0-py3-none-any.whl": 1} and site.run("import thing; print(thing.version)") == "1.0"


def test_what_was_downloaded_is_kept_for_a_day(tmp_path):
    old, new = make_wheel(tmp_path, "old"), make_wheel(tmp_path, "new")
    day_ago = time.time() - store.KEPT_S
    os.utime(old, (day_ago - 1, day_ago - 1))
    store.forget_old(str(tmp_path))
    assert not old.exists() and new.exists()


def test_the_oldest_downloads_go_when_there_is_no_room(tmp_path):
    files = [tmp_path / name for name in "abc"]
    for age, file in enumerate(files):
        file.write_bytes(b"x" * 100)
        os.utime(file, (1000 + age, 1000 + age))
    store.trim([str(tmp_path)], 250)
    assert [file.exists() for file in files] == [False, True, True]


def test_scripts_know_the_sessions_packages(site):
    make_wheel(site.links, "speaking", modules={"speaking.py": "def main(): print('spoken')\n"}, scripts={"speak": "speaking:main"})
    site.install("speaking")
    script = (site.place / "bin" / "speak").read_text()
    assert script.splitlines()[1] == "import sys; sys.path.append('/opt/cellgate/packages')"


def test_an_environment_without_pip_is_told(site, tmp_path):
    subprocess.run([str(INTERPRETER), "-m", "venv", "--without-pip", tmp_path / "bare"], check=True)
    refused = site.install("thing", python=tmp_path / "bare" / "bin" / "python")[1]
    assert "has no pip" in refused["thing"]


@pytest.mark.parametrize(
    "log, reason",
    [
        ("ERROR: Could not find a version that satisfies the requirement x (from versions: none)\n"
         "ERROR: No matching distribution found for x\n", "the package index has no wheel of x for this Python"),
        ("WARNING: Retrying (Retry(total=4)) after connection broken by 'NewConnectionError'\n"
         "ERROR: No matching distribution found for x\n", "the package index cannot be reached"),
        ("ERROR: HTTP error 403 while getting https://user:secret@index.example/x.whl\n", "the package index answers with HTTP 403"),
        ("WARNING: Retrying (Retry(total=4))\nERROR: cannot write /data/staging/1/x\n", "cannot write …/x"),
        ("", "pip failed without a reason"),
    ],
)
def test_reasons_are_short_and_hold_no_secret(log, reason):
    assert reasons.of_failure(log, "", {}, ["/data/staging/1"]).startswith(reason)


@pytest.mark.parametrize(
    "text",
    [
        "Looking in indexes: https://user:secret@index.example/simple\nERROR: index.example has nothing\n",
        "ERROR: x from http://10.1.2.3:3141/f/x.whl#sha256=00 (from -r https://index.example/)\n",
        "ERROR: HTTPConnectionPool(host='10.1.2.3', port=3141): what is this with url: /f/x.whl (by <pip._vendor.urllib3.connection.HTTPConnection object at 0x7f>)\n",
        "ERROR: nothing at 10.1.2.3:3141/f\n",
        "ERROR: nothing at index.example:3141\n",
        "ERROR: nothing at [fe80::1]:3141\n",
        "ERROR: not in /srv/wheels/x\n",
        "ERROR: x depends on file:///srv/wheels/x.whl\n",
        "ERROR: No matching distribution found for x@ https://index.example/3141\n",
    ],
)
def test_a_text_that_is_passed_on_names_no_address(text):
    secrets = reasons.addresses({"PIP_FIND_LINKS": "/srv/wheels", "HOME": "/home/x"})
    for told in (reasons.of_failure(text, "", {}, secrets), reasons.clean(text, {*secrets, "index.example"})):
        for part in ("secret", "index.example", "10.1.2.3", "3141", "fe80", "/srv/wheels", "/f"):
            assert part not in told, told


def answering(which, status, body=b"oops"):
    return lambda index: setattr(index, which, (status, body))


@pytest.mark.parametrize(
    "breaks, reason",
    [
        (lambda index: index.close(), "cannot be reached"),
        (answering("page", 500), "answers with HTTP 500"),
        (answering("page", 401), "answers with HTTP 401"),
        (answering("page", 403), "answers with HTTP 403"),
        (answering("page", 200, b"\xff\xfe\x00<a href=\xe9>"), "what the package index answers may not be its pages"),
        (answering("page", 404), "has no wheel of thing"),
        (answering("file", 500), "answers with HTTP 500"),
        (answering("file", 401), "answers with HTTP 401"),
        (answering("file", 200, b"something else"), "its hash differs"),
        (lambda index: index.is_silent.set(), "does not answer in time"),
    ],
    ids="closed page-500 page-401 page-403 garbage page-404 file-500 file-401 hash silent".split(),
)
def test_what_is_wrong_with_the_index_is_said_without_its_address(site, index, breaks, reason):
    make_wheel(site.links, "thing")
    breaks(index)
    url = index.url.replace("://", "://user:secret@")
    installed, refused = site.install("thing", index=url, PIP_RETRIES="1", PIP_DEFAULT_TIMEOUT="1")
    assert installed == [] and reason in refused["thing"], (refused, site.log)
    port = index.url.rpartition(":")[2].partition("/")[0]
    for part in ("secret", "127.0.0.1", port, "simple", "files", "localhost"):
        assert part not in refused["thing"]


def test_no_directory_of_the_host_is_left_in_what_was_installed(site):
    make_wheel(site.links, "thing")
    site.install("thing")
    texts = [path.read_text() for path in pathlib.Path(site.place).rglob("*") if path.is_file()]
    assert not any(str(site.root) in text for text in texts)
