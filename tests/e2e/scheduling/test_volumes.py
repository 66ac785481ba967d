"""Claims of a gang that wait for their first consumer: no volume is chosen for a gang that does not start."""

import pytest

from tests.e2e.node.pods import Object
from tests.e2e.scheduling.cluster import Cluster, gang, members

pytestmark = [pytest.mark.kubectl, pytest.mark.timeout(240)]
SELECTED = "volume.kubernetes.io/selected-node"


def a_claim(name: str) -> Object:
    wanted = {"accessModes": ["ReadWriteOnce"], "resources": {"requests": {"storage": "1Gi"}}}
    return {
        "apiVersion": "v1",
        "kind": "PersistentVolumeClaim",
        "metadata": {"name": name},
        "spec": {"storageClassName": "local-path", **wanted},
    }


def test_claims_of_a_gang_get_volumes_only_when_it_starts(kubectl: Cluster) -> None:
    kubectl.add_node("one-gpu", gpus=1)
    pods = members("pair", 2)
    for pod in pods:
        claim = {"claimName": pod["metadata"]["name"]}
        pod["spec"]["volumes"] = [{"name": "data", "persistentVolumeClaim": claim}]
    names = [pod["metadata"]["name"] for pod in pods]
    kubectl.apply(gang("pair", 2), *map(a_claim, names), *pods)

    kubectl.told("pair", "2/2 tasks in gang unschedulable: ")

    for name in names:
        assert kubectl.warned(name, "volcano", "FailedScheduling")
        claim = kubectl.get(f"persistentvolumeclaims/{name}")
        assert (claim["status"]["phase"], claim["metadata"].get("annotations", {}).get(SELECTED)) == ("Pending", None)

    kubectl.add_node("another", gpus=1)

    nodes = kubectl.all_or_none(2)
    assert set(nodes.values()) == {"one-gpu", "another"}
    for name, node in nodes.items():
        claim = kubectl.until(f"persistentvolumeclaims/{name}", lambda claim: claim["status"]["phase"] == "Bound")
        assert claim["metadata"]["annotations"][SELECTED] == node
