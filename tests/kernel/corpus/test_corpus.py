"""200 cells as agents write them, each in each mode: what is certain is fixed, and what is right is left as it is."""

import cells
import pytest
import table
import trying

CELLS = cells.load()


@pytest.fixture(scope="module")
def kernels():
    made = trying.Kernels()
    yield made
    made.stop()


@pytest.mark.parametrize("cell", CELLS, ids=lambda cell: "%s: %s" % (cell.theme, cell.about))
def test_it_does_what_is_intended(kernels, cell):
    faults = trying.faults(cell, kernels.outcomes(cell))
    assert not faults, "\n".join([cell.code, "", *faults])


def test_the_table_in_the_docs_is_what_the_runs_gave(kernels):
    made = table.make([(cell, kernels.outcomes(cell)) for cell in CELLS])
    assert table.in_docs() == made, "bring docs/corrections.md up to date: python tests/kernel/corpus/table.py"


def test_there_are_two_hundred_and_no_two_are_the_same():
    assert len(CELLS) >= 200
    assert len({(cell.setup, cell.before, cell.code) for cell in CELLS}) == len(CELLS)
    assert len({(cell.theme, cell.about) for cell in CELLS}) == len(CELLS)


def test_a_third_of_them_is_right_and_a_third_can_be_fixed():
    intents = [cell.intent for cell in CELLS]
    assert intents.count("untouched") * 10 >= 3 * len(CELLS)
    assert intents.count("fixed") * 10 >= 3 * len(CELLS)


RIGHT = trying.Outcome("1", None, (), (), (), "")
FAILED = trying.Outcome("", "KeyError: 'aB'", (), (), (), "")
NOTED = FAILED._replace(notes=('did you mean d["a_b"]?',))
FIXED = RIGHT._replace(corrections=(("field_name", 'd["a_b"]'),), told=("cellgate: …",))
FIXABLE = cells.Cell("t", "a", "", (), "d['aB']", "1", ('d["a_b"]',), FAILED.error, None, False)
ONLY_SUGGESTED = FIXABLE._replace(gives=None, fixes=(), suggests='d["a_b"]')
CORRECT = FIXABLE._replace(fixes=(), fails=None)


@pytest.mark.parametrize(
    "cell, on, report, off",
    [(FIXABLE, FIXED, NOTED, FAILED), (ONLY_SUGGESTED, NOTED, NOTED, FAILED), (CORRECT, RIGHT, RIGHT, RIGHT)],
)
def test_what_is_as_intended_has_no_fault(cell, on, report, off):
    assert trying.faults(cell, {True: on, "report": report, False: off}) == []


@pytest.mark.parametrize(
    "cell, on, report, off",
    [
        (FIXABLE, FIXED._replace(shown="2"), NOTED, FAILED),
        (FIXABLE, NOTED, NOTED, FAILED),
        (FIXABLE, FIXED, FAILED, FAILED),
        (FIXABLE, FIXED, FIXED, FAILED),
        (FIXABLE, FIXED, NOTED, NOTED),
        (FIXABLE, FIXED._replace(told=()), NOTED, FAILED),
        (ONLY_SUGGESTED, FIXED, NOTED, FAILED),
        (ONLY_SUGGESTED, FAILED, NOTED, FAILED),
        (CORRECT, FIXED, RIGHT, RIGHT),
        (CORRECT, RIGHT._replace(shown="2"), RIGHT, RIGHT),
        (CORRECT, RIGHT._replace(warned="!"), RIGHT, RIGHT),
        (CORRECT, FAILED, FAILED, FAILED),
    ],
)
def test_what_is_not_as_intended_has_one(cell, on, report, off):
    by_mode = {True: on, "report": report, False: off}
    assert trying.faults(cell, by_mode)
    assert table.counted(cell, by_mode) == "wrong"
