"""What counts as a user of a claim, by kind, and how users are listed."""

from typing import Any

import pytest

from windlass.apis.core_v1 import Pod
from windlass.apps.notebooks.kinds import Notebook
from windlass.apps.volumes.web.consumers import Consumers, using, workload_kinds
from windlass.kube.kind import KINDS, Kind

PODS, NOTEBOOKS = KINDS.of(Pod), KINDS.of(Notebook)


def a_kind(group: str, name: str, version: str = "v1") -> Kind:
    return Kind(group=group, version=version, name=name, plural=f"{name.lower()}s")


STATEFUL_SETS = a_kind("apps", "StatefulSet")
VIEWER = {"app.kubernetes.io/part-of": "pvc-viewer"}


def an_object(name: str, owner: str = "", labels: dict[str, str] | None = None) -> dict[str, Any]:
    owners = [{"uid": f"uid-{owner}", "controller": True}] if owner else []
    volume = {"name": "v", "persistentVolumeClaim": {"claimName": "data"}}
    metadata = {"name": name, "uid": f"uid-{name}", "ownerReferences": owners, "labels": labels or {}}
    return {"metadata": metadata, "spec": {"template": {"spec": {"volumes": [volume]}}}}


def test_object_that_belongs_to_a_listed_one_is_not_listed_and_its_pod_is() -> None:
    objects = [
        (NOTEBOOKS, [an_object("lab")]),
        (STATEFUL_SETS, [an_object("lab-set", owner="lab"), an_object("web", owner="of-a-foreign-kind")]),
        (PODS, [an_object("lab-0", owner="lab-set")]),
    ]

    assert using(objects, "data") == {NOTEBOOKS: ["lab"], STATEFUL_SETS: ["web"], PODS: ["lab-0"]}
    assert using(objects, "other") == {}


def test_nothing_of_a_viewer_counts() -> None:
    objects = [(kind, [an_object("v", labels=VIEWER)]) for kind in (PODS, STATEFUL_SETS)]

    assert using(objects, "data") == {}


@pytest.mark.parametrize(
    ("consumers", "text"),
    [
        (Consumers(), ""),
        (Consumers(("Pod a", "Job b")), "Pod a, Job b"),
        (Consumers(("Pod a",), 1), "Pod a and 1 object that you may not see"),
        (Consumers((), 2), "2 objects that you may not see"),
    ],
)
def test_users_as_an_error_lists_them(consumers: Consumers, text: str) -> None:
    assert str(consumers) == text
    assert bool(consumers) == bool(text)


@pytest.mark.parametrize(
    ("group", "name", "counts"),
    [
        ("batch", "CronJob", True),
        ("batch.volcano.sh", "Job", True),
        ("flow.volcano.sh", "JobTemplate", True),
        ("kubeflow.org", "PyTorchJob", True),
        ("trainer.kubeflow.org", "TrainJob", True),
        ("trainer.kubeflow.org", "TrainingRuntime", True),
        ("jobset.x-k8s.io", "JobSet", True),
        ("apps", "Deployment", True),
        ("apps", "StatefulSet", True),
        ("serving.kserve.io", "InferenceService", True),
        ("apps", "ControllerRevision", False),
        ("kubeflow.org", "PodDefault", False),
        ("example.com", "Job", False),
    ],
)
def test_workloads_by_kind(group: str, name: str, counts: bool) -> None:
    kind = a_kind(group, name)

    assert workload_kinds([kind, a_kind(group, name, "v0")]) == ([kind] if counts else [])
