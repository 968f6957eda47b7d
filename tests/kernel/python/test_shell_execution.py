"""Cells: results, errors, counting, payloads, user expressions."""

import pytest


def test_the_value_of_the_last_expression_is_the_result(shell):
    cell = shell.run("1 + 1")
    assert cell.of("execute_result") == [{"data": {"text/plain": "2"}, "metadata": {}, "execution_count": 1}]
    assert cell.announced == cell.reply["execution_count"] == 1


def test_every_message_belongs_to_its_request(shell):
    name = shell.start("print(1); 2; display(3)")
    assert {message["parent"]["msg_id"] for message in shell.finish(name).messages} == {name}


def test_cells_are_counted(shell):
    assert [shell.run("1").reply["execution_count"] for _ in range(3)] == [1, 2, 3]


def test_an_empty_cell_takes_no_count(shell):
    shell.run("1")
    assert shell.run("  \n").reply["execution_count"] == 1
    assert shell.run("2").reply["execution_count"] == 2


def test_a_cell_that_is_not_stored_takes_no_count(shell):
    shell.run("1")
    shell.run("2", store_history=False)
    assert shell.run("3").reply["execution_count"] == 2


def test_a_silent_cell_shows_no_result_and_takes_no_count(shell):
    cell = shell.run("7; x = 5", silent=True)
    assert cell.messages == []
    assert shell.run("x").of("execute_result")[0]["execution_count"] == 1


def test_a_failed_cell_takes_a_count(shell):
    assert shell.execute("1/0").reply["execution_count"] == 1
    assert shell.execute("1+").reply["execution_count"] == 2
    assert shell.run("1").reply["execution_count"] == 3


def test_a_new_history_session_starts_counting_anew(shell):
    shell.run("1")
    shell.run("get_ipython().reset()")
    assert shell.run("3").reply["execution_count"] == 1


def test_results_are_kept_in_out_and_underscores(shell):
    shell.run("6")
    shell.run("7")
    assert shell.run("(_, __, Out[1], _2)").result == "(7, 6, 6, 7)"


def test_a_semicolon_hides_the_result(shell):
    assert shell.run("7;").messages == []
    assert shell.run("7;  # why").messages == []


@pytest.mark.parametrize(
    "code, name", [("1/0", "ZeroDivisionError"), ("1+", "SyntaxError"), ("  x\n y", "IndentationError"), ("y", "NameError")]
)
def test_an_error_is_published_and_replied_by_its_plain_name(shell, code, name):
    cell = shell.execute(code)
    (error,) = cell.of("error")
    assert cell.reply["status"] == "error"
    assert {**error, "status": "error"}.items() <= cell.reply.items()
    assert error["ename"] == name
    assert name in "".join(error["traceback"])


def test_an_exception_group_is_an_error_too(shell):
    cell = shell.execute("raise ExceptionGroup('two', [ValueError(1), KeyError(2)])")
    (error,) = cell.of("error")
    assert error["ename"] == "ExceptionGroup" and "KeyError: 2" in "\n".join(error["traceback"])
    assert "interactiveshell.py" not in "".join(error["traceback"])


def test_an_exception_whose_str_fails_is_told_all_the_same(shell):
    code = "class E(Exception):\n    def __str__(self): raise ValueError\nraise E"
    assert shell.execute(code).reply["ename"] == "E"


def test_a_failing_repr_fails_the_cell_and_is_shown(shell):
    cell = shell.execute("class R:\n    def __repr__(self): raise ValueError('x')\nR()")
    assert cell.types == ["error"]
    assert (cell.reply["status"], cell.reply["ename"]) == ("error", "ValueError")
    assert shell.run("1").result == "1"


def test_sys_exit_does_not_end_the_kernel(shell):
    assert shell.execute("import sys; sys.exit(3)").reply["ename"] == "SystemExit"
    assert shell.run("1").result == "1"


def test_user_expressions_are_evaluated_one_by_one(shell):
    reply = shell.run("y = 3", user_expressions={"a": "y * 2", "b": "nope"}).reply["user_expressions"]
    assert reply["a"] == {"status": "ok", "data": {"text/plain": "6"}, "metadata": {}}
    assert (reply["b"]["status"], reply["b"]["ename"]) == ("error", "NameError")


def test_user_expressions_are_not_evaluated_after_an_error(shell):
    assert shell.execute("1/0", user_expressions={"a": "1"}).reply["user_expressions"] == {}


def test_exit_asks_the_client_and_ends_the_kernel(shell):
    cell = shell.run("exit")
    assert cell.reply["payload"] == [{"source": "ask_exit", "keepkernel": False}]
    shell.next("ended")


def test_exit_may_keep_the_kernel(shell):
    assert shell.run("exit(keep_kernel=True)").reply["payload"] == [{"source": "ask_exit", "keepkernel": True}]
    assert shell.run("1").result == "1"


def test_a_payload_is_of_one_cell_only(shell):
    assert [payload["source"] for payload in shell.run("print?").reply["payload"]] == ["page"]
    assert shell.run("1").reply["payload"] == []


def test_code_may_hold_half_characters(shell):
    assert shell.run("len('\\udc80')").result == "1"


def test_events_of_ipython_come_around_a_cell(shell):
    shell.run(
        "seen = []\n"
        "for name in ['pre_run_cell', 'post_run_cell', 'pre_execute', 'post_execute']:\n"
        "    get_ipython().events.register(name, lambda *a, name=name: seen.append(name))"
    )
    shell.run("1")
    assert shell.run("seen[-6:-2]").result == "['pre_execute', 'pre_run_cell', 'post_execute', 'post_run_cell']"


def test_what_is_printed_is_not_kept_in_memory(shell):
    shell.run("print('x' * 1000)")
    assert shell.run("len(str(dict(getattr(get_ipython().history_manager, 'outputs', {})))) < 500").result == "True"


def test_the_cell_id_is_given_to_ipython(shell):
    shell.run("seen = []; get_ipython().events.register('pre_run_cell', lambda info: seen.append(info.cell_id))")
    shell.run("2", metadata={"cellId": "cell-one"})
    assert shell.run("seen").result == "['cell-one', None]"


def test_the_requests_metadata_can_be_read(shell):
    cell = shell.run("get_ipython().kernel.get_parent('shell')['metadata']", metadata={"cellgate": {"helper_key": "k"}})
    assert cell.result == "{'cellgate': {'helper_key': 'k'}}"


def test_a_file_that_a_cell_left_open_is_written_at_the_end(shell, tmp_path):
    shell.run(f"f = open({str(tmp_path / 'f')!r}, 'w'); f.write('text');")
    shell.close()
    shell.next("ended")
    assert (tmp_path / "f").read_text() == "text"


def test_a_traceback_begins_in_the_cell(shell):
    (error,) = shell.execute("def f():\n    return 1/0\nf()").of("error")
    assert "interactiveshell.py" not in "".join(error["traceback"])
    assert "In[1]" in "".join(error["traceback"])
