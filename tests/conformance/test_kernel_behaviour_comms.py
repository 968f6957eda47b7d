"""Comms in both directions, and the widgets that are made of them."""

from typing import Any

import pytest

from support.conversation import Cell
from support.direct import DirectChannels

ECHO = """
def opened(comm, message):
    def answer(message):
        comm.send({'echo': message['content']['data']}, buffers=[bytes(part)[::-1] for part in message['buffers']])
        print('heard')
    comm.on_msg(answer)
    comm.on_close(lambda message: print('closed'))
get_ipython().kernel.comm_manager.register_target('echo', opened)
"""


def comms(cell: Cell) -> list[str]:
    return [message["header"]["msg_type"] for message in cell.messages if message["header"]["msg_type"].startswith("comm")]


def say(channels: DirectChannels, msg_type: str, content: dict[str, Any], **more: Any) -> Cell:
    """Sends a comm message, to which there is no reply; until the kernel is idle after it."""
    cell = Cell(channels.send(msg_type, content, **more))
    channels.collect(cell, until=lambda _: cell.idle)
    return cell


@pytest.fixture
def echo(channels: DirectChannels, request: pytest.FixtureRequest) -> str:
    """The id of a comm that the client opened, whose other end answers."""
    channels.run(ECHO)
    say(channels, "comm_open", {"comm_id": request.node.name, "target_name": "echo", "data": {}})
    return request.node.name


@pytest.mark.parametrize("make", [
    "from ipykernel.comm import Comm\ncomm = Comm(target_name='nobody', data={'a': 1})",
    "from comm import create_comm\ncomm = create_comm(target_name='nobody', data={'a': 1})",
], ids=["ipykernel", "comm"])
def test_the_kernel_opens_speaks_and_closes(channels: DirectChannels, make: str) -> None:
    cell = channels.run(f"{make}\ncomm.send({{'b': 2}}, metadata={{'m': 3}}, buffers=[b'123', memoryview(b'45')])\ncomm.close()")
    assert comms(cell) == ["comm_open", "comm_msg", "comm_close"], cell.of("error")
    opened, = cell.of("comm_open")
    assert opened["target_name"] == "nobody" and opened["data"] == {"a": 1}
    said = next(message for message in cell.messages if message["header"]["msg_type"] == "comm_msg")
    assert said["content"] == {"comm_id": opened["comm_id"], "data": {"b": 2}}
    assert said["metadata"]["m"] == 3 and said["buffers"] == [b"123", b"45"]


def test_a_client_opens_and_gets_answers(channels: DirectChannels, echo: str) -> None:
    cell = say(channels, "comm_msg", {"comm_id": echo, "data": {"z": 9}}, buffers=(b"abc", b"\x00\xff"))
    answer = next(message for message in cell.messages if message["header"]["msg_type"] == "comm_msg")
    assert answer["content"] == {"comm_id": echo, "data": {"echo": {"z": 9}}}
    assert answer["buffers"] == [b"cba", b"\xff\x00"] and cell.text() == "heard\n"


def test_a_client_closes(channels: DirectChannels, echo: str) -> None:
    assert say(channels, "comm_close", {"comm_id": echo, "data": {}}).text() == "closed\n"
    assert echo not in channels.request("comm_info_request", {})["comms"]


def test_a_target_that_nobody_registered_is_closed_at_once(channels: DirectChannels) -> None:
    cell = say(channels, "comm_open", {"comm_id": "stray", "target_name": "unknown", "data": {}})
    assert [content["comm_id"] for content in cell.of("comm_close")] == ["stray"]


def test_a_message_to_an_unknown_comm_kills_nothing(channels: DirectChannels) -> None:
    say(channels, "comm_msg", {"comm_id": "never opened", "data": {}})
    say(channels, "comm_close", {"comm_id": "never opened", "data": {}})
    assert channels.run("1 + 1").result == "2"


def test_a_failing_callback_is_told_and_kills_nothing(channels: DirectChannels, echo: str) -> None:
    channels.run("def fail(message): raise ValueError('in the callback')\n"
                 f"get_ipython().kernel.comm_manager.comms['{echo}'].on_msg(fail)")
    cell = say(channels, "comm_msg", {"comm_id": echo, "data": {}})
    assert "in the callback" in cell.text("stderr") + str(cell.of("error")) or cell.idle
    assert channels.run("1 + 1").result == "2"


def test_open_comms_are_listed_by_target(channels: DirectChannels, echo: str) -> None:
    assert channels.request("comm_info_request", {})["comms"][echo] == {"target_name": "echo"}
    assert echo in channels.request("comm_info_request", {"target_name": "echo"})["comms"]
    assert channels.request("comm_info_request", {"target_name": "other"})["comms"] == {}


class TestWidgets:
    def slider(self, channels: DirectChannels) -> tuple[Cell, str]:
        cell = channels.run("import ipywidgets\nslider = ipywidgets.IntSlider(value=3)\n"
                            "slider.observe(lambda change: print('now', change['new']), 'value')\ndisplay(slider)", timeout=60)
        views = [content["data"]["application/vnd.jupyter.widget-view+json"] for content in cell.of("display_data")]
        return cell, views[0]["model_id"]

    def test_a_slider_is_shown(self, channels: DirectChannels) -> None:
        cell, model = self.slider(channels)
        opened = {content["comm_id"]: content for content in cell.of("comm_open")}
        assert opened[model]["target_name"] == "jupyter.widget"
        assert opened[model]["data"]["state"]["value"] == 3
        assert model in channels.request("comm_info_request", {"target_name": "jupyter.widget"})["comms"]

    def test_moving_it_calls_back(self, channels: DirectChannels) -> None:
        _, model = self.slider(channels)
        moved = say(channels, "comm_msg", {"comm_id": model, "data": {"method": "update", "state": {"value": 8}, "buffer_paths": []}})
        assert moved.text() == "now 8\n"
        assert channels.run("slider.value").result == "8"

    def test_setting_it_tells_the_client(self, channels: DirectChannels) -> None:
        _, model = self.slider(channels)
        cell = channels.run("slider.value = 5")
        assert [content["data"]["state"] for content in cell.of("comm_msg") if content["comm_id"] == model] == [{"value": 5}]

    def test_its_state_is_given_on_request(self, channels: DirectChannels) -> None:
        _, model = self.slider(channels)
        cell = say(channels, "comm_msg", {"comm_id": model, "data": {"method": "request_state"}})
        assert cell.of("comm_msg")[0]["data"]["state"]["value"] == 3

    def test_an_output_widget_takes_what_is_printed(self, channels: DirectChannels) -> None:
        cell = channels.run("import ipywidgets\nout = ipywidgets.Output()\nwith out:\n    print('inside')\nout", timeout=60)
        assert cell.status == "ok"
        states = [content["data"].get("state", {}) for content in cell.of("comm_msg")]
        assert any(state.get("msg_id") == cell.msg_id for state in states), "the client is told whose output it takes"
