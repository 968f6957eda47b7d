"""Both WebSocket framings of Jupyter messages, as a client needs them."""

import json
import struct
from typing import Any

Message = dict[str, Any]
V1 = "v1.kernel.websocket.jupyter.org"
PARTS = ("header", "parent_header", "metadata", "content")


def encode_default(message: Message) -> str | bytes:
    plain = {key: value for key, value in message.items() if key != "buffers"}
    buffers = [bytes(buffer) for buffer in message.get("buffers", ())]
    if not buffers:
        return json.dumps({**plain, "buffers": []})
    parts = [json.dumps(plain).encode(), *buffers]
    offset, offsets = 4 * (len(parts) + 1), []
    for part in parts:
        offsets.append(offset)
        offset += len(part)
    return struct.pack(f"!{len(parts) + 1}I", len(parts), *offsets) + b"".join(parts)


def decode_default(frame: str | bytes) -> Message:
    if isinstance(frame, str):
        message = json.loads(frame)
        return {**message, "buffers": []}
    (count,) = struct.unpack_from("!I", frame)
    offsets = [*struct.unpack_from(f"!{count}I", frame, 4), len(frame)]
    parts = [frame[begin:end] for begin, end in zip(offsets, offsets[1:])]
    return {**json.loads(parts[0]), "buffers": parts[1:]}


def encode_v1(message: Message) -> bytes:
    parts = [message["channel"].encode(), *(json.dumps(message[part]).encode() for part in PARTS),
             *(bytes(buffer) for buffer in message.get("buffers", ()))]
    offset, offsets = 8 * (len(parts) + 2), []
    for part in parts:
        offsets.append(offset)
        offset += len(part)
    return struct.pack(f"<{len(parts) + 2}Q", len(parts) + 1, *offsets, offset) + b"".join(parts)


def decode_v1(frame: str | bytes) -> Message:
    assert isinstance(frame, bytes), "a v1 message is a binary frame"
    (count,) = struct.unpack_from("<Q", frame)
    offsets = struct.unpack_from(f"<{count}Q", frame, 8)
    assert offsets[-1] == len(frame)
    parts = [frame[begin:end] for begin, end in zip(offsets, offsets[1:])]
    message: Message = dict(zip(PARTS, (json.loads(part) for part in parts[1:5])))
    return {**message, "channel": parts[0].decode(), "buffers": parts[5:]}
