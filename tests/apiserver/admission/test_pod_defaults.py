"""PodDefaults as the server applies them: in profile namespaces only, and whole or not at all."""

from typing import Any

import pytest

from tests.support import Answer, Windlass

PATH = "/apis/kubeflow.org/v1alpha1/namespaces"


@pytest.fixture
def profile(bare: Windlass) -> str:
    labels = {"app.kubernetes.io/part-of": "kubeflow-profile"}
    made = bare.create("/api/v1/namespaces", {"metadata": {"generateName": "profile-", "labels": labels}})
    name = made["metadata"]["name"]
    for account in ("default", "trainer"):
        bare.create(f"/api/v1/namespaces/{name}/serviceaccounts", {"metadata": {"name": account}})
    return name


def a_default(server: Windlass, namespace: str, name: str = "d", **spec: Any) -> Any:
    body = {
        "apiVersion": "kubeflow.org/v1alpha1",
        "kind": "PodDefault",
        "metadata": {"name": name},
        "spec": {"selector": {"matchLabels": {"use": "it"}}, **spec},
    }
    return server.create(f"{PATH}/{namespace}/poddefaults", body)


def create_pod(server: Windlass, namespace: str, labels: Any = None, **meta: Any) -> Answer:
    metadata = {"name": "p", "labels": {"use": "it"} if labels is None else labels, **meta}
    spec = {"containers": [{"name": "c", "image": "i"}]}
    return server.request("POST", f"/api/v1/namespaces/{namespace}/pods", {"metadata": metadata, "spec": spec})


def test_a_pod_of_a_profile_gets_what_its_labels_ask_for(bare: Windlass, profile: str) -> None:
    made = a_default(bare, profile, env=[{"name": "A", "value": "1"}], labels={"also": "this"})

    pod = create_pod(bare, profile).json()

    assert pod["spec"]["containers"][0]["env"] == [{"name": "A", "value": "1"}]
    assert pod["metadata"]["labels"] == {"use": "it", "also": "this"}
    mark = pod["metadata"]["annotations"]["poddefault.admission.kubeflow.org/poddefault-d"]
    assert mark == made["metadata"]["resourceVersion"]


def test_its_service_account_is_the_one_whose_token_is_mounted(bare: Windlass, profile: str) -> None:
    a_default(bare, profile, serviceAccountName="trainer")

    spec = create_pod(bare, profile).json()["spec"]

    assert (spec["serviceAccountName"], spec["serviceAccount"]) == ("trainer", "trainer")


def test_a_pod_without_the_labels_or_with_the_exclusion_is_left_alone(bare: Windlass, profile: str) -> None:
    a_default(bare, profile, env=[{"name": "A", "value": "1"}])
    exclusion = {"poddefault.admission.kubeflow.org/exclude": "true"}

    other = create_pod(bare, profile, labels={}).json()
    excluded = create_pod(bare, profile, name="q", annotations=exclusion).json()

    assert "env" not in other["spec"]["containers"][0]
    assert "env" not in excluded["spec"]["containers"][0]


def test_other_namespaces_are_left_alone(bare: Windlass, room: str) -> None:
    a_default(bare, room, env=[{"name": "A", "value": "1"}])

    assert "env" not in create_pod(bare, room).json()["spec"]["containers"][0]


def test_a_conflict_refuses_the_pod_and_names_both(bare: Windlass, profile: str) -> None:
    a_default(bare, profile, "one", env=[{"name": "A", "value": "1"}])
    a_default(bare, profile, "two", env=[{"name": "A", "value": "2"}])

    answer = create_pod(bare, profile)

    assert answer.status == 403
    assert answer.json()["message"] == (
        "conflict occurred while applying poddefaults: one, two on pod: p: env 'A' of PodDefault 'two' differs from "
        "that of PodDefault 'one'"
    )


def test_what_is_added_has_the_defaults_that_a_pod_has(bare: Windlass, profile: str) -> None:
    """As after a webhook: a PodDefault may leave out what a pod may leave out."""
    name = {"name": "NAME", "valueFrom": {"fieldRef": {"fieldPath": "metadata.name"}}}
    files = {"name": "files", "configMap": {"name": "settings"}}
    a_default(bare, profile, env=[name], volumes=[files], sidecars=[{"name": "side", "image": "i:1"}])

    answer = create_pod(bare, profile)

    assert answer.status == 201, answer.json()
    spec = answer.json()["spec"]
    first, side = spec["containers"]
    assert first["env"][0]["valueFrom"]["fieldRef"]["apiVersion"] == "v1"
    assert next(one for one in spec["volumes"] if one["name"] == "files")["configMap"]["defaultMode"] == 420
    assert side["imagePullPolicy"] == "IfNotPresent"
