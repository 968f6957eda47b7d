"""Packages on demand through the whole gateway, in our kernel and in ipykernel, from a directory of small wheels."""

import json
import os
import socket
import subprocess
import sys
from contextlib import closing
from pathlib import Path

import pytest

from support.gateway import KERNELS, Gateway
from support.package_index import PackageIndex
from support.processes import marked
from support.waiting import Stopwatch, eventually
from support.wheels import make_wheel

KNOWN = "humanize"  # is in the table of well-known distributions, and not in the kernels' environment


@pytest.fixture
def links(tmp_path: Path) -> Path:
    """The package index: what a test puts here can be had."""
    directory = tmp_path / "links"
    make_wheel(directory, KNOWN)
    make_wheel(directory, "scikit-image", modules={"skimage/__init__.py": "version = 'ours'\n"}, requires=["tiny-helper"])
    make_wheel(directory, "tiny-helper", "3.1")
    make_wheel(directory, "little-known")
    return directory


@pytest.fixture
def start(start_gateway, links: Path):
    def begin(**settings: object) -> Gateway:
        return start_gateway(**{"packages__find_links": [links], **settings})

    return begin


@pytest.fixture(params=["cellgate", "ipykernel"])
def kernel(request) -> str:
    return request.param


def runs_pip(gateway: Gateway) -> bool:
    return bool(list(marked(f"PIP_CACHE_DIR={gateway.directory}/data/packages/pip")))


def site_of(gateway: Gateway) -> list[Path]:
    return list((gateway.directory / "data" / "sessions").glob("*/packages"))


def test_a_missing_import_is_installed_before_the_cell_runs(start, kernel: str) -> None:
    agent = start().agent()
    session = agent.start_session(kernel_name=kernel)["id"]
    cell = agent.execute(session, "print('first')\nimport skimage, tiny_helper\nprint(skimage.version, tiny_helper.version)")
    assert (cell["status"], cell["stdout"]) == ("ok", "first\nours 3.1\n"), cell
    assert cell["installed"] == [{"name": "scikit-image", "version": "1.0", "module": "skimage"},
                                 {"name": "tiny-helper", "version": "3.1"}]
    assert cell["stderr"].startswith("cellgate: installing scikit-image (for skimage)… ") and cell["stderr"].count("\n") == 1
    assert agent.execute(session, "import skimage")["installed"] == []
    notebook = agent.notebook(session)["cells"]
    assert [each["metadata"]["cellgate"]["installed"] for each in notebook] == [cell["installed"], []]


def test_a_second_session_is_given_what_was_downloaded_for_the_first(start_gateway, links: Path, kernel: str) -> None:
    with closing(PackageIndex(links)) as index:
        agent = start_gateway(packages__index_url=index.url).agent()
        sessions = [agent.start_session(kernel_name=kernel)["id"] for _ in range(2)]
        first = agent.execute(sessions[0], "import skimage")
        assert len(first["installed"]) == 2 and sorted(index.files().values()) == [1, 1], first
        index.asked.clear()
        assert agent.execute(sessions[1], "import skimage")["installed"] == first["installed"]
        assert index.asked == {}


def test_a_second_session_sees_nothing_of_the_first(start) -> None:
    agent = start().agent()
    first, second = (agent.start_session()["id"] for _ in range(2))
    assert agent.execute(first, f"import {KNOWN}")["status"] == "ok"
    seen = agent.execute(second, "import importlib.util, os\n"
                                 f"print(importlib.util.find_spec('{KNOWN}'), os.listdir('/opt/cellgate/packages'))")
    assert seen["stdout"] == "None []\n"


def test_what_is_not_allowed_is_not_installed_and_said_when_its_import_fails(start, kernel: str) -> None:
    agent = start().agent()
    session = agent.start_session(kernel_name=kernel)["id"]
    cell = agent.execute(session, "print('before')\nimport little_known")
    assert (cell["status"], cell["stdout"], cell["installed"]) == ("error", "before\n", [])
    assert cell["error"]["ename"] == "ModuleNotFoundError"
    assert cell["stderr"] == ("cellgate: little_known was not installed: little-known is not among the packages that this "
                              "gateway installs (packages.allow)\n")


@pytest.mark.parametrize("allow", [["*"], ["Little.Known"]])
def test_the_configuration_says_what_is_allowed(start, allow: list[str]) -> None:
    agent = start(packages__allow=allow).agent()
    cell = agent.execute(agent.start_session()["id"], "import little_known; print(little_known.version)")
    assert (cell["status"], cell["stdout"], cell["stderr"]) == ("ok", "1.0\n", "cellgate: installed little-known-1.0\n"), cell


def test_a_name_of_the_environment_is_never_replaced_and_that_is_said(start, links: Path) -> None:
    make_wheel(links, KNOWN, "2.0", requires=["numpy<1"])
    agent = start().agent()
    session = agent.start_session()["id"]
    cell = agent.execute(session, f"%pip install {KNOWN}==2.0 numpy==0.9\nimport numpy; print(numpy.__version__ != '0.9')")
    assert cell["stdout"] == "True\n" and cell["installed"] == []
    assert "is part of the environment and stays" in cell["stderr"] and "numpy<1" in cell["stderr"]


def test_an_index_that_does_not_answer_is_given_up_at_the_deadline(start_gateway) -> None:
    with socket.create_server(("127.0.0.1", 0)) as silent:
        url = f"http://user:the-password@127.0.0.1:{silent.getsockname()[1]}/simple"
        gateway = start_gateway(packages__index_url=url, packages__deadline_s=3)
        agent = gateway.agent()
        watch = Stopwatch()
        cell = agent.execute(agent.start_session()["id"], f"import {KNOWN}")
        assert cell["status"] == "error" and "packages.deadline_s" in cell["stderr"] and watch.seconds < 60
        assert "the-password" not in json.dumps(cell) + "".join(gateway.log)
        assert not list((gateway.directory / "data" / "packages" / "staging").iterdir())
        assert not runs_pip(gateway)


def test_an_interrupted_cell_ends_pip(start_gateway) -> None:
    with socket.create_server(("127.0.0.1", 0)) as silent:
        gateway = start_gateway(packages__index_url=f"http://127.0.0.1:{silent.getsockname()[1]}/simple")
        agent = gateway.agent()
        session = agent.start_session()["id"]
        with agent.connect(session) as socket_of_agent:
            cell = socket_of_agent.call("execute", code=f"import {KNOWN}")["cell_id"]
            silent.accept()  # pip asks
            socket_of_agent.call("interrupt")
            ended = socket_of_agent.wait_for(lambda each: each["method"] == "cell_finished" and each["cell_id"] == cell)
        assert ended["status"] == "interrupted"
        staging = gateway.directory / "data" / "packages" / "staging"
        eventually(lambda: not list(staging.iterdir()) and not runs_pip(gateway), 30, "pip ends")


def test_pip_install_goes_the_same_way(start, kernel: str) -> None:
    agent = start().agent()
    session = agent.start_session(kernel_name=kernel)["id"]
    cell = agent.execute(session, f"%pip install -q {KNOWN}\nimport {KNOWN}; print({KNOWN}.version)")
    assert cell["stdout"] == f"Successfully installed {KNOWN}-1.0\n1.0\n", cell
    assert cell["installed"] == [{"name": KNOWN, "version": "1.0"}]
    refused = agent.execute(session, "%pip install little-known git+https://somewhere/x.git")
    assert refused["status"] == "ok" and "packages.allow" in refused["stderr"] and "does not begin with" not in refused["stdout"]
    assert agent.execute(session, f"%pip list --format=json | grep {KNOWN}")["status"] == "ok"


@pytest.mark.parametrize("command", [
    f"!pip install {KNOWN}==1.0 2>&1 | tail -1",
    f"!pip install -q {KNOWN}==1.0 && echo",
    f"import sys\n!{{sys.executable}} -m pip install {KNOWN}==1.0",
    f"x = !pip3 install {KNOWN}==1.0",
    f"import subprocess, sys\nsubprocess.check_call([sys.executable, '-m', 'pip', 'install', '-q', '{KNOWN}==1.0'])",
    f"if True:\n    %pip install {KNOWN}==1.0",
])
def test_a_cell_gets_the_version_that_it_installs_itself(start, links: Path, kernel: str, command: str) -> None:
    make_wheel(links, KNOWN, "2.0")
    agent = start().agent()
    for install in (True, False):  # as the import says, or pip alone
        session = agent.start_session(kernel_name=kernel, install=install)["id"]
        cell = agent.execute(session, f"{command}\nimport {KNOWN}; print({KNOWN}.version)")
        assert cell["status"] == "ok" and cell["stdout"].splitlines()[-1] == "1.0", cell
        assert [(each["name"], each["version"]) for each in cell["installed"]] == [(KNOWN, "1.0")]
        assert "Read-only" not in json.dumps(cell)
        agent.end_session(session)


def test_a_shell_script_uses_what_it_installs(start, links: Path, kernel: str) -> None:
    make_wheel(links, "speaking", modules={"speaking.py": "def main(): print('spoken')\n"}, scripts={"speak-up": "speaking:main"})
    agent = start(packages__allow="*").agent()
    session = agent.start_session(kernel_name=kernel)["id"]
    cell = agent.execute(session, f"%%bash\npip install -q speaking {KNOWN}\nspeak-up\npython -c 'import {KNOWN}; print({KNOWN}.version)'")
    assert (cell["status"], cell["stdout"]) == ("ok", "spoken\n1.0\n"), cell
    assert len(cell["installed"]) == 2


PROGRAM = f"""
import json, os, sys
try:
    import {KNOWN}
    found = {KNOWN}.__file__
except ModuleNotFoundError:
    found = None
print(json.dumps([found, sys.path[-1], [each for each in sys.path if "cellgate" in each]]))
"""


def test_programs_of_a_cell_see_what_is_installed(start, links: Path, kernel: str) -> None:
    make_wheel(links, "speaking", modules={"speaking.py": "def main(): print('spoken')\n"}, scripts={"speak-up": "speaking:main"})
    agent = start(packages__allow="*").agent()
    session = agent.start_session(kernel_name=kernel)["id"]

    def printed(code: str) -> str:
        cell = agent.execute(session, code)
        assert cell["status"] == "ok", cell
        return cell["stdout"].replace("\r\n", "\n")

    printed(f"open('x.py', 'w').write({PROGRAM!r})")
    program = "import subprocess, sys; print(subprocess.run([sys.executable, 'x.py'], capture_output=True, text=True).stdout)"
    for code in ("!python x.py", program):
        assert json.loads(printed(code))[::2] == [None, []], "before"
    printed(f"%pip install {KNOWN} speaking")
    place = "/opt/cellgate/packages"
    for _ in range(2):
        for code in ("!python x.py", "!bash -c 'python x.py'", program):
            assert json.loads(printed(code)) == [f"{place}/{KNOWN}.py", place, [place]], code
        assert json.loads(printed("!python -I x.py"))[::2] == [None, []]
        assert json.loads(printed("!python -m venv --without-pip other; other/bin/python x.py"))[::2] == [None, []]
        listed = json.loads(printed("!pip list --format=json --disable-pip-version-check"))
        assert {"name": KNOWN, "version": "1.0"} in listed and any(each["name"] == "numpy" for each in listed)
        assert printed("!speak-up") == "spoken\n"
        agent.call("POST", f"/sessions/{session}/restart", 200)


def test_programs_keep_the_sessions_own_pythonpath_and_customization(start) -> None:
    agent = start().agent()
    session = agent.start_session(env={"PYTHONPATH": "/home/user/mine"})["id"]
    agent.execute(session, "import os; os.mkdir('mine'); open('mine/sitecustomize.py', 'w').write('import sys; sys.mine = 5')")
    agent.execute(session, f"import {KNOWN}")
    cell = agent.execute(session, f"!python -c 'import sys, {KNOWN}; print(sys.mine, sys.path[1], sys.modules[\"sitecustomize\"].__file__)'")
    assert cell["stdout"].strip() == "5 /home/user/mine /home/user/mine/sitecustomize.py", cell


def test_what_is_installed_outlives_the_kernel_but_not_the_session(start) -> None:
    gateway = start()
    agent = gateway.agent()
    session = agent.start_session()["id"]
    agent.execute(session, f"import {KNOWN}")
    agent.call("POST", f"/sessions/{session}/restart", 200)
    cell = agent.execute(session, f"import {KNOWN}; print({KNOWN}.__file__)")
    assert cell["stdout"] == f"/opt/cellgate/packages/{KNOWN}.py\n" and cell["installed"] == []
    assert any((place / f"{KNOWN}.py").exists() for place in site_of(gateway))
    agent.end_session(session)
    assert not any((place / f"{KNOWN}.py").exists() for place in site_of(gateway))


def test_a_session_cannot_write_where_its_packages_are(start) -> None:
    agent = start().agent()
    cell = agent.execute(agent.start_session()["id"], "open('/opt/cellgate/packages/x', 'w')")
    assert cell["error"]["ename"] == "OSError" and "Read-only" in cell["error"]["evalue"]


def test_jupyters_cells_install_nothing_unless_configured(start) -> None:
    code = f"import {KNOWN}"
    for allowed, status in ((False, "error"), (True, "ok")):
        jupyter = start(packages__jupyter=allowed).jupyter()
        with jupyter.connect(jupyter.start_kernel()) as channels:
            assert channels.run(code).reply["content"]["status"] == status


def imports(agent, session: str, **params: object) -> bool:
    """Whether a cell that imports KNOWN, which nobody installed before, has it installed."""
    cell = agent.execute(session, f"import {KNOWN}", **params)
    assert bool(cell["installed"]) == (cell["status"] == "ok"), cell
    return cell["status"] == "ok"


def test_a_cell_or_else_its_session_says_whether_to_install(start, kernel: str) -> None:
    agent = start().agent()
    yes, no = {"install": True}, {"install": False}
    for of_session, of_cell, done in (({}, {}, True), ({}, no, False), (no, {}, False), (no, yes, True)):
        session = agent.start_session(kernel_name=kernel, **of_session)
        assert session["install"] is of_session.get("install", True) and session["jupyter_install"] is False
        assert imports(agent, session["id"], **of_cell) is done


def test_the_socket_says_it_too(start) -> None:
    agent = start(packages__agents=False).agent()
    session = agent.start_session()
    assert session["install"] is False
    with agent.connect(session["id"]) as socket_of_agent:
        assert socket_of_agent.run(f"import {KNOWN}")["status"] == "error"
        assert socket_of_agent.run(f"import {KNOWN}", install=True)["installed"][0]["name"] == KNOWN


def test_people_install_nothing_in_a_session_made_without(start, kernel: str) -> None:
    gateway = start(packages__jupyter=True)
    jupyter, agent = gateway.jupyter(), gateway.agent()
    for of_session, status in (({"install": False}, "error"), ({}, "ok")):
        session = agent.start_session(kernel_name=kernel, **of_session)
        assert session["jupyter_install"] is (status == "ok")
        with jupyter.connect(jupyter.start_kernel(f"attach-{session['id']}")) as channels:
            assert channels.run(f"import {KNOWN}").reply["content"]["status"] == status


def test_any_other_wish_is_refused(start) -> None:
    agent = start().agent()
    session = agent.start_session()["id"]
    for wrong in (1, "true", "report"):
        for path, body in (("/sessions", {}), (f"/sessions/{session}/execute", {"code": "1"})):
            error = agent.call("POST", path, 400, json={**body, "install": wrong}).json()["error"]
            assert (error["code"], error["message"]) == ("invalid_request", "install must be true or false")


def test_verbatim_is_about_corrections_alone(start, kernel: str) -> None:
    agent = start().agent()
    session = agent.start_session(kernel_name=kernel)["id"]
    code = f"%%verbatim\nimport {KNOWN}"
    assert agent.execute(session, code, install=False)["status"] == "error"
    assert agent.execute(session, code)["installed"][0]["name"] == KNOWN


def test_agents_cells_install_nothing_where_that_is_configured(start) -> None:
    agent = start(packages__agents=False).agent()
    session = agent.start_session()["id"]
    cell = agent.execute(session, f"import {KNOWN}")
    assert cell["status"] == "error" and cell["stderr"] == "" and cell["installed"] == []
    assert agent.execute(session, f"%pip install {KNOWN}")["installed"] != []


def test_a_missing_module_that_a_program_does_without_stays_away(start) -> None:
    agent = start().agent()
    cell = agent.execute(agent.start_session()["id"],
                         f"try:\n    import {KNOWN}\nexcept ImportError:\n    {KNOWN} = None\nprint({KNOWN})")
    assert cell["stdout"] == "None\n" and cell["installed"] == []


def test_a_module_that_the_cell_writes_itself_is_not_asked_for(start) -> None:
    agent = start(packages__allow="*").agent()
    code = "open('little_known.py', 'w').write('version = 5')\nimport little_known; print(little_known.version)"
    cell = agent.execute(agent.start_session()["id"], code)
    assert (cell["stdout"], cell["stderr"], cell["installed"]) == ("5\n", "", [])


def _has_index() -> bool:
    """Whether pip reaches a package index from here: then that is used, else the same is shown with wheels."""
    asked = [KERNELS / "bin" / "python", "-m", "pip", "index", "versions", "--retries", "0", KNOWN]
    try:
        return subprocess.run(asked, capture_output=True, timeout=60).returncode == 0
    except subprocess.TimeoutExpired:
        return False


def test_the_index_of_this_machine(start_gateway, links: Path) -> None:
    """From the index that pip is configured for here; where there is none, from the directory of wheels."""
    variables = {name: value for name, value in os.environ.items() if name.startswith("PIP_")}
    settings = {} if _has_index() else {"packages__find_links": [links]}
    gateway = start_gateway(environment=variables, **settings)
    agent = gateway.agent()
    seconds = []
    for _ in range(2):
        watch = Stopwatch()
        cell = agent.execute(agent.start_session()["id"], f"import {KNOWN}")
        seconds.append(watch.seconds)
        assert cell["status"] == "ok" and cell["installed"][0]["name"] == KNOWN, cell
    print(f"from {'wheels' if settings else 'an index'}: {seconds[0]:.1f} s, then {seconds[1]:.1f} s", file=sys.stderr)
