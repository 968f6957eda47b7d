"""An MCP server on stdio that misbehaves on request. Usage: fake_mcp.py [NAME=VALUE]…

junk=1        prints what is no message between its messages
pages=N       lists its tools over N pages
start=die|hang|refuse|old   how its handshake goes; old: it speaks 2024-11-05
log=FILE      appends every message that it gets, a line each
"""

import json
import os
import subprocess
import sys
import time

options = dict(word.split("=", 1) for word in sys.argv[1:])
TOOLS = ["echo", "die", "hang", "sleep", "big", "fail", "refuse", "structured", "get-sum", "get_sum", "ask", "change",
         "environment", "spawn", "close-stdout", "half", "raw"]
extra = []


def send(message):
    if options.get("junk"):
        print("Listening on stdio…")
        print('{"jsonrpc": "2.0", "id": 999999, "result": {}}')
    print(json.dumps({"jsonrpc": "2.0", **message}), flush=True)


def text(value, **more):
    return {"content": [{"type": "text", "text": value}], **more}


def list_tools(params):
    names = TOOLS + extra
    pages = int(options.get("pages", 1))
    page = int(params.get("cursor", 0))
    size = -(-len(names) // pages)
    listed = [{"name": n, "description": n, "inputSchema": {"type": "object"}} for n in names[page * size:(page + 1) * size]]
    return {"tools": listed, **({"nextCursor": str(page + 1)} if page + 1 < pages else {})}


def ask(request):
    """Sends what a client must answer, and returns the answers."""
    for number, method in enumerate(["ping", "roots/list"]):
        send({"id": f"server-{number}", "method": method, "params": {}})
    return [json.loads(sys.stdin.readline()) for _ in range(2)]


def call(name, arguments):
    if name == "die":
        os._exit(3)
    if name == "hang":
        time.sleep(600)
    if name == "half":
        sys.stdout.write('{"jsonrpc": "2.0", "id": ')
        sys.stdout.flush()
        os._exit(4)
    if name == "close-stdout":
        os.close(1)
        time.sleep(600)
    if name == "big":
        return text("x" * arguments["bytes"])
    if name == "fail":
        return text("it cannot be done", isError=True)
    if name == "structured":
        return text("five", structuredContent={"sum": 5})
    if name == "environment":
        return text("", structuredContent=dict(os.environ))
    if name == "spawn":
        child = subprocess.Popen(["sleep", "600"])
        return text("", structuredContent={"pid": child.pid, "own": os.getpid()})
    if name == "ask":
        return text("", structuredContent={"answers": ask(arguments)})
    if name == "change":
        extra.append(arguments["add"])
        send({"method": "notifications/tools/list_changed"})
    return text("", structuredContent={"name": name, "arguments": arguments})


def initialize():
    start = options.get("start")
    if start == "die":
        print("no licence", file=sys.stderr)
        sys.exit(7)
    if start == "hang":
        time.sleep(600)
    return {"protocolVersion": "2024-11-05" if start == "old" else "2025-06-18", "capabilities": {"tools": {}},
            "serverInfo": {"name": "fake", "version": "1"}}


def handle(message):
    method, params = message.get("method"), message.get("params", {})
    if "id" not in message or method is None:
        return
    if method == "initialize" and options.get("start") == "refuse":
        send({"id": message["id"], "error": {"code": -32000, "message": "not today"}})
    elif method == "initialize":
        send({"id": message["id"], "result": initialize()})
    elif method == "tools/list":
        send({"id": message["id"], "result": list_tools(params)})
    elif method == "ping":
        send({"id": message["id"], "result": {}})
    elif method == "tools/call" and params["name"] == "refuse":
        send({"id": message["id"], "error": {"code": -32602, "message": "Invalid arguments"}})
    elif method == "tools/call" and params["name"] == "sleep":
        pass  # answers pings, but this call never
    elif method == "tools/call" and params["name"] == "raw":
        text = params["arguments"]["text"].replace("ID", str(message["id"])).replace("DEEP", "[" * 1000 + "]" * 1000)
        sys.stdout.buffer.write(text.encode("latin-1") + b"\n")
        sys.stdout.buffer.flush()
    elif method == "tools/call":
        send({"id": message["id"], "result": call(params["name"], params.get("arguments", {}))})


print("fake MCP server", file=sys.stderr)
for line in sys.stdin:
    if "log" in options:
        with open(options["log"], "a") as log:
            log.write(line)
    handle(json.loads(line))
