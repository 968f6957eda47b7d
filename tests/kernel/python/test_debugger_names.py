"""The file names of cells, which the debugger's client computes too."""

import os
import random

from ipykernel.compiler import murmur2_x86

import package_path  # noqa: F401
from cellgate_shell import compiler


def test_the_hash_is_murmur2_as_the_clients_compute_it():
    rng = random.Random(5)
    for length in range(200):
        text = "".join(rng.choices("aé中😀\n", k=length))
        assert compiler.murmur2(text.encode(), compiler.HASH_SEED) == murmur2_x86(text, compiler.HASH_SEED)


def test_a_cell_is_named_by_its_text():
    name = compiler.cell_file_name("x = 1")
    assert name == f"{compiler.tmp_prefix()}{murmur2_x86('x = 1', 0xC70F6907)}.py"
    assert name == compiler.CellCompiler().get_code_name("x = 1", "x = 1\n", 7) != compiler.cell_file_name("x = 2")


def test_half_characters_are_hashed_as_a_browser_writes_them():
    assert compiler.cell_file_name("'\ud800'") == compiler.cell_file_name("'\ufffd'")


def test_a_forked_process_names_its_cells_anew():
    before = compiler.tmp_prefix()
    read, write = os.pipe()
    pid = os.fork()
    if pid == 0:
        os.write(write, compiler.tmp_prefix().encode())
        os._exit(0)
    os.waitpid(pid, 0)
    assert os.read(read, 4096).decode() != before == compiler.tmp_prefix()
