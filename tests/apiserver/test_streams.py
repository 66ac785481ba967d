"""Logs, exec and proxy: the server joins its client to the pod's node, whatever protocol the two speak."""

import asyncio
import socket
import ssl
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests import loops
from tests.support import KUBECTL, Windlass, running
from windlass.apiserver.pki import Pki


class NodeAgent:
    """A node's end of the kubelet API, as far as the server needs one: TLS with client certificates, logs, upgrades."""

    def __init__(self, pki_dir: Path) -> None:
        self.port = 0
        self.asked: list[str] = []
        self._pki = Pki(pki_dir)
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._loop.run_forever, daemon=True)

    def start(self) -> None:
        self._thread.start()
        asyncio.run_coroutine_threadsafe(self._listen(), self._loop).result(60)

    def stop(self) -> None:
        self._loop.call_soon_threadsafe(self._server.close)
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join(60)
        loops.close(self._loop)

    async def _listen(self) -> None:
        tls = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH, cafile=self._pki.ca_file)
        tls.verify_mode = ssl.CERT_REQUIRED
        tls.load_cert_chain(self._pki.server_file, self._pki.server_key_file)
        self._server = await asyncio.start_server(self._serve, "127.0.0.1", 0, ssl=tls)
        self.port = self._server.sockets[0].getsockname()[1]

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        head = (await reader.readuntil(b"\r\n\r\n")).decode()
        self.asked.append(head)
        if "upgrade: " in head.lower():
            writer.write(b"HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: SPDY/3.1\r\n\r\n")
            while data := await reader.read(65536):
                writer.write(data.upper())
        else:
            body = b"hello from the pod\n"
            writer.write(
                b"HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nContent-Length: %d\r\n\r\n%b" % (len(body), body)
            )
        await writer.drain()
        writer.close()


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Windlass]:
    with running(tmp_path_factory.mktemp("streams")) as windlass:
        windlass.create("/api/v1/namespaces/default/serviceaccounts", {"metadata": {"name": "default"}})
        yield windlass


@pytest.fixture(scope="module")
def agent(server: Windlass) -> Iterator[NodeAgent]:
    found = NodeAgent(server.data_dir / "pki")
    found.start()
    server.create("/api/v1/nodes", {"metadata": {"name": "here"}})
    # the address in the pods' network is not one that the server could dial: it prefers the host's name
    addresses = [{"type": "InternalIP", "address": "10.244.0.1"}, {"type": "Hostname", "address": "localhost"}]
    status: dict[str, Any] = {
        "addresses": addresses,
        "daemonEndpoints": {"kubeletEndpoint": {"Port": found.port}},
    }
    assert server.patch("/api/v1/nodes/here/status", {"status": status}).status == 200
    for name, containers in (("one", ["main"]), ("two", ["main", "side"])):
        spec = {"nodeName": "here", "containers": [{"name": c, "image": "busybox"} for c in containers]}
        server.create("/api/v1/namespaces/default/pods", {"metadata": {"name": name}, "spec": spec})
    yield found
    found.stop()


def test_logs_come_from_the_node_of_the_pod(server: Windlass, agent: NodeAgent) -> None:
    answer = server.request("GET", "/api/v1/namespaces/default/pods/one/log?tailLines=5")

    assert (answer.status, answer.body) == (200, b"hello from the pod\n")
    assert agent.asked[-1].startswith("GET /containerLogs/default/one/main?tailLines=5 HTTP/1.1")
    assert "authorization" not in agent.asked[-1].lower(), "a user's token is not for nodes to see"


@pytest.mark.kubectl
def test_kubectl_logs(server: Windlass, agent: NodeAgent) -> None:
    assert KUBECTL
    assert server.kubectl("logs one").stdout == "hello from the pod\n"


def test_a_pod_of_several_containers_needs_one_named(server: Windlass, agent: NodeAgent) -> None:
    path = "/api/v1/namespaces/default/pods/two/log"

    unnamed, wrong = server.request("GET", path), server.request("GET", f"{path}?container=x")

    assert unnamed.json()["message"] == "a container name must be specified for pod two, choose one of: [main side]"
    assert wrong.json()["message"] == "container x is not valid for pod two"
    assert server.request("GET", f"{path}?container=side").status == 200


def test_exec_joins_both_ends_after_the_upgrade(server: Windlass, agent: NodeAgent) -> None:
    context = ssl.create_default_context(cafile=server.ca)
    with (
        socket.create_connection(("127.0.0.1", server.port), timeout=60) as raw,
        context.wrap_socket(raw, server_hostname="127.0.0.1") as client,
    ):
        client.sendall(
            b"POST /api/v1/namespaces/default/pods/one/exec?command=sh&stdin=true&stdout=true&tty=true HTTP/1.1\r\n"
            b"Host: x\r\nConnection: Upgrade\r\nUpgrade: SPDY/3.1\r\nAuthorization: Bearer %b\r\n\r\nearly "
            % server.token.encode()
        )
        received = b""
        while b"EARLY " not in received:
            received += client.recv(65536)
        client.sendall(b"and late")
        while not received.endswith(b"AND LATE"):
            received += client.recv(65536)

    assert received.startswith(b"HTTP/1.1 101 Switching Protocols\r\n")
    assert agent.asked[-1].startswith("POST /exec/default/one/main?command=sh&input=1&output=1&tty=1 HTTP/1.1")


def test_a_node_that_does_not_answer_is_named(server: Windlass, agent: NodeAgent) -> None:
    server.create("/api/v1/nodes", {"metadata": {"name": "gone"}})
    address = {"addresses": [{"type": "InternalIP", "address": "127.0.0.1"}]}
    port = {"daemonEndpoints": {"kubeletEndpoint": {"Port": 1}}}
    server.patch("/api/v1/nodes/gone/status", {"status": {**address, **port}})
    spec = {"nodeName": "gone", "containers": [{"name": "c", "image": "busybox"}]}
    server.create("/api/v1/namespaces/default/pods", {"metadata": {"name": "lost"}, "spec": spec})

    answer = server.request("GET", "/api/v1/namespaces/default/pods/lost/log")

    assert answer.status == 500
    assert "error dialing backend: dial tcp 127.0.0.1:" in answer.json()["message"]


def test_who_may_not_exec_does_not_reach_the_node(server: Windlass, agent: NodeAgent) -> None:
    before = len(agent.asked)

    answer = server.request("POST", "/api/v1/namespaces/default/pods/one/exec", headers={"impersonate-user": "jane"})

    assert answer.status == 403
    assert len(agent.asked) == before
