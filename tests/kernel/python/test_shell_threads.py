"""Whose output is it, when threads and subshells make some."""

from shell_client import wait_until


def test_a_threads_output_belongs_to_the_cell_that_started_it(shell):
    first = shell.start(
        "import threading\ngo = threading.Event()\n"
        "th = threading.Thread(target=lambda: (go.wait(), print('late'), display('shown')))\nth.start()"
    )
    shell.finish(first)
    cell = shell.run("go.set(); th.join(); print('own')")
    by_text = {m["content"].get("text", "display"): m["parent"]["msg_id"] for m in cell.messages if m["content"].get("text") != "\n"}
    assert by_text["late"] == first and by_text["display"] == first
    assert by_text["own"] != first


def test_a_thread_of_a_thread_belongs_to_the_cell_too(shell):
    first = shell.start(
        "import threading\ngo = threading.Event()\n"
        "def inner(): go.wait(); print('inner', end='')\n"
        "def outer():\n    global i\n    go.wait()\n    i = threading.Thread(target=inner); i.start()\n"
        "o = threading.Thread(target=outer); o.start()"
    )
    shell.finish(first)
    cell = shell.run("go.set(); o.join(); i.join()")
    assert [message["parent"]["msg_id"] for message in cell.messages] == [first]


def test_threads_of_a_class_that_overrides_run_are_followed(shell):
    first = shell.start(
        "import threading\ngo = threading.Event()\n"
        "class T(threading.Thread):\n    def run(self): go.wait(); print('t', end='')\n"
        "t = T(); t.start()"
    )
    shell.finish(first)
    assert [m["parent"]["msg_id"] for m in shell.run("go.set(); t.join()").messages] == [first]


def test_a_thread_that_python_did_not_start_prints_into_the_newest_cell(shell):
    shell.run("import _thread, threading\ngo, done = threading.Event(), threading.Event()")
    shell.run("_thread.start_new_thread(lambda: (go.wait(), print('raw', end=''), done.set()), ())")
    name = shell.start("go.set(); done.wait();")
    assert [m["parent"]["msg_id"] for m in shell.finish(name).messages] == [name]


def test_many_threads_print_without_loss(shell):
    cell = shell.run(
        "from concurrent.futures import ThreadPoolExecutor\n"
        "with ThreadPoolExecutor(8) as pool: list(pool.map(lambda n: print(f'{n}\\n', end=''), range(2000)))"
    )
    assert sorted(map(int, cell.text().split())) == list(range(2000))


def test_a_subshell_answers_while_a_cell_is_busy(shell):
    shell.start_shell("sub")
    shell.run("import threading; go = threading.Event()")
    busy = shell.start("print('waits'); go.wait(); print('went'); 'main'")
    shell.next("stream")
    other = shell.start("print('sub prints'); go.set(); 'sub'", shell="sub")
    cells = {name: shell.finish(name) for name in (busy, other)}
    messages = cells[busy].messages + cells[other].messages
    owner = {m["content"]["text"]: m["parent"]["msg_id"] for m in messages if m["type"] == "stream"}
    assert (owner["went"], owner["sub prints"]) == (busy, other)
    results = {m["parent"]["msg_id"]: m["content"] for m in messages if m["type"] == "execute_result"}
    assert results[busy]["data"]["text/plain"] == "'main'" and results[other]["data"]["text/plain"] == "'sub'"
    assert results[busy]["execution_count"] == cells[busy].reply["execution_count"] == 2
    assert results[other]["execution_count"] == cells[other].reply["execution_count"] == 3


def test_shells_share_names_and_the_count(shell):
    shell.start_shell("sub")
    shell.run("x = 5")
    cell = shell.run("x + 1", shell="sub")
    assert (cell.result, cell.reply["execution_count"], cell.announced) == ("6", 2, 2)
    assert shell.run("_").result == "6"


def test_an_error_of_a_subshell_is_its_own(shell):
    shell.start_shell("sub")
    shell.run("import threading; go = threading.Event()")
    busy = shell.start("print('waits'); go.wait(); display('x')")
    shell.next("stream")
    failing = shell.start("raise ValueError('of the subshell')", shell="sub")
    assert shell.finish(failing).reply["ename"] == "ValueError"
    last = shell.start("go.set()", shell="sub")
    shell.finish(last)
    reply = shell.finish(busy).reply
    assert (reply["status"], reply["execution_count"]) == ("ok", 2)


def test_a_payload_is_of_the_shell_that_made_it(shell):
    shell.start_shell("sub")
    shell.run("import threading; go = threading.Event()")
    busy = shell.start("print('waits'); get_ipython().set_next_input('mine'); go.wait()")
    shell.next("stream")
    assert [p["source"] for p in shell.run("print?", shell="sub").reply["payload"]] == ["page"]
    shell.run("go.set()", shell="sub")
    assert [p["source"] for p in shell.finish(busy).reply["payload"]] == ["set_next_input"]


def test_a_subshell_has_a_loop_of_its_own(shell):
    shell.start_shell("sub")
    shell.run("import asyncio; main_loop = asyncio.get_running_loop()")
    assert shell.run("asyncio.get_running_loop() is main_loop", shell="sub").result == "False"
    assert shell.run("await asyncio.sleep(0.001, 7)", shell="sub").result == "7"
    shell.run("async def f(): print('task', end='')\nt = asyncio.create_task(f())", shell="sub")
    assert shell.next("stream")["content"]["text"] == "task"


def test_input_in_a_subshell_asks_its_own_client(shell):
    shell.start_shell("sub")
    shell.run("import threading; go = threading.Event()")
    busy = shell.start("print('waits'); go.wait()", allow_stdin=False)
    shell.next("stream")
    name = shell.start("input('?')", allow_stdin=True, shell="sub")
    assert shell.next("input_request")["parent"]["msg_id"] == name
    shell.answer("a")
    assert shell.finish(name).result == "'a'"
    shell.finish(shell.start("go.set()", shell="sub"))
    shell.finish(busy)


def test_completion_works_in_a_subshell_while_a_cell_is_busy(shell):
    shell.start_shell("sub")
    shell.run("import threading; go = threading.Event(); a_name_of_mine = 1")
    busy = shell.start("print('waits'); go.wait()")
    shell.next("stream")
    assert shell.ask("complete", "a_name_o", 8, shell="sub")["matches"] == ["a_name_of_mine"]
    shell.finish(shell.start("go.set()", shell="sub"))
    shell.finish(busy)


def test_subshell_tells_which_one_it_is(shell):
    shell.start_shell("sub")
    shell.run("1", shell="sub")
    assert "subshell id: sub\n" in shell.run("%subshell", shell="sub").text()
    main = shell.run("%subshell").text()
    assert "subshell id: None\n" in main and "subshell list: ['sub']\n" in main


def test_a_closed_subshell_ends_its_thread(shell):
    shell.start_shell("sub")
    shell.run("import os, threading; mine = threading.get_native_id()", shell="sub")
    shell.close("sub")
    wait_until(lambda: shell.run("os.path.exists(f'/proc/self/task/{mine}')").result == "False")
    assert "subshell list: []" in shell.run("%subshell").text()


def test_two_shells_count_without_a_gap_or_a_double(shell):
    shell.start_shell("sub")
    names = [shell.start("1", shell=where) for _ in range(50) for where in (None, "sub")]
    counts = [shell.finish(name).reply["execution_count"] for name in names]
    assert sorted(counts) == list(range(1, 101))
