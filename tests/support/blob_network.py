"""A network of the test's own in which a gateway has an address that the SDKs take for public.

The SDKs refuse to send files to private and loopback addresses. 192.31.196.1 belongs to a block that passes, and that nobody
routes: here it is on the loopback interface of a network namespace, which holds the gateway and its clients."""

import os
import subprocess

ADDRESS = "192.31.196.1"


class BlobNetwork:
    def __init__(self) -> None:
        # Who is no administrator of the machine is one of a user namespace.
        own = [] if os.geteuid() == 0 else ["--user", "--map-root-user"]
        make = f"ip link set lo up && ip addr add {ADDRESS}/32 dev lo && echo ready && exec cat"
        self._holder = subprocess.Popen(["unshare", *own, "--net", "sh", "-c", make], stdin=subprocess.PIPE,
                                        stdout=subprocess.PIPE, text=True)
        assert self._holder.stdout.readline() == "ready\n", "the network could not be made"
        user = [] if os.geteuid() == 0 else ["--user", "--preserve-credentials"]
        self.enter = ["nsenter", "--target", str(self._holder.pid), "--net", *user, "--"]

    def close(self) -> None:
        self._holder.stdin.close()
        self._holder.wait(30)
