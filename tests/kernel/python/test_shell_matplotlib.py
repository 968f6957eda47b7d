"""Figures are shown at the end of the cell, without a magic."""

import pytest
from shell_client import Zygote


@pytest.fixture(scope="module")
def preloaded():
    made = Zygote("matplotlib.pyplot", "pandas")
    yield made
    made.stop()


@pytest.fixture(params=["imported in the cell", "preloaded"])
def shell(request, zygote):
    made = (request.getfixturevalue("preloaded") if request.param == "preloaded" else zygote).fork()
    yield made
    made.stop()


def _pictures(cell):
    return [content["data"] for content in cell.of("display_data") if "image/png" in content["data"]]


def test_a_figure_is_shown_at_the_end_of_the_cell(shell):
    cell = shell.run("import matplotlib.pyplot as plt\nplt.plot([1, 2, 3]);\nprint('before')")
    assert len(_pictures(cell)) == 1
    assert cell.types.index("stream") < cell.types.index("display_data")
    assert len(_pictures(shell.run("plt.plot([3, 2, 3]);"))) == 1
    assert _pictures(shell.run("1")) == []


def test_show_shows_at_once_and_only_once(shell):
    cell = shell.run("%matplotlib inline\nimport matplotlib.pyplot as plt\nplt.plot([1]);\nplt.show()\nprint('after')")
    assert len(_pictures(cell)) == 1 and cell.types.index("display_data") < cell.types.index("stream")


def test_a_figures_formats_can_be_set(shell):
    shell.run("import matplotlib.pyplot as plt\n%config InlineBackend.figure_formats = ['svg']\nplt.plot([1]);")
    cell = shell.run("plt.plot([1]);")
    assert "image/svg+xml" in cell.of("display_data")[0]["data"]


def test_another_backend_of_the_environment_is_obeyed(zygote, preloaded):
    for parent in (zygote, preloaded):
        shell = parent.fork(MPLBACKEND="agg")
        assert shell.run("import matplotlib.pyplot as plt\nplt.plot([1]);").of("display_data") == []
        assert shell.run("plt.get_backend().lower()").result == "'agg'"
        shell.stop()


def test_its_configuration_is_of_the_childs_home(preloaded):
    shell = preloaded.fork()
    assert shell.home in shell.run("import matplotlib; matplotlib.get_configdir()").result
    shell.stop()
