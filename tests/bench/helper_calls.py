"""Helpers in a cell: how many calls a second go through the gateway, from ten threads."""

import json
from contextlib import closing

from bench.measures import Kernel, Numbers
from bench.targets import Cellgate, Target
from support.services import Services

THREADS = 10
CELL = """
import json, time
from concurrent.futures import ThreadPoolExecutor
def rate(call, count):
    call(0)  # the first one connects nothing that is kept, but imports
    with ThreadPoolExecutor(%d) as pool:
        begin = time.perf_counter()
        failed = [error for _, error in pool.map(call, range(count)) if not expected(error)]
        taken = time.perf_counter() - begin
    assert not failed, failed[:3]
    return round(count / taken)
expected = lambda error: "no tool" in error or "no toolkit" in error
alone = rate(lambda number: run_composio_tool("NO_SUCH_TOOL", {}), COUNT)
expected = lambda error: error == ""
asked = rate(lambda number: invoke_llm(str(number)), COUNT)
print(json.dumps([alone, asked]))
""" % THREADS


def helper_calls(target: Target, count: int) -> Numbers:
    """Refused by the gateway itself, and answered by a model server that is a Python program. The peer has no helpers."""
    if target.name != "Cellgate":
        return {}
    services = Services()
    printed: list[str] = []
    try:
        with closing(Cellgate(target.rest.kernel, **services.settings())) as asking, Kernel(asking) as cells:
            cells.run(CELL.replace("COUNT", str(count)),
                      lambda message: printed.append(json.loads(message.content)["text"]) if message.msg_type == "stream" else None)
    finally:
        services.close()
    alone, asked = json.loads("".join(printed))
    return {f"helper calls of {THREADS} threads, answered by the gateway, calls/s": alone,
            f"invoke_llm of {THREADS} threads, with a model server in Python, calls/s": asked}
