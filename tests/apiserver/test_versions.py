"""Optimistic concurrency: which version an update, patch or deletion names, and what each kind makes of it."""

from typing import Any

import pytest

from tests.support import Answer, Windlass
from windlass.apiserver.builtin import RESOURCES

CUSTOM = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions"
MUST = "metadata.resourceVersion: Invalid value: 0: must be specified for an update"
CONDITIONAL = {
    "apiservices",
    "csidrivers",
    "csinodes",
    "csistoragecapacities",
    "customresourcedefinitions",
    "leases",
    "mutatingwebhookconfigurations",
    "poddisruptionbudgets",
    "runtimeclasses",
    "validatingadmissionpolicies",
    "validatingadmissionpolicybindings",
    "validatingwebhookconfigurations",
    "volumeattachments",
}
"""Kinds of Kubernetes whose updates must name a version."""


def put(server: Windlass, path: str, version: str | None) -> Answer:
    obj = server.get(path)
    del obj["metadata"]["resourceVersion"]
    obj["metadata"] |= {"labels": {"changed": "yes"}} | ({} if version is None else {"resourceVersion": version})
    return server.request("PUT", path, obj)


@pytest.fixture
def secret(server: Windlass, namespace: str) -> str:
    path = f"/api/v1/namespaces/{namespace}/secrets"
    server.create(path, {"metadata": {"name": "a"}})
    return f"{path}/a"


@pytest.fixture
def budget(server: Windlass, namespace: str) -> str:
    path = f"/apis/policy/v1/namespaces/{namespace}/poddisruptionbudgets"
    server.create(path, {"metadata": {"name": "a"}, "spec": {"maxUnavailable": 1}})
    return f"{path}/a"


def test_the_kinds_whose_updates_must_name_a_version_are_those_of_kubernetes() -> None:
    updated = [resource for resource in RESOURCES if "update" in resource.verbs]

    found = {resource.plural for resource in updated if not resource.strategy.allows_unconditional_update}
    assert found == CONDITIONAL


@pytest.mark.parametrize("version", [None, "", "0", "00"])
def test_an_update_of_no_version_takes_the_newest(server: Windlass, secret: str, version: str | None) -> None:
    assert put(server, secret, version).status == 200


@pytest.mark.parametrize("version", [None, "", "0", "00"])
def test_where_a_version_must_be_named_none_and_zero_are_refused(
    server: Windlass, budget: str, version: str | None
) -> None:
    answer = put(server, budget, version)

    assert answer.status == 422
    assert answer.json()["message"].endswith(MUST)


@pytest.mark.parametrize("version", [None, "0"])
def test_an_update_of_a_custom_resource_must_name_a_version(
    server: Windlass, namespace: str, version: str | None
) -> None:
    queues = f"/apis/kubeflow.org/v1/namespaces/{namespace}/pytorchjobs"
    server.create(queues, a_job())

    answer = put(server, f"{queues}/a", version)

    assert answer.status == 422
    assert answer.json()["message"].endswith(MUST)


def a_job() -> dict[str, Any]:
    pod = {"spec": {"containers": [{"name": "pytorch", "image": "x"}]}}
    spec = {"pytorchReplicaSpecs": {"Worker": {"replicas": 1, "template": pod}}, "runPolicy": {"suspend": True}}
    return {"apiVersion": "kubeflow.org/v1", "kind": "PyTorchJob", "metadata": {"name": "a"}, "spec": spec}


@pytest.mark.parametrize(
    ("version", "code", "reason"),
    [("1", 409, "Conflict"), ("abc", 422, "Invalid"), ("-1", 422, "Invalid"), ("9" * 6000, 422, "Invalid")],
)
def test_an_update_of_another_version_is_refused(
    server: Windlass, secret: str, version: str, code: int, reason: str
) -> None:
    answer = put(server, secret, version)

    assert (answer.status, answer.json()["reason"]) == (code, reason)


@pytest.mark.parametrize("version", [None, "", "0"])
@pytest.mark.parametrize("kind", ["merge", "strategic-merge"])
def test_a_patch_may_take_the_version_away(
    server: Windlass, secret: str, budget: str, kind: str, version: str | None
) -> None:
    patch = {"metadata": {"resourceVersion": version, "labels": {"changed": "yes"}}}

    assert server.patch(secret, patch, kind).status == 200
    assert server.patch(budget, patch, kind).status == 422


def test_a_patch_that_names_no_version_is_for_the_newest(server: Windlass, budget: str) -> None:
    assert server.patch(budget, {"metadata": {"labels": {"changed": "yes"}}}).status == 200


@pytest.mark.parametrize(("version", "code"), [(None, 200), ("", 200), ("0", 200), ("1", 409), ("x", 422), (7, 409)])
def test_a_scale_takes_versions_as_its_object_does(
    server: Windlass, namespace: str, version: str | int | None, code: int
) -> None:
    path = f"/apis/apps/v1/namespaces/{namespace}/replicasets"
    pod = {"metadata": {"labels": {"app": "a"}}, "spec": {"containers": [{"name": "c", "image": "x"}]}}
    spec = {"replicas": 0, "selector": {"matchLabels": {"app": "a"}}, "template": pod}
    server.create(path, {"metadata": {"name": "a"}, "spec": spec})
    scale = server.get(f"{path}/a/scale")
    scale["metadata"]["resourceVersion"] = version

    assert server.request("PUT", f"{path}/a/scale", scale).status == code


@pytest.mark.parametrize("field", ["uid", "resourceVersion"])
@pytest.mark.parametrize("value", ["", "0", "1"])
def test_a_precondition_of_a_deletion_is_compared_as_it_is_given(
    server: Windlass, secret: str, field: str, value: str
) -> None:
    answer = server.request("DELETE", secret, {"preconditions": {field: value}})

    assert (answer.status, answer.json()["reason"]) == (409, "Conflict")
    assert server.request("DELETE", secret, {"preconditions": {field: None}}).status == 200
