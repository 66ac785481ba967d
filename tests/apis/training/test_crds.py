"""The definitions of training's kinds: what upstream's say, and what our server accepts."""

from typing import Any

import pytest

from windlass.apis.training.crds import definitions
from windlass.apiserver.crds.definition import CrdStrategy
from windlass.kube.json import encode
from windlass.kube.schema import shared
from windlass.kube.structural import POD_TEMPLATE, structural

CRDS: dict[str, Any] = {definition["metadata"]["name"]: definition for definition in definitions()}
STATE = ("State", ".status.conditions[-1:].type")
AGE = ("Age", ".metadata.creationTimestamp")
JOBS: list[tuple[str, list[str], list[tuple[str, str]], str]] = [
    ("tfjobs", ["v1", "v1beta2", "v1beta1", "v1alpha2", "v1alpha1"], [STATE, AGE], ""),
    ("pytorchjobs", ["v1"], [STATE, AGE], "pytorchReplicaSpecs"),
    ("xgboostjobs", ["v1"], [STATE, AGE], ""),
    ("paddlejobs", ["v1"], [STATE, AGE], "paddleReplicaSpecs"),
    ("jaxjobs", ["v1"], [STATE, AGE], "jaxReplicaSpecs"),
    ("mxjobs", ["v1"], [STATE, AGE], ""),
    ("mpijobs", ["v1", "v2beta1"], [AGE, STATE], ""),
    ("chainerjobs", ["v1alpha1"], [AGE], ""),
]


def of(plural: str, version: int = 0) -> Any:
    return CRDS[f"{plural}.kubeflow.org"]["spec"]["versions"][version]


def spec_of(plural: str, version: int = 0) -> Any:
    return of(plural, version)["schema"]["openAPIV3Schema"]["properties"]["spec"]


@pytest.mark.parametrize("name", CRDS)
def test_a_definition_breaks_no_rule(name: str) -> None:
    assert CrdStrategy().validate(CRDS[name]) == []


@pytest.mark.parametrize("name", CRDS)
def test_a_definition_has_all_that_a_server_would_fill_in(name: str) -> None:
    defaulted = {**CRDS[name], "spec": dict(CRDS[name]["spec"])}
    CrdStrategy().default(defaulted)

    assert defaulted == CRDS[name]


@pytest.mark.parametrize("name", CRDS)
def test_a_definition_is_small_enough_for_clients_to_apply(name: str) -> None:
    assert len(encode(CRDS[name])) < 256 * 1024


def test_there_is_nothing_but_training_and_its_gangs() -> None:
    gangs = ("scheduling.volcano.sh", "scheduling.incubator.k8s.io")
    expected = {f"{plural}.kubeflow.org" for plural, *_ in JOBS}
    expected |= {f"{plural}.{group}" for plural in ("podgroups", "queues") for group in gangs}

    assert set(CRDS) == expected | {"podgroups.scheduling.x-k8s.io"}


@pytest.mark.parametrize(("plural", "versions", "columns", "scaled"), JOBS, ids=[job[0] for job in JOBS])
def test_versions_columns_and_scale_are_upstreams(
    plural: str, versions: list[str], columns: list[tuple[str, str]], scaled: str
) -> None:
    spec = CRDS[f"{plural}.kubeflow.org"]["spec"]
    stored = spec["versions"][0]

    assert [version["name"] for version in spec["versions"]] == versions
    assert [version["storage"] for version in spec["versions"]] == [True] + [False] * (len(versions) - 1)
    assert all(version["served"] and "status" in version["subresources"] for version in spec["versions"])
    assert [(c["name"], c["jsonPath"]) for c in stored["additionalPrinterColumns"]] == columns
    scale = stored["subresources"].get("scale", {})
    assert scale.get("specReplicasPath", "") == (f".spec.{scaled}.Worker.replicas" if scaled else "")
    if scaled:
        assert scale["statusReplicasPath"] == ".status.replicaStatuses.Worker.active"
        assert scale["labelSelectorPath"] == ".status.replicaStatuses.Worker.selector"


def test_mpi_jobs_by_ssh_show_their_age_alone() -> None:
    assert [column["name"] for column in of("mpijobs", 1)["additionalPrinterColumns"]] == ["Age"]


@pytest.mark.parametrize("plural", [plural for plural, versions, *_ in JOBS if versions[0] == "v1"])
def test_a_job_must_have_replicas_and_their_templates_are_spelt_out(plural: str) -> None:
    schema, spec = of(plural)["schema"]["openAPIV3Schema"], spec_of(plural)
    (specs,) = [name for name in spec["required"] if name.endswith("ReplicaSpecs")]
    replica = spec["properties"][specs]["additionalProperties"]

    assert schema["required"] == ["spec"]
    assert replica["properties"]["template"] is structural(POD_TEMPLATE)
    replicas = replica["properties"]["replicas"]
    assert (replicas["type"], replicas["format"]) == ("integer", "int32")
    assert "required" not in replica


def test_a_queue_stays_and_jobs_are_not_suspended_unless_they_say_so() -> None:
    for plural, version in [(plural, 0) for plural, versions, *_ in JOBS if versions[0] == "v1"] + [("mpijobs", 1)]:
        policy = spec_of(plural, version)["properties"]["runPolicy"]["properties"]
        (rule,) = policy["schedulingPolicy"]["properties"]["queue"]["x-kubernetes-validations"]
        assert (policy["suspend"]["type"], policy["suspend"]["default"]) == ("boolean", False)
        assert rule["rule"] == "self == oldSelf"
        assert rule["message"] == "spec.runPolicy.schedulingPolicy.queue is immutable"


@pytest.mark.parametrize("version", [1, 2, 3, 4])
def test_versions_from_before_v1_keep_what_they_are_given(version: int) -> None:
    schema = of("tfjobs", version)["schema"]["openAPIV3Schema"]

    for part in (schema, schema["properties"]["spec"], schema["properties"]["status"]):
        assert part["x-kubernetes-preserve-unknown-fields"] is True


def test_containers_of_a_chainer_job_need_no_name() -> None:
    template = spec_of("chainerjobs")["properties"]["master"]["properties"]["template"]

    assert template["x-kubernetes-preserve-unknown-fields"] is True
    assert "properties" not in template


def test_metrics_of_an_elastic_job_are_kubernetes_own() -> None:
    metrics = spec_of("pytorchjobs")["properties"]["elasticPolicy"]["properties"]["metrics"]["items"]

    assert metrics is structural("io.k8s.api.autoscaling.v2.MetricSpec")
    assert metrics["required"] == ["type"]


def test_short_names_are_upstreams() -> None:
    names = {name: crd["spec"]["names"].get("shortNames", []) for name, crd in CRDS.items()}

    assert names["chainerjobs.kubeflow.org"] == ["chj", "chjs", "chjob", "chjobs"]
    assert CRDS["chainerjobs.kubeflow.org"]["spec"]["names"]["categories"] == ["all"]
    assert names["podgroups.scheduling.x-k8s.io"] == ["pg", "pgs"]
    assert all(names[f"{plural}.kubeflow.org"] == [] for plural, *_ in JOBS if plural != "chainerjobs")


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


def undescribed(schema: Any, path: str) -> set[str]:
    """Fields that `kubectl explain` would have no words for, outside of Kubernetes' own types."""
    found: set[str] = set()
    for name, field in schema.get("properties", {}).items():
        if shared.is_kept(field):
            continue
        found |= ({f"{path}.{name}"} if "description" not in field else set()) | undescribed(field, f"{path}.{name}")
    for word in ("items", "additionalProperties"):
        inner = schema.get(word)
        if isinstance(inner, dict) and not shared.is_kept(inner):
            found |= undescribed(inner, path)
    return found


@pytest.mark.parametrize("plural", [plural for plural, *_ in JOBS])
def test_every_field_of_a_job_is_described(plural: str) -> None:
    for version in CRDS[f"{plural}.kubeflow.org"]["spec"]["versions"]:
        properties = version["schema"]["openAPIV3Schema"]["properties"]
        assert undescribed({"properties": {"spec": properties["spec"], "status": properties["status"]}}, "") == set()
