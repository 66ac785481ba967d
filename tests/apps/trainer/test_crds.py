"""The definitions of training jobs and runtimes: our facts about upstream's, against what is derived."""

from typing import Any

import pytest

from windlass.apps.trainer.crds import definitions
from windlass.kube.schema import shared

CRDS: dict[str, Any] = {one["spec"]["names"]["kind"]: one for one in definitions()}
FIXED = [{"rule": "self == oldSelf", "message": "field is immutable"}]
PATCH = "runtimePatches.[].trainingRuntimeSpec.template.spec.replicatedJobs.[].template.spec.template.spec"
NOT_OURS = ("apiVersion", "kind", "metadata")
FOREIGN = ("securityContext",)
KINDS = [
    # kind, plural, scope, has a status of its own, columns
    ("TrainJob", "trainjobs", "Namespaced", True, [("State", ".status.conditions[-1:].type"),
                                                   ("Age", ".metadata.creationTimestamp")]),
    ("TrainingRuntime", "trainingruntimes", "Namespaced", False, []),
    ("ClusterTrainingRuntime", "clustertrainingruntimes", "Cluster", False, []),
]  # fmt: skip


def version(kind: str) -> Any:
    (found,) = CRDS[kind]["spec"]["versions"]
    return found


def at(kind: str, path: str) -> Any:
    found = version(kind)["schema"]["openAPIV3Schema"]["properties"]["spec"]
    for step in path.split("."):
        found = found["items"] if step == "[]" else found["properties"][step]
    return found


@pytest.mark.parametrize(("kind", "plural", "scope", "status", "columns"), KINDS, ids=[kind[0] for kind in KINDS])
def test_names_scopes_subresources_and_columns_are_upstreams(
    kind: str, plural: str, scope: str, status: bool, columns: list[Any]
) -> None:
    spec, found = CRDS[kind]["spec"], version(kind)

    assert CRDS[kind]["metadata"]["name"] == f"{plural}.trainer.kubeflow.org"
    assert (found["name"], spec["scope"]) == ("v1alpha1", scope)
    assert found.get("subresources", {}) == ({"status": {}} if status else {})
    assert [(one["name"], one["jsonPath"]) for one in found.get("additionalPrinterColumns", [])] == columns


@pytest.mark.parametrize(
    "path",
    ["runtimeRef", "initializer", "trainer", "activeDeadlineSeconds", "runtimePatches.[].manager",
     f"{PATCH}.containers", f"{PATCH}.volumes", f"{PATCH}.securityContext", f"{PATCH}.serviceAccountName"],
)  # fmt: skip
def test_what_cannot_be_changed_says_so(path: str) -> None:
    assert at("TrainJob", path)["x-kubernetes-validations"] == FIXED


@pytest.mark.parametrize("path", ["suspend", f"{PATCH}.nodeSelector", f"{PATCH}.affinity", f"{PATCH}.tolerations"])
def test_what_may_be_changed_does_not(path: str) -> None:
    assert "x-kubernetes-validations" not in at("TrainJob", path)


@pytest.mark.parametrize(
    ("kind", "path", "facts"),
    [
        ("TrainJob", "runtimeRef.kind", {"default": "ClusterTrainingRuntime"}),
        ("TrainJob", "runtimeRef.apiGroup", {"default": "trainer.kubeflow.org"}),
        ("TrainJob", "managedBy", {"default": "trainer.kubeflow.org/trainjob-controller"}),
        ("TrainJob", "suspend", {"type": "boolean", "default": False}),
        ("TrainJob", "activeDeadlineSeconds", {"type": "integer", "format": "int64", "minimum": 1}),
        ("TrainJob", "runtimePatches", {"x-kubernetes-list-type": "map", "x-kubernetes-list-map-keys": ["manager"]}),
        ("TrainJob", f"{PATCH}.imagePullSecrets.[].name", {"type": "string", "default": ""}),
        ("TrainingRuntime", "mlPolicy.mpi.numProcPerNode", {"default": 1}),
        ("TrainingRuntime", "mlPolicy.mpi.sshAuthMountPath", {"default": "/root/.ssh"}),
        ("TrainingRuntime", "podGroupPolicy.coscheduling.scheduleTimeoutSeconds", {"default": 60}),
        ("TrainingRuntime", "template.spec.replicatedJobs.[].replicas", {"default": 1}),
    ],
)
def test_a_field_is_as_upstreams(kind: str, path: str, facts: Any) -> None:
    found = at(kind, path)

    assert {key: found.get(key) for key in facts} == facts


def undescribed(schema: Any, path: str) -> list[str]:
    """Fields of our own that say nothing; Kubernetes' own types are told of nowhere in a definition."""
    found: list[str] = []
    for name, field in schema.get("properties", {}).items():
        if shared.is_kept(field):
            continue
        inner = field.get("items", field)
        found += [] if "description" in field or name in NOT_OURS else [f"{path}.{name}"]
        found += [] if shared.is_kept(inner) or name in FOREIGN else undescribed(inner, f"{path}.{name}")
    return found


@pytest.mark.parametrize("kind", CRDS)
def test_every_field_of_ours_is_explained(kind: str) -> None:
    assert undescribed(version(kind)["schema"]["openAPIV3Schema"], kind) == []
