"""Autobahn's WebSocket cases against an echo over gateway/http's WebSocket."""

import asyncio
import re
import subprocess
import threading
from collections.abc import Iterator

import kosoku
import pytest

from support.gateway import BUILD
from support.waiting import eventually

ECHO = BUILD / "tests" / "support" / "cellgate-echo"
# Framing, pings, reserved bits, opcodes, fragmentation, UTF-8, closing, limits and timing. 12 and 13 are compression, which
# the gateway does not offer.
QUICK = ["1.*", "2.*", "3.*", "4.*", "5.*", "6.*", "7.*", "9.1.1", "9.1.2", "9.2.1", "9.2.2", "9.3.4", "9.4.4", "9.5.4", "9.7.1", "9.8.1",
         "10.*"]
COMPRESSION = ["12.*", "13.*"]


@pytest.fixture
def echo() -> Iterator[str]:
    """The address of a running echo."""
    process = subprocess.Popen([ECHO], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    lines: list[str] = []
    reader = threading.Thread(target=lambda: lines.extend(iter(process.stdout.readline, "")), daemon=True)
    reader.start()
    address = eventually(lambda: (found := re.search(r"listening on http://(\S+?)/?\s", "".join(lines))) and found[1], 30,
                         "the echo listens")
    yield address
    process.terminate()
    _, errors = process.communicate(timeout=30)
    assert "ERROR: AddressSanitizer" not in errors and "runtime error" not in errors, errors[-10_000:]


def failures(address: str, include: list[str] | None, exclude: list[str]) -> list[str]:
    async def run() -> list:
        try:
            return await kosoku.run_fuzzingclient(f"ws://{address}/", include, exclude, concurrency=2)
        except kosoku.FailureError as failed:
            pytest.fail(str(failed))

    results = asyncio.run(run())
    assert results
    return [f"{result}" for result in results if not result]


def test_framing_pings_closing_utf8_and_limits(echo: str) -> None:
    failures(echo, QUICK, COMPRESSION)


@pytest.mark.soak
@pytest.mark.timeout(3600)
def test_every_case(echo: str) -> None:
    failures(echo, None, COMPRESSION)
