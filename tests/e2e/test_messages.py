"""Large messages and binary ones pass whole. Numbers in names are the rows of docs/jupyter-rows.md."""

import pytest

from support.gateway import Gateway

ECHO = """
def echo(comm, opened):
    comm.send({"sizes": [len(b) for b in opened["buffers"]]}, buffers=[bytes(b) for b in opened["buffers"]])
get_ipython().kernel.comm_manager.register_target("echo", echo)
"""
BUFFERS = (b"\xff\xfe\x00", b"", bytes(range(256)) * 274)


@pytest.mark.release
@pytest.mark.parametrize("v1", [False, True], ids=["default", "v1"])
def test_row_32_sixty_four_megabytes_pass_both_ways(gateway: Gateway, v1: bool) -> None:
    jupyter = gateway.jupyter()
    with jupyter.connect(jupyter.start_kernel(), v1=v1, timeout=150) as channels:
        sent = channels.run(f"s = '{'x' * (64 << 20)}'; len(s)")
        assert sent.result == str(64 << 20)
        shown = channels.run("from IPython.display import display\ndisplay({'text/plain': s}, raw=True)")
        assert shown.of("display_data")[0]["data"]["text/plain"] == "x" * (64 << 20)


def test_row_32_past_the_limit_the_socket_closes_with_a_reason(start_gateway) -> None:
    jupyter = start_gateway(server__ws_max_message_bytes=1 << 20).jupyter()
    kernel = jupyter.start_kernel()
    with jupyter.connect(kernel, v1=True) as channels:
        channels.run("x = 41")
        channels.begin("'" + "x" * (2 << 20) + "'")
        closed = channels.wait_for_closed()
        assert closed.code == 1009
        assert "1048576" in closed.reason and "ws_max_message_bytes" in closed.reason
    with jupyter.connect(kernel, v1=True) as channels:
        assert channels.run("x + 1").result == "42"


@pytest.mark.parametrize("v1", [False, True], ids=["default", "v1"])
def test_row_34_buffers_pass_exactly(gateway: Gateway, v1: bool) -> None:
    jupyter = gateway.jupyter()
    with jupyter.connect(jupyter.start_kernel(), v1=v1) as channels:
        channels.run(ECHO)
        channels.send("comm_open", {"comm_id": "c1", "target_name": "echo", "data": {}}, buffers=BUFFERS)
        answer = channels.wait_for(lambda message: message["header"]["msg_type"] == "comm_msg")
        assert answer["content"]["data"]["sizes"] == [len(buffer) for buffer in BUFFERS]
        assert tuple(answer["buffers"]) == BUFFERS


def test_row_34_jupyter_servers_gateway_client_gets_text_without_buffers(gateway: Gateway) -> None:
    """It offers no subprotocol, and a binary frame would end its read loop."""
    jupyter = gateway.jupyter()
    headers = [f"Authorization: token {gateway.token}", "User-Agent: Tornado/6.5"]
    with jupyter.connect(jupyter.start_kernel(), headers=headers) as channels:
        channels.run(ECHO)
        channels.send("comm_open", {"comm_id": "c1", "target_name": "echo", "data": {}}, buffers=BUFFERS)
        answer = channels.wait_for(lambda message: message["header"]["msg_type"] == "comm_msg")
        assert answer["buffers"] == []
        assert channels.run("1 + 1").result == "2"
    assert "buffers" in gateway.jupyter().call("GET", "/metrics", 200).text


def test_unicode_and_empty_texts_pass(gateway: Gateway) -> None:
    jupyter = gateway.jupyter()
    with jupyter.connect(jupyter.start_kernel(), v1=True) as channels:
        assert channels.run("print('žluťoučký 🐎 \\x00 \\ud7ff')").text() == "žluťoučký 🐎 \x00 \ud7ff\n"
        assert channels.run("").status == "ok"


def test_a_client_may_leave_out_what_is_optional(gateway: Gateway) -> None:
    """No channel means shell; buffers may be an object; a header may lack its date and have an empty session."""
    jupyter = gateway.jupyter()
    with jupyter.connect(jupyter.start_kernel()) as channels:
        channels.send_message({"header": {"msg_id": "m1", "msg_type": "kernel_info_request", "session": "", "username": "",
                                          "version": "5.3"}, "parent_header": {}, "metadata": {}, "content": {}})
        reply = channels.wait_for(lambda message: message["header"]["msg_type"] == "kernel_info_reply")
        assert reply["parent_header"]["msg_id"] == "m1"
        assert reply["msg_type"] == "kernel_info_reply" and reply["msg_id"] == reply["header"]["msg_id"]


@pytest.mark.parametrize("frame", ["", "{", "[]", '{"header": 5}', "null"])
def test_nonsense_harms_neither_kernel_nor_gateway(gateway: Gateway, frame: str) -> None:
    jupyter = gateway.jupyter()
    kernel = jupyter.start_kernel()
    with jupyter.connect(kernel) as channels:
        channels.socket.send(frame)
        channels.socket.send_binary(b"\x00\x00\x00\xff" + frame.encode())
    with jupyter.connect(kernel) as channels:
        assert channels.run("1 + 1").result == "2"
