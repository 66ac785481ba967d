"""The network of plain processes: real sockets, a real API server, real pods."""

import asyncio
import socket
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, suppress
from pathlib import Path
from typing import Any

import pytest

from tests.support import Windlass, eventually, running
from windlass.kube.connect import by_kubeconfig
from windlass.kube.json import Object
from windlass.kube.pod_network import dial
from windlass.node.runtimes.base import ContainerSpec, PodSpec
from windlass.node.runtimes.process import loopback_addresses, table
from windlass.node.runtimes.process.loopback_addresses import Backends, ListenAddress
from windlass.node.runtimes.process.network import LIMITS, LoopbackNetwork
from windlass.node.runtimes.process.runtime import Processes
from windlass.node.service_links import service_links

PATH = "/usr/local/bin:/usr/bin:/bin"
SERVER = """
import socket, sys
listener = socket.create_server((sys.argv[1], 8123))
print("listening", flush=True)
while True:
    connection, _ = listener.accept()
    connection.sendall(sys.argv[2].encode())
    connection.close()
"""
ECHO = """
import socket, sys
echo = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
echo.bind((sys.argv[1], 8123))
print("listening", flush=True)
while True:
    heard, client = echo.recvfrom(100)
    echo.sendto(sys.argv[2].encode() + b" heard " + heard, client)
"""
CLIENT = 'import os, socket; e = os.environ; address = e["WEB_SERVICE_HOST"], int(e["WEB_SERVICE_PORT"]);'
CLIENT += "print(socket.create_connection(address, 60).recv(100).decode())"


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Windlass]:
    with running(tmp_path_factory.mktemp("w"), manager=False) as windlass:
        yield windlass


@asynccontextmanager
async def runtime_context(server: Windlass, data: Path) -> AsyncIterator[tuple[LoopbackNetwork, Processes]]:
    client = await by_kubeconfig(server.kubeconfig)
    network, runtime = LoopbackNetwork(client, data, server=("127.0.0.1", server.port)), Processes(data)
    await runtime.start()
    await network.start()
    try:
        yield network, runtime
    finally:
        await runtime.stop(pods=True)
        await network.stop()
        await client.close()


def a_service(server: Windlass, name: str, addresses: list[str], **spec: Any) -> Object:
    ports = [{"name": "http", "port": 80, "targetPort": 8123}]
    body: Object = {"metadata": {"name": name}, "spec": {"ports": ports, **spec}}
    made = server.create("/api/v1/namespaces/default/services", {"apiVersion": "v1", "kind": "Service", **body})
    [port] = made["spec"]["ports"]
    piece: Object = {
        "apiVersion": "discovery.k8s.io/v1",
        "kind": "EndpointSlice",
        "metadata": {"name": f"{name}-1", "labels": {"kubernetes.io/service-name": name}},
        "addressType": "IPv4",
        "ports": [{"name": port["name"], "port": 8123, "protocol": port["protocol"]}],
        "endpoints": [{"addresses": [address]} for address in addresses],
    }
    server.create("/apis/discovery.k8s.io/v1/namespaces/default/endpointslices", piece)
    return made


async def a_pod(network: LoopbackNetwork, runtime: Processes, data: Path, uid: str) -> str:
    facts = await runtime.start_pod(PodSpec(uid, "default", uid, str(data / "node" / "pods" / uid), uid))
    return await network.attach(uid, facts.pid)


async def run(runtime: Processes, uid: str, *argv: str, **environment: str) -> None:
    await runtime.start_container(uid, ContainerSpec("main", 0, argv, {"PATH": PATH, **environment}))


def output(runtime: Processes, uid: str) -> str:
    return Path(runtime.log_file(uid, "main", 0)).read_text()


def test_pods_reach_each_other_and_services(server: Windlass, tmp_path: Path) -> None:
    async def story() -> None:
        async with runtime_context(server, tmp_path) as (network, runtime):
            ips = [await a_pod(network, runtime, tmp_path, uid) for uid in ("one", "two", "three")]
            assert len(set(ips)) == 3
            assert all(ip.startswith("127.1.") for ip in ips)
            for uid, ip in zip(("one", "two"), ips, strict=False):
                await run(runtime, uid, "python3", "-c", SERVER, ip, f"I am {uid}")
                await until(lambda uid=uid: "listening" in output(runtime, uid))
            with await network.dial(ips[0], 8123) as connection:
                assert await asyncio.get_running_loop().sock_recv(connection, 100) == b"I am one"

            service = a_service(server, "web", [ips[0]])
            cluster_ip = service["spec"]["clusterIP"]
            await until(lambda: cluster_ip in table.read(tmp_path).services)
            links = service_links([service], "default", linked=True)
            await run(runtime, "three", "python3", "-c", CLIENT, **links)
            await until(lambda: "I am one" in output(runtime, "three"))

            connection = await dial(tmp_path / "run" / "pods.sock", cluster_ip, 80)
            with connection:
                assert await asyncio.get_running_loop().sock_recv(connection, 100) == b"I am one"
            assert "\tweb.default.svc.cluster.local" in network.hosts({"metadata": {"namespace": "x"}}, ips[0])
            assert list(LIMITS) == network.problems[: len(LIMITS)]

    asyncio.run(asyncio.wait_for(story(), 180))


def test_clients_on_this_machine_reach_a_udp_service_and_are_led_on_when_its_pod_changes(
    server: Windlass, tmp_path: Path
) -> None:
    async def story() -> None:
        async with runtime_context(server, tmp_path) as (network, runtime):
            ips = [await a_pod(network, runtime, tmp_path, uid) for uid in ("one", "two")]
            for uid, ip in zip(("one", "two"), ips, strict=True):
                await run(runtime, uid, "python3", "-c", ECHO, ip, uid)
                await until(lambda uid=uid: "listening" in output(runtime, uid))
            ports = [{"name": "echo", "port": 90, "targetPort": 8123, "protocol": "UDP"}]
            made = a_service(server, "echo", ips[:1], type="NodePort", ports=ports)
            here = "127.0.0.1", made["spec"]["ports"][0]["nodePort"]
            with caller(here) as client, caller(here) as other:
                await until(lambda: answer(client, b"me") == b"one heard me")
                await until(lambda: answer(other, b"other") == b"one heard other")
                path = "/apis/discovery.k8s.io/v1/namespaces/default/endpointslices/echo-1"
                change = {"endpoints": [{"addresses": ips[1:]}]}
                server.request("PATCH", path, change, content_type="application/merge-patch+json")
                await until(lambda: answer(client, b"me") == b"two heard me")
            assert network.problems == list(LIMITS)

    asyncio.run(asyncio.wait_for(story(), 180))


def caller(address: tuple[str, int]) -> socket.socket:
    made = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    made.settimeout(0.5)
    made.connect(address)
    return made


def answer(client: socket.socket, text: bytes) -> bytes:
    with suppress(OSError):
        client.send(text)
        return client.recv(100)
    return b""


def test_an_address_is_kept_and_comes_round_last(server: Windlass, tmp_path: Path) -> None:
    async def story() -> None:
        async with runtime_context(server, tmp_path) as (network, _):
            first, second = await network.attach("a", 1), await network.attach("b", 1)
            assert await network.attach("a", 1) == first
            await network.detach("a")
            assert await network.attach("c", 1) not in (first, second)

    asyncio.run(asyncio.wait_for(story(), 180))


async def until(condition: Any) -> None:
    await asyncio.to_thread(eventually, condition)


def test_a_service_port_is_another_that_no_pod_takes_on_all_addresses() -> None:
    service: Object = {
        "metadata": {"namespace": "n", "name": "s"},
        "spec": {
            "clusterIP": "10.96.7.8",
            "sessionAffinity": "ClientIP",
            "ports": [
                {"port": 80, "nodePort": 30001},
                {"name": "d", "port": 53, "nodePort": 30001, "protocol": "UDP"},
                {"name": "s", "port": 9, "protocol": "SCTP"},
            ],
        },
    }

    assert loopback_addresses.backends_of(service, []) == {
        ListenAddress("127.96.7.8", 20080): Backends((), True),
        ListenAddress("127.0.0.1", 30001): Backends((), True),
        ListenAddress("127.96.7.8", 20053, "UDP"): Backends((), True),
        ListenAddress("127.0.0.1", 30001, "UDP"): Backends((), True),
    }
    assert loopback_addresses.place(service, ("127.0.0.1", 6443)) == table.Place(
        "127.96.7.8", {"80": 20080, "53": 20053}
    )
    assert loopback_addresses.problems(service) == [
        "Service n/s port 9: protocol SCTP is not supported by the process runtime"
    ]
    assert loopback_addresses.service_port(60000) == 40000


def test_the_api_is_where_it_is_for_everybody() -> None:
    service: Object = {"spec": {"clusterIP": "10.96.0.1", "ports": [{"port": 443}]}}

    assert loopback_addresses.place(service, ("127.0.0.1", 6443)) == table.Place("127.0.0.1", {"443": 6443})
    assert loopback_addresses.backends_of(service, []) == {}


def test_a_headless_service_has_no_place() -> None:
    service: Object = {
        "metadata": {"namespace": "n", "name": "s"},
        "spec": {"clusterIP": "None", "ports": [{"port": 1}]},
    }

    assert loopback_addresses.place(service, ("127.0.0.1", 1)) is None
    assert loopback_addresses.backends_of(service, []) == {}
    assert loopback_addresses.host_lines([service], "n") == []
