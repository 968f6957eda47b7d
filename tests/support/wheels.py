"""Small wheels, made by the tests that install them: a package index is a directory of them."""

import base64
import hashlib
import zipfile
from collections.abc import Iterable, Mapping
from pathlib import Path


def make_wheel(directory: Path, name: str, version: str = "1.0", modules: Mapping[str, str] | None = None,
               requires: Iterable[str] = (), scripts: Mapping[str, str] | None = None) -> Path:
    """`modules` are files by their path, by default one module of the distribution's name; `scripts` console entry points."""
    plain = name.replace("-", "_").replace(".", "_")
    info = f"{plain}-{version}.dist-info"
    files = dict(modules if modules is not None else {f"{plain}.py": f"version = {version!r}\n"})
    files[f"{info}/METADATA"] = "\n".join(
        ["Metadata-Version: 2.1", f"Name: {name}", f"Version: {version}", *(f"Requires-Dist: {each}" for each in requires), ""])
    files[f"{info}/WHEEL"] = "Wheel-Version: 1.0\nGenerator: tests\nRoot-Is-Purelib: true\nTag: py3-none-any\n"
    if scripts:
        lines = [f"{script} = {target}" for script, target in scripts.items()]
        files[f"{info}/entry_points.txt"] = "\n".join(["[console_scripts]", *lines, ""])
    record = "".join(f"{path},sha256={_hash(text)},{len(text.encode())}\n" for path, text in files.items())
    files[f"{info}/RECORD"] = record + f"{info}/RECORD,,\n"
    directory.mkdir(parents=True, exist_ok=True)
    made = directory / f"{plain}-{version}-py3-none-any.whl"
    with zipfile.ZipFile(made, "w") as archive:
        for path, text in files.items():
            archive.writestr(path, text)
    return made


def _hash(text: str) -> str:
    return base64.urlsafe_b64encode(hashlib.sha256(text.encode()).digest()).rstrip(b"=").decode()
