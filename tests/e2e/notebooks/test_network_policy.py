"""Pods of a profile's namespace reach each other and nothing of another profile, nor the platform's own ports."""

from collections.abc import Iterator

import pytest

from tests.e2e.notebooks.desk import Desk, desk_of_a_profile
from tests.e2e.notebooks.test_tensorboard import CLAIM, VIEWER
from tests.gateway.platform import Platform
from tests.support import KUBECTL, eventually

pytestmark = [
    pytest.mark.kubectl,
    pytest.mark.skipif(KUBECTL is None, reason="there is no recent kubectl on the PATH"),
    pytest.mark.timeout(600),
]

CLIENT = """
apiVersion: v1
kind: Pod
metadata: {name: client}
spec:
  containers:
  - {name: main, image: windlass/file-browser, command: [sleep, infinity]}
"""
CONNECT = """
import socket, sys
try:
    with socket.create_connection((sys.argv[1], int(sys.argv[2])), 4) as link:
        link.sendall(b"GET / HTTP/1.0\\r\\n\\r\\n")
        print("reached" if link.recv(1) else "closed")
except OSError as error:
    print("refused", error)
"""
GATEWAY = "import socket, struct; f = [l.split() for l in open('/proc/net/route')][1:]; " + (
    "print(next(socket.inet_ntoa(struct.pack('<L', int(r[2], 16))) for r in f if r[1] == '00000000'))"
)


@pytest.fixture(scope="module")
def neighbours(platform: Platform) -> Iterator[tuple[Desk, Desk]]:
    """Two profiles, each with a viewer of a volume and a pod to try from."""
    with desk_of_a_profile(platform) as one, desk_of_a_profile(platform) as other:
        for desk in (one, other):
            desk.apply(CLAIM, VIEWER, CLIENT)
        for desk in (one, other):
            desk.until_ready("pvcviewer", "logs")
            desk.kubectl("wait", "--for=condition=Ready", "pod/client", "--timeout=60s")
        yield one, other


def tried(desk: Desk, host: str, port: int) -> str:
    return desk.kubectl("exec", "client", "--", "python3", "-c", CONNECT, host, str(port)).split()[0]


def viewer_addresses(desk: Desk) -> list[tuple[str, int]]:
    (pod,) = desk.find("pods", **{"app.kubernetes.io/part-of": "pvc-viewer"})
    service = desk.get("service", "pvcviewer-logs")
    return [
        (pod["status"]["podIP"], 8080),
        (service["spec"]["clusterIP"], 80),
        (f"pvcviewer-logs.{desk.namespace}.svc.cluster.local", 80),
    ]


def test_a_pod_reaches_servers_of_its_own_namespace_and_of_no_other(neighbours: tuple[Desk, Desk]) -> None:
    one, other = neighbours

    for desk in neighbours:
        for host, port in viewer_addresses(desk):
            eventually(lambda d=desk, h=host, p=port: tried(d, h, p) == "reached", 30, f"{host} in its namespace")
    for client, server in ((one, other), (other, one)):
        for host, port in viewer_addresses(server):
            assert tried(client, host, port) == "refused", f"{host} from another namespace"


def test_a_pod_reaches_no_port_of_the_platform(neighbours: tuple[Desk, Desk], platform: Platform) -> None:
    desk, _ = neighbours
    machine = desk.kubectl("exec", "client", "--", "python3", "-c", GATEWAY).strip()
    ports = [int(platform.url.rpartition(":")[2]), int(platform.state["url"].rpartition(":")[2])]
    kubelet = platform.api.get("/api/v1/nodes")["items"][0]["status"]["daemonEndpoints"]["kubeletEndpoint"]["Port"]

    for host in ("127.0.0.1", machine):
        for port in (*ports, kubelet):
            assert tried(desk, host, port) == "refused", f"{host} port {port}"
