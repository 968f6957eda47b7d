"""Calls a toolkit's tool itself, with the least code that gives each thread its own answer. Run by itself:

straight_calls.py CALLS THREADS COMMAND…   (prints the calls per second)
"""

import json
import subprocess
import sys
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from typing import Any

count, threads, command = int(sys.argv[1]), int(sys.argv[2]), sys.argv[3:]
server = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
answers: dict[int, Any] = {}
writing, reading = threading.Lock(), threading.Lock()


def ask(number: int, method: str, params: dict[str, Any]) -> dict[str, Any]:
    line = json.dumps({"jsonrpc": "2.0", "id": number, "method": method, "params": params}) + "\n"
    with writing:
        server.stdin.write(line)
        server.stdin.flush()
    with reading:  # whoever has it reads for the others too, until its own answer is there
        while number not in answers:
            answer = json.loads(server.stdout.readline())
            answers[answer["id"]] = answer["result"]
    return answers.pop(number)


def call(number: int) -> bool:
    result = ask(number, "tools/call", {"name": "add", "arguments": {"a": number, "b": 1}})
    return json.loads(result["content"][0]["text"])["sum"] == number + 1


ask(-1, "initialize", {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "straight", "version": "1"}})
assert call(-2)
with ThreadPoolExecutor(threads) as pool:
    begin = time.perf_counter()
    good = list(pool.map(call, range(count)))
    taken = time.perf_counter() - begin
server.stdin.close()
server.wait(30)
assert all(good)
print(round(count / taken))
