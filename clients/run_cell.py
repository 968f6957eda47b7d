"""Runs one cell in a session over the agent WebSocket and prints its output as it comes.

usage: run_cell.py URL KEY SESSION CODE   (SESSION is an id or a name; it is made when there is none)

Needs the package websocket-client. The whole protocol is in docs/api.md.
"""

import json
import sys
import urllib.error
import urllib.request

import websocket


def make_session(url: str, key: str, name: str) -> None:
    request = urllib.request.Request(f"{url}/api/v1/sessions", json.dumps({"name": name}).encode(), method="POST")
    request.add_header("Authorization", f"Bearer {key}")
    request.add_header("Content-Type", "application/json")
    urllib.request.urlopen(request).close()


def session_exists(url: str, key: str, name: str) -> bool:
    request = urllib.request.Request(f"{url}/api/v1/sessions/{name}", headers={"Authorization": f"Bearer {key}"})
    try:
        urllib.request.urlopen(request).close()
    except urllib.error.HTTPError as error:
        if error.code == 404:
            return False
        raise
    return True


def show(event: dict) -> None:
    kind = event["type"]
    if kind == "stream":
        print(event["text"], end="", file=sys.stderr if event["name"] == "stderr" else sys.stdout, flush=True)
    elif kind == "error":
        print("\n".join(event["traceback"]), file=sys.stderr)
    elif kind in ("execute_result", "display_data"):
        print(event["data"].get("text/plain", f"<{', '.join(event['data'])}>"))


def run_cell(url: str, key: str, session: str, code: str) -> str:
    """The status that the cell ended with."""
    socket = websocket.create_connection(f"{url.replace('http', 'ws', 1)}/api/v1/sessions/{session}/ws",
                                         header=[f"Authorization: Bearer {key}"])
    socket.send(json.dumps({"jsonrpc": "2.0", "id": 1, "method": "execute", "params": {"code": code, "allow_stdin": False}}))
    while True:
        message = json.loads(socket.recv())
        if "error" in message:
            sys.exit(message["error"]["message"])
        if message.get("method") == "output":
            show(message["params"])
        if message.get("method") == "cell_finished":
            return message["params"]["status"]


if __name__ == "__main__":
    if len(sys.argv) != 5:
        sys.exit(__doc__)
    if not session_exists(*sys.argv[1:4]):
        make_session(*sys.argv[1:4])
    status = run_cell(*sys.argv[1:])
    print(f"-- {status}", file=sys.stderr)
    sys.exit(0 if status == "ok" else 1)
