"""What is measured, one function each. A result is a dict of numbers: milliseconds, megabytes, counts."""

import statistics
import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing

from bench.direct import DirectKernel
from bench.socket_client import BINARY, Cells, Gone, KernelSocket, Socket, now
from bench.targets import PYTHON, Echo, Target

Numbers = dict[str, float | str]


def milliseconds(seconds: float) -> float:
    return round(seconds * 1000, 3)


def percentile(values: list[float], part: float) -> float:
    ordered = sorted(values)
    return ordered[min(len(ordered) - 1, int(part * len(ordered)))]


class Kernel:
    """A kernel of a target, ended with the block."""

    def __init__(self, target: Target, quickack: bool = False) -> None:
        self._target = target
        self.id = target.rest.start()
        self.cells = KernelSocket(target.url, target.key, self.id, quickack)

    def __enter__(self) -> Cells:
        return self.cells

    def __exit__(self, *_: object) -> None:
        self.cells.close()
        self._target.rest.end(self.id)


def first_reply(target: Target, times: int) -> Numbers:
    """POST to the first execute_reply and its idle."""
    def once() -> float:
        begin = now()
        with Kernel(target) as cells:
            return cells.run("1").done_at - begin
    return {"first reply, ms": milliseconds(statistics.median(once() for _ in range(times)))}


def direct_first_reply(times: int) -> Numbers:
    def once() -> float:
        begin = now()
        with closing(DirectKernel(PYTHON)) as cells:
            return cells.run("1").done_at - begin
    return {"first reply, ms": milliseconds(statistics.median(once() for _ in range(times)))}


def _round_trips(cells: Cells, times: int) -> list[float]:
    for _ in range(20):
        cells.run("1+1")
    taken = []
    for _ in range(times):
        begin = now()
        taken.append(cells.run("1+1").done_at - begin)
    return taken


def _percentiles(name: str, taken: list[float]) -> Numbers:
    return {f"{name} p50, ms": milliseconds(percentile(taken, 0.5)), f"{name} p99, ms": milliseconds(percentile(taken, 0.99))}


def round_trip(target: Target, times: int) -> Numbers:
    """`1+1` to reply and idle, and what the gateway's process spends on it."""
    with Kernel(target) as cells:
        cells.run("1")
        before = target.cpu_seconds()
        taken = _round_trips(cells, times)
        spent = (target.cpu_seconds() - before) / (times + 20)
    return {**_percentiles("1+1", taken), "gateway CPU per cell, ms": milliseconds(spent)}


def round_trip_quickack(target: Target, times: int) -> Numbers:
    with Kernel(target, quickack=True) as cells:
        return _percentiles("1+1 TCP_QUICKACK", _round_trips(cells, times))


def direct_round_trip(times: int) -> Numbers:
    with closing(DirectKernel(PYTHON)) as cells:
        return _percentiles("1+1", _round_trips(cells, times))


def echo_round_trip(times: int) -> Numbers:
    """A message of a cell's size there and back."""
    message = b"x" * 700
    with closing(Echo()) as echo, closing(Socket(echo.url.replace("http", "ws", 1) + "/echo")) as socket:
        taken = []
        for _ in range(times + 20):
            begin = now()
            socket.send(message, BINARY)
            socket.receive()
            taken.append(now() - begin)
    return _percentiles("echo", taken[20:])


class Lines:
    """Counts the stream messages and the lines in them."""

    def __init__(self) -> None:
        self.messages, self.lines, self.last_at = 0, 0, 0.0

    def __call__(self, message) -> None:
        if message.msg_type == "stream":
            self.messages += 1
            self.lines += message.content.count(b"\\n")
            self.last_at = now()


def _stream(cells: Cells, count: int, flush: bool = True) -> Numbers:
    seen, begin, idle = Lines(), now(), "yes"
    try:
        cells.run(f"for i in range({count}): print(i, flush={flush})", seen)
    except TimeoutError:  # its idle was lost: nothing came for the socket's whole timeout
        idle = "no"
    taken = max(seen.last_at - begin, 1e-9)
    return {"prints, lines/s": round(seen.lines / taken), "prints, messages/s": round(seen.messages / taken),
            "prints, lines lost": count - seen.lines, "prints, idle came": idle}


def stream(target: Target, count: int, flush: bool = True) -> Numbers:
    with Kernel(target) as cells:
        cells.run("1")
        cells.socket.settimeout(20)
        return _stream(cells, count, flush)


def direct_stream(count: int) -> Numbers:
    with closing(DirectKernel(PYTHON)) as cells:
        return _stream(cells, count)


def display(target: Target, megabytes: int, times: int) -> Numbers:
    """Displays of that size, each of a kernel of its own, from the request to its arrival. The slowest is mostly the first one,
    for which the gateway, the client and a fresh machine's memory are touched for the first time."""
    code = f"from IPython.display import display\ndisplay({{'text/plain': 'x' * {megabytes}_000_000}}, raw=True)"
    name = f"{megabytes} MB display"
    try:
        taken = [_display(target, code) for _ in range(times)]
    except (Gone, TimeoutError) as error:
        return {f"{name} p50, ms": f"fails: {error}"}
    return {f"{name} p50, ms": milliseconds(percentile(taken, 0.5)), f"{name} slowest, ms": milliseconds(max(taken))}


def _display(target: Target, code: str) -> float:
    with Kernel(target) as cells:
        cells.run("1")
        begin, arrived = now(), []
        cells.run(code, lambda message: arrived.append(now()) if message.msg_type == "display_data" else None)
    if not arrived:
        raise Gone("the display is lost")
    return arrived[0] - begin


def upload(target: Target, megabytes: int) -> Numbers:
    """An execute_request of that size (in its metadata, so that Python does not parse it) to its reply."""
    metadata = b'{"load":"' + b"x" * (megabytes * 1_000_000) + b'"}'
    name = f"{megabytes} MB upload, ms"
    with Kernel(target) as cells:
        cells.run("1")
        begin = now()
        try:
            return {name: milliseconds(cells.run("1", metadata=metadata).reply_at - begin)}
        except (Gone, TimeoutError, OSError):
            return {name: "connection cut"}


def at_once(target: Target, count: int) -> Numbers:
    """So many clients at the same time, each POST to first reply; until the last has it."""
    def one(_: int) -> tuple[str, KernelSocket]:
        kernel_id = target.rest.start()
        cells = KernelSocket(target.url, target.key, kernel_id)
        cells.run("1")
        return kernel_id, cells
    with ThreadPoolExecutor(count) as pool:
        begin = now()
        started = list(pool.map(one, range(count)))
        taken = now() - begin
        for _, cells in started:
            cells.close()
        list(pool.map(lambda pair: target.rest.end(pair[0]), started))
    return {f"{count} kernels at once, s": round(taken, 2)}


def direct_at_once(count: int) -> Numbers:
    def one(_: int) -> DirectKernel:
        kernel = DirectKernel(PYTHON)
        kernel.run("1")
        return kernel
    with ThreadPoolExecutor(count) as pool:
        begin = now()
        started = list(pool.map(one, range(count)))
        taken = now() - begin
    for kernel in started:
        kernel.close()
    return {f"{count} kernels at once, s": round(taken, 2)}


def memory(target: Target, counts: list[int]) -> Numbers:
    """The gateway's resident memory with so many kernels, each with a client that ran a cell."""
    numbers: Numbers = {}
    held: list[Kernel] = []
    with ThreadPoolExecutor(4) as pool:
        for count in counts:
            more = list(pool.map(lambda _: Kernel(target), range(count - len(held))))
            for kernel in more:
                kernel.cells.run("1")
            held += more
            time.sleep(1)  # what was freed goes back
            numbers[f"RSS with {count} kernels, MB"] = round(target.resident_megabytes(), 1)
    for kernel in held:
        kernel.__exit__()
    return numbers
