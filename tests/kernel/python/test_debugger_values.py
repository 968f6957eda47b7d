"""What a debugging client can see of values, and do to them."""

import pytest

CODE = "def f(rows):\n    inside = [n * 2 for n in rows]\n    return inside\nouter = f([1, 2, 3])\n"


@pytest.fixture
def stopped_frame(debuggee):
    """The frame of f, which is stopped at its return."""
    debuggee.set_breakpoints(CODE, 3)
    debuggee.run(CODE)
    return debuggee.stopped()[1][0]


def by_name(variables):
    return {variable["name"]: variable for variable in variables}


def test_locals_and_globals_of_a_frame(debuggee, stopped_frame):
    assert debuggee.scope(stopped_frame) == {"rows": "[1, 2, 3]", "inside": "[2, 4, 6]"}
    shown = debuggee.scope(stopped_frame, "Globals")
    assert not {"In", "Out", "get_ipython", "_oh", "exit", "_i1"} & set(shown)


def test_what_is_inside_a_variable_and_pages_of_it(debuggee, stopped_frame):
    scopes = debuggee.do("scopes", frameId=stopped_frame["id"])["scopes"]
    inside = by_name(debuggee.do("variables", variablesReference=scopes[0]["variablesReference"])["variables"])["inside"]
    children = debuggee.do("variables", variablesReference=inside["variablesReference"])["variables"]
    assert [child["value"] for child in children if child["name"] in "012"] == ["2", "4", "6"]
    page = debuggee.do("variables", variablesReference=inside["variablesReference"], start=1, count=2)["variables"]
    assert [child["name"] for child in page] == [child["name"] for child in children[1:3]]


def test_evaluate_in_a_frame_reads_and_assigns(debuggee, stopped_frame):
    assert debuggee.do("evaluate", expression="sum(inside)", frameId=stopped_frame["id"], context="repl")["result"] == "12"
    debuggee.do("evaluate", expression="made = sum(rows)", frameId=stopped_frame["id"], context="repl")
    refused = debuggee.ask("evaluate", expression="nowhere", frameId=stopped_frame["id"], context="repl")
    assert not refused["success"] and "NameError" in refused["message"]


def test_a_variable_can_be_set(debuggee, stopped_frame):
    scopes = debuggee.do("scopes", frameId=stopped_frame["id"])["scopes"]
    debuggee.do("setVariable", variablesReference=scopes[0]["variablesReference"], name="inside", value="[7]")
    assert debuggee.scope(stopped_frame)["inside"] == "[7]"


def test_rich_inspection_in_a_stopped_frame(debuggee):
    debuggee.execute("class Page:\n    def _repr_html_(self):\n        return '<b>it\\'s \\u4e2d</b>'\n")
    code = "def g():\n    page = Page()\n    return page\ng()\n"
    debuggee.set_breakpoints(code, 3)
    debuggee.run(code)
    frame = debuggee.stopped()[1][0]
    found = debuggee.do("richInspectVariables", variableName="page", frameId=frame["id"])
    assert found["data"]["text/html"] == "<b>it's 中</b>" and "text/plain" in found["data"]
    refused = debuggee.ask("richInspectVariables", variableName="nowhere", frameId=frame["id"])
    assert not refused["success"] and "nowhere" in refused["message"]


def test_a_local_is_copied_to_the_globals(debuggee, stopped_frame):
    debuggee.do("copyToGlobals", srcVariableName="inside", dstVariableName="kept", srcFrameId=stopped_frame["id"])
    assert debuggee.python("kernel.shell.user_ns['kept']") == [2, 4, 6]
    for names in ({"srcVariableName": "inside", "dstVariableName": "a b"}, {"srcVariableName": "f()", "dstVariableName": "a"}):
        refused = debuggee.ask("copyToGlobals", srcFrameId=stopped_frame["id"], **names)
        assert not refused["success"] and "identifiers" in refused["message"]


def test_a_local_of_a_module_is_copied_to_the_users_globals(debuggee, tmp_path):
    (tmp_path / "far.py").write_text("def work():\n    found = 42\n    return found\n")
    debuggee.do("setBreakpoints", source={"path": str(tmp_path / "far.py")}, breakpoints=[{"line": 3}])
    debuggee.run(f"import sys; sys.path.append({str(tmp_path)!r})\nimport far\nfar.work()\n")
    frame = debuggee.stopped()[1][0]
    debuggee.do("copyToGlobals", srcVariableName="found", dstVariableName="here", srcFrameId=frame["id"])
    assert debuggee.python("kernel.shell.user_ns['here'], 'here' in sys.modules['far'].__dict__") == [42, False]


def test_the_namespace_can_be_inspected_while_nobody_debugs(idle_debuggee):
    idle_debuggee.execute("numbers = {'one': [1]}\ntext = 'a'")
    found = by_name(idle_debuggee.do("inspectVariables")["variables"])
    assert set(found) == {"numbers", "text"}
    inner = idle_debuggee.do("variables", variablesReference=found["numbers"]["variablesReference"])["variables"]
    one = by_name(inner)["'one'"]
    assert one["value"] == "[1]"
    deepest = idle_debuggee.do("variables", variablesReference=one["variablesReference"])["variables"]
    assert by_name(deepest)["0"]["value"] == "1"
    refused = idle_debuggee.ask("variables", variablesReference=7)
    assert not refused["success"] and "inspectVariables" in refused["message"]


def test_the_namespace_can_be_inspected_while_a_thread_is_stopped(debuggee, stopped_frame):
    debuggee.do("evaluate", expression="globals().update(held={'k': 5})", frameId=stopped_frame["id"], context="repl")
    held = by_name(debuggee.do("inspectVariables")["variables"])["held"]
    assert by_name(debuggee.do("variables", variablesReference=held["variablesReference"])["variables"])["'k'"]["value"] == "5"


def test_rich_inspection_and_evaluation_of_the_namespace(idle_debuggee):
    idle_debuggee.execute("class Page:\n    def _repr_html_(self):\n        return '<i>1</i>'\npage = Page()\nq = 5")
    assert idle_debuggee.do("richInspectVariables", variableName="page")["data"]["text/html"] == "<i>1</i>"
    assert idle_debuggee.do("richInspectVariables", variableName="special variables") == {"data": {}, "metadata": {}}
    for name in ("gone", "page.x"):
        assert not idle_debuggee.ask("richInspectVariables", variableName=name)["success"]
    assert idle_debuggee.do("evaluate", expression="q + 1", context="repl")["result"] == "6"
    idle_debuggee.do("evaluate", expression="r = q * 2", context="repl")
    assert idle_debuggee.python("kernel.shell.user_ns['r']") == 10
    refused = idle_debuggee.ask("evaluate", expression="1 / 0", context="repl")
    assert not refused["success"] and "ZeroDivisionError" in refused["message"]


def test_an_object_that_displays_itself_is_inspected_as_text(idle_debuggee):
    idle_debuggee.execute("class Shout:\n    def _ipython_display_(self):\n        raise SystemExit\n"
                          "    def __repr__(self):\n        return 'Shout'\ns = Shout()")
    assert idle_debuggee.do("richInspectVariables", variableName="s")["data"] == {"text/plain": "Shout"}


def test_modules_are_listed_and_paged(idle_debuggee):
    whole = idle_debuggee.do("modules")
    assert {"json", "IPython"} <= {module["name"] for module in whole["modules"]}
    assert whole["totalModules"] == len(whole["modules"])
    page = idle_debuggee.do("modules", startModule=3, moduleCount=2)
    assert page["modules"] == whole["modules"][3:5] and page["totalModules"] == whole["totalModules"]


def test_the_source_of_a_dumped_cell_and_of_nothing(debuggee):
    path = debuggee.do("dumpCell", code="é = 1\n")["sourcePath"]
    assert debuggee.do("source", source={"path": path})["content"] == "é = 1\n"
    refused = debuggee.ask("source", source={"path": "/nowhere.py"})
    assert not refused["success"] and "/nowhere.py" in refused["message"]
