"""What install_kernelspec.py writes, and which modules it lets a fork server import."""

import importlib.util
import json
import subprocess
import sys
from pathlib import Path

import pytest

SCRIPT = Path(__file__).resolve().parents[3] / "kernel" / "environment" / "install_kernelspec.py"
FORGETFUL = """
import os, threading
released = threading.Event()
worker = threading.Thread(target=released.wait, daemon=True)
def end():
    released.set()
    worker.join()
worker.start()
os.register_at_fork(before=end)
"""
MODULES = {
    "plain": "",
    "failing": "raise RuntimeError('no such device')",
    "threaded": "import threading\nthreading.Thread(target=threading.Event().wait, daemon=True).start()",
    "forgetful": FORGETFUL,  # as OpenBLAS: it ends its threads before a fork
}


@pytest.fixture
def script(tmp_path, monkeypatch):
    for name, text in MODULES.items():
        (tmp_path / f"{name}.py").write_text(text)
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))
    monkeypatch.syspath_prepend(str(tmp_path))
    spec = importlib.util.spec_from_file_location("install_kernelspec", SCRIPT)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_comments_and_empty_lines_are_no_modules(script):
    assert script.listed("# why\n\nnumpy\n  pandas # because\n") == ["numpy", "pandas"]


def test_what_is_not_installed_is_left_out_in_silence(script, capsys):
    assert script.choose_preload(["plain", "no_such_module.at_all", "json"]) == ["plain", "json"]
    assert capsys.readouterr().err == ""


@pytest.mark.parametrize("module, reason", [
    ("threaded", "it starts a thread when it is imported"),
    ("failing", "it cannot be imported (RuntimeError: no such device)"),
])
def test_what_a_fork_would_not_survive_is_left_out_with_the_reason(script, capsys, module, reason):
    assert script.choose_preload(["plain", module, "json"]) == ["plain", "json"]
    assert capsys.readouterr().err == f"{module} is not preloaded: {reason}\n"


def test_a_thread_that_ends_before_a_fork_does_not_count(script):
    assert script.choose_preload(["forgetful"]) == ["forgetful"]


def test_an_environment_that_cannot_run_the_kernel_gets_no_kernelspec(tmp_path):
    # Without site-packages, as in a fresh environment.
    done = subprocess.run([sys.executable, "-S", SCRIPT, "--into", tmp_path], text=True, capture_output=True)
    assert done.returncode == 1
    assert done.stderr == ("the kernel needs what this environment lacks: "
                           f"{sys.executable} -m pip install ipython comm\n")
    assert list(tmp_path.iterdir()) == []


def test_only_what_is_lacking_is_to_be_installed(script, monkeypatch):
    monkeypatch.setattr(script, "is_installed", lambda module: module != "comm")
    with pytest.raises(SystemExit, match="pip install comm$"):
        script.check_needed()


def test_the_kernelspec_names_its_environment_and_what_a_fork_server_imports(tmp_path):
    subprocess.run([sys.executable, SCRIPT, "--name", "mine", "--display-name", "Mine", "--program", "/opt/kernel",
                    "--into", tmp_path], check=True)
    directory = tmp_path / "share" / "jupyter" / "kernels" / "mine"
    spec = json.loads((directory / "kernel.json").read_text())
    assert spec["argv"] == ["/opt/kernel", "-f", "{connection_file}", "--prefix", sys.prefix]
    assert (spec["display_name"], spec["language"], spec["interrupt_mode"]) == ("Mine", "python", "signal")
    assert spec["metadata"]["debugger"] is True
    assert spec["metadata"]["cellgate"]["prefix"] == sys.prefix
    assert "IPython" in spec["metadata"]["cellgate"]["preload"]
    assert {file.name for file in directory.iterdir()} == {
        "kernel.json", "logo-32x32.png", "logo-64x64.png", "logo-svg.svg"}
