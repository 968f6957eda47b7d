"""`return` outside a function ends the cell, as it would end a function."""

import pytest

# Each cell, and the same as a function, must have the same value and print the same.
PROGRAMS = [
    "return 5",
    "x = 1\nreturn x + 1\nprint('never')",
    "return",
    "if 1:\n    return 5\nprint('never')\n6",
    "if 0:\n    return 5\nprint('here')\n6",
    "for i in range(9):\n    if i == 3:\n        return i\nelse:\n    print('else')\nprint('never')",
    "for i in range(9):\n    for j in range(9):\n        if i * j == 12:\n            return i, j\n    print(i)\nprint('never')",
    "for i in range(3):\n    for j in range(3):\n        if j == 1:\n            break\n    else:\n        return 'else'\n    print(i)\n'end'",
    "for i in range(3):\n    for j in range(3):\n        pass\n    else:\n        return 'else'\n    print(i)\n'end'",
    "n = 0\nwhile True:\n    n += 1\n    while True:\n        if n > 3:\n            return n\n        break",
    "try:\n    return 4\nexcept:\n    print('bad')\nfinally:\n    print('finally')\nprint('never')",
    "try:\n    return 4\nexcept BaseException:\n    print('bad')\nprint('never')",
    "try:\n    1 / 0\nexcept ZeroDivisionError:\n    return 'handled'\nelse:\n    print('else')\nfinally:\n    print('finally')",
    "try:\n    pass\nexcept ValueError:\n    pass\nelse:\n    return 'else'\nfinally:\n    print('finally')\nprint('never')",
    "for i in range(2):\n    try:\n        for j in range(2):\n            try:\n                return i, j\n            finally:\n                print('inner')\n"
    "    finally:\n        print('outer')\nprint('never')",
    "import contextlib\n@contextlib.contextmanager\ndef cm():\n    print('in')\n    try:\n        yield 1\n    finally:\n        print('out')\n"
    "with cm() as x, cm():\n    if x:\n        return x\n    print('never')\nprint('never')",
    "match 5:\n    case 4: pass\n    case n if n > 4:\n        return n\nprint('never')",
    "def f():\n    return 1\nif f():\n    return f() + 1\n0",
    "x = 0\nif x:\n    return 1\nelif x == 0:\n    return 2\nelse:\n    return 3\nprint('never')",
    "import asyncio\nawait asyncio.sleep(0)\nif 1:\n    return 9\nprint('never')",
    "async def g():\n    yield 1\n    yield 2\nasync for x in g():\n    if x == 2:\n        return await asyncio.sleep(0, x)\nprint('never')",
    "import asyncio\nreturn await asyncio.sleep(0, 3)",
    "class C:\n    x = 4\nif C:\n    return C.x",
    "return [i for i in range(3)]",
    "if 1:\n    return (lambda: 5)()",
    "def f():\n    for i in range(3):\n        if i: return i\nfor k in [1]:\n    y = f()\nif y: return y + k",
]


def as_function(code):
    body = "".join("    %s\n" % line for line in code.split("\n"))
    if "await" in code or "async for" in code:
        return "import asyncio\nasync def cell():\n%s\nfrom_function = await cell()" % body
    return "def cell():\n%s\nfrom_function = cell()" % body


@pytest.mark.parametrize("code", PROGRAMS)
def test_a_cell_ends_as_a_function_would(correcting, code):
    last = code.rsplit("\n", 1)[-1]
    function = code if last[0] in " 0" or "return" in last or "print" in last else "%sreturn %s" % (code[: -len(last)], last)
    expected = correcting.run(as_function(function), mode=False)
    assert expected.result.success
    value = correcting.ip.user_ns["from_function"]
    correcting.ip.reset(new_session=True)
    ran = correcting.run("import asyncio\n" + code)
    assert repr(ran.value) == repr(value if last != "0" else ran.value)
    assert ran.out.replace("Out[1]: %r\n" % (ran.value,), "").strip() == expected.out.strip()
    assert ran.kinds and set(ran.kinds) == {"top_level_return"}


def test_the_value_is_shown_as_a_last_expression_is(correcting):
    ran = correcting.run("x = 1\nif x:\n    return {'a': 1}")
    assert ran.out == "Out[1]: {'a': 1}\n"
    assert correcting.run("Out[1]").value == {"a": 1}
    assert correcting.run("return None").out == ""


def test_what_was_corrected_is_told(correcting):
    ran = correcting.run("x = 1\n\nif x:\n    return x + 1")
    (sent,) = ran.sent
    assert (sent["line"], sent["column"], sent["written"]) == (4, 4, "return x + 1")
    assert ran.told == ["cellgate: line 4: return outside a function: the cell ends there"]


def test_names_stay_the_cells(correcting):
    correcting.run("for i in range(3):\n    y = i\n    if i == 1:\n        return y\n")
    assert correcting.run("i, y, [n for n in dir() if 'cellgate' in n and not n.startswith('__')]").value == (1, 1, [])


def test_an_error_in_it_is_at_its_line(correcting):
    ran = correcting.run("x = 1\nif x:\n    return 1 / 0\n")
    assert isinstance(ran.error, ZeroDivisionError)
    assert ran.error.__traceback__.tb_next.tb_lineno == 3


@pytest.mark.parametrize(
    "code",
    [
        "class C:\n    return 1",
        "for i in [1]:\n    try:\n        return 1\n    finally:\n        continue",
        "try:\n    return 1\nfinally:\n    return 2",
        "return (yield 5)",
        "if 1:\n    return 5\nyield",
        "if 1:\n    return 5\nbreak",
        "if 1:\n    continue\nreturn 5",
    ],
)
def test_what_no_function_could_do_either_or_is_not_certain_stays_an_error(correcting, code):
    ran = correcting.run(code)
    assert isinstance(ran.error, SyntaxError) and ran.sent == []


def test_a_read_that_is_returned_is_corrected_too(correcting):
    ran = correcting.run('d = {"api_key": 1}\nreturn d["apiKey"]')
    assert ran.value == 1
    assert sorted(ran.kinds) == ["field_name", "top_level_return"]


def test_with_every_expression_shown_it_stays_an_error(correcting):
    correcting.ip.ast_node_interactivity = "all"
    try:
        assert isinstance(correcting.run("if 1:\n    return 1").error, SyntaxError)
    finally:
        correcting.ip.ast_node_interactivity = "last_expr"
