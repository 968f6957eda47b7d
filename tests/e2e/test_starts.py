"""Many kernels start, slow ones start, warm ones wait. Numbers in names are the rows of docs/jupyter-rows.md."""

import threading
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from support.gateway import Gateway
from support.specs import IPYKERNEL, make_spec, slow_start
from support.waiting import Stopwatch, eventually


def test_row_27_the_gateway_answers_while_many_kernels_start(start_gateway) -> None:
    gateway = start_gateway(kernels__launch_timeout_s=170)
    slowest, done = 0.0, threading.Event()

    def ask() -> None:
        nonlocal slowest
        jupyter = gateway.jupyter()
        while not done.is_set():
            watch = Stopwatch()
            jupyter.get("/api")
            slowest = max(slowest, watch.seconds)

    def start_and_run(number: int) -> str | None:
        jupyter = gateway.jupyter()
        with jupyter.connect(jupyter.start_kernel(), timeout=170) as channels:
            return channels.run(f"{number}").result

    asker = threading.Thread(target=ask)
    asker.start()
    with ThreadPoolExecutor(12) as pool:
        assert list(pool.map(start_and_run, range(12))) == [str(number) for number in range(12)]
    done.set()
    asker.join()
    assert slowest < 5


def test_row_28_a_slow_kernel_delays_no_other(start_gateway, tmp_path: Path) -> None:
    make_spec(tmp_path, "slow", slow_start(20))
    jupyter = start_gateway(kernels__kernelspec_dirs=[tmp_path]).jupyter()
    watch = Stopwatch()
    slow = jupyter.start_kernel("slow")
    assert jupyter.state(slow) == "starting"
    with jupyter.connect(jupyter.start_kernel()) as channels:
        assert channels.run("6 * 7").result == "42"
    assert watch.seconds < 20 and jupyter.state(slow) == "starting"
    with jupyter.connect(slow) as channels:  # its frames are held until it is there
        assert channels.run("6 * 7").result == "42"


def test_row_28_a_kernel_that_does_not_start_in_time_says_why(start_gateway, tmp_path: Path) -> None:
    make_spec(tmp_path, "slow", slow_start(600))
    jupyter = start_gateway(kernels__kernelspec_dirs=[tmp_path], kernels__launch_timeout_s=2, kernels__restart_limit=0).jupyter()
    kernel = jupyter.start_kernel("slow")
    model = eventually(lambda: (found := jupyter.kernel(kernel))["execution_state"] == "dead" and found, 60)
    assert model["reason"]


def test_row_28_an_unknown_kernelspec_is_named_in_the_answer(gateway: Gateway) -> None:
    answer = gateway.jupyter().call("POST", "/api/kernels", json={"name": "no-such-kernel"})
    assert answer.status_code in (400, 404)
    assert "no-such-kernel" in answer.json()["message"] and "Traceback" not in answer.text


def test_our_kernel_is_the_default_and_python3_and_the_other_is_ipykernel(start_gateway, tmp_path: Path) -> None:
    make_spec(tmp_path, "cellgate", IPYKERNEL, env={"WHICH": "ours"})
    jupyter = start_gateway(kernels__kernelspec_dirs=[tmp_path]).jupyter()
    specs = jupyter.get("/api/kernelspecs")
    assert specs["default"] == "cellgate" and "ipykernel" in specs["kernelspecs"]
    ours, usual = (specs["kernelspecs"][name]["spec"] for name in ("cellgate", "python3"))
    assert usual == {**ours, "display_name": "Python 3"}
    for asked, named, which in ((None, "cellgate", "ours"), ("python3", "python3", "ours"), ("ipykernel", "ipykernel", None)):
        kernel = jupyter.start_kernel(asked)
        assert jupyter.kernel(kernel)["name"] == named
        with jupyter.connect(kernel) as channels:
            assert channels.run("import os; os.environ.get('WHICH')").result == (f"'{which}'" if which else None)


def test_python3_can_be_left_to_ipykernel(start_gateway, tmp_path: Path) -> None:
    make_spec(tmp_path, "cellgate", IPYKERNEL)
    specs = start_gateway(kernels__kernelspec_dirs=[tmp_path], kernels__python3="ipykernel").jupyter().get("/api/kernelspecs")
    assert specs["default"] == "cellgate" and "ipykernel" not in specs["kernelspecs"]
    assert specs["kernelspecs"]["python3"]["spec"]["display_name"] != "cellgate"


def test_row_29_warm_kernels_are_handed_out_and_refilled(start_gateway) -> None:
    gateway = start_gateway(kernels__jupyter_pool={"cellgate": 1}, kernels__max=3)
    jupyter = gateway.jupyter()
    for number in range(3):
        with jupyter.connect(jupyter.start_kernel(env={"KERNEL_NUMBER": str(number)})) as channels:
            assert channels.run("import os; os.environ['KERNEL_NUMBER']").result == f"'{number}'"
            assert channels.run("In[1:2]").result.startswith("[\"import os; os.environ"), "a fresh history"
    assert len(jupyter.kernels()) == 3


def test_the_limit_of_kernels_holds_for_simultaneous_starts(start_gateway) -> None:
    gateway = start_gateway(kernels__max=3)

    def start(_: int) -> int:
        return gateway.jupyter().call("POST", "/api/kernels", json={}).status_code

    with ThreadPoolExecutor(10) as pool:
        codes = list(pool.map(start, range(10)))
    assert sorted(codes) == [201] * 3 + [403] * 7
    jupyter = gateway.jupyter()
    assert "kernels.max" in jupyter.call("POST", "/api/kernels", 403, json={}).text
    jupyter.delete(jupyter.kernels()[0]["id"])
    assert jupyter.start_kernel()


def test_a_kernel_starts_in_a_clients_directory_below_a_work_root(start_gateway, tmp_path: Path) -> None:
    work = tmp_path / "work" / "project"
    work.mkdir(parents=True)
    (work / "data.txt").write_text("here")
    jupyter = start_gateway(kernels__work_roots=[tmp_path / "work"]).jupyter()
    kernel = jupyter.start_kernel(env={"KERNEL_WORKING_DIR": str(work)})
    with jupyter.connect(kernel) as channels:
        assert channels.run("open('data.txt').read()").result == "'here'"
        channels.run("open('made.txt', 'w').write('by the kernel')")
    eventually(lambda: (work / "made.txt").read_text() == "by the kernel")


def test_the_files_mount_outlives_a_restart(gateway: Gateway) -> None:
    jupyter = gateway.jupyter()
    kernel = jupyter.start_kernel()
    with jupyter.connect(kernel) as channels:
        channels.run("open('/mnt/files/kept.txt', 'w').write('kept')")
        jupyter.restart(kernel)
        assert channels.run("open('/mnt/files/kept.txt').read()").result == "'kept'"
