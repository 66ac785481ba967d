"""The definitions of gangs, queues and Volcano's jobs: our facts about upstream's, against what is derived."""

from typing import Any

import pytest

from windlass.apps.volcano.crds import definitions
from windlass.kube.schema import shared
from windlass.kube.structural import POD_TEMPLATE, structural

CRDS: dict[str, Any] = {definition["metadata"]["name"]: definition for definition in definitions()}
AGE = ("AGE", ".metadata.creationTimestamp", "date", 0)
JOB_COLUMNS = [
    ("STATUS", ".status.state.phase", "string", 0),
    ("minAvailable", ".status.minAvailable", "integer", 0),
    ("RUNNINGS", ".status.running", "integer", 0),
    AGE,
    ("QUEUE", ".spec.queue", "string", 1),
]
HYPER_NODE_COLUMNS = [
    ("Tier", ".spec.tier", "string", 0),
    ("TierName", ".spec.tierName", "string", 0),
    ("NodeCount", ".status.nodeCount", "integer", 0),
    ("Age", *AGE[1:]),
]
FLOW_COLUMNS = [("Status", ".status.state.phase", "string", 0), ("Age", *AGE[1:])]
KINDS: list[tuple[str, str, list[str], str, bool, list[Any]]] = [
    # name, kind, short names, scope, has a status of its own, columns
    ("jobs.batch.volcano.sh", "Job", ["vcjob", "vj"], "Namespaced", True, JOB_COLUMNS),
    ("cronjobs.batch.volcano.sh", "CronJob", ["cronvcjob", "cronvj"], "Namespaced", True, []),
    ("commands.bus.volcano.sh", "Command", [], "Namespaced", False, []),
    ("jobflows.flow.volcano.sh", "JobFlow", ["jf"], "Namespaced", True, FLOW_COLUMNS),
    ("jobtemplates.flow.volcano.sh", "JobTemplate", ["jt"], "Namespaced", True, []),
    ("hypernodes.topology.volcano.sh", "HyperNode", ["hn"], "Cluster", True, HYPER_NODE_COLUMNS),
    ("numatopologies.nodeinfo.volcano.sh", "Numatopology", ["numatopo"], "Cluster", False, []),
]
DNS = {"maxLength": 253, "pattern": r"^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$"}
INT32 = {"type": "integer", "format": "int32"}
JOB_SPEC: dict[str, Any] = {
    "schedulerName": {"type": "string", "maxLength": 63},
    "minAvailable": {**INT32, "minimum": 0},
    "queue": {"type": "string", "default": "default", **DNS},
    "maxRetry": {**INT32, "minimum": 0, "default": 3},
    "ttlSecondsAfterFinished": {**INT32, "minimum": 0},
    "minSuccess": {**INT32, "minimum": 1},
    "priorityClassName": {"type": "string", **DNS},
    "runningEstimate": {"type": "string"},
    "networkTopology.mode": {"default": "hard", "enum": ["hard", "soft"]},
    "plugins.*.[]": {"type": "string"},
    "volumes.[].mountPath": {"minLength": 1, "pattern": "^[^:]+$"},
    "volumes.[].volumeClaimName": {"type": "string", "maxLength": 253},
    "tasks": {"type": "array", "minItems": 1},
    "tasks.[].name": {"maxLength": 63, "pattern": "^[a-z0-9]([-a-z0-9]*[a-z0-9])?$"},
    "tasks.[].replicas": {**INT32, "minimum": 0},
    "tasks.[].minAvailable": {**INT32, "minimum": 0},
    "tasks.[].maxRetry": {**INT32, "minimum": -1},
    "tasks.[].topologyPolicy": {"enum": ["best-effort", "none", "restricted", "single-numa-node"]},
    "tasks.[].dependsOn.name.[]": {"type": "string"},
    "tasks.[].dependsOn.iteration": {"enum": ["all", "any"]},
    "tasks.[].partitionPolicy": {"required": ["totalPartitions", "partitionSize"]},
    "tasks.[].partitionPolicy.totalPartitions": {**INT32, "minimum": 1},
    "tasks.[].partitionPolicy.partitionSize": {**INT32, "minimum": 1},
    "tasks.[].partitionPolicy.minPartitions": {**INT32, "minimum": 0},
    "tasks.[].partitionPolicy.networkTopology.highestTierAllowed": {"type": "integer", "minimum": 0},
    "tasks.[].policies.[].exitCode": INT32,
    "policies.[].action": {"type": "string"},
    "policies.[].timeout": {"type": "string"},
    "policies.[].events.[]": {"type": "string"},
}
EVENTS = {"*", "PodPending", "PodRunning", "PodFailed", "PodEvicted", "Unknown", "TaskCompleted", "OutOfSync",
          "CommandIssued", "JobUpdated", "TaskFailed"}  # fmt: skip
JOB_STATUS = {
    "state", "minAvailable", "taskStatusCount", "pending", "running", "succeeded", "failed", "terminating", "unknown",
    "version", "retryCount", "runningDuration", "controlledResources", "conditions",
}  # fmt: skip


def schema(name: str) -> Any:
    (version,) = CRDS[name]["spec"]["versions"]
    return version["schema"]["openAPIV3Schema"]["properties"]


def at(found: Any, path: str) -> Any:
    for step in path.split("."):
        if step == "*":
            found = found["additionalProperties"]
        else:
            found = found["items"] if step == "[]" else found["properties"][step]
    return found


@pytest.mark.parametrize(("name", "kind", "short", "scope", "status", "columns"), KINDS, ids=[k[1] for k in KINDS])
def test_names_scopes_subresources_and_columns_are_upstreams(
    name: str, kind: str, short: list[str], scope: str, status: bool, columns: list[Any]
) -> None:
    spec = CRDS[name]["spec"]
    (version,) = spec["versions"]
    found = [
        (c["name"], c["jsonPath"], c["type"], c.get("priority", 0)) for c in version.get("additionalPrinterColumns", [])
    ]

    assert (spec["names"]["kind"], spec["names"].get("shortNames", []), spec["scope"]) == (kind, short, scope)
    assert version["name"] == "v1alpha1"
    assert version.get("subresources", {}) == ({"status": {}} if status else {})
    assert found == columns


@pytest.mark.parametrize("path", JOB_SPEC)
@pytest.mark.parametrize(
    ("name", "prefix"),
    [
        ("jobs.batch.volcano.sh", "spec"),
        ("jobtemplates.flow.volcano.sh", "spec"),
        ("cronjobs.batch.volcano.sh", "spec.jobTemplate.spec"),
    ],
)
def test_a_field_of_a_job_is_as_upstreams(name: str, prefix: str, path: str) -> None:
    found = at({"properties": schema(name)}, f"{prefix}.{path}")

    assert {key: found.get(key) for key in JOB_SPEC[path]} == JOB_SPEC[path]


def test_a_job_has_the_fields_of_upstreams_and_no_other() -> None:
    spec, status = schema("jobs.batch.volcano.sh")["spec"], schema("jobs.batch.volcano.sh")["status"]

    assert set(spec["properties"]) == {path.split(".")[0] for path in JOB_SPEC}
    assert set(status["properties"]) == JOB_STATUS
    assert set(at(spec, "policies.[].event")["enum"]) == EVENTS
    assert len(at(status, "state.phase")["enum"]) == 10


def test_templates_and_claims_are_kubernetes_own_and_shared_by_all() -> None:
    for name, prefix in (("jobs.batch.volcano.sh", "spec"), ("cronjobs.batch.volcano.sh", "spec.jobTemplate.spec")):
        spec = at({"properties": schema(name)}, prefix)
        assert at(spec, "tasks.[].template") is structural(POD_TEMPLATE)
        claim = structural("io.k8s.api.core.v1.PersistentVolumeClaimSpec")
        assert at(spec, "volumes.[].volumeClaim") is claim


def test_a_cron_job_has_upstreams_defaults() -> None:
    spec = schema("cronjobs.batch.volcano.sh")["spec"]
    defaults = {name: field["default"] for name, field in spec["properties"].items() if "default" in field}

    assert spec["required"] == ["schedule", "jobTemplate"]
    assert defaults == {
        "concurrencyPolicy": "Allow",
        "suspend": False,
        "successfulJobsHistoryLimit": 3,
        "failedJobsHistoryLimit": 1,
    }


def test_a_command_has_no_spec_and_a_flow_patches_without_defaults() -> None:
    assert set(schema("commands.bus.volcano.sh")) - {"apiVersion", "kind", "metadata"} == {
        "action", "target", "reason", "message",
    }  # fmt: skip
    flow = at(schema("jobflows.flow.volcano.sh")["spec"], "flows.[]")
    assert flow["required"] == ["name"]
    patch = at(flow, "patch.jobSpec")
    assert patch["x-kubernetes-preserve-unknown-fields"] is True
    assert "properties" not in patch
    assert at(schema("jobflows.flow.volcano.sh")["spec"], "jobRetainPolicy")["enum"] == ["delete", "retain"]


GANGS: list[tuple[str, str, set[str], set[str]]] = [
    ("podgroups", "scheduling.x-k8s.io", {"minMember", "minResources", "scheduleTimeoutSeconds"},
     {"phase", "occupiedBy", "scheduled", "running", "succeeded", "failed", "scheduleStartTime"}),
    ("podgroups", "scheduling.incubator.k8s.io", {"minMember", "queue", "priorityClassName"},
     {"phase", "conditions", "running", "succeeded", "failed"}),
    ("queues", "scheduling.incubator.k8s.io", {"weight", "capability"}, {"unknown", "pending", "running"}),
]  # fmt: skip


@pytest.mark.parametrize(("plural", "group", "spec", "status"), GANGS)
def test_the_other_schedulers_kinds_have_their_fields(plural: str, group: str, spec: Any, status: Any) -> None:
    (version,) = CRDS[f"{plural}.{group}"]["spec"]["versions"]
    properties = version["schema"]["openAPIV3Schema"]["properties"]

    assert version["name"] == "v1alpha1"
    assert version["subresources"] == {"status": {}}
    assert set(properties["spec"]["properties"]) == spec
    assert set(properties["status"]["properties"]) == status


def test_a_group_of_kubernetes_own_says_that_it_is_not_approved() -> None:
    for plural in ("podgroups", "queues"):
        annotations = CRDS[f"{plural}.scheduling.incubator.k8s.io"]["metadata"]["annotations"]
        assert annotations["api-approved.kubernetes.io"].startswith("unapproved")


def test_short_names_of_scheduler_plugins_are_its_own() -> None:
    assert CRDS["podgroups.scheduling.x-k8s.io"]["spec"]["names"]["shortNames"] == ["pg", "pgs"]


def undescribed(found: Any, path: str) -> set[str]:
    """Fields that `kubectl explain` would have no words for, outside of Kubernetes' own types."""
    if shared.is_kept(found):
        return set()
    lacking = {path} if path and "description" not in found else set[str]()
    for name, field in found.get("properties", {}).items():
        lacking |= undescribed(field, f"{path}.{name}")
    for word in ("items", "additionalProperties"):
        if isinstance(inner := found.get(word), dict):
            lacking |= undescribed({"description": "", **inner}, path) if not shared.is_kept(inner) else set()
    return lacking


@pytest.mark.parametrize("name", CRDS)
def test_every_field_is_described_but_metadata_which_kubernetes_forbids(name: str) -> None:
    assert undescribed({"properties": schema(name)}, "") == {".metadata"}
