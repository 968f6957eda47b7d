"""Two children of one process share nothing that they should not."""

import os

import pytest
from shell_client import Zygote


@pytest.fixture(scope="module")
def preloaded():
    made = Zygote("numpy.random", "uuid", "tempfile", "secrets", "multiprocessing.connection", "asyncio", "jedi")
    yield made
    made.stop()


@pytest.fixture
def two(preloaded):
    made = [preloaded.fork(OF=name) for name in "ab"]
    yield made
    for child in made:
        child.stop()


@pytest.mark.parametrize(
    "code",
    [
        "import random; random.random()",
        "import random; random.Random().random()",
        "import numpy; numpy.random.rand()",
        "import numpy; numpy.random.default_rng().random()",
        "import numpy; numpy.random.RandomState().rand()",
        "import uuid; uuid.uuid4()",
        "import uuid; uuid.uuid1()",
        "import tempfile; tempfile.mktemp()",
        "import tempfile; next(tempfile._get_candidate_names())",
        "import secrets; secrets.token_hex()",
        "import os; os.urandom(8)",
        "import ssl; ssl.RAND_bytes(8)",
        "import multiprocessing; bytes(multiprocessing.current_process().authkey)",
        "import multiprocessing.connection as c; c.arbitrary_address('AF_UNIX')",
        "from comm import create_comm; create_comm(target_name='x').comm_id",
        "from cellgate_shell.compiler import tmp_prefix; tmp_prefix()",
        "import os; os.getpid()",
    ],
)
def test_it_differs_between_children(two, code):
    first, second = (child.run(code).result for child in two)
    assert first != second


def test_the_environment_is_the_childs_alone(two):
    first, second = (child.run("import os; dict(os.environ)").result for child in two)
    assert "'OF': 'a'" in first and "'OF': 'b'" in second
    for shown in (first, second):
        assert "PYTEST" not in shown and "LOGNAME" not in shown


def test_a_childs_commands_have_its_environment(two):
    assert two[1].run("!echo $OF").text() == "b\n"


def test_the_working_directory_and_home_are_the_childs(two):
    for child in two:
        assert child.run("import os; (os.getcwd(), os.path.expanduser('~'))").result == repr((child.home, child.home))


def test_modules_of_the_working_directory_can_be_imported(two):
    with open(os.path.join(two[0].home, "of_mine.py"), "w") as file:
        file.write("x = 7")
    assert two[0].run("import of_mine; of_mine.x").result == "7"
    assert two[1].execute("import of_mine").reply["ename"] == "ModuleNotFoundError"


def test_the_loops_are_apart(two):
    two[0].run("import asyncio; l = asyncio.get_running_loop(); l.call_later(0.01, print, 'timer')")
    assert two[0].next("stream")["content"]["text"] == "timer"
    two[0].run("l.call_soon(l.stop)")
    assert two[1].run("import asyncio; await asyncio.sleep(0.001, 3)").result == "3"


def test_a_name_of_one_child_is_not_in_another(two):
    two[0].run("canary = 'of the first'")
    assert two[1].execute("canary").reply["ename"] == "NameError"


def test_places_under_home_are_the_childs(two):
    for child in two:
        assert child.home in child.run("import jedi; str(jedi.settings.cache_directory)").result
        assert child.home in child.run("get_ipython().profile_dir.location").result


def test_a_child_has_one_thread_until_a_cell_starts_one(two):
    assert two[0].run("import os, threading; [t.name for t in threading.enumerate()]").result == "['MainThread']"


def test_nothing_is_left_in_the_parent(two, preloaded):
    two[0].run("import os; os.environ['X'] = 'a canary of the first'")
    with open(f"/proc/{preloaded.process.pid}/environ") as environment:
        assert "canary" not in environment.read()
    third = preloaded.fork()
    assert third.run("import os; os.environ.get('X')").types == []
    third.stop()


def test_standard_input_is_the_childs(two):
    assert two[0].run("import sys; sys.stdin.fileno()").result == "0"


def test_processes_of_multiprocessing_work(two):
    code = (
        "import multiprocessing as m\n"
        "def f(x): print('in', x); return x * 2\n"
        "with m.get_context('fork').Pool(2) as pool: r = pool.map(f, [1, 2])\n"
        "r"
    )
    assert two[0].run(code).result == "[2, 4]"


def test_children_of_a_cell_can_be_waited_for(two):
    assert two[0].run("import subprocess; subprocess.run(['sh', '-c', 'exit 3']).returncode").result == "3"


def test_shutdown_runs_what_was_registered(preloaded, tmp_path):
    child = preloaded.fork()
    child.run(f"import atexit; atexit.register(lambda: open({str(tmp_path / 'ran')!r}, 'w').write('1'))")
    child.run("import threading, time; threading.Thread(target=lambda: (time.sleep(0.05), open("
              f"{str(tmp_path / 'thread')!r}, 'w').write('1'))).start()")  # fmt: skip
    child.close()
    child.next("ended")
    assert (tmp_path / "ran").exists() and (tmp_path / "thread").exists()
    child.stop()
