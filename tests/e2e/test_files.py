"""The files of a session, from outside and from inside."""

import hashlib
import os
from concurrent.futures import ThreadPoolExecutor

import pytest
import requests

from support.files import Files
from support.gateway import Gateway
from support.waiting import eventually

NAMES = ["plain.csv", "two words", "quote\"s'", "line\nbreak", "日本語.txt", "emoji 🎉", "-rf", "a\\b", "%2e%2e", "trailing.", "*?[]", "ｆｕｌｌ．．"]


@pytest.fixture
def files(gateway: Gateway) -> Files:
    agent = gateway.agent()
    return Files(agent, agent.start_session()["id"])


def test_an_upload_is_seen_inside_at_once_and_the_reverse(files: Files) -> None:
    for number in range(20):
        made = files.put("data/in.txt", f"from outside {number}").json()
        assert files.run("print(open('/mnt/files/data/in.txt').read(), end='')") == f"from outside {number}"
        files.run(f"import os; os.makedirs('/mnt/files/out', exist_ok=True); open('/mnt/files/out/o.txt', 'w').write('from inside {number}')")
        assert files.get("out/o.txt").text == f"from inside {number}"
        assert files.paths() == ["data/in.txt", "out/o.txt"]
        assert made["sha256"] == hashlib.sha256(f"from outside {number}".encode()).hexdigest()


def test_the_session_may_change_what_was_uploaded(files: Files) -> None:
    version = files.put("a", b"1", 201).json()["version"]
    files.run("open('/mnt/files/a', 'a').write('2'); open('/mnt/files/a', 'r').read()")
    assert files.get("a").text == "12"
    error = files.put("a", b"3", 412, If_Match=f'"{version}"').json()["error"]
    assert error["code"] == "precondition_failed"
    files.put("a", b"3", 200, If_Match=files.get("a").headers["ETag"])
    files.run("import os; os.remove('/mnt/files/a'); os.makedirs('/mnt/files/made/outside', exist_ok=True)")
    files.put("made/outside/by/us", b"x", 201)
    files.run("import os; os.remove('/mnt/files/made/outside/by/us'); os.rmdir('/mnt/files/made/outside/by')")


def test_files_stay_when_the_kernel_goes_and_go_with_the_session(gateway: Gateway, files: Files) -> None:
    files.put("a", b"x", 201)
    directory = files.directory(gateway)
    files.agent.call("POST", f"/sessions/{files.session}/restart", 200)
    assert files.get("a").text == "x"
    link = files.link("a")
    assert requests.get(link, timeout=60).text == "x"
    files.agent.end_session(files.session)
    assert files.get("a", 404).json()["error"]["code"] == "session_not_found"
    assert requests.get(link, timeout=60).json()["error"]["code"] == "session_not_found"
    eventually(lambda: not directory.exists(), 30, "the directories are removed")


def test_files_are_kept_where_that_is_configured(start_gateway) -> None:
    gateway = start_gateway(storage__keep_files=True)
    agent = gateway.agent()
    files = Files(agent, agent.start_session()["id"])
    files.put("a", b"kept", 201)
    directory = files.directory(gateway)
    agent.end_session(files.session)
    gateway.finish()
    again = gateway.restart()  # they may lie in the disk image
    assert (directory / "files" / "a").read_bytes() == b"kept"
    again.finish()


@pytest.mark.parametrize("name", NAMES)
def test_a_file_may_have_any_name(files: Files, name: str) -> None:
    files.put(f"d/{name}", name.encode(), 201)
    assert files.run("import os; print(ascii(os.listdir('/mnt/files/d')))").strip() == ascii([name])
    assert files.paths() == [f"d/{name}"]
    answer = files.get(f"d/{name}")
    assert answer.content == name.encode()
    assert answer.headers["Content-Disposition"].startswith("attachment; filename=")
    assert "X-Injected" not in answer.headers
    assert requests.get(files.link(f"d/{name}"), timeout=60).content == name.encode()
    files.delete(f"d/{name}", 200)


def test_a_file_is_read_in_part_and_not_again(files: Files) -> None:
    data = os.urandom(1_000_000)
    files.put("a", data, 201)
    part = files.get("a", 206, Range="bytes=1000-1999")
    assert part.content == data[1000:2000] and part.headers["Content-Range"] == "bytes 1000-1999/1000000"
    assert files.get("a", 206, Range="bytes=-5").content == data[-5:]
    assert files.get("a", 416, Range="bytes=1000000-").headers["Content-Range"] == "bytes */1000000"
    assert files.get("a", 304, If_None_Match=part.headers["ETag"]).content == b""
    head = files.agent.call("HEAD", files.url("a"), 200)
    assert head.headers["Content-Length"] == "1000000" and head.content == b""
    digest = files.get("a", Want_Repr_Digest="sha-256=1").headers["Repr-Digest"]
    assert digest == files.put("b", data, 201).headers["Repr-Digest"]


@pytest.mark.parametrize("header", [{"Content_Range": "bytes 1-2/3"}, {"Content_Encoding": "gzip"}], ids=str)
def test_a_part_or_an_encoding_is_not_stored_as_the_file(files: Files, header: dict[str, str]) -> None:
    files.put("a", b"whole", 201)
    assert "is not taken" in files.put("a", b"pa", 400, **header).json()["error"]["message"]
    assert files.get("a").text == "whole"
    files.put("a", b"plain", 200, Content_Encoding="identity")


def test_of_writers_with_one_version_one_wins(files: Files) -> None:
    version = files.put("a", b"0", 201).headers["ETag"]
    with ThreadPoolExecutor(8) as pool:
        writers = [Files(type(files.agent)(files.agent.url, files.agent.key), files.session) for _ in range(8)]
        done = list(pool.map(lambda pair: pair[1].put("a", str(pair[0]) * 100_000, If_Match=version).status_code, enumerate(writers)))
    assert sorted(done) == [200] + [412] * 7
    assert len(set(files.get("a").text)) == 1


def test_a_download_is_one_file_although_another_takes_its_place(gateway: Gateway, files: Files) -> None:
    files.put("a", b"1" * 30_000_000, 201)
    with requests.get(files.link("a"), stream=True, timeout=60) as answer:
        pieces = answer.iter_content(1 << 16)
        got = [next(pieces)]
        files.put("a", b"2" * 30_000_000, 200)
        got += list(pieces)
    assert b"".join(got) == b"1" * 30_000_000
    assert files.get("a", 206, Range="bytes=0-0").content == b"2"


def test_another_users_files_are_not_there(gateway: Gateway, files: Files) -> None:
    files.put("a", b"x", 201)
    key = gateway.command("keys", "add", f"ben-{files.session}", "--user", "ben", "--scope", "session").strip()
    ben = Files(gateway.agent(key), files.session)
    for answer in (ben.get("a", None), ben.put("a", b"y"), ben.delete("a"), ben.agent.call("GET", ben.base),
                   ben.agent.call("POST", f"/sessions/{ben.session}/links", json={"path": "a"})):
        assert answer.status_code == 404 and answer.json()["error"]["code"] == "session_not_found"
    assert files.get("a").text == "x"
