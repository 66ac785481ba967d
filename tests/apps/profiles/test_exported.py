"""What an export of a profile contains, and that another cluster could create it."""

import json
from typing import Any

import pytest

from windlass.apps.profiles.exported import export_of, exported_kinds, portable
from windlass.kube.kind import Kind

PODS = Kind(group="", version="v1", name="Pod", plural="pods")
JOBS = Kind(group="batch", version="v1", name="Job", plural="jobs")


def an_object(kind: str, api_version: str = "v1", **fields: Any) -> dict[str, Any]:
    metadata = {"name": "x", "namespace": "ann", "uid": "u", "resourceVersion": "7", "finalizers": ["f"]}
    metadata |= fields.pop("metadata", {})
    return {"apiVersion": api_version, "kind": kind, "metadata": metadata, "status": {"phase": "?"}, **fields}


def test_only_what_a_user_wrote_is_kept_of_the_metadata() -> None:
    annotations = {
        "team": "a",
        "kubectl.kubernetes.io/last-applied-configuration": "{}",
        "windlass.dev/deleted-at": "t",
    }
    made = portable(
        an_object("ConfigMap", data={"a": "b"}, metadata={"annotations": annotations, "labels": {"l": "1"}})
    )

    assert made == {
        "apiVersion": "v1",
        "kind": "ConfigMap",
        "metadata": {"name": "x", "namespace": "ann", "labels": {"l": "1"}, "annotations": {"team": "a"}},
        "data": {"a": "b"},
    }


@pytest.mark.parametrize(
    ("obj", "spec"),
    [
        (
            an_object(
                "PersistentVolumeClaim",
                spec={"volumeName": "pv", "storageClassName": "c", "dataSource": {"name": "s"}},
            ),
            {"storageClassName": "c"},
        ),
        (
            an_object(
                "Service", spec={"clusterIP": "10.0.0.1", "clusterIPs": [], "ports": [{"port": 1, "nodePort": 2}]}
            ),
            {"ports": [{"port": 1}]},
        ),
        (
            an_object("Service", spec={"clusterIP": "None", "ports": []}),
            {"clusterIP": "None", "ports": []},
        ),
        (
            an_object(
                "Pod",
                spec={
                    "nodeName": "n",
                    "volumes": [{"name": "kube-api-access-abc"}, {"name": "v"}],
                    "containers": [{"name": "c", "volumeMounts": [{"name": "kube-api-access-abc"}, {"name": "v"}]}],
                },
            ),
            {"volumes": [{"name": "v"}], "containers": [{"name": "c", "volumeMounts": [{"name": "v"}]}]},
        ),
        (
            an_object(
                "Job",
                "batch/v1",
                spec={
                    "selector": {},
                    "template": {"metadata": {"labels": {"controller-uid": "u", "app": "a"}}, "spec": {}},
                },
            ),
            {"template": {"metadata": {"labels": {"app": "a"}}, "spec": {}}},
        ),
    ],
)
def test_what_the_server_filled_in_is_left_out(obj: dict[str, Any], spec: dict[str, Any]) -> None:
    assert portable(obj)["spec"] == spec


def test_a_workload_of_the_recycle_bin_is_exported_as_it_was() -> None:
    before = json.dumps({"spec": {"replicas": 3}})
    workload = an_object("Deployment", "apps/v1", spec={"replicas": 0})
    workload["metadata"]["annotations"] = {"windlass.dev/before-deletion": before}

    assert portable(workload)["spec"] == {"replicas": 3}


def test_owned_deleted_and_finished_objects() -> None:
    owned = an_object("Pod", metadata={"name": "owned", "ownerReferences": [{"uid": "o"}]})
    deleted = an_object("Pod", metadata={"name": "deleted", "deletionTimestamp": "now"})
    bare = an_object("Pod", metadata={"name": "bare"}, status={"phase": "Running"})
    ended = an_object("Job", status={"conditions": [{"type": "Complete", "status": "True"}]})

    made = export_of([(JOBS, [ended]), (PODS, [owned, deleted, bare])])

    assert [obj["metadata"]["name"] for obj in made.objects] == ["bare"]
    assert [(obj["apiVersion"], obj["kind"]) for obj in made.finished] == [("batch/v1", "Job")]


def test_objects_that_others_need_come_first() -> None:
    names = ["Pod", "Notebook", "PersistentVolumeClaim", "ConfigMap"]
    kinds = [Kind(group="", version="v1", name=name, plural=name.lower()) for name in names]

    made = export_of([(kind, [an_object(kind.name)]) for kind in kinds])

    assert [obj["kind"] for obj in made.objects] == ["ConfigMap", "PersistentVolumeClaim", "Notebook", "Pod"]


def test_kinds_without_secrets_and_without_what_controllers_observe() -> None:
    events = Kind(group="", version="v1", name="Event", plural="events")
    secrets = Kind(group="", version="v1", name="Secret", plural="secrets")
    reviews = Kind(group="a", version="v1", name="Review", plural="reviews", verbs=frozenset({"create"}))
    nodes = Kind(group="", version="v1", name="Node", plural="nodes", namespaced=False)
    old = Kind(group="batch", version="v1beta1", name="Job", plural="jobs")
    served = [PODS, JOBS, old, events, secrets, reviews, nodes]

    assert exported_kinds(served, with_secrets=False) == [PODS, JOBS]
    assert exported_kinds(served, with_secrets=True) == [PODS, JOBS, secrets]
