"""metrics.k8s.io: what `kubectl top` shows, through the API server's aggregation."""

import asyncio
import time
from collections.abc import Iterator

import pytest

from tests.node.streams.node_thread import NODE, NodeThread
from tests.support import Windlass, eventually
from windlass.kube.connect import by_socket
from windlass.node.runtimes.base import Usage
from windlass.node.streams.stats import read_node

pytestmark = pytest.mark.kubectl


@pytest.fixture(scope="module")
def top(streams_server: Windlass, node: NodeThread) -> Iterator[Windlass]:
    """Registered as the agent does it: with the node's own token."""
    pods = [node.run("busy", "sh", "-c", "while :; do :; done"), node.run("idle", "sleep", "1000")]
    node.do(node.kubelet.sampler.once(time.time()))

    async def register() -> None:
        data = streams_server.data_dir
        async with by_socket(data / "run" / "api.sock", token_file=data / "credentials" / "node.token") as client:
            for _ in range(2):
                for obj in node.kubelet.registration():
                    await client.apply(obj)

    asyncio.run(register())
    path = "/apis/metrics.k8s.io/v1beta1/nodes"
    eventually(lambda: streams_server.request("GET", path).status == 200, 60, "metrics are served")
    eventually(lambda: streams_server.get(path)["items"], 60, "the node has been sampled")
    yield streams_server
    for pod in pods:  # the busy one would take a processor from all tests that follow
        node.remove(pod)


def test_top_shows_nodes_pods_and_containers(top: Windlass) -> None:
    def rows() -> dict[str, list[str]]:
        shown = top.kubectl("top pod", check=False).stdout
        return {line.split()[0]: line.split()[1:] for line in shown.splitlines()}

    def busy() -> int:
        return int(rows().get("busy", ["0m"])[0].rstrip("m"))

    eventually(lambda: busy() > 50, 60, "what is busy has been seen to be")
    eventually(lambda: rows().get("idle", [""])[0] == "0m", 60, "so has what is idle")
    by_cpu = top.kubectl("top pod --sort-by=cpu --no-headers").stdout.splitlines()
    assert by_cpu[0].split()[0] == "busy"
    assert top.kubectl("top pod idle --containers --no-headers").stdout.split()[:2] == ["idle", "main"]
    assert top.kubectl("top pod -l app=idle --no-headers").stdout.split()[0] == "idle"


def test_top_shows_the_node(top: Windlass) -> None:
    capacity = {"status": {"allocatable": {"cpu": "2", "memory": "8Gi"}, "capacity": {"cpu": "2", "memory": "8Gi"}}}
    top.patch(f"/api/v1/nodes/{NODE}/status", capacity)

    assert top.kubectl("top node --no-headers").stdout.split()[0] == NODE


def test_who_may_view_may_see_usage_and_others_may_not(top: Windlass) -> None:
    body = {"metadata": {"name": "viewer"}, "roleRef": {"kind": "ClusterRole", "name": "view"}}
    subject = {"kind": "User", "name": "vera", "apiGroup": "rbac.authorization.k8s.io"}
    bindings = "/apis/rbac.authorization.k8s.io/v1/namespaces/default/rolebindings"
    body["roleRef"]["apiGroup"] = "rbac.authorization.k8s.io"
    top.create(bindings, {**body, "subjects": [subject]})

    path = "/apis/metrics.k8s.io/v1beta1/namespaces/default/pods"
    assert top.request("GET", path, headers={"impersonate-user": "vera"}).status == 200
    assert top.request("GET", path, headers={"impersonate-user": "mallory"}).status == 403


def test_the_machines_usage_is_what_is_neither_idle_nor_available() -> None:
    stat = "cpu  100 0 50 1000 20 0 5 0 0 0\ncpu0 1 2 3\n"

    assert read_node(stat, "MemTotal: 1000 kB\nMemAvailable: 400 kB\n", 100) == Usage(1.55, 600 * 1024)
