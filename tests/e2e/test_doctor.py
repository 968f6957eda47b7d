"""What a gateway finds out of its machine before it serves, and what keeps sessions away from what they are started with."""

import os
from pathlib import Path

import pytest

from support.gateway import Gateway, ordinary_user
from support.specs import make_spec


def test_the_doctor_tells_what_the_machine_offers(gateway: Gateway) -> None:
    told = gateway.command("doctor")
    assert "ok       boundary: namespaces, no capabilities" in told and told.endswith("A gateway starts here.\n")
    session = gateway.agent().start_session()
    assert ("ok       Landlock: version" in told) == session["limits"]["landlock"]


def test_the_doctor_takes_nothing_behind_it(gateway: Gateway) -> None:
    with pytest.raises(AssertionError, match="put the options before the word"):
        gateway.command("doctor", "extra")


@pytest.mark.skipif(os.geteuid() != 0, reason="only root gives ids to boxes")
def test_ids_of_somebody_are_refused(start_gateway) -> None:
    with pytest.raises(AssertionError, match="hold the user nobody"):
        start_gateway(kernels__first_uid=65_000, kernels__uid_count=1_000)


def test_without_isolation_there_is_no_boundary_and_a_gateway_starts(start_gateway) -> None:
    told = start_gateway(kernels__isolation="none").command("doctor")
    assert 'missing  boundary: kernels.isolation is "none"' in told and "A gateway starts here." in told


def test_a_session_cannot_keep_its_gateway_from_starting_again(start_gateway) -> None:
    gateway = start_gateway(user=ordinary_user())
    agent = gateway.agent()
    session = agent.start_session()["id"]
    agent.execute(session, "import os; os.makedirs('/run/k/sub/x'); os.chmod('/run/k/sub', 0); os.chmod('/run/k', 0)")
    agent.end_session(session)
    gateway.terminate()
    again = gateway.restart()
    again.agent().start_session()
    again.finish()


def test_a_client_does_not_say_where_a_kernels_program_is_looked_up(start_gateway, tmp_path: Path) -> None:
    (tmp_path / "bin").mkdir()
    program = tmp_path / "bin" / "odd-kernel"
    program.write_text("#!/bin/sh\nexit 0\n")
    program.chmod(0o755)
    make_spec(tmp_path, "odd", ["odd-kernel", "{connection_file}"])
    agent = start_gateway(kernels__kernelspec_dirs=[tmp_path], kernels__restart_limit=0).agent()
    refused = agent.call("POST", "/sessions", json={"kernel_name": "odd", "env": {"PATH": f"{tmp_path}/bin:/usr/bin"}})
    session = refused.json().get("id")
    text = refused.text if session is None else agent.call("POST", f"/sessions/{session}/execute", json={"code": "1"}).text
    assert "which is no program here" in text


@pytest.mark.skipif(os.geteuid() != 0, reason="for any gateway, but started by root here")
def test_a_kernels_environment_is_in_no_directory_that_sessions_write(start_gateway, tmp_path: Path) -> None:
    make_spec(tmp_path / "kernels", "inside", ["/usr/bin/python3", "-m", "ipykernel_launcher", "-f", "{connection_file}"])
    gateway = start_gateway(kernels__kernelspec_dirs=[tmp_path / "kernels"], kernels__restart_limit=0,
                            config=f'[mounts.project]\ndirectory = "{tmp_path}"\nwritable = true\n')
    agent = gateway.agent()
    session = agent.call("POST", "/sessions", json={"kernel_name": "inside"})
    text = session.text
    if session.status_code == 201:
        text = agent.call("POST", f"/sessions/{session.json()['id']}/execute", json={"code": "1"}).text
    assert "where every session may write" in text
