"""The package inside a real ipykernel: invisible, never in the way, and no output is lost."""

import threading

import pytest
from real_kernel import INJECTION, Kernel


@pytest.fixture
def injected(kernel, helper_socket):
    reply, _ = kernel.inject(helper_socket.path)
    assert reply["status"] == "ok", reply
    return kernel


def test_the_helper_can_be_called_without_an_import(injected, helper_socket):
    assert injected.run('print(run_composio_tool("A_B", {"x": 1}))') == (
        "({'data': {'x': 1}, 'error': None, 'log_id': 'log_1'}, '')\n"
    )
    assert helper_socket.keys == ["the-key"]


def test_the_helper_can_be_imported(injected):
    assert injected.run('from composio_helper import run_composio_tool as r; print(r("A_B", {})[1] == "")') == "True\n"


def test_injection_leaves_no_trace(kernel, helper_socket):
    before = kernel.run("print(sorted(k for k in globals() if not k.startswith('_')))")
    count = kernel.finish(kernel.send("1"))[0]["execution_count"]
    reply, messages = kernel.inject(helper_socket.path)
    assert reply["status"] == "ok"
    assert {m["msg_type"] for m in messages} <= {"status"}
    assert kernel.finish(kernel.send("2"))[0]["execution_count"] == count + 1
    assert kernel.run("print(sorted(k for k in globals() if not k.startswith('_')))") == before
    assert "cellgate" not in kernel.run("%whos")
    assert "run_composio_tool" not in kernel.run("%whos")
    assert "cellgate" not in kernel.run("print(list(get_ipython().history_manager.input_hist_raw[:-1]))")


def test_the_environment_never_holds_the_key(injected):
    assert injected.run("import os; print('the-key' in str(dict(os.environ)))") == "False\n"


def test_a_users_variable_wins_and_del_gives_the_helper_back(kernel, helper_socket):
    kernel.run("run_composio_tool = 5")
    kernel.inject(helper_socket.path)
    assert kernel.run("print(run_composio_tool)") == "5\n"
    assert kernel.run("del run_composio_tool; print(callable(run_composio_tool))") == "True\n"


def test_reset_does_not_take_the_helper_away(injected):
    injected.run("%reset -f")
    assert injected.run("print(run_composio_tool('A_B', {})[1] == '')") == "True\n"


def test_the_users_own_module_of_the_same_name_wins(kernel, helper_socket, tmp_path):
    (tmp_path / "composio_helper.py").write_text("run_composio_tool = 'mine'")
    kernel.run(f"import sys; sys.path.insert(0, {str(tmp_path)!r})")
    kernel.inject(helper_socket.path)
    assert kernel.run("import composio_helper; print(composio_helper.run_composio_tool)") == "mine\n"


def test_injecting_again_renews_the_key(injected, helper_socket):
    injected.inject(helper_socket.path, key="another")
    injected.run("run_composio_tool('A_B', {})")
    assert helper_socket.keys == ["another"]


def test_a_restarted_kernel_has_the_helper_again(injected, helper_socket):
    injected.restart()
    injected.inject(helper_socket.path)
    assert injected.run("print(run_composio_tool('A_B', {})[1] == '')") == "True\n"


def test_settings_can_be_given_in_the_code(kernel, helper_socket):
    given = "install({'helper_key': 'k2', 'socket': %r})" % helper_socket.path
    reply, _ = kernel.finish(kernel.send(INJECTION.replace("install()", given.replace("'", "\\'")), silent=True))
    assert reply["status"] == "ok", reply
    kernel.run("run_composio_tool('A_B', {})")
    assert helper_socket.keys == ["k2"]


def test_configure_hands_out_a_pool_kernel(injected, tmp_path):
    call = f"cellgate_kernel.configure({{'A_NAME': 'a', 'HOME': None}}, {str(tmp_path)!r})"
    injected.finish(injected.send(f"exec('import cellgate_kernel\\n' + {call!r}, {{}})", silent=True))
    printed = injected.run("import os; print(os.environ['A_NAME'], 'HOME' in os.environ, os.getcwd())")
    assert printed == f"a False {tmp_path}\n"


def test_configure_into_a_missing_directory_is_an_error(injected):
    call = "cellgate_kernel.configure({}, '/none/here')"
    reply, _ = injected.finish(injected.send(f"exec('import cellgate_kernel\\n' + {call!r}, {{}})", silent=True))
    assert reply["status"] == "error" and reply["ename"] == "FileNotFoundError"


def test_configure_changes_some_settings_and_keeps_the_others(injected, helper_socket):
    call = "cellgate_kernel.configure(cell_defaults={'install': True, 'of_another_version': 1})"
    reply, _ = injected.finish(injected.send(f"exec('import cellgate_kernel\\n' + {call!r}, {{}})", silent=True))
    assert reply["status"] == "ok", reply
    assert injected.run("from cellgate_kernel import settings; print(settings.current().install)") == "True\n"
    injected.run("run_composio_tool('A_B', {})")
    assert helper_socket.keys == ["the-key"]


def test_settings_cannot_be_changed_before_they_are_given(kernel):
    code = INJECTION.replace("cellgate_kernel.install()", "cellgate_kernel.configure(cell_defaults=dict(install=True))")
    reply, _ = kernel.finish(kernel.send(code, silent=True))
    assert reply["status"] == "error" and "install() comes first" in reply["evalue"]


def test_threads_of_a_cell_may_call_at_once(injected):
    printed = injected.run(
        "from concurrent.futures import ThreadPoolExecutor as P\n"
        "with P(20) as pool: answers = list(pool.map(lambda n: run_composio_tool('A_B', {'n': n}), range(60)))\n"
        "print([r['data']['n'] for r, e in answers] == list(range(60)), {e for r, e in answers})"
    )
    assert printed == "True {''}\n"


def test_an_interrupt_ends_a_waiting_call(injected, helper_socket):
    reached, release = threading.Event(), threading.Event()

    def hang(request):
        reached.set()
        release.wait(30)
        return 200, {}

    helper_socket.answer = hang
    cell = injected.send("run_composio_tool('A_B', {})")
    assert reached.wait(20)
    injected.manager.interrupt_kernel()
    reply, _ = injected.finish(cell)
    release.set()
    assert reply["ename"] == "KeyboardInterrupt"


@pytest.mark.parametrize("transport", ["tcp", "ipc"])
def test_a_reader_that_stalls_gets_all_of_60000_prints(helper_socket, transport):
    kernel = Kernel(transport)
    try:
        kernel.inject(helper_socket.path)
        cell = kernel.send("for i in range(60_000): print(i, flush=True)\nprint('end', flush=True)")
        # Nobody reads iopub until the kernel has sent everything: the reply on shell follows the last print.
        assert kernel.client.get_shell_msg(timeout=120)["parent_header"]["msg_id"] == cell
        text, idle = "", False
        while not idle:
            message = kernel.client.get_iopub_msg(timeout=20)
            if message["parent_header"].get("msg_id") != cell:
                continue
            text += message["content"]["text"] if message["msg_type"] == "stream" else ""
            idle = message["msg_type"] == "status" and message["content"]["execution_state"] == "idle"
        assert text == "".join(f"{i}\n" for i in range(60_000)) + "end\n"
    finally:
        kernel.stop()
