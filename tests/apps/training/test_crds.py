"""The definitions of training's kinds: what upstream's say, and what our server accepts."""

from typing import Any

import pytest

from windlass.apps.training.crds import definitions
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


def test_there_is_nothing_but_training() -> None:
    assert set(CRDS) == {f"{plural}.kubeflow.org" for plural, *_ in JOBS}


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
    assert all(names[f"{plural}.kubeflow.org"] == [] for plural, *_ in JOBS if plural != "chainerjobs")


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
