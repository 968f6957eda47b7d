"""Writes the kernelspec of our own kernel for this interpreter's environment.

The modules of preload.txt that this environment has are imported once, to leave out what a fork server must not have:
a module that fails, or that leaves a thread behind, which would be missing in every kernel.
"""

import argparse
import importlib
import importlib.util
import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[1]
PROGRAM = ROOT / "build" / "release" / "kernel" / "interpreter" / "cellgate-kernel"
# Without these no kernel starts: the module, and the package that has it.
NEEDED = {"IPython": "ipython", "comm": "comm"}


def listed(text: str) -> list[str]:
    lines = (line.split("#")[0].strip() for line in text.splitlines())
    return [line for line in lines if line]


def is_installed(module: str) -> bool:
    return importlib.util.find_spec(module.split(".")[0]) is not None


def check_needed() -> None:
    """Ends the program, naming what to install, where the kernel could not start."""
    lacking = [package for module, package in NEEDED.items() if not is_installed(module)]
    if lacking:
        sys.exit(f"the kernel needs what this environment lacks: {sys.executable} -m pip install {' '.join(lacking)}")


def threads() -> int:
    """Those that are left after a fork: some libraries end theirs before one, and start them when they are needed."""
    child = os.fork()
    if child == 0:
        os._exit(0)
    os.waitpid(child, 0)
    return len(os.listdir("/proc/self/task"))


def first_unfit(modules: list[str]) -> dict[str, str]:
    """The first of `modules` that must not be imported before a fork, with the reason; empty when there is none."""
    for module in modules:
        try:
            importlib.import_module(module)
        except Exception as error:
            return {"module": module, "reason": f"it cannot be imported ({type(error).__name__}: {error})"}
        if threads() > 1:
            return {"module": module, "reason": "it starts a thread when it is imported"}
    return {}


def try_out(modules: list[str]) -> dict[str, str]:
    """As first_unfit, in a process of its own: what was imported cannot be undone."""
    done = subprocess.run([sys.executable, __file__, "--try", ",".join(modules)], text=True, capture_output=True)
    if done.returncode != 0:
        sys.exit(f"cannot import {', '.join(modules)}, ended with {done.returncode}:\n{done.stderr}")
    return json.loads(done.stdout.splitlines()[-1])


def choose_preload(modules: list[str]) -> list[str]:
    """Those of `modules` that are installed and fit; says on stderr why one does not."""
    chosen = [module for module in modules if is_installed(module)]
    while unfit := try_out(chosen):
        print(f"{unfit['module']} is not preloaded: {unfit['reason']}", file=sys.stderr)
        chosen.remove(unfit["module"])
    return chosen


def make_spec(program: Path, prefix: Path, display_name: str, preload: list[str]) -> dict[str, object]:
    return {
        "argv": [str(program), "-f", "{connection_file}", "--prefix", str(prefix)],
        "display_name": display_name,
        "language": "python",
        "interrupt_mode": "signal",
        "kernel_protocol_version": "5.5",
        "metadata": {"debugger": True, "cellgate": {"prefix": str(prefix), "preload": preload}},
    }


def install(spec: dict[str, object], directory: Path) -> None:
    """Whole or not at all for who looks meanwhile: a kernelspec is read as soon as it is there."""
    directory.mkdir(parents=True, exist_ok=True)
    for logo in (HERE / "logos").iterdir():
        shutil.copyfile(logo, directory / logo.name)
    beside = directory / "kernel.json.new"
    beside.write_text(json.dumps(spec, indent=1) + "\n")
    beside.replace(directory / "kernel.json")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--name", default="cellgate", help="of the kernelspec")
    parser.add_argument("--display-name", default="Python 3 (Cellgate)")
    parser.add_argument("--program", type=Path, default=PROGRAM, help="the cellgate-kernel executable")
    parser.add_argument("--into", type=Path, default=Path(sys.prefix),
                        help="the environment that offers the kernelspec, if not this one")
    parser.add_argument("--try", dest="tried", help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.tried is not None:
        print(json.dumps(first_unfit(listed(given.tried.replace(",", "\n")))))
        return
    check_needed()
    preload = choose_preload(listed((HERE / "preload.txt").read_text()))
    spec = make_spec(given.program.absolute(), Path(sys.prefix), given.display_name, preload)
    install(spec, given.into.absolute() / "share" / "jupyter" / "kernels" / given.name)


if __name__ == "__main__":
    main()
