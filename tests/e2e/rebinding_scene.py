"""A name that means a public address when it is looked up first and this machine afterwards. Run in namespaces of its own
by test_accounts.py, where port 53 and every address are ours; prints what happened as JSON.

    unshare --net --mount python rebinding_scene.py
"""

import json
import subprocess
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from support.api_service import ApiService
from support.gateway import Gateway
from support.name_server import NameServer

PUBLIC = "192.31.196.1"  # AS112's, nobody's private network
SECRET = "the-secret-of-the-tests"


def take_over_the_network() -> None:
    for command in (["ip", "link", "set", "lo", "up"], ["ip", "address", "add", f"{PUBLIC}/32", "dev", "lo"]):
        subprocess.run(command, check=True)
    with tempfile.NamedTemporaryFile("w", suffix=".conf") as resolver:
        resolver.write("nameserver 127.0.0.1\noptions timeout:1 attempts:1\n")
        resolver.flush()
        subprocess.run(["mount", "--bind", resolver.name, "/etc/resolv.conf"], check=True)


def main() -> None:
    take_over_the_network()
    public, inside = ApiService(PUBLIC, 8080), ApiService("127.0.0.1", 8080)
    answers: list[str] = []
    names = NameServer(lambda name: answers.pop(0) if len(answers) > 1 else answers[0])
    gateway = Gateway(accounts__plain_http=True)
    try:
        agent = gateway.agent()
        agent.call("POST", "/accounts", 201, json={"toolkit": "rebind", "base_url": "http://rebind.example:8080",
                                                   "auth_scheme": "bearer", "secret": SECRET})
        session = agent.start_session()["id"]

        def call(endpoint: str, *meanings: str) -> object:
            answers[:] = meanings
            cell = agent.execute(session, f"import json; print(json.dumps(proxy_execute('GET', {endpoint!r}, 'rebind')))")
            return json.loads(cell["stdout"])

        told = {"public": call("/user", PUBLIC, "127.0.0.1"),
                "inside": call("/user", "127.0.0.1"),
                "credentials": call("/user", "169.254.169.254"),
                "redirect": call("/to?url=/user", PUBLIC, "127.0.0.1"),
                "asked": names.asked, "public_requests": [each["path"] for each in public.requests],
                "inside_requests": [each["path"] for each in inside.requests], "log": "".join(gateway.log)}
    finally:
        gateway.finish()
        gateway.remove()
    print(json.dumps(told))


main()
