"""A toolkit: an MCP server on its standard streams, whose one tool adds two numbers. Run by itself."""

import json
import sys
from typing import Any

NUMBER = {"type": "number"}
ADD = {"name": "add", "description": "Adds two numbers.",
       "inputSchema": {"type": "object", "properties": {"a": NUMBER, "b": NUMBER}, "required": ["a", "b"]}}


def result_of(method: str, params: dict[str, Any]) -> dict[str, Any]:
    if method == "initialize":
        return {"protocolVersion": params["protocolVersion"], "capabilities": {"tools": {}},
                "serverInfo": {"name": "adding", "version": "1"}}
    if method == "tools/list":
        return {"tools": [ADD]}
    if method == "tools/call":
        given = params["arguments"]
        return {"content": [{"type": "text", "text": json.dumps({"sum": given["a"] + given["b"]})}]}
    return {}  # ping


for line in sys.stdin:
    asked = json.loads(line)
    if "id" in asked:  # not a notification
        print(json.dumps({"jsonrpc": "2.0", "id": asked["id"], "result": result_of(asked["method"], asked.get("params", {}))}), flush=True)
