"""input() and getpass()."""


def test_input_asks_the_client(shell):
    name = shell.start("v = input('name? '); v", allow_stdin=True)
    question = shell.next("input_request")
    assert question["content"] == {"prompt": "name? ", "password": False}
    assert question["parent"]["msg_id"] == name
    shell.answer("bob")
    assert shell.finish(name).result == "'bob'"


def test_getpass_asks_for_what_is_not_shown(shell):
    name = shell.start("import getpass; getpass.getpass('pw? ')", allow_stdin=True)
    assert shell.next("input_request")["content"] == {"prompt": "pw? ", "password": True}
    shell.answer("secret")
    assert shell.finish(name).result == "'secret'"


def test_a_client_without_stdin_is_not_asked(shell):
    assert shell.execute("input('x')").reply["ename"] == "StdinNotImplementedError"
    assert shell.execute("import getpass; getpass.getpass()").reply["ename"] == "StdinNotImplementedError"


def test_end_of_file_is_an_eoferror(shell):
    name = shell.start("input()", allow_stdin=True)
    shell.next("input_request")
    shell.answer("\x04")
    assert shell.finish(name).reply["ename"] == "EOFError"


def test_a_background_thread_asks_the_client_of_its_cell(shell):
    shell.run("import threading\ngot = []\nth = threading.Thread(target=lambda: got.append(input('from a thread? ')))")
    name = shell.start("th.start(); th.join(); got", allow_stdin=True)
    assert shell.next("input_request")["parent"]["msg_id"] == name
    shell.answer("yes")
    assert shell.finish(name).result == "['yes']"


def test_other_threads_run_while_a_cell_asks(shell):
    name = shell.start(
        "import threading, time\nthreading.Timer(0.01, lambda: print('meanwhile')).start()\ninput('?')", allow_stdin=True
    )
    assert shell.next("stream")["content"]["text"] == "meanwhile"
    shell.answer("done")
    assert shell.finish(name).result == "'done'"


def test_the_debugger_of_python_asks_by_input(shell):
    name = shell.start("import pdb\ndef f():\n    x = 5\n    pdb.set_trace()\n    return x\nf()", allow_stdin=True)
    shell.next("input_request")
    shell.answer("p x * 2")
    shell.next("input_request")
    shell.answer("c")
    cell = shell.finish(name)
    assert "10" in cell.text() and cell.result == "5"


def test_a_post_mortem_asks_too(shell):
    shell.execute("def f():\n    inner = 7\n    1/0\nf()")
    name = shell.start("%debug", allow_stdin=True)
    assert shell.next("input_request")["content"]["prompt"] == "ipdb> "
    shell.answer("p inner * 3")
    shell.next("input_request")
    shell.answer("q")
    assert "21" in shell.finish(name).text()
