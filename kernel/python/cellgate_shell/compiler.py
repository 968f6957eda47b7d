"""Names for the code of cells: the file that a cell would be in, which the debugger and its client can both compute."""

import os
import secrets
import struct
import tempfile
from typing import Optional, Tuple

from IPython.core.compilerop import CachingCompiler

HASH_SEED = 0xC70F6907  # what debugInfo tells the client to hash with
TMP_SUFFIX = ".py"

_MULTIPLIER = 0x5BD1E995
_MASK = 0xFFFFFFFF

_prefix: Optional[Tuple[int, str]] = None  # of which process, what


def murmur2(data: bytes, seed: int) -> int:
    """MurmurHash2 for x86, 32 bits: the one hash that the clients of the debug protocol know."""
    hash_value = (seed ^ len(data)) & _MASK
    whole = len(data) & ~3
    for (word,) in struct.iter_unpack("<I", data[:whole]):
        word = word * _MULTIPLIER & _MASK
        word = (word ^ word >> 24) * _MULTIPLIER & _MASK
        hash_value = hash_value * _MULTIPLIER & _MASK ^ word
    if whole != len(data):
        hash_value = (hash_value ^ int.from_bytes(data[whole:], "little")) * _MULTIPLIER & _MASK
    hash_value = (hash_value ^ hash_value >> 13) * _MULTIPLIER & _MASK
    return hash_value ^ hash_value >> 15


def tmp_prefix() -> str:
    """What the name of every cell of this process begins with, separator included. Nothing is made on disk.

    A forked process gets another one, and nobody can guess it beforehand: the directory may be in a shared /tmp.
    By a directory called ipykernel_… JupyterLab 4.6 and Numba know a cell from a file.
    """
    global _prefix
    pid = os.getpid()
    if _prefix is None or _prefix[0] != pid:
        _prefix = pid, os.path.join(tempfile.gettempdir(), f"ipykernel_{pid}_{secrets.token_hex(4)}", "")
    return _prefix[1]


def cell_file_name(code: str) -> str:
    """The file that a cell with this code is said to be in."""
    return f"{tmp_prefix()}{murmur2(as_utf8(code), HASH_SEED)}{TMP_SUFFIX}"


def as_utf8(code: str) -> bytes:
    """The bytes that a browser has for this text: half characters, which UTF-8 cannot hold, are replaced."""
    try:
        return code.encode()
    except UnicodeEncodeError:
        return code.encode("utf-16", "surrogatepass").decode("utf-16", "replace").encode()


class CellCompiler(CachingCompiler):
    """IPython's compiler, which names a cell by its text rather than by its number, so that breakpoints find it."""

    def get_code_name(self, raw_code: str, transformed_code: str, number: int) -> str:
        return cell_file_name(raw_code)
