"""Cells are corrected in the kernels that a gateway starts: the extension is in their box, and loads."""

import pytest

from support.conversation import Cell

WRONG = 'd = {"api_key": 1}\nd["apiKey"]'


@pytest.mark.parametrize("name", ["cellgate", "ipykernel"])
def test_a_cell_is_corrected_when_its_request_asks_for_it(gateway, name: str) -> None:
    jupyter = gateway.jupyter()
    with jupyter.connect(jupyter.start_kernel(name)) as channels:
        content = {"code": WRONG, "silent": False, "store_history": True, "user_expressions": {}, "allow_stdin": False}
        metadata = {"cellgate": {"error_correction": True, "install": False}}
        cell = Cell(channels.send("execute_request", content, metadata=metadata))
        channels.collect(cell)
        assert cell.status == "ok" and cell.result == "1", cell.messages
        assert cell.text("stderr") == 'cellgate: line 2: d["apiKey"] read as d["api_key"]\n'


@pytest.mark.parametrize("name", ["cellgate", "ipykernel"])
def test_a_jupyter_clients_cell_fails_with_a_suggestion(gateway, name: str) -> None:
    jupyter = gateway.jupyter()
    with jupyter.connect(jupyter.start_kernel(name)) as channels:
        cell = channels.run(WRONG)
        assert cell.error == "KeyError" and cell.text("stderr") == ""
        assert 'cellgate: did you mean d["api_key"]?' in "".join(cell.reply["content"]["traceback"])
