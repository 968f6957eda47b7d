"""What a person or an agent waits for besides a cell's reply: the times of docs/jupyter-rows.md, a function each."""

import statistics
import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing, suppress

from bench.measures import Kernel, Numbers, milliseconds
from bench.socket_client import Cells, Gone, KernelSocket, execute_content, now
from bench.targets import Cellgate, Target

LOOP = "print('begun', flush=True)\nwhile True: pass"
REFILL_S = 3  # a pool of this size has a warm kernel again well within it


def median(times: int, once) -> float:
    return milliseconds(statistics.median(once() for _ in range(times)))


def warm_first_reply(target: Target, times: int) -> Numbers:
    """Row 29: POST to the first reply while a warm kernel waits. The peer has no pool."""
    if target.name != "Cellgate":
        return {}
    with closing(Cellgate(kernels__jupyter_pool={"ipykernel": 2})) as warm:
        def once() -> float:
            time.sleep(REFILL_S)
            begin = now()
            with Kernel(warm) as cells:
                return cells.run("1").done_at - begin
        return {"first reply from a warm pool, ms": median(times, once)}


def begin_loop(cells: Cells) -> str:
    """Runs a cell that never ends by itself; gives its msg_id once it has printed."""
    msg_id = cells.request("execute_request", execute_content(LOOP))
    while cells.receive().msg_type != "stream":
        pass
    return msg_id


def wait_for_reply(cells: Cells, msg_id: str) -> float:
    while True:
        message = cells.receive()
        if message.parent == msg_id and message.msg_type == "execute_reply":
            return now()


def busy_kernel(target: Target, times: int) -> Numbers:
    """Rows 38 and 39: a second socket to a kernel that loops, until its handshake is done; then an interrupt, until the
    cell has its reply."""
    opened, ended = [], []
    with Kernel(target) as cells:
        for _ in range(times):
            msg_id = begin_loop(cells)
            begin = now()
            second = KernelSocket(target.url, target.key, cells.kernel_id)
            opened.append(now() - begin)
            second.close()
            begin = now()
            target.rest.call("POST", f"/api/kernels/{cells.kernel_id}/interrupt")
            ended.append(wait_for_reply(cells, msg_id) - begin)
    return {"socket to a busy kernel, ms": milliseconds(statistics.median(opened)),
            "interrupt of a loop to its reply, ms": milliseconds(statistics.median(ended))}


def restart(target: Target, times: int) -> Numbers:
    """Row 41: from the POST until a cell of the new process has its reply, on a socket of its own."""
    def once(busy: bool) -> float:
        with Kernel(target) as cells:
            cells.run("1")
            if busy:
                begin_loop(cells)
            begin = now()
            target.rest.call("POST", f"/api/kernels/{cells.kernel_id}/restart")
            with closing(KernelSocket(target.url, target.key, cells.kernel_id)) as fresh:
                return fresh.run("1").done_at - begin
    return {"restart of an idle kernel, ms": median(times, lambda: once(False)),
            "restart of a busy kernel, ms": median(times, lambda: once(True))}


def polling(target: Target, kernels: int, requests: int) -> Numbers:
    """Row 47: GET /api/kernels over one connection with so many kernels, and what each costs the gateway's process."""
    def start(_: int) -> str:
        kernel_id = target.rest.start()
        # Until it has come up and needs nothing any more; with many kernels the peer cuts some connections.
        with suppress(Gone, TimeoutError), closing(KernelSocket(target.url, target.key, kernel_id)) as cells:
            cells.run("1")
        return kernel_id

    name = f"GET /api/kernels with {kernels} kernels"
    with ThreadPoolExecutor(4) as pool:
        try:
            held = list(pool.map(start, range(kernels)))
        except RuntimeError as error:
            return {f"{name}, requests/s": f"a start fails: {str(error).split(': ')[1][:3]}"}
        with target.rest.kept() as rest:
            rest("GET", "/api/kernels")
            before, begin = target.cpu_seconds(), now()
            for _ in range(requests):
                rest("GET", "/api/kernels")
            taken, spent = now() - begin, target.cpu_seconds() - before
        list(pool.map(target.rest.end, held))
    return {f"{name}, requests/s": round(requests / taken), f"{name}, CPU ms": milliseconds(spent / requests)}
