"""Runs in the clients' environment: as mcp_calls.py, but with the OpenAI Agents SDK's client of a Streamable HTTP server."""

import asyncio
import json
import sys
from typing import Any

from agents.mcp import MCPServerStreamableHttp


async def run(asked: dict[str, Any]) -> dict[str, Any]:
    params = {"url": asked["url"], "headers": asked["headers"], "timeout": 60, "sse_read_timeout": 120}
    async with MCPServerStreamableHttp(params=params, client_session_timeout_seconds=120) as server:
        tools = [tool.name for tool in await server.list_tools()]
        answers = []
        for name, arguments in asked["calls"]:
            result = await server.call_tool(name, arguments)
            answers.append({"error": bool(result.is_error),
                            "content": [part.model_dump(mode="json", exclude_none=True) for part in result.content]})
        return {"revision": server.session.protocol_version, "tools": tools, "answers": answers}


print(json.dumps(asyncio.run(run(json.load(sys.stdin)))))
