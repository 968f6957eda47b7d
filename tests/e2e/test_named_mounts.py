"""Directories of the machine that the configuration shows in every session."""

from pathlib import Path

import pytest

from support.files import Files
from support.gateway import Gateway

READ_ONLY = """
import os
print(open('/mnt/sets/deep/a.csv').read(), end='')
for attempt in (lambda: open('/mnt/sets/new', 'w'), lambda: open('/mnt/sets/deep/a.csv', 'a'), lambda: os.remove('/mnt/sets/deep/a.csv'),
                lambda: os.chmod('/mnt/sets/deep', 0o777), lambda: os.rename('/mnt/sets/deep', '/mnt/sets/other')):
    try:
        attempt()
        print('changed')
    except OSError as error:
        print(error.strerror)
"""


def config(directory: Path, **more: str) -> str:
    return f"[mounts.sets]\ndirectory = \"{directory}\"\n" + "".join(f"{key} = {value}\n" for key, value in more.items())


def session(gateway: Gateway) -> Files:
    agent = gateway.agent()
    return Files(agent, agent.start_session()["id"])


@pytest.mark.parametrize("pool", [0, 1])
def test_a_named_mount_is_seen_and_cannot_be_changed(start_gateway, tmp_path: Path, pool: int) -> None:
    (tmp_path / "deep").mkdir()
    (tmp_path / "deep" / "a.csv").write_text("1,2\n")
    tmp_path.chmod(0o755)
    gateway = start_gateway(config=config(tmp_path), kernels__pool={"cellgate": pool})
    files = session(gateway)
    assert files.run(READ_ONLY) == "1,2\n" + "Read-only file system\n" * 5
    assert files.paths() == []
    files.agent.call("POST", f"/sessions/{files.session}/restart", 200)
    assert files.run("print(open('/mnt/sets/deep/a.csv').read(), end='')") == "1,2\n"
    files.agent.end_session(files.session)
    assert (tmp_path / "deep" / "a.csv").read_text() == "1,2\n"


def test_a_writable_one_outlives_its_sessions_elsewhere(start_gateway, tmp_path: Path) -> None:
    tmp_path.chmod(0o777)
    gateway = start_gateway(config=config(tmp_path, at='"/srv/out"', writable="true"))
    files = session(gateway)
    files.run("open('/srv/out/a', 'w').write('kept')")
    files.agent.end_session(files.session)
    assert (tmp_path / "a").read_text() == "kept"
    assert session(gateway).run("print(open('/srv/out/a').read(), end='')") == "kept"


def test_one_that_cannot_be_is_refused_at_the_start(start_gateway, tmp_path: Path) -> None:
    for text, expected in ((config(tmp_path / "missing"), "No such file"), (config(tmp_path, at='"/usr/share"'), "in each other's way"),
                           (config(Path("/")), "the gateway's own")):
        with pytest.raises(AssertionError, match=expected):
            Gateway(config=text)
