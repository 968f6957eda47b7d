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
# Compression, which the gateway does not offer.
NOT_OFFERED = ["12.*", "13.*"]


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


@pytest.mark.timeout(600)
def test_every_case_passes(echo: str) -> None:
    """Framing, pings, reserved bits, opcodes, fragmentation, UTF-8, closing, limits; about 40 s with the sanitizers."""
    try:
        results = asyncio.run(kosoku.run_fuzzingclient(f"ws://{echo}/", None, NOT_OFFERED, concurrency=2))
    except kosoku.FailureError as failed:
        pytest.fail(str(failed))
    assert len(results) >= 300
