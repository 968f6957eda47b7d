"""The user's IPython profile and PYTHONSTARTUP."""

import pathlib

import pytest


@pytest.fixture
def home(tmp_path):
    (tmp_path / ".ipython/profile_default/startup").mkdir(parents=True)
    return tmp_path


def _write(home, name, text):
    (pathlib.Path(home) / ".ipython/profile_default" / name).write_text(text)


@pytest.fixture
def start(zygote, home):
    children = []

    def start(**env):
        children.append(zygote.fork(HOME=str(home), **env))
        return children[-1]

    yield start
    for child in children:
        child.stop()


def test_startup_files_run_before_the_first_cell(home, start):
    _write(home, "startup/10.py", "made_at_start = 5")
    shell = start()
    assert shell.run("made_at_start").of("execute_result")[0]["execution_count"] == 1
    assert "made_at_start" not in shell.run("%who").text()


def test_configuration_reaches_the_shell_and_its_parts(home, start):
    _write(
        home,
        "ipython_config.py",
        "c.InteractiveShell.ast_node_interactivity = 'all'\n"
        "c.IPCompleter.use_jedi = False\n"
        "c.InteractiveShellApp.exec_lines = ['from_line = 1']\n",
    )
    shell = start()
    assert [r["data"]["text/plain"] for r in shell.run("1\n2").of("execute_result")] == ["1", "2"]
    assert shell.run("get_ipython().Completer.use_jedi, from_line").result == "(False, 1)"


def test_ipykernels_configuration_is_obeyed(home, start, tmp_path):
    (tmp_path / "run.py").write_text("from_file = 2")
    (tmp_path / "of_mine.py").write_text("def load_ipython_extension(shell): shell.push({'from_extension': 3})")
    _write(home, "ipython_config.py", "c.InteractiveShellApp.exec_lines = ['line_of_ipython = 1']")
    _write(
        home,
        "ipython_kernel_config.py",
        "c.IPKernelApp.exec_lines = ['from_line = 1']\n"
        f"c.InteractiveShellApp.exec_files = ['{tmp_path / 'run.py'}']\n"
        "c.InteractiveShellApp.extensions = ['of_mine']\n"
        "c.IPKernelApp.matplotlib = 'inline'\n"
        "c.InlineBackend.figure_formats = {'svg'}\n",
    )
    shell = start(working_dir=str(tmp_path))
    first = shell.run("from_line, from_file, from_extension")
    assert first.result == "(1, 2, 3)" and first.text("stderr") == ""
    assert shell.run("import sys; 'matplotlib' in sys.modules").result == "True"
    assert "image/svg+xml" in shell.run("import matplotlib.pyplot as p; p.plot([1]);").of("display_data")[0]["data"]
    assert shell.run("get_ipython().config.IPKernelApp.tqdm").result == "'cellgate'"


def test_errors_in_the_profile_do_not_keep_the_kernel_from_starting(home, start):
    _write(home, "ipython_config.py", "this is no Python")
    _write(home, "startup/10.py", "1/0")
    shell = start()
    assert shell.run("1").result == "1"


def test_a_session_may_have_no_history(home, start):
    _write(home, "ipython_config.py", "c.HistoryManager.enabled = False")
    shell = start()
    shell.run("1")
    assert shell.ask("history", '{"hist_access_type": "tail", "n": 5}') == {"status": "ok", "history": []}
    assert not (home / ".ipython/profile_default/history.sqlite").exists()


def test_pythonstartup_is_run(home, start, tmp_path):
    (tmp_path / "start.py").write_text("started = True")
    assert start(PYTHONSTARTUP=str(tmp_path / "start.py")).run("started").result == "True"
