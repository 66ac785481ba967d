"""The way out of the pods' network, on a machine that `test_egress` has made: it runs this as root and as a user."""

import asyncio
import socket
from pathlib import Path

from tests.node.network.egress_world import MACHINE, METADATA, OUTSIDE, PORT, UDP_PORT
from tests.node.network.networks import attach_all, network
from tests.node.network.pods import Space
from tests.support import Windlass
from windlass.node.network.uplink import subnet

SLIRP_GATEWAY = "10.0.2.2"
REFUSED = ("ConnectionRefusedError", "PermissionError")


async def test_pods_reach_the_outside_and_not_the_loopback_of_the_machine(
    server: Windlass, spaces: list[Space], tmp_path: Path
) -> None:
    async with network(server, spaces, tmp_path, uplink=True) as made:
        assert made.problems == []
        await attach_all(made, spaces, ["a", "b", "c"])
        one = spaces[1]
        assert await asyncio.to_thread(one.tell, "fetch", OUTSIDE, PORT, 20) == f"outside {MACHINE}", "as the machine"
        assert await asyncio.to_thread(one.tell, "fetch_udp", OUTSIDE, UDP_PORT, "00", 20) == b"outside".hex()
        with socket.create_server((MACHINE, 0)) as listener:
            asked = asyncio.create_task(asyncio.to_thread(one.tell, "fetch", MACHINE, listener.getsockname()[1], 20))
            listener.settimeout(20)
            connection, _ = await asyncio.to_thread(listener.accept)
            with connection:
                connection.sendall(b"the machine itself\n")
                assert await asked == "the machine itself"
        for gateway in (subnet(str(tmp_path))[1], SLIRP_GATEWAY, OUTSIDE):
            assert (await asyncio.to_thread(one.tell, "fetch", gateway, server.port, 1)).endswith("Error")


async def test_the_way_out_outlives_the_agent_and_goes_with_the_pods(
    server: Windlass, spaces: list[Space], tmp_path: Path
) -> None:
    one = spaces[1]
    async with network(server, spaces, tmp_path, uplink=True) as made:
        await attach_all(made, spaces, ["a", "b", "c"])
        held = await asyncio.to_thread(one.tell, "hold", "line", OUTSIDE, PORT)
        assert held == f"outside {MACHINE}"
        await made.stop()
        assert await asyncio.to_thread(one.tell, "say", "line", "still there?") == "still there?"
        async with network(server, spaces, tmp_path, uplink=True) as retry:
            assert retry.problems == []
            assert await asyncio.to_thread(one.tell, "say", "line", "and now?") == "and now?"
    assert (await asyncio.to_thread(one.tell, "fetch", OUTSIDE, PORT, 1)).endswith("Error")


async def test_pods_reach_metadata_addresses_only_where_that_is_allowed(
    server: Windlass, spaces: list[Space], tmp_path: Path
) -> None:
    one = spaces[1]
    async with network(server, spaces, tmp_path, uplink=True) as made:
        await attach_all(made, spaces, ["a", "b", "c"])
        for pod in (one, spaces[0]):
            assert await asyncio.to_thread(pod.tell, "fetch", METADATA, PORT, 20) == "ConnectionRefusedError"
            assert await asyncio.to_thread(pod.tell, "fetch_udp", METADATA, UDP_PORT, "00", 20) in REFUSED
        await made.stop()
        async with network(server, spaces, tmp_path, uplink=True, metadata=True) as allowing:
            assert allowing.problems == []
            assert await asyncio.to_thread(one.tell, "fetch", METADATA, PORT, 20) == f"outside {MACHINE}"
