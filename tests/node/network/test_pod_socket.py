"""The socket at which other processes ask for connections into the pods' network."""

import socket
from pathlib import Path

from windlass.kube.json import encode
from windlass.node.network.pod_socket import PodSocket


async def test_a_visitor_that_has_gone_is_no_fault(tmp_path: Path) -> None:
    """Such as a gateway that was killed while it waited."""
    made, other = socket.socketpair()
    visitor, asking = socket.socketpair()
    asking.sendall(encode({"blank": True}))
    visitor.setblocking(False)

    async def blank() -> socket.socket:
        asking.close()
        return made

    async def dial(*_: object) -> socket.socket:
        raise AssertionError

    await PodSocket(tmp_path / "pods.sock", dial, blank)._serve(visitor)  # pyright: ignore[reportPrivateUsage] - what each visitor gets

    other.close()
    assert made.fileno() == -1
