"""What a JobSet makes: names, labels, places and claims, as upstream has them."""

from typing import Any

import pytest

from tests.apps.jobset.builders import job
from tests.apps.jobset.controllers.world import World
from windlass.kube.json import Object, dig

KEY = "jobset.sigs.k8s.io"
EXCLUSIVE = {"alpha.jobset.sigs.k8s.io/exclusive-topology": "rack"}
MOUNT: Object = {"name": "data", "mountPath": "/data"}


def made(world: World, name: str) -> Any:
    world.settle()
    return world.sent[name]


def test_jobs_and_pods_are_told_which_they_are_by_labels_and_annotations() -> None:
    world = World(job("driver", groupName="heads"), job("workers", 2, pods=3), coordinator={"replicatedJob": "driver"})

    obj = made(world, "demo-workers-1")

    with_conditions = {
        f"{KEY}/jobset-name": "demo",
        f"{KEY}/jobset-uid": "set-uid",
        f"{KEY}/replicatedjob-name": "workers",
        f"{KEY}/replicatedjob-replicas": "2",
        f"{KEY}/global-replicas": "3",
        f"{KEY}/job-index": "1",
        f"{KEY}/job-global-index": "2",
        f"{KEY}/job-key": "95efee83351c5afaf4a5609ce367451924ae79b2",
        f"{KEY}/restart-attempt": "0",
        f"{KEY}/group-name": "default",
        f"{KEY}/group-replicas": "2",
        f"{KEY}/job-group-index": "1",
        f"{KEY}/coordinator": "demo-driver-0-0.demo",
    }
    for metadata in (obj["metadata"], obj["spec"]["template"]["metadata"]):
        assert (metadata["labels"], metadata["annotations"]) == (with_conditions, with_conditions)


def test_a_job_is_as_its_template_says_and_in_the_sets_network() -> None:
    template = {"metadata": {"labels": {"mine": "yes"}}}
    world = World(job(pods=2, template=template, spec={"backoffLimit": 4}, pod={"nodeSelector": {"a": "b"}}))

    obj = made(world, "demo-workers-0")

    assert obj["metadata"]["namespace"] == "team-a"
    spec = obj["spec"]
    assert (spec["backoffLimit"], spec["completions"], spec["completionMode"]) == (4, 2, "Indexed")
    assert spec["suspend"] is False
    assert spec["template"]["metadata"]["labels"]["mine"] == "yes"
    pod = spec["template"]["spec"]
    assert (pod["subdomain"], pod["nodeSelector"], pod["restartPolicy"]) == ("demo", {"a": "b"}, "OnFailure")
    assert world.objects["Job", "demo-workers-0"].metadata.controller.name == "demo"


NETWORKS: list[tuple[Object, str | None, bool]] = [
    # what is said, the service that is made, whether it publishes pods that are not ready
    ({}, "demo", True),
    ({"subdomain": "here"}, "here", True),
    ({"publishNotReadyAddresses": False}, "demo", False),
    ({"enableDNSHostnames": False}, None, True),
]


@pytest.mark.parametrize(("network", "service", "published"), NETWORKS)
def test_a_headless_service_gives_the_pods_their_names(network: Object, service: str | None, published: bool) -> None:
    world = World(network=network)
    world.settle()

    services = [name for kind, name in world.objects if kind == "Service"]
    assert services == ([service] if service else [])
    assert dig(world.sent["demo-workers-0"], "spec", "template", "spec", "subdomain") == service
    if service:
        spec = world.sent[service]["spec"]
        assert spec == {
            "clusterIP": "None",
            "selector": {f"{KEY}/jobset-name": "demo"},
            "publishNotReadyAddresses": published,
        }


def test_a_service_of_that_name_is_used_as_it_is() -> None:
    world = World()
    world.put({"apiVersion": "v1", "kind": "Service", "metadata": {"name": "demo", "namespace": "team-a"}})

    world.settle()

    assert "demo" not in world.sent


def test_jobs_that_want_a_domain_for_themselves_keep_together_and_others_out() -> None:
    other = {"labelSelector": {"matchLabels": {"x": "y"}}, "topologyKey": "zone"}
    required = "requiredDuringSchedulingIgnoredDuringExecution"
    pod = {"affinity": {"podAffinity": {required: [other]}}}
    world = World(job(pod=pod), annotations=EXCLUSIVE)

    obj = made(world, "demo-workers-0")

    key = obj["metadata"]["labels"][f"{KEY}/job-key"]
    affinity = obj["spec"]["template"]["spec"]["affinity"]
    ours = {"key": f"{KEY}/job-key", "operator": "In", "values": [key]}
    assert affinity["podAffinity"][required] == [
        other,
        {"labelSelector": {"matchExpressions": [ours]}, "topologyKey": "rack", "namespaceSelector": {}},
    ]
    (term,) = affinity["podAntiAffinity"][required]
    assert [one["operator"] for one in term["labelSelector"]["matchExpressions"]] == ["Exists", "NotIn"]
    annotations = obj["spec"]["template"]["metadata"]["annotations"]
    assert annotations["alpha.jobset.sigs.k8s.io/exclusive-topology"] == "rack"


def test_nodes_that_were_labelled_for_a_job_are_selected() -> None:
    annotations = {**EXCLUSIVE, "alpha.jobset.sigs.k8s.io/node-selector": "true"}
    apart = job("apart", replicas=1)
    apart["template"]["metadata"] = {"annotations": annotations}
    world = World(apart, job("plain"))
    world.settle()

    pod = world.sent["demo-apart-0"]["spec"]["template"]["spec"]
    assert pod["nodeSelector"] == {"alpha.jobset.sigs.k8s.io/namespaced-job": "team-a_demo-apart-0"}
    (tolerated,) = pod["tolerations"]
    assert (tolerated["key"], tolerated["operator"]) == ("alpha.jobset.sigs.k8s.io/no-schedule", "Exists")
    assert "affinity" not in pod
    assert "nodeSelector" not in world.sent["demo-plain-0"]["spec"]["template"]["spec"]


def test_claims_are_made_and_mounted_where_they_are_asked_for() -> None:
    mounting = {"containers": [{"name": "main", "image": "i", "volumeMounts": [MOUNT]}]}
    claim = {"metadata": {"name": "data", "labels": {"a": "b"}}, "spec": {"accessModes": ["ReadWriteMany"]}}
    kept = {"metadata": {"name": "kept"}, "spec": {}}
    policies = [{"templates": [claim]}, {"templates": [kept], "retentionPolicy": {"whenDeleted": "Retain"}}]
    world = World(job("a", pod=mounting), job("b"), volumeClaimPolicies=policies)

    world.settle()

    assert world.sent["data-demo"]["spec"] == {"accessModes": ["ReadWriteMany"]}
    assert world.sent["data-demo"]["metadata"]["labels"] == {"a": "b", f"{KEY}/jobset-name": "demo"}
    owners = {
        name: bool(obj.metadata.owner_references)
        for (kind, name), obj in world.objects.items()
        if kind == "PersistentVolumeClaim"
    }
    assert owners == {"data-demo": True, "kept-demo": False}
    volume = {"name": "data", "persistentVolumeClaim": {"claimName": "data-demo"}}
    assert world.sent["demo-a-0"]["spec"]["template"]["spec"]["volumes"] == [volume]
    assert "volumes" not in world.sent["demo-b-0"]["spec"]["template"]["spec"]
