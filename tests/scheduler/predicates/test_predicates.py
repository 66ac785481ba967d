"""Which nodes refuse a pod, and in which words: a table a predicate."""

from typing import Any

import msgspec
import pytest

from tests.scheduler.builders import a_cluster, a_node, a_pod
from windlass.apis.core_v1 import Node, PersistentVolume, PersistentVolumeClaim
from windlass.apis.wellknown import CLAIM_REASON_ANNOTATION
from windlass.kube.meta import Key
from windlass.scheduler.cycle.pod_cycle import Placed, Unplaced, schedule
from windlass.scheduler.model.pod_info import PodInfo
from windlass.scheduler.model.snapshot import Snapshot
from windlass.scheduler.predicates.volumes import SELECTED_NODE

NOT_READY = {"key": "k", "value": "v", "effect": "NoSchedule"}


def outcome(pod: PodInfo, cluster: Snapshot) -> str:
    """The node, or why not."""
    match schedule(pod, cluster):
        case Placed(node):
            return node
        case Unplaced() as failed:
            return failed.message


def required(*terms: dict[str, Any]) -> dict[str, Any]:
    return {"nodeAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": {"nodeSelectorTerms": list(terms)}}}


def near(side: str, app: str, key: str = "kubernetes.io/hostname") -> dict[str, Any]:
    term = {"labelSelector": {"matchLabels": {"app": app}}, "topologyKey": key}
    return {side: {"requiredDuringSchedulingIgnoredDuringExecution": [term]}}


ALONE = "0/1 nodes are available: 1 "
NAMED = {"matchFields": [{"key": "metadata.name", "operator": "In", "values": ["n2"]}]}


@pytest.mark.parametrize(
    ("node", "pod", "expected"),
    [
        (a_node(), a_pod(cpu="4"), "n1"),
        (a_node(), a_pod(cpu="4001m"), ALONE + "Insufficient cpu."),
        (a_node(), a_pod(cpu="5", memory="9Gi"), ALONE + "Insufficient cpu, 1 Insufficient memory."),
        (a_node(), a_pod(asks={"nvidia.com/gpu": "1"}), ALONE + "Insufficient nvidia.com/gpu."),
        (a_node(offers={"nvidia.com/gpu": "1"}), a_pod(asks={"nvidia.com/gpu": "1"}), "n1"),
        (a_node(pods=0), a_pod(), ALONE + "Too many pods."),
        (a_node(unschedulable=True), a_pod(), ALONE + "node(s) were unschedulable."),
        (
            a_node(unschedulable=True),
            a_pod(tolerations=[{"key": "node.kubernetes.io/unschedulable", "operator": "Exists"}]),
            "n1",
        ),
        (a_node(taints=[NOT_READY]), a_pod(), ALONE + "node(s) had untolerated taint(s)."),
        (a_node(taints=[NOT_READY]), a_pod(tolerations=[{"key": "k", "value": "v"}]), "n1"),
        (a_node(taints=[{**NOT_READY, "effect": "PreferNoSchedule"}]), a_pod(), "n1"),
        (a_node(), a_pod(nodeSelector={"a": "b"}), ALONE + "node(s) didn't match Pod's node affinity/selector."),
        (a_node(labels={"a": "b"}), a_pod(nodeSelector={"a": "b"}), "n1"),
        (a_node(), a_pod(affinity=required(NAMED)), ALONE + "node(s) didn't satisfy plugin(s) [NodeAffinity]."),
        (a_node("n2"), a_pod(affinity=required(NAMED)), "n2"),
        (a_node(), a_pod(nodeName="n9"), ALONE + "node(s) didn't match the requested node name."),
    ],
)
def test_a_node_takes_a_pod_or_says_why_not(node: Node, pod: PodInfo, expected: str) -> None:
    assert outcome(pod, a_cluster(node)) == expected


def test_reasons_are_counted_and_sorted() -> None:
    cluster = a_cluster(a_node("a", cpu="1"), a_node("b", cpu="1"), a_node("c", taints=[NOT_READY]))

    expected = "0/3 nodes are available: 1 node(s) had untolerated taint(s), 2 Insufficient cpu."
    assert outcome(a_pod(cpu="2"), cluster) == expected


def test_without_nodes_nothing_is_available() -> None:
    assert outcome(a_pod(), a_cluster()) == "no nodes available to schedule pods"


def test_resource_claims_are_refused_by_name() -> None:
    pod = a_pod(resourceClaims=[{"name": "gpu", "resourceClaimName": "mine"}])

    expected = "spec.resourceClaims is not supported, there is no dynamic resource allocation (gpu)."
    assert outcome(pod, a_cluster(a_node())) == f"0/1 nodes are available: {expected}"


def test_init_containers_count_at_their_hungriest_and_sidecars_beside() -> None:
    def init(cpu: str, **more: str) -> dict[str, Any]:
        return {"name": f"i{cpu}", "resources": {"requests": {"cpu": cpu}}, **more}

    assert a_pod(cpu="1", initContainers=[init("3")]).requests == {"cpu": 3000}
    assert a_pod(cpu="2", initContainers=[init("1", restartPolicy="Always")]).requests == {"cpu": 3000}
    assert a_pod(cpu="1", overhead={"cpu": "250m"}).requests == {"cpu": 1250}
    assert a_pod(cpu="1", resources={"requests": {"cpu": "5"}}).requests == {"cpu": 5000}


@pytest.mark.parametrize(
    ("mine", "theirs", "clash"),
    [
        ({"hostPort": 80}, {"hostPort": 80}, True),
        ({"hostPort": 80}, {"hostPort": 81}, False),
        ({"hostPort": 80, "protocol": "UDP"}, {"hostPort": 80}, False),
        ({"hostPort": 80, "hostIP": "10.0.0.1"}, {"hostPort": 80}, True),
        ({"hostPort": 80, "hostIP": "10.0.0.1"}, {"hostPort": 80, "hostIP": "10.0.0.2"}, False),
    ],
)
def test_a_host_port_is_had_once(mine: dict[str, Any], theirs: dict[str, Any], clash: bool) -> None:
    there = a_pod("q", ports=[{"containerPort": 1, **theirs}])
    found = outcome(a_pod(ports=[{"containerPort": 1, **mine}]), a_cluster(a_node(), pods={"n1": [there]}))

    taken = ALONE + "node(s) didn't have free ports for the requested pod ports."
    assert found == (taken if clash else "n1")


def test_affinity_follows_and_anti_affinity_flees_both_ways() -> None:
    web = a_pod("web", labels={"app": "web"})
    alone = a_pod("alone", labels={"app": "alone"}, affinity=near("podAntiAffinity", "web"))
    two = (a_node("a"), a_node("b"))

    follow, flee = a_pod(affinity=near("podAffinity", "web")), a_pod(affinity=near("podAntiAffinity", "web"))
    assert outcome(follow, a_cluster(*two, pods={"b": [web]})) == "b"
    assert outcome(flee, a_cluster(*two, pods={"a": [web]})) == "b"
    assert outcome(web, a_cluster(*two, pods={"a": [alone]})) == "b"
    assert outcome(follow, a_cluster(a_node())) == ALONE + "node(s) didn't match pod affinity rules."
    assert outcome(flee, a_cluster(a_node(), pods={"n1": [web]})) == (
        ALONE + "node(s) didn't match pod anti-affinity rules."
    )
    assert outcome(web, a_cluster(a_node(), pods={"n1": [alone]})) == (
        ALONE + "node(s) didn't satisfy existing pods anti-affinity rules."
    )
    assert outcome(a_pod(labels={"app": "x"}, affinity=near("podAffinity", "x")), a_cluster(a_node())) == "n1"


def spread(**more: Any) -> list[dict[str, Any]]:
    selector = {"matchLabels": {"app": "w"}}
    base = {"maxSkew": 1, "topologyKey": "zone", "whenUnsatisfiable": "DoNotSchedule", "labelSelector": selector}
    return [{**base, **more}]


SKEWED = "0/2 nodes are available: 2 node(s) didn't match pod topology spread constraints."


@pytest.mark.parametrize(
    ("more", "in_a", "in_b", "expected"),
    [
        ({}, 1, 0, "b"),
        ({"maxSkew": 2, "minDomains": 3}, 2, 2, SKEWED),
        ({"matchLabelKeys": ["version"]}, 3, 3, "a"),
    ],
)  # fmt: skip
def test_pods_are_spread_over_domains(more: dict[str, Any], in_a: int, in_b: int, expected: str) -> None:
    labels = {"app": "w", "version": "1"}
    pods = {
        name: [a_pod(f"{name}{n}", labels=labels) for n in range(count)] for name, count in (("a", in_a), ("b", in_b))
    }
    cluster = a_cluster(a_node("a", labels={"zone": "a"}), a_node("b", labels={"zone": "b"}), pods=pods)

    pod = a_pod(labels={"app": "w", "version": "2"}, topologySpreadConstraints=spread(**more))
    assert outcome(pod, cluster) == expected


def test_a_node_without_the_topology_label_is_out() -> None:
    pod = a_pod(labels={"app": "w"}, topologySpreadConstraints=spread())

    expected = ALONE + "node(s) didn't match pod topology spread constraints (missing required label)."
    assert outcome(pod, a_cluster(a_node())) == expected


# --- volumes


def with_claim(mode: str = "", volume: str = "", **more: Any) -> Snapshot:
    cluster = a_cluster(a_node("a"), a_node("b"))
    spec = {"storageClassName": "local", "volumeName": volume, "resources": {"requests": {"storage": "1Gi"}}, **more}
    claim = {"metadata": {"name": "c", "namespace": "default"}, "spec": spec}
    claim["status"] = {"phase": "Bound" if volume else "Pending"}
    cluster.claims[Key("default", "c")] = msgspec.convert(claim, PersistentVolumeClaim)
    cluster.classes["local"] = {"provisioner": "x", "volumeBindingMode": mode}
    return cluster


def a_volume(node: str, **spec: Any) -> PersistentVolume:
    on = {"matchExpressions": [{"key": "kubernetes.io/hostname", "operator": "In", "values": [node]}]}
    body = {"nodeAffinity": {"required": {"nodeSelectorTerms": [on]}}, "capacity": {"storage": "2Gi"}, **spec}
    return msgspec.convert(
        {"metadata": {"name": "v"}, "spec": body, "status": {"phase": "Available"}}, PersistentVolume
    )


MOUNTS = [{"name": "v", "persistentVolumeClaim": {"claimName": "c"}}]


def test_a_missing_claim_is_named() -> None:
    expected = '0/1 nodes are available: persistentvolumeclaim "c" not found.'
    assert outcome(a_pod(volumes=MOUNTS), a_cluster(a_node())) == expected


def test_an_unbound_immediate_claim_keeps_its_pod_waiting() -> None:
    expected = "0/2 nodes are available: pod has unbound immediate PersistentVolumeClaims."
    assert outcome(a_pod(volumes=MOUNTS), with_claim("Immediate")) == expected


def test_the_reason_of_a_claim_is_the_reason_of_its_pod() -> None:
    snapshot = with_claim("WaitForFirstConsumer")
    snapshot.claims[Key("default", "c")].metadata.annotations[CLAIM_REASON_ANNOTATION] = "no class has ReadWriteMany"

    expected = '0/2 nodes are available: persistentvolumeclaim "c" has no volume: no class has ReadWriteMany.'
    assert outcome(a_pod(volumes=MOUNTS), snapshot) == expected


def test_a_claim_that_waits_for_its_consumer_holds_nobody_up() -> None:
    assert outcome(a_pod(volumes=MOUNTS), with_claim("WaitForFirstConsumer")) == "a"


def test_a_volume_that_is_there_draws_the_pod_to_its_node() -> None:
    cluster = with_claim("WaitForFirstConsumer")
    cluster.classes["local"]["provisioner"] = "kubernetes.io/no-provisioner"
    assert "didn't find available persistent volumes to bind" in outcome(a_pod(volumes=MOUNTS), cluster)

    cluster.volumes["v"] = a_volume("b", storageClassName="local")
    assert outcome(a_pod(volumes=MOUNTS), cluster) == "b"


def test_a_bound_volume_holds_its_pod_to_its_node() -> None:
    cluster = with_claim(volume="v")
    cluster.volumes["v"] = a_volume("b")
    assert outcome(a_pod(volumes=MOUNTS), cluster) == "b"

    cluster.volumes["v"] = a_volume("elsewhere")
    assert outcome(a_pod(volumes=MOUNTS), cluster) == (
        "0/2 nodes are available: 2 node(s) didn't match PersistentVolume's node affinity."
    )


def test_a_claim_for_one_pod_is_not_shared() -> None:
    cluster = with_claim("WaitForFirstConsumer", accessModes=["ReadWriteOncePod"])
    cluster.add_pod(a_pod("first", volumes=MOUNTS), "a")

    assert "ReadWriteOncePod access mode" in outcome(a_pod(volumes=MOUNTS), cluster)


def test_a_claim_whose_volume_is_being_made_holds_its_pod_to_that_node_while_it_is_there() -> None:
    cluster = with_claim("WaitForFirstConsumer")
    cluster.claims[Key("default", "c")].metadata.annotations[SELECTED_NODE] = "b"
    assert outcome(a_pod(volumes=MOUNTS), cluster) == "b"

    cluster.remove_node("b")
    assert outcome(a_pod(volumes=MOUNTS), cluster) == "a"
