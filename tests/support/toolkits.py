"""Sections of cellgate.toml for the tool servers that the tests run."""

import json

from support.gateway import LAB, ROOT

SERVERS = ROOT / "tests" / "conformance" / "node" / "node_modules" / "@modelcontextprotocol"
NODE = str(LAB / "bin" / "node")


def everything(name: str = "EVERYTHING", **more: object) -> str:
    command = [NODE, str(SERVERS / "server-everything" / "dist" / "index.js"), "stdio"]
    return toolkit(name, command=command, **more)


def toolkit(name: str, **keys: object) -> str:
    lines = [f"{key} = {toml(value)}" for key, value in keys.items()]
    return f"[tools.toolkits.{name}]\n" + "\n".join(lines) + "\n"


def toml(value: object) -> str:
    """JSON but for tables."""
    if not isinstance(value, dict):
        return json.dumps(value)
    return "{" + ", ".join(f"{key} = {json.dumps(item)}" for key, item in value.items()) + "}"
