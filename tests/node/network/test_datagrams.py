"""A relay of datagrams, between real sockets of one machine."""

import asyncio
import socket
from collections.abc import Callable, Iterator
from contextlib import ExitStack

import pytest

from windlass.node.network.datagrams import Bounds, DatagramRelay, Session
from windlass.node.network.host_ports import HostPorts
from windlass.node.network.relay import connect_to, listen_on
from windlass.node.network.services import Endpoint, ForwardedPort

HERE = "127.0.0.1"
WITHIN = 60.0


@pytest.fixture
def sockets() -> Iterator[Callable[[], socket.socket]]:
    """New datagram sockets with a port of their own, closed when the test ends."""
    with ExitStack() as stack:
        yield lambda: stack.enter_context(listen_on(HERE, 0, socket.SOCK_DGRAM))


NewSocket = Callable[[], socket.socket]


def port_of(bound: socket.socket) -> int:
    return int(bound.getsockname()[1])


async def heard(bound: socket.socket) -> tuple[bytes, tuple[str, int]]:
    async with asyncio.timeout(WITHIN):
        return await asyncio.get_running_loop().sock_recvfrom(bound, 65535)


async def until(check: Callable[[], bool]) -> None:
    async with asyncio.timeout(WITHIN):
        while not check():
            await asyncio.sleep(0.01)


def relay_to(server: socket.socket, sockets: NewSocket, bounds: Bounds | None = None) -> tuple[DatagramRelay, int]:
    near = sockets()
    port = port_of(near)
    return DatagramRelay(near, connect_to(HERE, port_of(server), socket.SOCK_DGRAM), "test", bounds), port


async def test_every_client_hears_the_answers_to_its_own_datagrams(sockets: NewSocket) -> None:
    server, one, two = sockets(), sockets(), sockets()
    relay, port = relay_to(server, sockets)
    one.sendto(b"one", (HERE, port))
    two.sendto(b"two", (HERE, port))
    asked = dict([await heard(server), await heard(server)])
    assert asked[b"one"] != asked[b"two"], "a client is somebody of its own at the far side"

    for text, source in reversed(asked.items()):
        server.sendto(text.upper(), source)
        server.sendto(b"and more", source)

    for client, text in ((one, b"ONE"), (two, b"TWO")):
        assert await heard(client) == (text, (HERE, port)), "from where it has asked"
        assert await heard(client) == (b"and more", (HERE, port))
    one.sendto(b"again", (HERE, port))
    assert await heard(server) == (b"again", asked[b"one"]), "it stays who it was"
    assert sorted(relay.clients) == sorted([one.getsockname(), two.getsockname()])
    relay.close()


async def test_datagrams_keep_their_order_and_their_edges(sockets: NewSocket) -> None:
    server, client = sockets(), sockets()
    relay, port = relay_to(server, sockets)
    sent = [b"first", b"", b"x" * 60000, b"last"]
    for each in sent:
        client.sendto(each, (HERE, port))
    assert [(await heard(server))[0] for _ in sent] == sent
    relay.close()


async def test_a_silent_client_is_forgotten_and_may_come_again(sockets: NewSocket) -> None:
    server, client = sockets(), sockets()
    relay, port = relay_to(server, sockets, Bounds(idle=0.05))
    client.sendto(b"hello", (HERE, port))
    first = await heard(server)
    await until(lambda: not relay.clients)

    client.sendto(b"hello", (HERE, port))
    text, source = await heard(server)
    assert (text, source != first[1]) == (b"hello", True)
    relay.close()


@pytest.mark.parametrize(
    ("happened", "ends_at"),
    [
        (["spoke"], 10),
        (["spoke", "spoke"], 11),
        (["spoke", "answered"], 11),
        (["spoke", "answered", "answered"], 12),
        (["spoke", "answered", "spoke"], 102),
        (["spoke", "answered", "spoke", "answered"], 103),
    ],
)
def test_a_conversation_is_kept_for_longer_than_a_question(happened: list[str], ends_at: float) -> None:
    session = Session((HERE, 1))
    for now, what in enumerate(happened):
        getattr(session, what)(now)
    assert session.ends_at(Bounds(idle=10, idle_stream=100)) == ends_at


async def test_the_client_that_was_silent_longest_makes_room(sockets: NewSocket) -> None:
    server, clients = sockets(), [sockets() for _ in range(3)]
    relay, port = relay_to(server, sockets, Bounds(clients=2))
    for client in (clients[0], clients[1], clients[0], clients[2]):
        client.sendto(b"?", (HERE, port))
        await heard(server)
    assert relay.clients == [clients[0].getsockname(), clients[2].getsockname()]
    relay.close()


async def test_a_client_whose_server_has_gone_is_led_to_the_next(sockets: NewSocket) -> None:
    gone, server, client, near = sockets(), sockets(), sockets(), sockets()
    ways = [port_of(gone), port_of(server)]
    gone.close()
    port = port_of(near)
    relay = DatagramRelay(near, lambda: connect_to(HERE, ways.pop(0), socket.SOCK_DGRAM)(), "test")
    client.sendto(b"lost", (HERE, port))
    await until(lambda: len(ways) == 1 and not relay.clients)

    client.sendto(b"found", (HERE, port))
    assert (await heard(server))[0] == b"found"
    relay.close()


async def test_what_cannot_be_reached_now_may_be_later(sockets: NewSocket) -> None:
    server, client, near = sockets(), sockets(), sockets()
    port, failures = port_of(near), [ConnectionRefusedError(111, "not yet")]

    async def connect() -> socket.socket:
        if failures:
            raise failures.pop()
        return await connect_to(HERE, port_of(server), socket.SOCK_DGRAM)()

    relay = DatagramRelay(near, connect, "test")
    client.sendto(b"lost", (HERE, port))
    await until(lambda: not failures and not relay.clients)
    client.sendto(b"found", (HERE, port))
    assert (await heard(server))[0] == b"found"
    relay.close()


async def test_a_closed_relay_gives_its_port_back(sockets: NewSocket) -> None:
    server, client = sockets(), sockets()
    relay, port = relay_to(server, sockets)
    client.sendto(b"hello", (HERE, port))
    await heard(server)
    relay.close()
    assert relay.clients == []
    listen_on(HERE, port, socket.SOCK_DGRAM).close()


@pytest.mark.parametrize(
    ("protocol", "kind", "named"), [("TCP", socket.SOCK_STREAM, ""), ("UDP", socket.SOCK_DGRAM, "/UDP")]
)
async def test_a_port_that_somebody_else_has_is_reported_and_opened_when_it_is_free(
    protocol: str, kind: socket.SocketKind, named: str
) -> None:
    async def dial(host: str, port: int, kind: socket.SocketKind) -> socket.socket:
        raise ConnectionRefusedError(111, f"{host}:{port}")

    with listen_on(HERE, 0, kind) as taken:
        taken.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        port = port_of(taken)
        ports = HostPorts(dial, retry=lambda: None)
        forwarded = [ForwardedPort(protocol, port, Endpoint("10.244.0.1", port))]
        ports.update(forwarded)
        assert ports.problems == [f"port {port}{named} cannot be opened on 127.0.0.1: Address already in use"]
    ports.update(forwarded)
    assert ports.problems == []
    with pytest.raises(OSError, match="in use"):
        listen_on(HERE, port, kind)
    ports.close()
