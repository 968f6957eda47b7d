"""The helpers for a sandbox of one's own: one file of Python, against a gateway."""

import ast
import os
import pathlib
import subprocess
import sys
import zipfile

import package_path
import pytest
from local_gateway import LocalGateway

import cellgate_local as local

FAST = {"max_retries": 2, "delay_ms": 1}
SOURCE = pathlib.Path(package_path.PACKAGE_DIR, "cellgate_local.py")


@pytest.fixture(autouse=True)
def gateway(monkeypatch):
    made = LocalGateway()
    monkeypatch.setenv("BACKEND_URL", made.url + "/")
    monkeypatch.setenv("COMPOSIO_TOOLROUTER_SESSION_ID", "ses_a")
    monkeypatch.setenv("COMPOSIO_WORKBENCH_ACCESS_KEY", "sak_x")
    monkeypatch.delenv("COMPOSIO_API_KEY", raising=False)
    monkeypatch.setenv("no_proxy", "*")
    yield made
    made.close()


def test_it_is_one_file_that_needs_nothing_else():
    imported = set()
    for node in ast.walk(ast.parse(SOURCE.read_text())):
        if isinstance(node, (ast.Import, ast.ImportFrom)):
            imported |= {(node.module if isinstance(node, ast.ImportFrom) else alias.name).split(".")[0] for alias in node.names}
    assert imported <= sys.stdlib_module_names
    done = subprocess.run([sys.executable, "-I", "-c", SOURCE.read_text() + "\nprint(web_search('x')[1])"], capture_output=True, text=True, env={})
    assert "COMPOSIO_TOOLROUTER_SESSION_ID is not set" in done.stdout, done.stderr


def test_a_tool_is_called_with_the_sessions_key(gateway):
    assert local.run_composio_tool(" files_read ", {"path": "a"}, account="work") == (
        {"data": {"path": "a"}, "error": None, "log_id": "log_1"},
        "",
    )
    assert gateway.requests == [
        (
            "/api/v3/tool_router/session/ses_a/execute",
            {"tool_slug": "FILES_READ", "arguments": {"path": "a"}, "account": "work"},
        )
    ]
    assert gateway.keys == [("x-session-access-key", "sak_x")]


def test_a_key_of_the_gateways_will_do(gateway, monkeypatch):
    monkeypatch.delenv("COMPOSIO_WORKBENCH_ACCESS_KEY")
    monkeypatch.setenv("COMPOSIO_API_KEY", "key")
    local.run_composio_tool("A_B", {})
    assert gateway.keys == [("x-api-key", "key")]


@pytest.mark.parametrize(
    "answer, error",
    [
        ((200, {"data": {}, "error": "no such file"}), "no such file"),
        ((200, {"data": {}, "error": None, "result_type": "failed"}), "the tool failed without saying why"),
        ((200, {"result_type": "input_required", "input_requests": {}}), "the tool was not run: it needs input first"),
        ((404, {"error": {"message": "there is no tool A_B", "status": 404}}), "there is no tool A_B"),
        ((500, b"<html>"), "Composio tool request failed: the gateway's answer is not a JSON object (HTTP 500)"),
        ((302, b"", {"location": "http://127.0.0.1:1/"}), "Composio tool request failed: the gateway's answer is not a JSON object (HTTP 302)"),
    ],
)
def test_what_fails_is_an_error(gateway, answer, error):
    gateway.answer = lambda path, request: answer
    assert local.run_composio_tool("A_B", {})[1] == error
    assert len(gateway.requests) == 1, "it is not tried again"


@pytest.mark.parametrize("first", [(429, {"error": {"message": "slow down"}}), (200, {"data": {}, "error": "Rate limit exceeded"})])
def test_a_rate_limit_is_tried_again(gateway, first):
    answers = [first, (200, {"data": {"ok": 1}, "error": None})]
    gateway.answer = lambda path, request: answers.pop(0)
    assert local.run_composio_tool("A_B", {}, FAST)[0]["data"] == {"ok": 1}
    gateway.answer = lambda path, request: first
    assert local.run_composio_tool("A_B", {}, FAST)[1] in ("slow down", "Rate limit exceeded")
    assert len(gateway.requests) == 5


def test_a_long_pause_is_told_instead(gateway):
    gateway.answer = lambda path, request: (429, {"error": {"message": "come back in an hour"}}, {"retry-after": "3600"})
    assert local.run_composio_tool("A_B", {})[1] == "come back in an hour"


def test_bad_arguments_are_an_error(gateway):
    assert "tool_slug must be" in local.run_composio_tool(None, {})[1]
    assert "arguments must be a dict" in local.run_composio_tool("A_B", [])[1]
    assert "cannot be sent as JSON" in local.run_composio_tool("A_B", {"x": {1}})[1]
    assert "reasoning_effort must be" in local.invoke_llm("x", "most")[1]
    assert "query must be" in local.web_search("")[1]
    assert gateway.requests == []


def test_an_absent_gateway_is_an_error(monkeypatch):
    monkeypatch.setenv("BACKEND_URL", "http://127.0.0.1:1")
    assert "cannot be reached" in local.run_composio_tool("A_B", {})[1]
    monkeypatch.setenv("BACKEND_URL", "nonsense")
    assert "cannot be reached" in local.get_mount_file_url("a")[1]


def test_the_model_and_the_web_are_asked_by_their_tools(gateway):
    gateway.answer = lambda path, request: (200, {"data": {"choices": [{"message": {"content": "```json\n{}\n```"}}]}, "error": None})
    assert local.invoke_llm("hi", "low") == ("{}", "")
    gateway.answer = lambda path, request: (200, {"data": {"answer": "found"}, "error": None})
    assert local.web_search("what") == ("found", "")
    assert [request["arguments"] for _, request in gateway.requests] == [
        {"messages": [{"role": "user", "content": "hi"}], "reasoning_effort": "low"},
        {"content": "what"},
    ]


def test_the_shape_of_an_answer_is_printed_on_request(gateway, capsys):
    local.run_composio_tool("A_B", {"a": [1]}, print_schema_for_tool=True)
    assert '"a": [' in capsys.readouterr().out


def test_a_service_is_called_through_the_gateway(gateway):
    gateway.answer = lambda path, request: (200, {"status": 200, "data": [1]})
    assert local.proxy_execute("get", "/repos", "GitHub", {"page": [1, 2], "all": True}, headers={"x-a": "b"}) == ([1], "")
    assert gateway.requests == [
        (
            "/api/v3/tool_router/session/ses_a/proxy_execute",
            {
                "toolkit_slug": "github",
                "endpoint": "/repos",
                "method": "GET",
                "parameters": [
                    {"name": "page", "type": "query", "value": "1"},
                    {"name": "page", "type": "query", "value": "2"},
                    {"name": "all", "type": "query", "value": "true"},
                    {"name": "x-a", "type": "header", "value": "b"},
                ],
            },
        )
    ]
    gateway.answer = lambda path, request: (200, {"status": "404", "headers": {"a": "b"}, "data": {"message": "no"}})
    assert local.proxy_execute("POST", "/repos", "github", body={}, account="work") == (
        {"status": 404, "headers": {"a": "b"}, "data": {"message": "no"}},
        'API returned status 404: {"message": "no"}',
    )
    assert gateway.requests[1][1]["account"] == "work"
    gateway.answer = lambda path, request: (403, {"error": {"message": "not allowed"}})
    assert local.proxy_execute("GET", "/repos", "github") == (None, "not allowed")


def test_bytes_go_and_come_as_they_are(gateway):
    for place in ({"url": "data:image/png; x=\"a,b\";base64,iVBOAA=="}, {"base64": "iVBOAA=="}):
        gateway.answer = lambda path, request: (200, {"status": 200, "headers": {}, "binary_data": place})
        assert local.proxy_execute("POST", "/p", "github", body=memoryview(b"x")) == (b"\x89PN\x00", "")
    assert gateway.requests[0][1]["binary_body"] == {"base64": "eA=="}
    gateway.files["a.png"] = b"\x89PN\x00"
    elsewhere = {"url": gateway.url + "/api/v1/files/a.png"}
    gateway.answer = lambda path, request: (200, {"status": 200, "headers": {}, "binary_data": elsewhere})
    gateway.keys.clear()
    assert local.proxy_execute("GET", "/p", "github") == (b"\x89PN\x00", "")
    assert gateway.keys == [("x-session-access-key", "sak_x")], "the key goes to the gateway's call alone"
    elsewhere["url"] = "file:///etc/hostname"
    assert local.proxy_execute("GET", "/p", "github")[0] is None


def test_parameters_that_are_none_are_left_out(gateway):
    gateway.answer = lambda path, request: (200, {"status": 200, "headers": {}, "data": 1})
    assert local.proxy_execute("GET", "/p", "github", {"a": None, "b": [None, 2]}, headers={"c": None}) == (1, "")
    assert gateway.requests[0][1]["parameters"] == [{"name": "b", "type": "query", "value": "2"}]


def test_a_service_that_has_too_many_requests_is_asked_again(gateway, monkeypatch):
    slept = []
    monkeypatch.setattr("time.sleep", slept.append)
    answers = iter([(200, {"status": 429, "headers": {"retry-after": "7"}, "data": None}), (200, {"status": 200, "headers": {}, "data": 1})])
    gateway.answer = lambda path, request: next(answers)
    assert local.proxy_execute("POST", "/p", "github", body={}) == (1, "")
    assert len(slept) == 1 and 7 <= slept[0] <= 7.5


@pytest.mark.parametrize(
    "arguments, said",
    [
        (("FETCH", "/", "a"), "method must be"),
        (("GET", "", "a"), "endpoint must be"),
        (("GET", "/", None), "toolkit must be"),
        (("GET", "/", "a", None, {}), "has no body"),
        (("POST", "/", "a"), "needs a body"),
        (("GET", "/", "a", [1]), "query_params must be a dict"),
        (("GET", "/", "a", {"x": {}}), "query_params['x'] must be"),
        (("GET", "/", "a", None, None, {"x": [1]}), "headers['x'] must be"),
        (("POST", "/", "a", None, {1, 2}), "cannot be sent as JSON"),
    ],
)
def test_a_wrong_call_of_a_service_is_an_error(gateway, arguments, said):
    data, error = local.proxy_execute(*arguments)
    assert data is None and said in error and gateway.requests == []


def test_a_file_is_put_into_the_session_and_linked(gateway, tmp_path):
    (tmp_path / "größe 1.csv").write_bytes(b"a,b\n")
    result, error = local.upload_local_file(tmp_path / "größe 1.csv")
    assert error == "" and gateway.files == {"uploads/größe 1.csv": b"a,b\n"}
    assert result["s3_url"] == gateway.url + "/link/uploads/größe 1.csv" and result["type"] == "text/csv"
    assert result["s3key"] == "uploads/größe 1.csv" and result["uploaded_file"] == "/mnt/files/uploads/größe 1.csv"
    assert gateway.requests[0][1] == "*", "it takes nobody's place"
    result, _ = local.upload_local_file(tmp_path / "größe 1.csv")
    assert len(gateway.files) == 2 and result["s3key"] in gateway.files


def test_several_files_become_one_zip(gateway, tmp_path):
    (tmp_path / "b").mkdir()
    places = ("a.txt", "b/a.txt", "a_2.txt")
    for place in places:
        (tmp_path / place).write_text(place)
    result, error = local.upload_local_file(*(str(tmp_path / place) for place in places))
    assert error == "" and result["s3key"] == "uploads/files.zip"
    (tmp_path / "back.zip").write_bytes(gateway.files["uploads/files.zip"])
    with zipfile.ZipFile(tmp_path / "back.zip") as archive:
        assert archive.namelist() == ["a.txt", "a_2.txt", "a_2_2.txt"] and archive.read("a_2.txt") == b"b/a.txt"


def test_a_file_that_is_not_there_is_an_error(gateway, tmp_path):
    assert "No such file" in local.upload_local_file(str(tmp_path / "none"))[1]
    assert "give the path" in local.upload_local_file()[1]
    assert local.get_mount_file_url("none.csv") == ("", "there is no file none.csv")
    assert local.get_mount_file_s3_key("none.csv") == ("", "there is no file none.csv")
    assert "no path of a file" in local.get_mount_file_url("../etc/passwd")[1]
    assert gateway.files == {}


def test_a_file_of_the_session_is_copied_here(gateway, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    gateway.files["data/report.csv"] = b"x" * 3_000_000
    assert local.download_mount_file("/mnt/files/data/report.csv") == ("report.csv", "")
    assert (tmp_path / "report.csv").read_bytes() == b"x" * 3_000_000
    assert local.download_mount_file("data/report.csv", str(tmp_path / "other")) == (str(tmp_path / "other"), "")
    assert local.get_mount_file_url("/mnt/files/data/report.csv") == (gateway.url + "/link/data/report.csv", "")
    assert local.get_mount_file_s3_key("data/report.csv") == ("data/report.csv", "")


def test_a_download_that_breaks_off_leaves_what_was_there(gateway, tmp_path):
    gateway.files["a"] = b"new"
    gateway.missing = 5
    (tmp_path / "a").write_text("old")
    path, error = local.download_mount_file("a", str(tmp_path / "a"))
    assert path == "" and "broke off: 3 of 8" in error
    assert (tmp_path / "a").read_text() == "old" and os.listdir(tmp_path) == ["a"]
