"""Comms both ways, and the libraries that use them."""

import base64

import pytest


def test_a_comm_opened_by_the_kernel_sends_with_buffers(shell):
    cell = shell.run(
        "from comm import create_comm\n"
        "c = create_comm(target_name='t', data={'a': 1}, metadata={'m': 2})\n"
        "c.send({'b': 2}, buffers=[b'123', memoryview(b'45')])\nc.close()"
    )
    opened, sent, closed = cell.messages
    assert (opened["type"], sent["type"], closed["type"]) == ("comm_open", "comm_msg", "comm_close")
    assert opened["content"]["target_name"] == "t" and opened["content"]["data"] == {"a": 1} and opened["metadata"] == {"m": 2}
    assert sent["content"]["data"] == {"b": 2}
    assert [base64.b64decode(data) for data in sent["buffers"]] == [b"123", b"45"]
    assert opened["content"]["comm_id"] == sent["content"]["comm_id"] == closed["content"]["comm_id"]


def test_a_comm_opened_by_the_front_end_is_answered(shell):
    shell.run(
        "def opened(comm, message):\n"
        "    comm.on_msg(lambda m: comm.send({'echo': m['content']['data']}, buffers=[b + b'!' for b in map(bytes, m['buffers'])]))\n"
        "    comm.on_close(lambda m: print('closed', m['content']['data']))\n"
        "    comm.send(message['content']['data'])\n"
        "get_ipython().kernel.comm_manager.register_target('fe', opened)"
    )
    first = shell.handle("comm_open", {"comm_id": "c1", "target_name": "fe", "data": {"hello": 1}})
    assert first.reply is None and first.of("comm_msg")[0]["data"] == {"hello": 1}
    echo = shell.handle("comm_msg", {"comm_id": "c1", "data": {"z": 9}}, buffers=[b"xy"]).messages[0]
    assert echo["content"] == {"comm_id": "c1", "data": {"echo": {"z": 9}}}
    assert base64.b64decode(echo["buffers"][0]) == b"xy!"
    assert shell.handle("comm_close", {"comm_id": "c1", "data": {"bye": 1}}).text() == "closed {'bye': 1}\n"


def test_a_comm_for_an_unknown_target_is_closed(shell):
    cell = shell.handle("comm_open", {"comm_id": "c1", "target_name": "nobody", "data": {}})
    assert cell.of("comm_close")[0]["comm_id"] == "c1"
    assert "nobody" in cell.text("stderr")


def test_an_error_in_a_callback_is_told_and_harmless(shell):
    shell.run(
        "from comm import get_comm_manager\n"
        "get_comm_manager().register_target('fe', lambda comm, m: comm.on_msg(lambda m: 1 / 0))"
    )
    shell.handle("comm_open", {"comm_id": "c1", "target_name": "fe", "data": {}})
    assert "ZeroDivisionError" in shell.handle("comm_msg", {"comm_id": "c1", "data": {}}).text("stderr")
    assert shell.run("1").result == "1"


def test_a_callback_may_make_tasks_and_be_interrupted(shell):
    shell.run(
        "import asyncio\nfrom comm import get_comm_manager\n"
        "async def later(): print('later', end='')\n"
        "def spin():\n    print('ready', end='')\n    while True: pass\n"
        "def got(m): asyncio.ensure_future(later()) if m['content']['data'] else spin()\n"
        "get_comm_manager().register_target('fe', lambda comm, m: comm.on_msg(got))"
    )
    shell.handle("comm_open", {"comm_id": "c1", "target_name": "fe", "data": {}})
    shell.handle("comm_msg", {"comm_id": "c1", "data": {"task": 1}})
    assert shell.next("stream")["content"]["text"] == "later"
    name = shell.request("handle", ["comm_msg", '{"comm_id": "c1", "data": {}}', "{}", [], "{}"])
    assert shell.next("stream")["content"]["text"] == "ready"
    shell.interrupt()
    assert shell.finish(name).of("error")[0]["ename"] == "KeyboardInterrupt"
    assert shell.run("1").result == "1"


def test_open_comms_are_listed(shell):
    shell.run("from comm import create_comm; a, b = create_comm(target_name='a'), create_comm(target_name='b')")
    ids = shell.run("[a.comm_id, b.comm_id]")
    a, b = ids.result.strip("[]").replace("'", "").split(", ")
    listed = shell.handle("comm_info_request", {}).reply
    assert listed == {"status": "ok", "comms": {a: {"target_name": "a"}, b: {"target_name": "b"}}}
    assert shell.handle("comm_info_request", {"target_name": "b"}).reply["comms"] == {b: {"target_name": "b"}}


@pytest.mark.parametrize("module", ["ipykernel.comm", "ipykernel.comm.comm"])
def test_the_comms_of_ipykernel_are_ours_when_it_is_imported(shell, module):
    assert shell.run("import sys; [m for m in ('ipykernel', 'zmq', 'tornado') if m in sys.modules]").result == "[]"
    cell = shell.run(f"from {module} import Comm\nc = Comm('tt', data={{'a': 1}})\nc.send({{'b': 2}}, buffers=[b'1'])\nc.close()")
    assert [kind for kind in cell.types if kind != "stream"] == ["comm_open", "comm_msg", "comm_close"]


def test_importing_all_of_ipykernel_takes_no_comms_away(shell):
    shell.run("import ipykernel.ipkernel")
    cell = shell.run("import comm; c = comm.create_comm(target_name='x'); comm.get_comm_manager() is get_ipython().kernel.comm_manager")
    assert cell.types == ["comm_open", "execute_result"] and cell.result == "True"


def test_a_widget_is_displayed_and_follows_the_front_end(shell):
    cell = shell.run("import ipywidgets as w\ns = w.IntSlider(value=3)\ns.observe(lambda c: print(c['new']), 'value')\ndisplay(s)")
    (shown,) = [c for c in cell.of("display_data") if "application/vnd.jupyter.widget-view+json" in c["data"]]
    model = shown["data"]["application/vnd.jupyter.widget-view+json"]["model_id"]
    assert model in [content["comm_id"] for content in cell.of("comm_open")]
    update = shell.handle("comm_msg", {"comm_id": model, "data": {"method": "update", "state": {"value": 7}, "buffer_paths": []}})
    assert "7\n" in update.text()
    assert shell.run("s.value").result == "7"


def test_an_output_widget_captures_by_the_requests_id(shell):
    name = shell.start("import ipywidgets as w\nout = w.Output()\nwith out:\n    print('inside')")
    cell = shell.finish(name)
    ids = [c["data"]["state"]["msg_id"] for c in cell.of("comm_msg") if "msg_id" in c["data"].get("state", {})]
    assert ids == [name, ""]
    assert all(message["parent"]["msg_id"] == name for message in cell.messages)


def test_an_output_widget_shows_the_errors_within(shell):
    cell = shell.run("import ipywidgets as w\nout = w.Output()\nwith out:\n    1/0")
    assert cell.of("error")[0]["ename"] == "ZeroDivisionError"


def test_interact_runs_its_function(shell):
    cell = shell.run("from ipywidgets import interact\n@interact(x=(0, 10))\ndef f(x): print('x is', x)")
    assert "x is 5" in cell.text()
