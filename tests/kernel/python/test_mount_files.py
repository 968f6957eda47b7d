"""upload_local_file and its company: what is put into the mount, and what is asked of the gateway."""

import os
import threading
import zipfile
from concurrent.futures import ThreadPoolExecutor

import package_path  # noqa: F401  (makes the package importable)
import pytest

from cellgate_kernel import mount_files, settings
from cellgate_kernel.mount_files import get_mount_file_s3_key, get_mount_file_url, upload_local_file


def link(request):
    path = request["path"].replace("/mnt/files/", "")
    return 200, {"url": "http://gate/" + path + "?signature=x", "path": path, "size": 3, "expires_at": "2026-11-30T14:00:00Z"}


@pytest.fixture(autouse=True)
def mount(helper_socket, tmp_path, monkeypatch):
    helper_socket.answer = link
    settings.keep(settings.Settings("the-key", helper_socket.path, 20))
    made = tmp_path / "mount"
    made.mkdir()
    monkeypatch.setattr(mount_files, "MOUNT", str(made))
    yield made
    settings._current = None


def test_a_file_in_the_mount_is_linked_as_it_is(mount, helper_socket):
    (mount / "data").mkdir()
    (mount / "data" / "report.csv").write_text("a,b")
    result, error = upload_local_file(str(mount / "data" / "report.csv"))
    assert error == "" and result.pop("id").startswith("file_")
    assert result == {
        "s3_url": "http://gate/data/report.csv?signature=x",
        "uploaded_file": str(mount / "data" / "report.csv"),
        "type": "text/csv",
        "s3key": "data/report.csv",
        "message": "report.csv (3 bytes) can be downloaded from s3_url until 2026-11-30T14:00:00Z",
    }
    assert helper_socket.paths == ["/v1/files/link"] and helper_socket.requests == [{"path": "data/report.csv"}]
    assert os.listdir(mount) == ["data"]


def test_a_file_elsewhere_is_copied_into_the_mount(mount, tmp_path):
    (tmp_path / "a report.bin").write_bytes(b"x" * (3 << 20))
    result, error = upload_local_file(tmp_path / "a report.bin")
    assert error == "" and result["s3key"] == "uploads/a report.bin" and result["type"] == "application/octet-stream"
    assert (mount / "uploads" / "a report.bin").read_bytes() == b"x" * (3 << 20)


def test_a_copy_takes_nobodys_place(mount, tmp_path):
    (tmp_path / "report.csv").write_text("new")
    (mount / "uploads").mkdir()
    (mount / "uploads" / "report.csv").write_text("old")
    result, error = upload_local_file(str(tmp_path / "report.csv"))
    assert error == "" and result["s3key"].startswith("uploads/report_") and result["s3key"].endswith(".csv")
    assert (mount / result["s3key"]).read_text() == "new" and (mount / "uploads" / "report.csv").read_text() == "old"


def test_threads_that_upload_one_name_get_a_file_each(mount, tmp_path):
    everyone = threading.Barrier(8)
    for number in range(8):
        (tmp_path / str(number)).mkdir()
        (tmp_path / str(number) / "same.txt").write_text(str(number))

    def upload(number):
        everyone.wait(20)
        result, error = upload_local_file(str(tmp_path / str(number) / "same.txt"))
        return (mount / result["s3key"]).read_text()

    with ThreadPoolExecutor(8) as pool:
        assert list(pool.map(upload, range(8))) == [str(number) for number in range(8)]


def test_several_files_become_one_zip(mount, tmp_path):
    (tmp_path / "other").mkdir()
    (tmp_path / "a.txt").write_text("one")
    (tmp_path / "other" / "a.txt").write_text("two")
    (mount / "b.txt").write_text("three")
    result, error = upload_local_file(str(tmp_path / "a.txt"), str(tmp_path / "other" / "a.txt"), str(mount / "b.txt"))
    assert error == "" and result["s3key"] == "uploads/files.zip" and result["type"] == "application/zip"
    with zipfile.ZipFile(mount / "uploads" / "files.zip") as archive:
        assert {name: archive.read(name) for name in archive.namelist()} == {
            "a.txt": b"one",
            "a_2.txt": b"two",
            "b.txt": b"three",
        }


def test_a_link_in_the_mount_to_a_file_elsewhere_is_copied(mount, tmp_path):
    (tmp_path / "secret.txt").write_text("abc")
    (mount / "link.txt").symlink_to(tmp_path / "secret.txt")
    result, error = upload_local_file(str(mount / "link.txt"))
    assert error == "" and result["s3key"] == "uploads/link.txt"


@pytest.mark.parametrize(
    "paths, said",
    [
        ([], "give the path of a file"),
        ([None], "a path is a text"),
        ([""], "a path is a text"),
        (["/nowhere/at/all"], "there is no such file"),
        (["/tmp"], "it is a directory"),
        (["/dev/null"], "it is not a regular file"),
        (["/etc/hostname", "/nowhere"], "there is no such file"),
    ],
)
def test_what_cannot_be_uploaded_is_an_error_and_leaves_nothing(mount, helper_socket, paths, said):
    result, error = upload_local_file(*paths)
    assert result == {} and said in error
    assert helper_socket.requests == [] and os.listdir(mount) == []


def test_a_full_disk_is_an_error_and_leaves_no_part(mount, tmp_path, monkeypatch):
    def full(source, target, length):
        target.write(b"part")
        raise OSError(28, "No space left on device")

    (tmp_path / "a.txt").write_text("one")
    monkeypatch.setattr("shutil.copyfileobj", full)
    result, error = upload_local_file(str(tmp_path / "a.txt"))
    assert result == {} and "No space left on device" in error
    assert os.listdir(mount / "uploads") == []


def test_what_the_gateway_refuses_is_the_error(mount, helper_socket):
    helper_socket.answer = lambda request: (404, {"error": {"code": "session_not_found", "message": "the session has ended"}})
    (mount / "a.txt").write_text("one")
    assert upload_local_file(str(mount / "a.txt")) == ({}, "the session has ended")
    assert get_mount_file_url("a.txt") == ("", "the session has ended")
    assert get_mount_file_s3_key("a.txt") == ("", "the session has ended")


def test_a_link_and_a_key_of_a_file_in_the_mount(helper_socket):
    assert get_mount_file_url("/mnt/files/data/a.csv") == ("http://gate/data/a.csv?signature=x", "")
    assert get_mount_file_s3_key("/mnt/files/data/a.csv") == ("data/a.csv", "")
    assert helper_socket.requests == [{"path": "/mnt/files/data/a.csv"}] * 2


@pytest.mark.parametrize("path", [None, 7, "", b"x"])
@pytest.mark.parametrize("helper", [get_mount_file_url, get_mount_file_s3_key])
def test_a_path_that_is_none_is_an_error(helper_socket, helper, path):
    value, error = helper(path)
    assert value == "" and "path must be a text" in error and helper_socket.requests == []


def test_without_settings_the_error_says_where_it_works():
    settings._current = None
    assert "from a cell" in upload_local_file("/etc/hostname")[1]
    assert "from a cell" in get_mount_file_url("a.txt")[1]
