"""Top-level await, tasks that go on between cells, the loop that a cell sees."""


def test_a_cell_may_await(shell):
    assert shell.run("import asyncio\nawait asyncio.sleep(0.001)\n'slept'").result == "'slept'"


def test_a_task_goes_on_between_cells(shell):
    shell.run("import asyncio\nasync def tick(): await asyncio.sleep(0.01); print('ticked')\nt = asyncio.create_task(tick())")
    assert shell.next("stream")["content"]["text"] == "ticked"
    assert shell.run("t.done()").result == "True"


def test_a_tasks_output_belongs_to_the_cell_that_made_it(shell):
    first = shell.start(
        "import asyncio\ngo = asyncio.Event()\n"
        "async def wait(): await go.wait(); print('went'); display('shown')\n"
        "t = asyncio.create_task(wait())"
    )
    shell.finish(first)
    shell.run("go.set()")
    assert shell.next("stream")["parent"]["msg_id"] == first
    assert shell.next("display_data")["parent"]["msg_id"] == first


def test_a_cell_without_await_has_a_running_loop(shell):
    assert shell.run("import asyncio; l = asyncio.get_running_loop(); l.is_running()").result == "True"
    assert shell.run("import asyncio; asyncio.get_event_loop() is l").result == "True"
    assert shell.run("await asyncio.sleep(0)\nasyncio.get_running_loop() is l").result == "True"


def test_asyncio_run_within_a_cell_is_refused_as_in_any_notebook(shell):
    cell = shell.execute("import asyncio\nasync def f(): pass\nc = f()\nasyncio.run(c)")
    assert cell.reply["ename"] == "RuntimeError" and "running event loop" in cell.reply["evalue"]
    assert shell.run("c.close(); await asyncio.sleep(0, 5)").result == "5"


def test_an_error_of_a_task_is_awaited(shell):
    assert shell.execute("import asyncio\nasync def f(): 1/0\nawait f()").reply["ename"] == "ZeroDivisionError"


def test_an_unawaited_error_is_reported_and_harmless(shell):
    shell.run("import asyncio, gc\nasync def f(): 1/0\nt = asyncio.create_task(f()); await asyncio.sleep(0)")
    assert "ZeroDivisionError" in shell.run("del t; gc.collect();").text("stderr")
    assert shell.run("1").result == "1"


def test_a_task_that_exits_does_not_end_the_kernel(shell):
    shell.run("import asyncio, sys\nasync def f(): sys.exit(1)\nt = asyncio.create_task(f())")
    assert shell.next("stream")["content"]["name"] == "stderr"
    assert shell.run("t.done()").result == "True"


def test_a_loop_that_a_cell_stops_goes_on(shell):
    shell.run("import asyncio; loop = asyncio.get_running_loop(); loop.call_soon(loop.stop)")
    assert shell.run("await asyncio.sleep(0, 'on')").result == "'on'"


def test_a_loop_that_a_cell_broke_is_replaced(shell):
    shell.run("import asyncio; loop = asyncio.get_running_loop(); loop._selector.close();")
    assert shell.run("1").result == "1"
    assert shell.run("await asyncio.sleep(0, 'on')").result == "'on'"


def test_context_variables_hold_in_the_next_cell(shell):
    shell.run("import asyncio, contextvars; v = contextvars.ContextVar('v')")
    shell.run("v.set(1);")
    shell.run("await asyncio.sleep(0)\nw = v.get()\nv.set(2);")
    assert shell.run("w, v.get()").result == "(1, 2)"


def test_a_stored_async_cell_shows_its_result_with_its_count(shell):
    shell.run("import asyncio")
    assert shell.run("await asyncio.sleep(0, 6)").of("execute_result")[0]["execution_count"] == 2


def test_subprocesses_of_asyncio_work(shell):
    code = "import asyncio\np = await asyncio.create_subprocess_exec('echo', 'hi', stdout=-1)\n(await p.communicate())[0]"
    assert shell.run(code).result == "b'hi\\n'"


def test_autoawait_can_be_turned_off(shell):
    shell.run("%autoawait off")
    assert shell.execute("import asyncio\nawait asyncio.sleep(0)").reply["ename"] == "SyntaxError"
    shell.run("%autoawait asyncio")
    assert shell.run("import asyncio\nawait asyncio.sleep(0, 3)").result == "3"


def test_nested_loops_work_for_those_who_ask_for_them(shell):
    shell.run("import asyncio, nest_asyncio2; nest_asyncio2.apply()\nasync def f(): await asyncio.sleep(0.001); return 5")
    assert shell.run("asyncio.run(f())").result == "5"
    assert shell.run("asyncio.get_event_loop().run_until_complete(f())").result == "5"
    assert shell.run("await f()").result == "5"
    assert shell.run("6").result == "6"
