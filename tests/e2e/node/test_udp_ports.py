"""Programs that talk by UDP, reached from this machine."""

import random
import socket
from collections.abc import Iterator
from contextlib import contextmanager, suppress

import pytest

from tests.e2e.node.pods import PYTHON, Object, PodShell, pod
from tests.support import eventually

pytestmark = pytest.mark.kubectl

ECHO = """
import socket
echo = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
echo.bind(("", 9000))
print("listening", flush=True)
while True:
    heard, client = echo.recvfrom(65535)
    echo.sendto(b"echo of " + heard, client)
"""


def echo(name: str, **port: object) -> Object:
    """A pod that sends every datagram back."""
    ports = [{"containerPort": 9000, "protocol": "UDP", **port}]
    return pod(name, {"name": "main", "image": PYTHON, "command": ["python", "-c", ECHO], "ports": ports})


class Caller:
    """A program on this machine that talks to one port of it."""

    def __init__(self, connection: socket.socket) -> None:
        self._socket, self._said = connection, list[bytes]()
        self.strange: list[bytes] = []
        """What it heard and is no answer to what it said."""

    def is_answered(self, text: str) -> bool:
        """Datagrams may be lost, so that it is said again by whoever asks again."""
        said = f"{text} {random.randbytes(8).hex()}".encode()
        self._said.append(said)
        with suppress(TimeoutError, ConnectionRefusedError):
            self._socket.send(said)
            while True:
                heard = self._socket.recv(65535)
                if heard.removeprefix(b"echo of ") not in self._said:
                    self.strange.append(heard)
                if heard == b"echo of " + said:
                    return True
        return False


@contextmanager
def calling(address: str, port: int) -> Iterator[Caller]:
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as connection:
        connection.settimeout(1)
        connection.connect((address, port))
        yield Caller(connection)


def free_udp_port() -> int:
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as found:
        found.bind(("127.0.0.1", 0))
        return found.getsockname()[1]


@pytest.mark.parametrize("kind", ["NodePort", "LoadBalancer"])
def test_a_udp_service_is_reached_at_its_node_port_and_clients_do_not_mix(kubectl: PodShell, kind: str) -> None:
    port = {"name": "echo", "port": 90, "targetPort": 9000, "protocol": "UDP"}
    kubectl.apply(echo("echo"), service_of("echo", port, kind))
    kubectl.ready("echo")
    number = kubectl.get("services/echo")["spec"]["ports"][0]["nodePort"]
    assert kubectl("get service echo -o jsonpath={.spec.ports[0].protocol}") == "UDP"

    with calling("127.0.0.1", number) as one, calling("127.0.0.1", number) as two:
        for _ in range(3):
            eventually(lambda: one.is_answered("from one"), 60, "the first client is answered")
            eventually(lambda: two.is_answered("from two"), 60, "the second client is answered")
        assert (one.strange, two.strange) == ([], [])


def service_of(name: str, port: Object, kind: str) -> Object:
    spec = {"type": kind, "selector": {"app": name}, "ports": [port]}
    return {"apiVersion": "v1", "kind": "Service", "metadata": {"name": name}, "spec": spec}


def test_a_udp_host_port_is_on_this_machine(kubectl: PodShell) -> None:
    number = free_udp_port()
    kubectl.apply(echo("echo", hostPort=number))
    kubectl.ready("echo")

    with calling("127.0.0.1", number) as one:
        eventually(lambda: one.is_answered("hello"), 60, "the client is answered")
        kubectl("delete pod echo")
        eventually(lambda: not one.is_answered("hello?"), 60, "the port goes with its pod")
        assert one.strange == []


def test_a_client_of_a_udp_service_is_led_to_the_next_pod_when_its_pod_goes(kubectl: PodShell) -> None:
    port = {"name": "echo", "port": 90, "targetPort": 9000, "protocol": "UDP"}
    kubectl.apply(echo("echo"), service_of("echo", port, "NodePort"))
    kubectl.ready("echo")
    number = kubectl.get("services/echo")["spec"]["ports"][0]["nodePort"]

    with calling("127.0.0.1", number) as client:
        eventually(lambda: client.is_answered("hello"), 60, "the client is answered")
        other = echo("other")
        other["metadata"]["labels"] = {"app": "echo"}
        kubectl.apply(other)
        kubectl.ready("other")
        kubectl("delete pod echo")
        eventually(lambda: client.is_answered("hello again"), 60, "it is answered by the other pod")
        assert client.strange == []
