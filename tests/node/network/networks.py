"""The pods' network as tests start it, and pods that are attached to it."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

from tests.node.network.pods import Space
from tests.support import Windlass
from windlass.kube.connect import by_kubeconfig
from windlass.node.network.host_names import HostResolver
from windlass.node.network.network import Network

NODE = "this-node"


@asynccontextmanager
async def network(
    server: Windlass, spaces: list[Space], folder: Path, *, uplink: bool = False, metadata: bool = False
) -> AsyncIterator[Network]:
    client = await by_kubeconfig(server.kubeconfig)
    made = Network(
        client,
        folder,
        server=("127.0.0.1", server.port),
        node_name=NODE,
        uplink=uplink,
        host=HostResolver(),
        metadata=metadata,
    )
    await made.start(spaces[0].pid)
    try:
        yield made
    finally:
        await made.stop(pods=True)
        await client.close()


async def attach_all(made: Network, spaces: list[Space], uids: list[str]) -> None:
    for number, (each, uid) in enumerate(zip(spaces[1:], uids, strict=True)):
        each.ip = await made.attach(uid, each.pid)
        each.tell("serve", 8080, f"pod{number}")
