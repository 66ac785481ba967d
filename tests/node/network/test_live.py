"""The pods' network with real namespaces, real sockets and a real API server; `test_ordinary_user` repeats it."""

import asyncio
import random
import socket
import struct
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest

from tests.node.network.networks import attach_all, network
from tests.node.network.pods import Space
from tests.support import Windlass, eventually
from windlass.kube.json import Object
from windlass.kube.pod_network import dial
from windlass.node.network import dns_message as wire


def a_pod(server: Windlass, namespace: str, name: str, ports: Any = (), **labels: str) -> str:
    body: Object = {
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": {"name": name, "labels": labels},
        "spec": {"containers": [{"name": "main", "image": "python", "ports": list(ports)}]},
    }
    return server.create(f"/api/v1/namespaces/{namespace}/pods", body)["metadata"]["uid"]


def a_service(server: Windlass, namespace: str, name: str, pods: list[Space], **spec: Any) -> Object:
    base = f"/api/v1/namespaces/{namespace}/services"
    service: Object = {"ports": [{"name": "http", "port": 80, "targetPort": 8080}], **spec}
    made = server.create(base, {"apiVersion": "v1", "kind": "Service", "metadata": {"name": name}, "spec": service})
    piece: Object = {
        "apiVersion": "discovery.k8s.io/v1",
        "kind": "EndpointSlice",
        "metadata": {"name": f"{name}-1", "labels": {"kubernetes.io/service-name": name}},
        "addressType": "IPv4",
        "ports": [
            {"name": port["name"], "port": port["targetPort"], "protocol": port.get("protocol", "TCP")}
            for port in service["ports"]
        ],
        "endpoints": [{"addresses": [each.ip], "hostname": f"{name}-{n}"} for n, each in enumerate(pods)],
    }
    server.create(f"/apis/discovery.k8s.io/v1/namespaces/{namespace}/endpointslices", piece)
    return made


async def until(check: Callable[[], Any], what: str) -> Any:
    return await asyncio.to_thread(eventually, check, 60, what)


def free_node_port() -> int:
    """One that nobody on this machine listens on: other tests have node ports too."""
    for port in random.sample(range(30000, 32768), 100):
        with socket.socket() as tcp, socket.socket(type=socket.SOCK_DGRAM) as udp, suppress(OSError):
            tcp.bind(("127.0.0.1", port))
            udp.bind(("127.0.0.1", port))
            return port
    raise AssertionError("a hundred node ports are taken")


def ask(space: Space, name: str, kind: int = wire.A) -> tuple[int, bytes]:
    """The code of DNS's answer, and the answer."""
    query = struct.pack(">6H", 7, 0x0100, 1, 0, 0, 0) + wire.name_bytes(name) + struct.pack(">HH", kind, 1)
    answer = bytes.fromhex(space.tell("fetch_udp", "10.96.0.10", 53, query.hex()))
    return answer[3] & 0xF, answer


async def test_pods_on_the_same_port_reach_each_other_and_services_balance_over_them(
    server: Windlass, namespace: str, spaces: list[Space], tmp_path: Path
) -> None:
    async with network(server, spaces, tmp_path) as made:
        await attach_all(made, spaces, ["a", "b", "c"])
        _, one, two, three = spaces
        assert three.tell("fetch", one.ip, 8080) == f"pod0 {three.ip}"
        assert three.tell("fetch", two.ip, 8080) == f"pod1 {three.ip}"

        port = free_node_port()
        spec = {"type": "NodePort", "ports": [{"name": "http", "port": 80, "targetPort": 8080, "nodePort": port}]}
        address = a_service(server, namespace, "web", [one, two], **spec)["spec"]["clusterIP"]
        empty = a_service(server, namespace, "empty", [])["spec"]["clusterIP"]
        await until(lambda: three.tell("fetch", address, 80).startswith("pod"), "the service")

        assert {three.tell("fetch", address, 80).split()[0] for _ in range(30)} == {"pod0", "pod1"}
        assert f"pod0 {'10.244.0.1'}" in {one.tell("fetch", address, 80) for _ in range(30)}, "a pod reaches itself"
        await until(lambda: three.tell("fetch", empty, 80) == "ConnectionRefusedError", "no endpoints: refused")
        assert three.tell("fetch", "10.96.200.200", 80) == "ConnectionRefusedError"
        await until(lambda: read_line("127.0.0.1", port).startswith("pod"), "the node port on the host's loopback")
        inside = await dial(tmp_path / "run" / "pods.sock", address, 80)
        assert (await asyncio.get_running_loop().sock_recv(inside, 99)).startswith(b"pod")
        inside.close()
        with pytest.raises(ConnectionRefusedError):
            await dial(tmp_path / "run" / "pods.sock", one.ip, 81)


def read_line(host: str, port: int) -> str:
    try:
        with socket.create_connection((host, port), 2) as connection:
            return connection.makefile().readline()
    except OSError:
        return ""


async def test_a_host_port_is_reached_at_its_host_ip_alone(
    server: Windlass, namespace: str, spaces: list[Space], tmp_path: Path
) -> None:
    port = free_node_port()
    ports = [{"containerPort": 8080, "hostPort": port, "hostIP": "127.0.0.9"}]
    uids = [a_pod(server, namespace, "web", ports), *(a_pod(server, namespace, name) for name in "bc")]
    async with network(server, spaces, tmp_path) as made:
        await attach_all(made, spaces, uids)
        await until(lambda: read_line("127.0.0.9", port).startswith("pod0"), "the host port")
        assert read_line("127.0.0.1", port) == ""
        assert spaces[2].tell("fetch", "10.244.0.1", port) == "ConnectionRefusedError"


async def test_pods_have_no_ipv6_and_so_no_way_to_its_metadata_addresses(
    server: Windlass, namespace: str, spaces: list[Space], tmp_path: Path
) -> None:
    """`plan.METADATA` has IPv4 alone: a network that gives pods IPv6 must refuse these there."""
    async with network(server, spaces, tmp_path) as made:
        await attach_all(made, spaces, ["a", "b", "c"])
        for pod in spaces[1:]:
            assert pod.tell("ipv6_addresses") == []
            for address in ("fd00:ec2::254", "fe80::a9fe:a9fe%eth0", "fd20:ce::254", "2001:db8::1"):
                assert pod.tell("fetch", address, 80, 1).endswith("Error"), address


async def test_names_lead_to_services_endpoints_and_the_api(
    server: Windlass, namespace: str, spaces: list[Space], tmp_path: Path
) -> None:
    async with network(server, spaces, tmp_path) as made:
        await attach_all(made, spaces, ["a", "b", "c"])
        _, one, two, three = spaces
        a_service(server, namespace, "db", [one, two], clusterIP="None")
        base = f"db.{namespace}.svc.cluster.local"
        ask_now = asyncio.to_thread

        await until(lambda: ask(three, f"db-1.{base}")[0] == 0, "the name of an endpoint")
        _, answer = await ask_now(ask, three, f"db-1.{base}")
        assert socket.inet_aton(two.ip) in answer
        _, answer = await ask_now(ask, three, base)
        assert socket.inet_aton(one.ip) in answer
        assert socket.inet_aton(two.ip) in answer
        code, answer = await ask_now(ask, three, f"_http._tcp.{base}", wire.SRV)
        assert (code, answer[6:8]) == (0, b"\0\2")
        code, answer = await ask_now(ask, three, base, wire.AAAA)
        assert (code, answer[6:8]) == (0, b"\0\0"), "there, but not of that type"
        assert (await ask_now(ask, three, f"nobody.{base}"))[0] == wire.NO_SUCH_NAME
        _, answer = await ask_now(ask, three, "kubernetes.default.svc.cluster.local")
        assert socket.inet_aton("10.96.0.1") in answer
        assert (await ask_now(ask, three, "example.com"))[0] == wire.SERVER_FAILURE, "no resolver to ask"
        held = await ask_now(three.tell, "tcp_opens", "10.96.0.1", 443)
        assert held is True


async def test_policies_hold_from_the_first_packet_and_change_as_they_are_changed(
    server: Windlass, namespace: str, spaces: list[Space], tmp_path: Path
) -> None:
    path = f"/apis/networking.k8s.io/v1/namespaces/{namespace}/networkpolicies"
    policy: Object = {
        "apiVersion": "networking.k8s.io/v1",
        "kind": "NetworkPolicy",
        "metadata": {"name": "guard"},
        "spec": {
            "podSelector": {"matchLabels": {"app": "web"}},
            "ingress": [{"from": [{"podSelector": {"matchLabels": {"app": "friend"}}}], "ports": [{"port": 8080}]}],
        },
    }
    server.create(path, policy)
    uids = [a_pod(server, namespace, name, app=name) for name in ("web", "friend", "stranger")]
    async with network(server, spaces, tmp_path) as made:
        await attach_all(made, spaces, uids)
        _, web, friend, stranger = spaces
        assert friend.tell("fetch", web.ip, 8080).startswith("pod0")
        assert stranger.tell("fetch", web.ip, 8080, 0.5) == "TimeoutError"
        assert web.tell("fetch", stranger.ip, 8080).startswith("pod2"), "replies pass"
        probe = await made.dial(web.ip, 8080)
        assert (await asyncio.get_running_loop().sock_recv(probe, 99)).startswith(b"pod0"), "the node may always"
        probe.close()

        no_way_out: Object = {"podSelector": {"matchLabels": {"app": "stranger"}}, "policyTypes": ["Egress"]}
        server.create(path, {**policy, "metadata": {"name": "quiet"}, "spec": no_way_out})
        await until(lambda: stranger.tell("fetch", friend.ip, 8080, 0.3) == "TimeoutError", "no egress")
        assert stranger.tell("fetch_udp", "10.96.0.10", 53, "00", 0.3) == "TimeoutError", "nor names"
        server.request("DELETE", f"{path}/guard")
        server.request("DELETE", f"{path}/quiet")
        await until(lambda: stranger.tell("fetch", web.ip, 8080, 0.3).startswith("pod0"), "free again")


async def test_open_connections_outlive_the_helper_and_the_agent(
    server: Windlass, namespace: str, spaces: list[Space], tmp_path: Path
) -> None:
    _, one, two, three = spaces
    async with network(server, spaces, tmp_path) as made:
        await attach_all(made, spaces, ["a", "b", "c"])
        address = a_service(server, namespace, "web", [one, two])["spec"]["clusterIP"]
        await until(lambda: three.tell("fetch", address, 80).startswith("pod"), "the service")
        assert three.tell("hold", "line", address, 80).startswith("pod")
        assert made.inside is not None
        made.inside.kill()
        assert three.tell("say", "line", "still there?") == "still there?"
        assert await made.attach("a", one.pid) == one.ip, "a new helper goes on"
    assert three.tell("say", "line", "and now?") == "and now?"
    async with network(server, spaces, tmp_path) as made:
        assert [await made.attach(uid, s.pid) for uid, s in zip("abc", spaces[1:], strict=True)] == [
            one.ip,
            two.ip,
            three.ip,
        ]
        assert three.tell("say", "line", "with another agent?") == "with another agent?"
        assert three.tell("fetch", address, 80).startswith("pod")


async def test_the_api_server_proxies_to_a_pod_through_the_door(
    server: Windlass, namespace: str, spaces: list[Space]
) -> None:
    uid = a_pod(server, namespace, "web")
    async with network(server, spaces, server.data_dir) as made:
        address = await made.attach(uid, spaces[1].pid)
        spaces[1].tell("serve_http", 8000, "hello")
        path = f"/api/v1/namespaces/{namespace}/pods/web"
        status = {"status": {"podIP": address}}
        patch = "application/merge-patch+json"
        answer = await asyncio.to_thread(server.request, "PATCH", f"{path}/status", status, content_type=patch)
        assert answer.status == 200
        proxied = f"/api/v1/namespaces/{namespace}/pods/web:8000/proxy/"
        answer = await asyncio.to_thread(server.request, "GET", proxied)
        assert (answer.status, answer.body) == (200, b"hello")


async def test_there_is_a_way_out_or_it_is_reported_what_is_missing(
    server: Windlass, spaces: list[Space], tmp_path: Path
) -> None:
    async with network(server, spaces, tmp_path, uplink=True) as made:
        assert made.inside is not None
        there = "wl-up" in await made.inside.call("links")
        masquerade = (("leaves by", "wl-up"), ("masquerade",))
        assert (masquerade in made.compile()[0].chains["postrouting"].rules) == there
        assert there == (not made.problems), made.problems


async def test_udp_services_work_too(server: Windlass, namespace: str, spaces: list[Space], tmp_path: Path) -> None:
    async with network(server, spaces, tmp_path) as made:
        await attach_all(made, spaces, ["a", "b", "c"])
        _, one, _, three = spaces
        one.tell("serve_udp", 9000, "pong")
        ports = [{"name": "u", "port": 90, "protocol": "UDP", "targetPort": 9000}]
        address = a_service(server, namespace, "udp", [one], ports=ports)["spec"]["clusterIP"]
        await until(lambda: three.tell("fetch_udp", address, 90, "00", 0.3) == b"pong".hex(), "the UDP service")


async def test_udp_node_ports_and_host_ports_are_on_this_machine_before_and_after_a_restart(
    server: Windlass, namespace: str, spaces: list[Space], tmp_path: Path
) -> None:
    node_port, host_port = free_node_port(), free_node_port()
    ports = [{"containerPort": 9000, "hostPort": host_port, "hostIP": "127.0.0.9", "protocol": "UDP"}]
    uids = [a_pod(server, namespace, "echo", ports), *(a_pod(server, namespace, name) for name in "bc")]
    both = [
        {"name": "u", "port": 90, "targetPort": 9000, "nodePort": node_port, "protocol": "UDP"},
        {"name": "t", "port": 90, "targetPort": 8080, "nodePort": node_port},
    ]
    with Asker() as one, Asker() as two, Asker() as three:
        for retry in (False, True):
            async with network(server, spaces, tmp_path) as made:
                if not retry:
                    await attach_all(made, spaces, uids)
                    spaces[1].tell("echo_udp", 9000)
                    a_service(server, namespace, "echo", [spaces[1]], type="NodePort", ports=both)
                await until(lambda: one.echoes("127.0.0.1", node_port), "the node port")
                await until(lambda: two.echoes("127.0.0.1", node_port), "for a second client too")
                await until(lambda: three.echoes("127.0.0.9", host_port), "the host port")
                await until(lambda: read_line("127.0.0.1", node_port).startswith("pod0"), "TCP on the same port")
                assert spaces[3].tell("fetch_udp", "10.244.0.1", node_port, "ab") == "ab"
                assert made.problems == []
        for asker in (one, two, three):
            assert asker.strange == []


async def test_a_client_of_udp_does_not_stay_with_a_pod_that_its_service_has_left(
    server: Windlass, namespace: str, spaces: list[Space], tmp_path: Path
) -> None:
    _, one, two, three = spaces
    port = free_node_port()
    ports = [{"name": "u", "port": 90, "targetPort": 9000, "nodePort": port, "protocol": "UDP"}]
    path = f"/apis/discovery.k8s.io/v1/namespaces/{namespace}/endpointslices/echo-1"
    async with network(server, spaces, tmp_path) as made:
        await attach_all(made, spaces, ["a", "b", "c"])
        for number, each in enumerate((one, two)):
            each.tell("serve_udp", 9000, f"pod{number}")
        address = a_service(server, namespace, "echo", [one], type="NodePort", ports=ports)["spec"]["clusterIP"]
        with socket.socket(type=socket.SOCK_DGRAM) as client:
            client.settimeout(0.3)
            client.connect(("127.0.0.1", port))
            await until(lambda: answer(client) == b"pod0", "a client on this machine")
            await until(lambda: three.tell("say_udp", "line", address, 90) == "pod0", "a client in a pod")

            change = {"endpoints": [{"addresses": [two.ip]}]}
            server.request("PATCH", path, change, content_type="application/merge-patch+json")
            await until(lambda: answer(client) == b"pod1", "led to the other pod, with the same socket")
            await until(lambda: three.tell("say_udp", "line", address, 90) == "pod1", "so is the one in a pod")


def answer(client: socket.socket) -> bytes:
    with suppress(OSError):
        client.send(b"?")
        return client.recv(100)
    return b""


class Asker:
    """A client of UDP; `strange` is what it heard and never said."""

    def __init__(self) -> None:
        self._socket = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        self._said: set[bytes] = set()
        self.strange: list[bytes] = []

    def __enter__(self) -> "Asker":
        return self

    def __exit__(self, *failure: object) -> None:
        self._socket.close()

    def echoes(self, host: str, port: int) -> bool:
        """Whether something newly said comes back, from where it was sent to."""
        word = random.randbytes(8)
        self._said.add(word)
        self._socket.sendto(word, (host, port))
        self._socket.settimeout(0.3)
        with suppress(TimeoutError):
            while True:
                heard, source = self._socket.recvfrom(100)
                if heard not in self._said:
                    self.strange.append(heard)
                if (heard, source) == (word, (host, port)):
                    return True
        return False
