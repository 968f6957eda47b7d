"""The package composio: from create to what the first cell gave, and a cell of a session that runs."""

import statistics
import time
from contextlib import closing

import composio

from bench.measures import Numbers, milliseconds, percentile
from bench.targets import Cellgate, Target

WORKBENCH = "COMPOSIO_REMOTE_WORKBENCH"


def sdk(target: Target, times: int) -> Numbers:
    """The peer does not speak to it."""
    if target.name != "Cellgate":
        return {}
    with closing(Cellgate(target.rest.kernel)) as own:
        client = composio.Composio(api_key=own.key, base_url=own.url, allow_tracking=False)
        first, later = zip(*(_one_session(client) for _ in range(times + 1)), strict=True)
    return {"Composio SDK, create to first result p50, ms": milliseconds(statistics.median(first[1:])),
            "Composio SDK, create to first result p99, ms": milliseconds(percentile(list(first[1:]), 0.99)),
            "Composio SDK, a further cell p50, ms": milliseconds(statistics.median(later[1:]))}


def _one_session(client: composio.Composio) -> tuple[float, float]:
    begin = time.perf_counter()
    session = client.create(user_id="bench")
    try:
        assert session.execute(WORKBENCH, arguments={"code_to_execute": "6 * 7"}).data["results"] == "42"
        first = time.perf_counter()
        session.execute(WORKBENCH, arguments={"code_to_execute": "6 * 7"})
        return first - begin, time.perf_counter() - first
    finally:
        session.delete()
