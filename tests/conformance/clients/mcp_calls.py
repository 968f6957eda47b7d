"""Runs in the clients' environment: calls the tools of an MCP server in order, as standard input says.

In: {"command": [WORD…], "env": {…}} or {"url", "headers"}; "mode": "auto" or "legacy"; "calls": [[TOOL, ARGUMENTS]…].
Out: {"revision", "tools": [NAME…], "answers": [{"error": bool, "content": [{"type", "text"?, "data"?…}…]}…]}.
"""

import asyncio
import json
import sys
from typing import Any

import httpx2
from mcp import Client, StdioServerParameters
from mcp.client.streamable_http import streamable_http_client


async def call_all(client: Client, calls: list[tuple[str, dict[str, Any]]]) -> dict[str, Any]:
    tools = [tool.name for tool in (await client.list_tools()).tools]
    answers = []
    for name, arguments in calls:
        result = await client.call_tool(name, arguments)
        answers.append({"error": bool(result.is_error),
                        "content": [part.model_dump(mode="json", exclude_none=True) for part in result.content]})
    return {"revision": client.protocol_version, "tools": tools, "answers": answers}


async def run(asked: dict[str, Any]) -> dict[str, Any]:
    if "url" not in asked:
        program, *words = asked["command"]
        async with Client(StdioServerParameters(command=program, args=words, env=asked["env"]), mode=asked["mode"]) as client:
            return await call_all(client, asked["calls"])
    async with httpx2.AsyncClient(headers=asked["headers"], timeout=120, trust_env=False) as http:
        transport = streamable_http_client(asked["url"], http_client=http)
        async with Client(transport, mode=asked["mode"]) as client:
            return await call_all(client, asked["calls"])


print(json.dumps(asyncio.run(run(json.load(sys.stdin)))))
