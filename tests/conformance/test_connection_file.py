"""jupyter_client straight on a kernel's connection file, past the gateway."""

import stat
from pathlib import Path

import pytest
from jupyter_client import BlockingKernelClient

from conformance.kernels import connection_file
from support.specs import IPYKERNEL, make_spec


@pytest.mark.parametrize("transport", ["ipc", "tcp"])
def test_jupyter_client_shares_the_kernel_with_the_gateway(start_gateway, tmp_path: Path, transport: str) -> None:
    make_spec(tmp_path, "over-tcp", IPYKERNEL, metadata={"transport": "tcp"})
    gateway = start_gateway(kernels__kernelspec_dirs=[tmp_path])
    jupyter = gateway.jupyter()
    kernel = jupyter.start_kernel("over-tcp" if transport == "tcp" else "python3")
    with jupyter.connect(kernel) as channels:
        channels.run("x = 41")
        path = connection_file(gateway, kernel)
        assert stat.S_IMODE(path.stat().st_mode) == 0o600
        client = BlockingKernelClient(connection_file=str(path))
        client.load_connection_file()
        client.start_channels()
        try:
            client.wait_for_ready(timeout=60)
            printed: list[str] = []

            def output(message: dict) -> None:
                if message["msg_type"] == "stream":
                    printed.append(message["content"]["text"])

            reply = client.execute_interactive("print(x + 1)", output_hook=output, timeout=60)
            assert reply["content"]["status"] == "ok" and "".join(printed) == "42\n"
            seen = channels.wait_for(lambda message: message["header"]["msg_type"] == "stream")
            assert seen["content"]["text"] == "42\n", "the gateway's clients see it too"
        finally:
            client.stop_channels()
    jupyter.delete(kernel)
    assert not path.exists()
