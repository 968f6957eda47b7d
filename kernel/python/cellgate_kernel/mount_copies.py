"""Copies of files in the session's mount: seen there only when they are whole, and in nobody's place."""

import os
import shutil
import uuid
import zipfile
from typing import BinaryIO, Callable, List

from .regular_file import open_regular

_DIRECTORY = "uploads"
_PIECE = 1 << 20


def in_mount(paths: List[str], mount: str) -> str:
    """Where they are below `mount`: one that is there already as it is, another as a copy, several as a zip file.

    ValueError says what is wrong with a path, or with the mount.
    """
    files = []
    try:
        for path in paths:
            files.append(os.fdopen(open_regular(path), "rb"))
        if len(paths) > 1:
            return _put(mount, "files.zip", lambda target: _zip(paths, files, target))
        place = _below(paths[0], mount)
        if place:
            return place
        return _put(mount, os.path.basename(paths[0]), lambda target: shutil.copyfileobj(files[0], target, _PIECE))
    finally:
        for file in files:
            file.close()


def _below(path: str, mount: str) -> str:
    """Its path below the mount; "" when it is elsewhere."""
    real, top = os.path.realpath(path), os.path.realpath(mount)
    return os.path.relpath(real, top) if real.startswith(top + "/") else ""


def _zip(paths: List[str], files: List[BinaryIO], target: BinaryIO) -> None:
    taken = set()
    with zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED) as archive:
        for path, file in zip(paths, files):
            name = _free(os.path.basename(path), taken.__contains__)
            taken.add(name)
            with archive.open(zipfile.ZipInfo(name), "w", force_zip64=True) as member:
                shutil.copyfileobj(file, member, _PIECE)


def _free(name: str, is_taken: Callable[[str], bool]) -> str:
    stem, extension = os.path.splitext(name)
    made, number = name, 1
    while is_taken(made):
        number += 1
        made = "%s_%d%s" % (stem, number, extension)
    return made


def _put(mount: str, name: str, write: Callable[[BinaryIO], object]) -> str:
    """What `write` writes, under a name that is free. Until it is whole it has no name at all, and no rest when it fails."""
    directory = os.path.join(mount, _DIRECTORY)
    try:
        os.makedirs(directory, exist_ok=True)
        with os.fdopen(os.open(directory, os.O_TMPFILE | os.O_RDWR | os.O_CLOEXEC, 0o644), "w+b") as target:
            write(target)
            target.flush()
            return os.path.join(_DIRECTORY, _name_it(target.fileno(), directory, name))
    except OSError as error:
        raise ValueError("%s cannot be written to %s: %s" % (name, directory, error.strerror or error)) from None


def _name_it(descriptor: int, directory: str, name: str) -> str:
    """The name it got: the wanted one, or one like it when that is taken, now or a moment later."""
    stem, extension = os.path.splitext(name)
    within = os.open(directory, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        while True:
            try:
                # With a directory the link in /proc is followed, to the file without a name.
                os.link("/proc/self/fd/%d" % descriptor, name, src_dir_fd=within, dst_dir_fd=within)
                return name
            except FileExistsError:
                name = "%s_%s%s" % (stem[:200], uuid.uuid4().hex[:8], extension)
    finally:
        os.close(within)
