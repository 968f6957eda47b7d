"""Cells give files to people outside: upload_local_file and the links that it answers with."""

import io
import json
import zipfile

import pytest
import requests

from support.gateway import Gateway


def run(gateway: Gateway, code: str, kernel: str = "cellgate") -> object:
    """What a cell printed as JSON, in a session of its own."""
    agent = gateway.agent()
    cell = agent.execute(agent.start_session(kernel_name=kernel)["id"], "import json, os\n" + code)
    assert cell["status"] == "ok", cell
    return json.loads(cell["stdout"])


def download(url: str) -> bytes:
    """As somebody without a key."""
    answer = requests.get(url, timeout=60)
    assert answer.status_code == 200, answer.text
    return answer.content


@pytest.mark.parametrize("kernel", ["cellgate", "ipykernel"])
def test_a_file_is_downloaded_by_its_link(gateway: Gateway, kernel: str) -> None:
    result, error = run(gateway, """
open('/mnt/files/größe 1.csv', 'w').write('a,b')
print(json.dumps(upload_local_file('/mnt/files/größe 1.csv')))""", kernel)
    assert error == "" and result["s3key"] == "größe 1.csv" and result["type"] == "text/csv"
    assert result["uploaded_file"] == "/mnt/files/größe 1.csv" and result["s3_url"].startswith(gateway.url + "/files/")
    assert download(result["s3_url"]) == b"a,b"


def test_a_file_from_elsewhere_is_copied_once_under_each_name(gateway: Gateway) -> None:
    first, second = run(gateway, """
os.chdir('/home/user')
open('plot.png', 'wb').write(b'first')
first, _ = upload_local_file('plot.png')
open('plot.png', 'wb').write(b'second')
second, _ = upload_local_file('plot.png')
print(json.dumps([first, second]))""")
    assert first["s3key"] == "uploads/plot.png" and second["s3key"] != first["s3key"]
    assert download(first["s3_url"]) == b"first" and download(second["s3_url"]) == b"second"


def test_several_files_are_one_zip(gateway: Gateway) -> None:
    result, error = run(gateway, """
open('/tmp/a.txt', 'w').write('one')
open('/mnt/files/b.txt', 'w').write('two')
print(json.dumps(upload_local_file('/tmp/a.txt', '/mnt/files/b.txt')))""")
    assert error == ""
    with zipfile.ZipFile(io.BytesIO(download(result["s3_url"]))) as archive:
        assert {name: archive.read(name) for name in archive.namelist()} == {"a.txt": b"one", "b.txt": b"two"}


def test_a_link_and_a_key_are_of_a_file_that_is_there(gateway: Gateway) -> None:
    (url, error), key, none, outside = run(gateway, """
os.makedirs('/mnt/files/data')
open('/mnt/files/data/a.csv', 'w').write('a,b')
print(json.dumps([get_mount_file_url('/mnt/files/data/a.csv'), get_mount_file_s3_key('data/a.csv'), get_mount_file_url('none.csv'),
                  get_mount_file_url('../../etc/passwd')]))""")
    assert error == "" and download(url) == b"a,b"
    assert key == ["data/a.csv", ""]
    assert none[0] == "" and "none.csv" in none[1]
    assert outside[0] == "" and outside[1] != ""
