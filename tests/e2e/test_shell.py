"""Commands in a session's sandbox, beside its cells: what they are given, what comes of them, and how they end."""

import threading

import pytest

from support.agent import Agent, CallFailed
from support.gateway import Gateway, ordinary_user
from support.waiting import Stopwatch, eventually


@pytest.fixture
def shared(gateway: Gateway) -> str:
    return gateway.agent().start_session()["id"]


def ended(agent: Agent, session: str, command: str) -> dict:
    """The command, once it has."""
    return eventually(lambda: (found := agent.command(session, command))["status"] != "running" and found, what="the command's end")


def test_a_command_shares_the_files_and_the_directory_of_the_kernel(gateway: Gateway, shared: str) -> None:
    agent = gateway.agent()
    agent.execute(shared, "open('/mnt/files/of_cell', 'w').write('cell'); open('here', 'w').write('x')")
    done = agent.bash(shared, "cat /mnt/files/of_cell; pwd; ls here; echo cmd > /mnt/files/of_command; echo err >&2; exit 3")
    assert (done["status"], done["exit_code"], done["signal"]) == ("error", 3, None)
    assert (done["stdout"], done["stderr"]) == ("cell/home/user\nhere\n", "err\n")
    assert agent.execute(shared, "print(open('/mnt/files/of_command').read())")["stdout"] == "cmd\n\n"


def test_exact_arguments_are_read_by_no_shell(gateway: Gateway, shared: str) -> None:
    words = ["a b", "$HOME", "*", "", "`id`", "é\n", "--", "'\""]
    done = gateway.agent().bash(shared, ["printf", "[%s]", *words])
    assert done["stdout"] == "".join(f"[{word}]" for word in words)
    assert done["command"] is None and done["argv"][3:] == words[1:]


def test_a_command_that_begins_with_a_dash_is_a_command(gateway: Gateway, shared: str) -> None:
    done = gateway.agent().bash(shared, "-x; echo after")
    assert done["stdout"] == "after\n" and "-x: command not found" in done["stderr"]


def test_the_sandbox_has_node_and_git_and_the_kernels_python(gateway: Gateway, shared: str) -> None:
    agent = gateway.agent()
    assert agent.bash(shared, ["node", "-e", "console.log(6 * 7)"])["stdout"] == "42\n"
    done = agent.bash(shared, "git init -q repo && cd repo && echo x > a && git add a && "
                              "git -c user.name=n -c user.email=e@example.org commit -qm one && git log --oneline | wc -l")
    assert (done["status"], done["stdout"].strip()) == ("ok", "1"), done
    prefix = agent.execute(shared, "import sys; print(sys.prefix)")["stdout"]
    assert agent.bash(shared, "python -c 'import sys, pandas; print(sys.prefix)'")["stdout"] == prefix
    assert agent.bash(shared, "pip --version")["stdout"].startswith("pip ")


def test_directory_environment_and_stdin_are_as_asked(gateway: Gateway, shared: str) -> None:
    agent = gateway.agent()
    done = agent.bash(shared, "pwd; echo $A; wc -c", cwd="/mnt/files", env={"A": "é"}, stdin="12345")
    assert done["stdout"].split() == ["/mnt/files", "é", "5"]
    assert agent.bash(shared, "mkdir -p sub")["status"] == "ok"
    assert agent.bash(shared, ["pwd"], cwd="sub")["stdout"] == "/home/user/sub\n"
    assert agent.bash(shared, "cat")["stdout"] == "", "stdin is empty over REST"


@pytest.mark.parametrize("body, message", [
    ({"argv": ["no-such-program"]}, "no-such-program"),
    ({"argv": ["/etc/passwd"]}, "not an executable"),
    ({"command": "true", "cwd": "/no/such"}, "working directory /no/such"),
    ({"command": "a\0b"}, "NUL"),
    ({"argv": ["true"], "env": {"A=B": "x"}}, "A=B"),
    ({"argv": ["true"] + ["x" * 131_000] * 1 + ["y" * 131_073]}, "too large"),
    ({"command": "true", "comand": "x"}, "unknown field comand"),
    ({}, "either command"),
])
def test_what_cannot_be_started_is_refused_and_is_no_command(gateway: Gateway, shared: str, body: dict, message: str) -> None:
    agent = gateway.agent()
    before = len(agent.call("GET", f"/sessions/{shared}/commands?limit=1000").json()["items"])
    refused = agent.call("POST", f"/sessions/{shared}/bash", 400, json=body).json()
    assert message in refused["error"]["message"]
    assert len(agent.call("GET", f"/sessions/{shared}/commands?limit=1000").json()["items"]) == before


def test_a_long_output_keeps_its_head_and_a_file_has_it_all(gateway: Gateway, shared: str) -> None:
    agent = gateway.agent()
    done = agent.bash(shared, "seq 1 20000; seq 1 3 >&2")
    assert len(done["stdout"]) == 40_000 and done["stderr"] == "1\n2\n3\n"
    assert set(done["truncated"]) == {"stdout"}
    assert agent.bash(shared, ["tail", "-n1", done["truncated"]["stdout"]])["stdout"] == "20000\n"


def test_what_is_no_text_is_replaced(gateway: Gateway, shared: str) -> None:
    assert gateway.agent().bash(shared, r"printf 'a\xff\xe2\x82'; sleep 0.1; printf '\xacb\xe2'")["stdout"] == "a\ufffd€b\ufffd"


def test_commands_run_beside_a_cell(gateway: Gateway, shared: str) -> None:
    agent = gateway.agent()
    cell = threading.Thread(target=agent.execute, args=(shared, "import os\nos.mkfifo('go')\nopen('go').read()"))
    cell.start()
    assert agent.bash(shared, "until [ -p go ]; do sleep 0.01; done")["status"] == "ok"
    assert agent.bash(shared, "echo x > go")["status"] == "ok"
    cell.join(30)
    assert not cell.is_alive()


def test_a_deadline_ends_the_group_and_what_it_left_in_it(gateway: Gateway, shared: str) -> None:
    agent = gateway.agent()
    watch = Stopwatch()
    done = agent.bash(shared, "trap '' TERM; (trap '' TERM; exec sleep 4242) & echo begun; sleep 4243", timeout_s=1)
    assert (done["status"], done["reason"], done["signal"]) == ("timeout", "deadline", "SIGKILL")
    assert done["stdout"] == "begun\n" and watch.seconds < 1 + 2 + 5
    assert agent.bash(shared, "pgrep -f 'sleep 424[23]'")["exit_code"] == 1


def test_a_deadline_lets_a_command_end_itself(gateway: Gateway, shared: str) -> None:
    done = gateway.agent().bash(shared, "trap 'echo bye; exit 0' TERM; sleep 1000 & wait", timeout_s=1)
    assert (done["status"], done["exit_code"], done["stdout"]) == ("timeout", 0, "bye\n")


def test_what_a_command_leaves_goes_on_and_is_told(gateway: Gateway, shared: str) -> None:
    agent = gateway.agent()
    watch = Stopwatch()
    done = agent.bash(shared, "setsid sh -c 'while [ ! -e stop ]; do sleep 0.05; done; echo late' & echo main")
    assert (done["status"], done["stdout"], done["left_open"]) == ("ok", "main\n", ["stdout", "stderr"])
    assert 1 <= watch.seconds < 10
    assert agent.bash(shared, ["touch", "stop"])["status"] == "ok"
    eventually(lambda: agent.command(shared, done["command_id"])["stdout"] == "main\nlate\n", what="the late output")


def test_a_command_that_closes_its_outputs_ends_with_its_process(gateway: Gateway, shared: str) -> None:
    watch = Stopwatch()
    done = gateway.agent().bash(shared, "exec >&- 2>&-; sleep 1; exit 4")
    assert (done["status"], done["exit_code"], done["left_open"]) == ("error", 4, []) and watch.seconds >= 1


def test_a_background_command_answers_at_once_and_is_found_again(gateway: Gateway, shared: str) -> None:
    agent = gateway.agent()
    begun = agent.bash(shared, "until [ -e done ]; do sleep 0.05; done; echo end", background=True)
    assert begun["status"] == "running" and begun["background"]
    assert agent.command(shared, begun["command_id"])["status"] == "running"
    assert agent.bash(shared, ["touch", "done"])["status"] == "ok"
    end = ended(agent, shared, begun["command_id"])
    assert end["stdout"] == "end\n"


def test_a_signal_interrupts_a_command_and_its_children(gateway: Gateway, shared: str) -> None:
    agent = gateway.agent()
    begun = agent.bash(shared, "echo $$; sleep 4244", background=True)
    place = f"/sessions/{shared}/commands/{begun['command_id']}"
    eventually(lambda: agent.command(shared, begun["command_id"])["stdout"], what="its pid")
    agent.call("POST", f"{place}/signal", 200, json={"signal": "INT"})
    end = ended(agent, shared, begun["command_id"])
    assert end["status"] == "interrupted" and end["signal"] == "SIGINT"
    assert agent.call("POST", f"{place}/signal", 409, json={"signal": "INT"}).json()["error"]["code"] == "command_not_running"
    assert agent.bash(shared, "pgrep -f '[s]leep 4244'")["exit_code"] == 1


def test_stdin_over_rest(gateway: Gateway, shared: str) -> None:
    agent = gateway.agent()
    begun = agent.bash(shared, "cat; echo end", background=True, stdin=True)
    place = f"/sessions/{shared}/commands/{begun['command_id']}/stdin"
    agent.call("POST", place, 200, json={"data": "one "})
    agent.call("POST", place, 200, json={"data": "two\n", "eof": True})
    eventually(lambda: agent.command(shared, begun["command_id"])["stdout"] == "one two\nend\n", what="what it read")


def test_a_socket_is_told_of_a_command_as_it_goes(gateway: Gateway, shared: str) -> None:
    with gateway.agent().connect(shared) as socket:
        begun = socket.call("bash", command="read name; echo hello $name; echo err >&2; read rest; exit 5")
        command = begun["command_id"]
        socket.call("stdin", command_id=command, data="ana\n")
        socket.wait_for(lambda event: event["method"] == "command_output" and "hello" in event["text"])
        socket.call("stdin", command_id=command, eof=True)
        end = socket.command_finished(command)
        assert (end["status"], end["exit_code"]) == ("error", 5) and "stdout" not in end
        assert (socket.command_text(command), socket.command_text(command, "stderr")) == ("hello ana\n", "err\n")
        seqs = [event["seq"] for event in socket.events]
        assert socket.events[0]["method"] == "command_started" and seqs[0] == begun["seq"] and seqs == sorted(seqs)
        with pytest.raises(CallFailed) as failed:
            socket.call("signal", command_id=command, signal="TERM")
        assert failed.value.code == "command_not_running"


def test_a_socket_that_comes_later_is_told_all(gateway: Gateway, shared: str) -> None:
    agent = gateway.agent()
    done = agent.bash(shared, "for i in $(seq 1 2000); do echo line $i; done")
    with agent.connect(shared) as socket:
        socket.call("attach", after_seq=done["seq_first"] - 1)
        socket.command_finished(done["command_id"])
        assert socket.command_text(done["command_id"]) == "".join(f"line {i}\n" for i in range(1, 2001))


def test_a_flood_stays_bounded_and_leaves_others_alone(start_gateway) -> None:
    running = start_gateway(output_log__memory_bytes=4 << 20, output_log__disk_bytes=16 << 20, sessions__text_file_max_bytes=8 << 20)
    agent, session = running.agent(), running.agent().start_session()["id"]
    flood = agent.bash(session, "yes", background=True, timeout_s=120)
    told = lambda: agent.command(session, flood["command_id"])["stdout"][40_000:]  # noqa: E731
    eventually(lambda: "sessions.text_file_max_bytes" in told(), 60, "more output than its file may have")
    watch = Stopwatch()
    assert agent.execute(session, "1 + 1")["result"]["text/plain"] == "2"
    assert watch.seconds < 20
    before = running.resident_bytes()
    assert agent.bash(session, ["true"])["status"] == "ok"
    agent.call("POST", f"/sessions/{session}/commands/{flood['command_id']}/signal", 200, json={"signal": "KILL"})
    end = ended(agent, session, flood["command_id"])
    assert (end["status"], end["signal"]) == ("interrupted", "SIGKILL")
    assert running.resident_bytes() < before + (64 << 20)


@pytest.mark.parametrize("how, reason", [("restart", "restarted"), ("exit", "crashed"), ("kill", "killed")])
def test_commands_are_lost_with_the_kernel(gateway: Gateway, how: str, reason: str) -> None:
    agent = gateway.agent()
    session = agent.start_session()["id"]
    begun = agent.bash(session, "trap '' TERM; echo ready; sleep 1000", background=True)
    eventually(lambda: agent.command(session, begun["command_id"])["stdout"], what="that it runs")
    if how == "restart":
        agent.call("POST", f"/sessions/{session}/restart", 200)
    else:
        agent.execute(session, "import os; os._exit(3)" if how == "exit" else "import os; os.kill(os.getpid(), 9)")
    end = ended(agent, session, begun["command_id"])
    assert (end["status"], end["reason"], end["stdout"]) == ("lost", reason, "ready\n")
    eventually(lambda: agent.session(session)["state"] == "idle", what="another kernel")
    assert agent.bash(session, "echo again; pgrep -c sleep")["stdout"] == "again\n0\n"


def test_whoever_waits_is_told_when_the_session_ends(gateway: Gateway) -> None:
    agent = gateway.agent()
    session = agent.start_session()["id"]
    answers = []
    waiting = threading.Thread(target=lambda: answers.append(agent.bash(session, "echo ready; sleep 1000")))
    waiting.start()
    other = gateway.agent()
    eventually(lambda: any(each["stdout"] for each in other.call("GET", f"/sessions/{session}/commands").json()["items"]), what="that it runs")
    other.end_session(session)
    waiting.join(30)
    assert [(each["status"], each["reason"], each["stdout"]) for each in answers] == [("lost", "session_ended", "ready\n")]


def test_the_number_of_commands_is_limited(start_gateway) -> None:
    agent = start_gateway(sessions__max_commands=2).agent()
    session = agent.start_session()["id"]
    first = agent.bash(session, "sleep 1000", background=True)
    agent.bash(session, "sleep 1000", background=True)
    refused = agent.call("POST", f"/sessions/{session}/bash", 403, json={"command": "true"}).json()["error"]
    assert refused["code"] == "limit_reached" and "sessions.max_commands" in refused["message"]
    agent.call("POST", f"/sessions/{session}/commands/{first['command_id']}/signal", 200, json={"signal": "KILL"})
    assert ended(agent, session, first["command_id"])["status"] == "interrupted"
    assert agent.bash(session, "true")["status"] == "ok"


def test_an_ordinary_users_gateway_runs_commands_too(start_gateway) -> None:
    agent = start_gateway(user=ordinary_user()).agent()
    session = agent.start_session()["id"]
    done = agent.bash(session, "echo x > /dev/stdout; grep CapEff /proc/self/status; touch /mnt/files/a && echo wrote")
    assert done["stdout"] == "x\nCapEff:\t0000000000000000\nwrote\n", done
    late = agent.bash(session, "trap '' TERM; sleep 1000", timeout_s=1)
    assert (late["status"], late["signal"]) == ("timeout", "SIGKILL")


def test_commands_wait_for_a_kernel_that_is_restarted(gateway: Gateway) -> None:
    agent = gateway.agent()
    session = agent.start_session()["id"]
    agent.execute(session, "1")
    ends: list[str] = []
    restarted = threading.Event()

    def run_commands() -> None:
        own = gateway.agent()
        while not restarted.is_set():
            ends.append(own.bash(session, ["true"])["status"])

    beside = threading.Thread(target=run_commands)
    beside.start()
    eventually(lambda: ends, what="a command")
    agent.call("POST", f"/sessions/{session}/restart", 200)
    restarted.set()
    beside.join(60)
    assert set(ends) <= {"ok", "lost"}, ends  # those that ran are lost with the kernel, none is refused


def test_a_command_never_blames_its_caller_for_a_kernel_that_is_killed(gateway: Gateway) -> None:
    agent = gateway.agent()
    session = agent.start_session()["id"]
    for _ in range(5):
        agent.execute(session, "1")
        with agent.connect(session) as socket:
            socket.begin("import os; os.kill(os.getpid(), 9)")
            answer = agent.call("POST", f"/sessions/{session}/bash", json={"argv": ["true"]})
        assert answer.status_code in (200, 409), answer.text
        eventually(lambda: agent.session(session)["state"] == "idle", what="the next kernel")
