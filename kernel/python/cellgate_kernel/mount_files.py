"""Files of the session for others: upload_local_file, get_mount_file_url, get_mount_file_s3_key."""

import os
from typing import Any, Dict, Tuple

from . import settings
from .ask import ask
from .regular_file import path_of

MOUNT = "/mnt/files"

_LINKS = "/v1/files/link"


def upload_local_file(*file_paths: str) -> Tuple[Dict[str, Any], str]:
    """Give a file, or several in one zip file, to somebody outside, and return ``(result, error)``. Never raises.

    file_paths: one or more, anywhere in the sandbox. What is not below /mnt/files is copied to /mnt/files/uploads, under a
    name that nothing has there; several files become one zip file there.

    On success `error` is "" and `result` is {"s3_url": a link that anybody can download it from, "uploaded_file": its path
    in the sandbox, "type": its MIME type, "id": ..., "s3key": its path below /mnt/files, "message": until when the link is
    good}. Otherwise `result` is {} and `error` says what to do. Give people the link, never a path.

        result, error = upload_local_file("/mnt/files/report.csv")
        if error:
            print("failed:", error)
        else:
            print(result["s3_url"])
    """
    if settings.current() is None:
        return {}, settings.not_connected("upload_local_file")
    if not file_paths:
        return {}, 'give the path of a file: upload_local_file("/mnt/files/report.csv")'
    from . import mount_copies

    try:
        place = mount_copies.in_mount([path_of(each) for each in file_paths], MOUNT)
    except ValueError as problem:
        return {}, str(problem)
    return _described(place)


def get_mount_file_url(path: str) -> Tuple[str, str]:
    """A link from which anybody can download a file below /mnt/files, as ``(url, error)``. Never raises.

    path: of the file, for example "/mnt/files/report.csv" or "report.csv".

        url, error = get_mount_file_url("/mnt/files/report.csv")
        if error:
            print("failed:", error)
    """
    answer, error = _link("get_mount_file_url", path)
    return str(answer.get("url", "")), error


def get_mount_file_s3_key(path: str) -> Tuple[str, str]:
    """The key by which tools know a file below /mnt/files, as ``(key, error)``. Never raises.

    path: of the file, for example "/mnt/files/report.csv" or "report.csv".

        key, error = get_mount_file_s3_key("/mnt/files/report.csv")
        if error:
            print("failed:", error)
    """
    answer, error = _link("get_mount_file_s3_key", path)
    return str(answer.get("path", "")), error


def _link(helper: str, path: Any) -> Tuple[Dict[str, Any], str]:
    """{"url", "path", "size", "expires_at"} of a file that is there."""
    return ask(helper, _LINKS, {"path": os.fspath(path) if isinstance(path, os.PathLike) else path}, "path")


def _described(place: str) -> Tuple[Dict[str, Any], str]:
    import mimetypes
    import uuid

    link, error = _link("upload_local_file", place)
    if error:
        return {}, error
    result = {
        "s3_url": link.get("url"),
        "uploaded_file": os.path.join(MOUNT, place),
        "type": mimetypes.guess_type(place)[0] or "application/octet-stream",
        "id": "file_" + uuid.uuid4().hex[:16],
        "s3key": link.get("path"),
        "message": "%s (%d bytes) can be downloaded from s3_url until %s"
        % (os.path.basename(place), link.get("size", 0), link.get("expires_at")),
    }
    return result, ""
