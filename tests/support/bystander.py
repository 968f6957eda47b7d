"""Somebody else who uses the gateway meanwhile: 1+1 by REST and by WebSocket, and a listing, again and again."""

import statistics
import threading
from collections.abc import Iterator
from contextlib import contextmanager

from support.gateway import Gateway
from support.waiting import Stopwatch, eventually

QUIET_ROUNDS = 20
# Tests share their machine: what holds everybody up is far beyond that.
MOST_SLOWDOWN = 25
LEAST_QUIET_S = 0.02


class Bystander:
    """Its session is there and warm, and its quiet pace known, when it has been made."""

    def __init__(self, gateway: Gateway) -> None:
        self._agent = gateway.agent()
        self.session = self._agent.start_session()["id"]
        self._round()
        self.quiet = statistics.median(self._round() for _ in range(QUIET_ROUNDS))
        self.rounds: list[float] = []

    def _round(self) -> float:
        """The longest of three answers."""
        times = []
        for step in (self._run, self._run_by_socket, lambda: self._agent.call("GET", "/sessions", 200, timeout=60)):
            watch = Stopwatch()
            step()
            times.append(watch.seconds)
        return max(times)

    def _run(self) -> None:
        assert self._agent.execute(self.session, "1+1", timeout=60)["result"]["text/plain"] == "2"

    def _run_by_socket(self) -> None:
        with self._agent.connect(self.session) as socket:
            assert socket.run("1+1")["status"] == "ok"

    @contextmanager
    def goes_on(self, rounds: int = 5) -> Iterator[None]:
        """While the body runs, and for as long as it takes for so many rounds: each must work, and most be quick."""
        stop, failures = threading.Event(), []
        self.rounds = []

        def run() -> None:
            try:
                while not stop.is_set() or len(self.rounds) < rounds:
                    self.rounds.append(self._round())
            except BaseException as failed:
                failures.append(failed)

        thread = threading.Thread(target=run, daemon=True)
        thread.start()
        try:
            eventually(lambda: self.rounds or failures, 60, "the bystander's first round")
            yield
        finally:
            stop.set()
            thread.join(180)
        if failures:
            raise failures[0]
        assert not thread.is_alive(), "the bystander still waits for an answer"
        slow = statistics.median(self.rounds)
        print(f"bystander: quiet {self.quiet * 1000:.1f} ms, meanwhile {slow * 1000:.1f} ms, {len(self.rounds)} rounds")
        assert slow <= MOST_SLOWDOWN * max(self.quiet, LEAST_QUIET_S), (self.quiet, self.rounds)
