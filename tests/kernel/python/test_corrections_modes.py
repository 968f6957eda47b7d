"""Who asked for corrections, and what is only suggested."""

import sys

import pytest
from cellgate_kernel import settings
from cellgate_kernel.corrections import keys, modes
from correcting import Shell

WRONG = 'd = {"api_key": 1}\nd["apiKey"]'


def test_report_fails_with_a_note(correcting):
    ran = correcting.run(WRONG, mode="report")
    assert isinstance(ran.error, KeyError) and ran.error.args == ("apiKey",)
    assert ran.notes == ['cellgate: did you mean d["api_key"]?']
    assert 'cellgate: did you mean d["api_key"]?' in ran.shown
    assert ran.sent == [] and ran.told == []


def test_false_fails_without(correcting):
    ran = correcting.run(WRONG, mode=False)
    assert isinstance(ran.error, KeyError) and ran.notes == [] and ran.told == []


def test_report_changes_no_instruction(correcting):
    correcting.run('def f(d): return d["apiKey"], true', mode="report")
    assert "__cellgate_read__" not in correcting.run("f.__code__.co_names", mode="report").value


@pytest.mark.parametrize("default", [True, False, "report"])
def test_a_request_that_says_nothing_has_the_sessions_mode(correcting, default):
    correcting.parent.message = {}
    kept = settings.Settings.parse({"helper_key": "k", "error_correction": default})
    settings.keep(kept)
    assert modes.of_request(correcting.ip) == default


def test_the_sessions_mode_is_report_by_default():
    assert settings.Settings.parse({"helper_key": "k"}).error_correction == "report"


@pytest.mark.parametrize("wrong", ["on", 2, None])
def test_a_wrong_mode_is_refused(wrong):
    with pytest.raises(ValueError, match='true, false or "report"'):
        settings.Settings.parse({"helper_key": "k", "error_correction": wrong})


def test_the_running_cell_decides_for_functions_of_earlier_ones(correcting):
    correcting.run('d = {"api_key": 1}\ndef f(): return d["apiKey"]')
    assert correcting.run("f()").value == 1
    ran = correcting.run("f()", mode=False)
    assert isinstance(ran.error, KeyError) and ran.notes == []
    ran = correcting.run("f()", mode="report")
    assert ran.notes == ['cellgate: did you mean d["api_key"]?']


def test_verbatim_cells_are_not_corrected(correcting):
    ran = correcting.run("%%verbatim\n" + WRONG)
    assert isinstance(ran.error, KeyError) and ran.sent == [] and ran.notes == []
    correcting.run('def f(): return d["apiKey"]')
    assert isinstance(correcting.run("%%verbatim\nf()").error, KeyError)
    assert correcting.run("f()").value == 1


def test_a_verbatim_cell_is_a_cell_as_any_other(correcting):
    assert correcting.run("%%verbatim\nx = 5\nx + 1").value == 6
    assert correcting.run("\n%%verbatim\nimport asyncio\nawait asyncio.sleep(0, 7)").value == 7
    assert correcting.run("%%verbatim\n%%capture c\nprint(5)").result.success
    ran = correcting.run("%%verbatim\n%%capture c\n{'api_key': 1}['apiKey']")
    assert ran.sent == [] and correcting.run("%%capture c\n{'api_key': 1}['apiKey']").kinds == ["field_name"]
    assert isinstance(correcting.run("%%verbatim\nreturn 5").error, SyntaxError)


def test_lines_in_a_verbatim_cell_keep_their_numbers(correcting):
    ran = correcting.run("%%verbatim\n\n1 / 0")
    assert ran.error.__traceback__.tb_next.tb_lineno == 3


def test_without_the_extension_errors_are_explained_and_the_cell_says_so(monkeypatch):
    monkeypatch.setitem(sys.modules, "cellgate_kernel.corrections._read", None)
    monkeypatch.delattr("cellgate_kernel.corrections._read", raising=False)
    shell = Shell()
    try:
        ran = shell.run(WRONG)
        assert isinstance(ran.error, KeyError)
        assert ran.notes == ['cellgate: did you mean d["api_key"]?']
        assert len(ran.told) == 1 and "errors are not corrected here, only explained: " in ran.told[0]
        assert shell.run(WRONG).told == []
        assert isinstance(shell.run("```\n1\n```").error, SyntaxError)
        assert isinstance(shell.run("return 5").error, SyntaxError)
    finally:
        shell.close()


SUGGESTED = [
    ('d = {"api_key": 1}\nd["api_kye"]', 'did you mean d["api_key"]?'),
    ('d = {"apiKey": 1, "api_key": 2}\nd["ApiKey"]', 'did you mean d["apiKey"] or d["api_key"]?'),
    ('rows = [{"api_key": 1}]\nfor i in range(1):\n    rows[i]["api_keyy"]', 'did you mean rows[i]["api_key"]?'),
    ('def f(a):\n    return a["b"]["nmae"]\nf({"b": {"name": 1}})', 'did you mean a["b"]["name"]?'),
    ('d = {"api_key": 1}\nv = d.get("apiKey")\nv["x"]', 'd.get("apiKey") is None: did you mean d["api_key"]?'),
    ('d = {"api_key": 1}\nd.get("apiKey").strip()', 'd.get("apiKey") is None: did you mean d["api_key"]?'),
    ('d = {"api_key": 1}\nd["api-key".replace("-", "_") + "x"]', None),
    ('d = {"api_key": 1}\nd["zzz"]', None),
    ('d = {"ab": 1}\nd["ac"]', None),
    ('d = {"v1_2": 1, "v13": 2}\nd["v12"]', 'did you mean d["v1_2"]?'),
    ('d = {"n": None}\nd.get("n")["x"]', None),
]


@pytest.mark.parametrize("mode", [True, "report"])
@pytest.mark.parametrize("code, note", SUGGESTED)
def test_what_is_only_suggested(correcting, code, note, mode):
    ran = correcting.run(code, mode=mode)
    assert ran.error is not None and ran.sent == []
    assert ran.notes == ([] if note is None else ["cellgate: " + note])


@pytest.mark.parametrize(
    "code, note",
    [
        ("x = true", "did you mean True? In Python it is written so"),
        ("return 5", "end the cell with the expression itself to show its value"),
        ("```python\n1\n```", "the cell is Markdown or HTML; did you mean the code inside?"),
        ("if 1 &lt; 2: pass", "the cell is Markdown or HTML; did you mean the code inside?"),
    ],
)
def test_the_other_kinds_are_suggested_in_report(correcting, code, note):
    ran = correcting.run(code, mode="report")
    assert ran.error is not None and ran.notes == ["cellgate: " + note]
    assert "cellgate: " + note in ran.shown


def test_an_exception_that_a_cell_catches_bears_no_note(correcting):
    ran = correcting.run('d = {"api_key": 1}\ntry:\n    d["apiKey"]\nexcept KeyError as e:\n    n = getattr(e, "__notes__", [])\nn')
    assert ran.value == []


@pytest.mark.parametrize(
    "one, other, far",
    [("abc", "abc", 0), ("abcd", "abdc", 1), ("name", "nmae", 1), ("abc", "abcd", 1), ("kitten", "sitting", 3), ("", "ab", 2), ("abc", "xyz", 3)],
)
def test_distance(one, other, far):
    assert keys.distance(one, other, 3) == far
    assert keys.distance(other, one, 3) == far
    assert far <= 1 or keys.distance(one, other, 1) == 2


@pytest.mark.parametrize(
    "key, folded",
    [("apiKey", "apikey"), ("API_KEY", "apikey"), ("a-b.c d", "abcd"), ("v1_2", "v1_2"), ("v_1", "v1"), ("1_a_2", "1a2"), ("_", "")],
)
def test_fold(key, folded):
    assert keys.fold(key) == folded
