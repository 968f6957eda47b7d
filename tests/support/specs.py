"""Kernelspecs made for a test."""

import json
from pathlib import Path

from support.gateway import KERNELS

IPYKERNEL = [str(KERNELS / "bin" / "python"), "-m", "ipykernel_launcher", "-f", "{connection_file}"]


def make_spec(directory: Path, name: str, argv: list[str], **more: object) -> Path:
    """A kernelspec under `directory`, which kernels.kernelspec_dirs takes."""
    (directory / name).mkdir(parents=True)
    spec = {"display_name": name, "language": "python", "argv": argv, **more}
    (directory / name / "kernel.json").write_text(json.dumps(spec))
    return directory


def slow_start(seconds: float) -> list[str]:
    """An ipykernel that begins only after a while."""
    return ["/bin/sh", "-c", f"sleep {seconds}; exec {' '.join(IPYKERNEL[:-1])} \"$0\"", "{connection_file}"]
