"""Packages on demand in real shells, ours and ipykernel's: what is asked of the gateway, and what the cell's reader sees."""

import json
import os
import signal
import threading

import pytest
from real_kernel import Kernel

INSTALLS = {"cellgate": {"install": True}}
DOES_NOT = {"cellgate": {"install": False}}


class Installing:
    """A kernel, and a gateway that installs by writing files into the kernel's site directory."""

    def __init__(self, helper_socket, directory):
        self.socket = helper_socket
        self.directory = directory
        self.modules = {}  # that can be had: name → source
        helper_socket.answer = self._answer

    def _answer(self, request):
        installed, refused = [], []
        for wanted in request.get("modules", [{"module": name} for name in request.get("requirements", ())]):
            name = wanted["module"]
            if name in self.modules:
                (self.directory / f"{name}.py").write_text(self.modules[name])
                installed.append({"name": wanted.get("distribution", name), "version": "1.0", "module": name})
            else:
                refused.append({"module": name, "reason": f"{name} is not to be had"})
        return 200, {"installed": installed, "refused": refused}

    @property
    def asked(self):
        return self.socket.requests

    def prepare(self, install_by_default):
        settings = {"helper_key": "the-key", "socket": self.socket.path, "install": install_by_default}
        self.run(
            "import cellgate_kernel, cellgate_kernel.packages.site_directory as place\n"
            f"place.PLACE = {str(self.directory)!r}\n"
            f"cellgate_kernel.install({settings!r})\n"
        )


class InIpykernel(Installing):
    def __init__(self, helper_socket, directory, kernel, install_by_default):
        super().__init__(helper_socket, directory)
        self._kernel = kernel
        kernel.inject(helper_socket.path)
        self._forget_other_tests()
        self.prepare(install_by_default)

    def _forget_other_tests(self):
        tests = str(self.directory.parents[1])
        self.run(
            "import sys\n"
            f"for name in [name for name, it in sys.modules.items() if {tests!r} in str(getattr(it, '__file__', ''))]:\n"
            "    del sys.modules[name]\n"
            f"sys.path[:] = [path for path in sys.path if not path.startswith({tests!r})]\n"
            "get_ipython()._cellgate_installer._lookup.forget()"
        )

    def interrupt(self):
        os.kill(self._kernel.manager.provisioner.pid, signal.SIGINT)

    def run(self, code, metadata=None):
        """(status, stdout, stderr) of a cell."""
        self.msg_id = self._kernel.send(code, metadata=metadata)
        reply, messages = self._kernel.finish(self.msg_id)
        streams = [each["content"] for each in messages if each["msg_type"] == "stream"]
        texts = ["".join(each["text"] for each in streams if each["name"] == name) for name in ("stdout", "stderr")]
        return (reply.get("ename") or reply["status"], *texts)


class InOurs(Installing):
    def __init__(self, helper_socket, directory, shell, install_by_default):
        super().__init__(helper_socket, directory)
        self._shell = shell
        self.interrupt = shell.interrupt
        self.prepare(install_by_default)

    def run(self, code, metadata=None):
        self.msg_id = self._shell.start(code, metadata=metadata)
        cell = self._shell.finish(self.msg_id)
        return cell.reply.get("ename") or cell.reply["status"], cell.text(), cell.text("stderr")


@pytest.fixture(scope="module")
def shared_ipykernel():
    """One for all tests: each brings a site directory and modules of its own."""
    made = Kernel()
    yield made
    made.stop()


@pytest.fixture(params=["cellgate", "ipykernel"])
def start(request, helper_socket, tmp_path):
    directory = tmp_path / "site"
    directory.mkdir()

    def make(install_by_default=False):
        if request.param == "cellgate":
            return InOurs(helper_socket, directory, request.getfixturevalue("shell"), install_by_default)
        return InIpykernel(helper_socket, directory, request.getfixturevalue("shared_ipykernel"), install_by_default)

    return make


@pytest.fixture
def session(start):
    return start()


def test_a_missing_import_is_installed_before_the_cell_runs(session):
    session.modules["wanted"] = "print('imported')"
    status, out, _ = session.run("print('first')\nimport wanted", INSTALLS)
    assert (status, out) == ("ok", "first\nimported\n")
    assert session.asked == [{"parent": session.msg_id, "modules": [{"module": "wanted"}]}]
    assert session.socket.paths[-1] == "/v1/packages"


def test_what_is_known_is_asked_for_by_its_distribution_and_told_in_a_line(session):
    session.modules["skimage"] = ""
    status, _, err = session.run("import skimage", INSTALLS)
    assert status == "ok"
    assert session.asked[0]["modules"] == [{"module": "skimage", "distribution": "scikit-image"}]
    assert err.startswith("cellgate: installing scikit-image (for skimage)… ") and err.endswith(" s\n")
    assert err.count("\n") == 1


def test_an_import_in_a_function_is_installed_too(session):
    session.modules["inside"] = "x = 5"
    assert session.run("def f():\n    from inside import x\n    return x\nprint(f())", INSTALLS)[:2] == ("ok", "5\n")


def test_one_request_has_all_that_a_cell_lacks(session):
    session.modules |= {"one": "", "two": ""}
    assert session.run("import one, os\nfrom two import *", INSTALLS)[0] == "ok"
    assert [each["module"] for each in session.asked[0]["modules"]] == ["one", "two"]


def test_an_import_that_cannot_be_had_fails_as_python_says_and_then_why(session):
    status, out, err = session.run("print('before')\nimport nowhere", INSTALLS)
    assert (status, out) == ("ModuleNotFoundError", "before\n")
    assert err == "cellgate: nowhere was not installed: nowhere is not to be had\n"


def test_a_known_one_that_cannot_be_had_is_told_at_once(session):
    status, _, err = session.run("import skimage", INSTALLS)
    assert status == "ModuleNotFoundError"
    assert "installing scikit-image (for skimage)… failed after" in err and err.endswith("skimage is not to be had\n")


def test_a_gateway_that_refuses_is_told_in_its_words(session):
    session.socket.answer = lambda request: (503, {"error": {"message": "no pip today"}})
    assert session.run("import skimage", INSTALLS)[0] == "ModuleNotFoundError"
    assert "no pip today" in session.run("import skimage", INSTALLS)[2]


def test_a_gateway_that_is_gone_leaves_the_cell_as_it_is(session):
    session.socket.answer = lambda request: (200, b"not json")
    status, out, err = session.run("print(1)\nimport skimage", INSTALLS)
    assert (status, out) == ("ModuleNotFoundError", "1\n") and "not JSON" in err


def test_a_cell_may_say_that_nothing_is_installed(start):
    session = start(install_by_default=True)
    assert session.run("import nowhere", DOES_NOT)[0] == "ModuleNotFoundError"
    assert session.asked == []


def test_a_cell_that_says_nothing_follows_the_sessions_rule(start):
    session = start(install_by_default=True)
    session.modules["wanted"] = ""
    assert session.run("import wanted")[0] == "ok"
    assert len(session.asked) == 1


def test_by_default_nothing_is_installed(session):
    assert session.run("import nowhere")[0] == "ModuleNotFoundError"
    assert session.asked == []


def test_what_is_installed_hides_nothing_that_was_there(session):
    session.modules |= {"json": "x = 'theirs'", "wanted": ""}
    session.run("import wanted", INSTALLS)
    (session.directory / "json.py").write_text("x = 'theirs'")
    (session.directory / "colorsys.py").write_text("x = 'theirs'")
    status, out, _ = session.run("import colorsys, json; print(hasattr(colorsys, 'x'), hasattr(json, 'x'))")
    assert (status, out) == ("ok", "False False\n")


def test_path_files_of_what_is_installed_count(session):
    (session.directory / "inner").mkdir()
    (session.directory / "inner" / "deep.py").write_text("x = 7")
    (session.directory / "a.pth").write_text("inner\n")
    session.modules["wanted"] = ""
    assert session.run("import wanted, deep; print(deep.x)", INSTALLS)[:2] == ("ok", "7\n")


def test_an_interrupt_ends_the_wait(session):
    reached, release = threading.Event(), threading.Event()

    def hang(request):
        reached.set()
        release.wait(30)
        return 200, {}

    session.socket.answer = hang
    threading.Thread(target=lambda: (reached.wait(20), session.interrupt())).start()
    status, out, _ = session.run("print('never')\nimport skimage", INSTALLS)
    release.set()
    assert (status, out) == ("KeyboardInterrupt", "")


def test_pip_install_asks_the_gateway(session):
    session.modules["wanted"] = ""
    status, out, _ = session.run("%pip install -q --upgrade wanted\nimport wanted")
    assert (status, out) == ("ok", "Successfully installed wanted-1.0\n")
    assert session.asked == [{"parent": session.msg_id, "requirements": ["wanted"], "upgrade": True}]


def test_pip_install_reads_a_file_of_requirements(session, tmp_path):
    (tmp_path / "r.txt").write_text("# two\none==1.0  # the first\n\ntwo>=2 ; python_version > '3'\n")
    session.run(f"%pip install -r {tmp_path}/r.txt three")
    assert session.asked[0]["requirements"] == ["one==1.0", "two>=2 ; python_version > '3'", "three"]


@pytest.mark.parametrize(
    "line, word",
    [
        ("install", "needs names"),
        ("install -i https://x wanted", "configuration"),
        ("install -e .", "cannot be used here"),
        ("install --target /tmp wanted", "cannot be used here"),
        ("install 'wanted", "cannot be read"),
        ("install -r /no/such/file", "cannot be read"),
        ("uninstall -y wanted", "nothing was uninstalled"),
    ],
)
def test_what_pip_cannot_do_here_is_said(session, line, word):
    status, out, err = session.run("%pip " + line)
    assert (status, out) == ("ok", "") and word in err
    assert session.asked == []


def test_pip_lists_what_the_session_has(session):
    session.modules["of-the-session"] = ""
    session.run("%pip install of-the-session")
    info = session.directory / "of_the_session-3.1.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: of-the-session\nVersion: 3.1\n")
    _, out, _ = session.run("%pip list --format json --disable-pip-version-check")
    listed = {each["name"]: each["version"] for each in json.loads(out[out.index("["): out.rindex("]") + 1])}
    assert listed["of-the-session"] == "3.1" and "ipykernel" in listed
    assert len(session.asked) == 1, "to install"


def test_an_import_waits_for_the_pip_of_its_own_cell(session):
    """`%pip install wanted==1.0` says which one is wanted; what it leaves out is installed after it."""
    session.modules |= {"wanted": "", "another": ""}
    status, _, _ = session.run("%pip install wanted\nimport wanted, another", INSTALLS)
    assert status == "ok"
    assert [list(each)[1] for each in session.asked] == ["requirements", "modules"]
    assert session.asked[1]["modules"] == [{"module": "another"}]


@pytest.mark.parametrize("command", ["pip install wanted", "pip3 install -q wanted > /dev/null 2>&1", "python -m pip install 'wanted'"])
def test_pip_in_the_shell_is_the_same(session, command):
    session.modules["wanted"] = ""
    status, out, _ = session.run(f"!{command}\nimport wanted")
    assert (status, out) == ("ok", "Successfully installed wanted-1.0\n")


@pytest.mark.parametrize("command", ["echo pip install wanted", "pip --version", "true || pip install wanted; true"])
def test_other_commands_of_the_shell_are_left_alone(session, command):
    session.run(f"!{command}")
    assert session.asked == []


@pytest.mark.parametrize(
    "code",
    [
        "try:\n    import skimage\nexcept ImportError:\n    import subprocess\n    subprocess.call(['true', 'pip', 'install', 'scikit-image==0.1'])",
        "!true pip install scikit-image==0.1 2>&1 | tail -1\nimport skimage",
        "x = !true pip install scikit-image==0.1\nimport skimage",
        "if False:\n    %pip install scikit-image==0.1\nimport skimage",
    ],
)
def test_an_import_gets_the_version_that_its_cell_asks_pip_for(session, code):
    session.modules["skimage"] = ""
    status, _, err = session.run(code, INSTALLS)
    assert status == "ok" and "installing scikit-image==0.1 (for skimage)" in err
    assert session.asked[0]["modules"] == [{"module": "skimage", "distribution": "scikit-image==0.1"}]


def test_an_import_whose_version_only_the_program_knows_is_left_to_it(session):
    status, _, err = session.run("v = '0.1'\n!true pip install scikit-image=={v}\nimport skimage", INSTALLS)
    assert status == "ModuleNotFoundError" and session.asked == []
    assert "skimage was not installed: the version of scikit-image is not written in the cell" in err


@pytest.mark.parametrize(
    "command",
    [
        "!{sys.executable} -m pip install -q wanted 2>&1 | cat",
        "!{sys.executable} -m pip install wanted && echo",
        "x = !{sys.executable} -m pip install wanted",
        "subprocess.check_call([sys.executable, '-m', 'pip', 'install', '-qU', 'wanted'])",
        "subprocess.check_call([sys.executable, '-m', 'pip', '-q', 'install', 'wanted', '--user'])",
        "subprocess.check_call([os.path.dirname(sys.executable) + '/pip', 'install', 'wanted'], stdout=subprocess.DEVNULL)",
    ],
)
def test_pip_as_a_program_asks_the_gateway(session, command):
    session.modules["wanted"] = ""
    status, out, err = session.run(f"import os, subprocess, sys\n{command}\nimport wanted")
    assert status == "ok", (out, err)
    assert [each["requirements"] for each in session.asked] == [["wanted"]]
    assert session.asked[0]["parent"] == session.msg_id and "Read-only" not in out + err


def test_pip_as_a_program_fails_as_pip_does(session):
    code = "import subprocess, sys\ndone = subprocess.run([sys.executable, '-m', 'pip', 'install', *words], capture_output=True, text=True)\nprint(done.returncode, done.stdout, done.stderr)"
    assert "1  cellgate: not installed: nowhere is not to be had" in session.run(f"words = ['nowhere']\n{code}")[1]
    assert "1  cellgate: nothing was installed: where packages come from" in session.run(f"words = ['-i', 'http://x', 'a']\n{code}")[1]
    assert "0 Usage:" in session.run(f"words = ['--help']\n{code}")[1].replace("\n", "", 1), "which is pip's own affair"
    session.run("import subprocess, sys\nsubprocess.run([sys.executable, '-m', 'pip', 'uninstall', '-y', 'nowhere'])")
    assert len(session.asked) == 1


def test_a_program_of_a_name_like_pip_is_left_alone(session, tmp_path):
    (tmp_path / "pip").write_text("print('mine')")
    code = f"import subprocess, sys\nprint(subprocess.run([sys.executable, {str(tmp_path / 'pip')!r}, 'install', 'x'], capture_output=True, text=True).stdout)"
    assert session.run(code)[1] == "mine\n\n" and session.asked == []


def test_files_of_requirements_may_be_written_as_pips(session, tmp_path):
    (tmp_path / "inner").mkdir()
    (tmp_path / "inner" / "more.txt").write_text("three\n-r ../r.txt\n")
    (tmp_path / "r.txt").write_bytes(b"\xef\xbb\xbfone==1.0 \\\r\n  ; python_version > '3'\r\n# no \\\r\ntwo # x\r\n-r inner/more.txt\r\n")
    session.run(f"%pip install -qU -r{tmp_path}/r.txt")
    assert session.asked[0]["requirements"] == ["one==1.0    ; python_version > '3'", "two", "three"]
    assert session.asked[0]["upgrade"] is True
    (tmp_path / "r.txt").write_text("one\n-f places\n")
    assert "is set in the gateway's configuration; leave -f out" in session.run(f"%pip install -r {tmp_path}/r.txt")[2]


def test_previews_may_be_asked_for(session):
    session.run("%pip install --pre one 'two[a]<3' \"three; python_version > '3'\"")
    assert session.asked[0]["requirements"] == ["one>=0.dev0", "two[a]<3,>=0.dev0", "three>=0.dev0; python_version > '3'"]
