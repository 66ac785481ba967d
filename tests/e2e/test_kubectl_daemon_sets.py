"""A DaemonSet as a person sees it, while nodes and pods' statuses are made up here."""

from collections.abc import Iterator

import pytest

from tests.e2e.shell import Shell
from tests.support import eventually

pytestmark = pytest.mark.kubectl

DAEMON = """
apiVersion: apps/v1
kind: DaemonSet
metadata: {name: logs}
spec:
  selector: {matchLabels: {app: logs}}
  template:
    metadata: {labels: {app: logs}}
    spec:
      terminationGracePeriodSeconds: 0
      nodeSelector: {room: ROOM}
      containers: [{name: main, image: "busybox:1"}]
"""
PODS = "get pods --field-selector status.phase=Pending -o name"


@pytest.fixture
def nodes(kubectl: Shell) -> Iterator[Shell]:
    """Two nodes that are the test's own."""
    names = [f"{kubectl.namespace}-{number}" for number in (1, 2)]
    for name in names:
        labels = f"{{room: {kubectl.namespace}}}"
        kubectl("create -f -", f"apiVersion: v1\nkind: Node\nmetadata: {{name: {name}, labels: {labels}}}\n")
    yield kubectl
    kubectl(f"delete node {' '.join(names)}")


def start_pods(kubectl: Shell, count: int) -> None:
    eventually(lambda: len(kubectl(PODS).split()) == count, 60, f"{count} pods")
    for pod in kubectl(PODS).split():
        kubectl.set_status(pod, {"phase": "Running", "conditions": [{"type": "Ready", "status": "True"}]})


def test_a_daemon_set_is_rolled_out_on_every_node(nodes: Shell) -> None:
    nodes("apply -f -", DAEMON.replace("ROOM", nodes.namespace))
    start_pods(nodes, 2)
    assert nodes("rollout status daemonset/logs --timeout=60s").endswith('daemon set "logs" successfully rolled out')
    assert nodes.rows("get daemonset logs")[1][1:6] == ["2", "2", "2", "2", "2"]
    eventually(lambda: "Created pod: logs-" in nodes("describe daemonset logs"), 60, "an event")

    nodes("set image daemonset/logs main=busybox:2")
    start_pods(nodes, 1)
    start_pods(nodes, 1)
    assert nodes("rollout status daemonset/logs --timeout=60s").endswith('daemon set "logs" successfully rolled out')
    images = "get pods -o jsonpath={.items[*].spec.containers[0].image}"
    assert nodes(images) == "busybox:2 busybox:2"
    assert [row[0] for row in nodes.rows("rollout history daemonset/logs")[2:]] == ["1", "2"]
    assert nodes("rollout undo daemonset/logs") == "daemonset.apps/logs rolled back"


def test_a_pod_goes_with_the_label_that_brought_it(nodes: Shell) -> None:
    nodes("apply -f -", DAEMON.replace("ROOM", nodes.namespace))
    start_pods(nodes, 2)
    nodes(f"label node {nodes.namespace}-1 room-")
    eventually(lambda: len(nodes("get pods -o name").split()) == 1, 60, "one pod")
