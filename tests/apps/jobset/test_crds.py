"""The definition of JobSets: our facts about upstream's, against what is derived."""

from typing import Any

import pytest

from tests.apps.volcano.test_crds import undescribed
from windlass.apps.jobset.crds import definitions
from windlass.kube.structural import structural

(CRD,) = definitions()
(VERSION,) = CRD["spec"]["versions"]
SCHEMA: Any = VERSION["schema"]["openAPIV3Schema"]["properties"]
INT32 = {"type": "integer", "format": "int32"}
IMMUTABLE = {"x-kubernetes-validations": [{"rule": "self == oldSelf", "message": "Value is immutable"}]}
BY_NAME = {"x-kubernetes-list-type": "map", "x-kubernetes-list-map-keys": ["name"]}
ACTIONS = [
    "FailJobSet",
    "RestartJob",
    "RestartJobAndIgnoreMaxRestarts",
    "RestartJobSet",
    "RestartJobSetAndIgnoreMaxRestarts",
]
FIELDS: dict[str, Any] = {
    "spec.replicatedJobs": {"type": "array", **BY_NAME},
    "spec.replicatedJobs.[]": {"required": ["name", "template"]},
    "spec.replicatedJobs.[].groupName": {"type": "string", "default": "default"},
    "spec.replicatedJobs.[].replicas": {**INT32, "default": 1},
    "spec.replicatedJobs.[].dependsOn": {"maxItems": 5, **BY_NAME, **IMMUTABLE},
    "spec.replicatedJobs.[].dependsOn.[].status": {"enum": ["Complete", "Ready"]},
    "spec.network": IMMUTABLE,
    "spec.network.enableDNSHostnames": {"type": "boolean"},
    "spec.network.publishNotReadyAddresses": {"type": "boolean"},
    "spec.successPolicy": {"required": ["operator"], **IMMUTABLE},
    "spec.successPolicy.operator": {"enum": ["All", "Any"]},
    "spec.successPolicy.targetReplicatedJobs": {"type": "array", "x-kubernetes-list-type": "atomic"},
    "spec.failurePolicy": IMMUTABLE,
    "spec.failurePolicy.maxRestarts": INT32,
    "spec.failurePolicy.restartStrategy": {
        "default": "Recreate",
        "enum": ["BlockingRecreate", "InPlaceRestart", "Recreate"],
    },
    "spec.failurePolicy.rules.[]": {"required": ["name", "action"]},
    "spec.failurePolicy.rules.[].action": {"enum": ACTIONS},
    "spec.failurePolicy.rules.[].onJobFailureMessagePatterns": {"type": "array"},
    "spec.startupPolicy": {"required": ["startupPolicyOrder"], **IMMUTABLE},
    "spec.startupPolicy.startupPolicyOrder": {"enum": ["AnyOrder", "InOrder"]},
    "spec.suspend": {"type": "boolean"},
    "spec.coordinator": {"required": ["replicatedJob"]},
    "spec.managedBy": {"type": "string"},
    "spec.ttlSecondsAfterFinished": {**INT32, "minimum": 0},
    "spec.volumeClaimPolicies": {"maxItems": 50, **IMMUTABLE},
    "spec.volumeClaimPolicies.[].retentionPolicy.whenDeleted": {"default": "Delete", "enum": ["Delete", "Retain"]},
    "status.restarts": INT32,
    "status.restartsCountTowardsMax": INT32,
    "status.terminalState": {"type": "string"},
    "status.replicatedJobsStatus": {"type": "array", **BY_NAME},
    "status.replicatedJobsStatus.[]": {
        "required": ["name", "ready", "succeeded", "failed", "active", "suspended"],
    },
    "status.replicatedJobsStatus.[].jobRestarts": {"maxItems": 1024},
    "status.conditions": {"x-kubernetes-list-map-keys": ["type"]},
    "status.previousInPlaceRestartAttempt": {**INT32, "minimum": 0},
    "status.currentInPlaceRestartAttempt": {**INT32, "minimum": 0},
}


def at(path: str) -> Any:
    found: Any = {"properties": SCHEMA}
    for step in path.split("."):
        found = found["items"] if step == "[]" else found["properties"][step]
    return found


def test_names_and_columns_are_upstreams() -> None:
    columns = [(c["name"], c["jsonPath"], c["type"]) for c in VERSION["additionalPrinterColumns"]]

    assert CRD["metadata"]["name"] == "jobsets.jobset.x-k8s.io"
    assert "shortNames" not in CRD["spec"]["names"]
    assert (VERSION["name"], VERSION["subresources"]) == ("v1alpha2", {"status": {}})
    assert columns == [
        ("TerminalState", ".status.terminalState", "string"),
        ("Restarts", ".status.restarts", "string"),
        ("Completed", '.status.conditions[?(@.type=="Completed")].status', "string"),
        ("Suspended", ".spec.suspend", "string"),
        ("Age", ".metadata.creationTimestamp", "date"),
    ]


@pytest.mark.parametrize("path", FIELDS)
def test_a_field_is_as_upstreams(path: str) -> None:
    found = at(path)

    assert {key: found.get(key) for key in FIELDS[path]} == FIELDS[path]


def test_the_templates_of_jobs_and_claims_are_kubernetes_own() -> None:
    assert at("spec.replicatedJobs.[].template") is structural("io.k8s.api.batch.v1.JobTemplateSpec")
    assert at("spec.volumeClaimPolicies.[].templates.[]") is structural("io.k8s.api.core.v1.PersistentVolumeClaim")


def test_every_field_is_described_but_metadata_which_kubernetes_forbids() -> None:
    assert undescribed({"properties": SCHEMA}, "") == {".metadata"}
