"""Links to a session's files: what needs no key beside them."""

import pytest
import requests

from support.files import Files
from support.gateway import Gateway
from support.waiting import eventually


@pytest.fixture
def files(gateway: Gateway) -> Files:
    agent = gateway.agent()
    return Files(agent, agent.start_session()["id"])


def test_a_link_needs_no_key_and_does_one_thing(gateway: Gateway, files: Files) -> None:
    upload = files.link("in/a", "PUT")
    assert upload.startswith(gateway.url + "/files/")
    assert requests.put(upload, data=b"by link", timeout=60).status_code == 201
    download = files.link("in/a")
    assert requests.get(download, timeout=60).text == "by link"
    assert requests.get(download, headers={"Range": "bytes=3-"}, timeout=60).text == "link"
    assert requests.head(download, timeout=60).headers["Content-Length"] == "7"
    for wrong in (requests.put(download, data=b"x", timeout=60), requests.get(upload, timeout=60), requests.get(download.replace("in/a", "in/b"), timeout=60),
                  requests.get(download.replace("expires=1", "expires=2"), timeout=60), requests.get(download[:-1], timeout=60),
                  requests.get(download + "0", timeout=60), requests.get(download.split("?")[0], timeout=60)):
        assert wrong.status_code == 403 and wrong.json()["error"]["code"] == "link_refused"
    assert requests.delete(download, timeout=60).status_code == 405
    other = files.agent.start_session()["id"]
    assert requests.get(download.replace(files.session, other), timeout=60).status_code == 403
    assert files.get("in/a").text == "by link"


def test_an_upload_link_is_good_until_it_expires_or_its_session_ends(files: Files) -> None:
    link = files.link("a", "PUT")
    assert requests.put(link, data=b"1", timeout=60).status_code == 201
    assert requests.put(link, data=b"2", timeout=60).status_code == 200  # the last one stays
    assert requests.put(link, data=b"3", headers={"If-None-Match": "*"}, timeout=60).status_code == 412
    files.delete("a", 200)
    assert requests.put(link, data=b"4", timeout=60).status_code == 201
    assert files.get("a").text == "4"
    files.agent.end_session(files.session)
    assert requests.put(link, data=b"5", timeout=60).json()["error"]["code"] == "session_not_found"


def test_a_link_expires(files: Files) -> None:
    files.put("a", b"x", 201)
    link = files.link("a", expires_in_s=1)
    eventually(lambda: requests.get(link, timeout=60).status_code == 403, 10, "the link expires")
    assert "expired" in requests.get(link, timeout=60).json()["error"]["message"]


def test_links_outlive_a_restart_of_the_gateway_as_far_as_their_session_does(start_gateway) -> None:
    gateway = start_gateway(server__public_url="https://cells.example/gw")
    key = gateway.directory / "data" / "link.key"
    first = key.read_bytes()
    assert key.stat().st_mode & 0o777 == 0o600
    agent = gateway.agent()
    files = Files(agent, agent.start_session()["id"])
    files.put("a", b"x", 201)
    link = files.link("a")
    assert link.startswith("https://cells.example/gw/files/")
    gateway.finish()
    again = start_gateway(keep=gateway)
    assert key.read_bytes() == first
    ours = again.url + link.removeprefix("https://cells.example/gw")
    assert requests.get(ours, timeout=60).text == "x"
    again.agent().end_session(files.session)
    assert requests.get(ours, timeout=60).json()["error"]["code"] == "session_not_found"  # and not link_refused


LINK_FROM_INSIDE = """
import json, pathlib
from cellgate_kernel import gateway, settings
pathlib.Path('/mnt/files/r é.csv').write_text('made inside')
status, made = gateway.post(settings.current(), '/v1/files/link', json.dumps({'path': '/mnt/files/r é.csv'}).encode())
print(made['url'], end='')
"""


def test_a_cell_gets_a_link_to_a_file_of_its_session(gateway: Gateway, files: Files) -> None:
    link = files.run(LINK_FROM_INSIDE)
    assert link.startswith(gateway.url + "/files/")
    assert requests.get(link, timeout=60).text == "made inside"
    assert requests.put(link, data=b"x", timeout=60).status_code == 403


def test_no_signature_is_logged(start_gateway) -> None:
    gateway = start_gateway(server__log_level="debug")
    agent = gateway.agent()
    files = Files(agent, agent.start_session()["id"])
    files.put("a", b"x", 201)
    link = files.link("a")
    requests.get(link, timeout=60)
    requests.get(link + "0", timeout=60)
    gateway.finish()
    assert not any(link[-64:] in line for line in gateway.log)
