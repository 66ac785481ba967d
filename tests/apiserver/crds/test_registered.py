"""Training jobs over HTTP at each version that is served: written at one, read, listed and watched at the others."""

import json
from itertools import product
from typing import Any

import pytest

from tests.support import Windlass, eventually
from windlass.apps.training.kinds.mpi_v2beta1 import CREATED_AS

TEMPLATE = {"spec": {"containers": [{"name": "tensorflow", "image": "train:1"}]}}
REST = {"suspend": True}
LIST = [{"tfReplicaType": "MASTER", "template": TEMPLATE}]
SPECS: dict[str, Any] = {
    "v1alpha1": {
        "replicaSpecs": [{"tfReplicaType": "MASTER", "template": TEMPLATE}],
        "runPolicy": REST,
        "RuntimeId": "a",
    },
    **{
        version: {"tfReplicaSpecs": {"Master": {"template": TEMPLATE}}, "runPolicy": REST}
        for version in ("v1alpha2", "v1beta1", "v1beta2", "v1")
    },
}
"""A job that waits, as each version says it."""


def at(version: str, namespace: str, name: str = "", plural: str = "tfjobs") -> str:
    return f"/apis/kubeflow.org/{version}/namespaces/{namespace}/{plural}/{name}".rstrip("/")


def a_job(version: str, kind: str, name: str, spec: Any) -> Any:
    return {"apiVersion": f"kubeflow.org/{version}", "kind": kind, "metadata": {"name": name}, "spec": spec}


@pytest.mark.parametrize(("written", "read"), list(product(SPECS, SPECS)))
def test_a_job_of_any_version_is_served_at_any_other(server: Windlass, namespace: str, written: str, read: str) -> None:
    server.create(at(written, namespace), a_job(written, "TFJob", "any", SPECS[written]))

    shown = server.get(at(read, namespace, "any"))
    assert shown["apiVersion"] == f"kubeflow.org/{read}"
    (listed,) = server.get(at(read, namespace))["items"]
    assert listed["spec"] == shown["spec"]
    assert server.get(at(written, namespace, "any"))["spec"] == SPECS[written]
    label = server.patch(at(read, namespace, "any"), {"metadata": {"labels": {"seen": "yes"}}})
    assert label.status == 200, label.body
    again = server.get(at(written, namespace, "any"))
    assert (again["spec"], again["metadata"]["generation"]) == (SPECS[written], 1)


@pytest.mark.parametrize("version", SPECS)
def test_a_watch_tells_in_its_own_version(server: Windlass, namespace: str, version: str) -> None:
    server.create(at("v1", namespace), a_job("v1", "TFJob", "seen", SPECS["v1"]))

    def told() -> Any:
        answer = server.request("GET", f"{at(version, namespace)}?watch=1&timeoutSeconds=1")
        return [json.loads(line)["object"] for line in answer.body.splitlines()]

    first, *_ = eventually(told, 60, "an event")
    assert first["apiVersion"] == f"kubeflow.org/{version}"
    assert ("replicaSpecs" in first["spec"]) == (version == "v1alpha1")


@pytest.mark.parametrize(("created", "other"), [("v1", "v2beta1"), ("v2beta1", "v1")])
def test_an_mpijob_stays_what_it_was_created_as(server: Windlass, namespace: str, created: str, other: str) -> None:
    roles = {"Launcher": {"template": TEMPLATE}, "Worker": {"replicas": 1, "template": TEMPLATE}}
    job = a_job(created, "MPIJob", "mpi", {"mpiReplicaSpecs": roles, "runPolicy": REST})
    server.create(at(created, namespace, plural="mpijobs"), job)

    def replaced() -> bool:
        path = at(other, namespace, "mpi", "mpijobs")
        shown = server.get(path)
        shown["metadata"] = {key: shown["metadata"][key] for key in ("name", "resourceVersion")}
        shown["spec"]["slotsPerWorker"] = 2
        return server.request("PUT", path, shown).status == 200

    eventually(replaced, 60, "nobody else writes meanwhile")
    stored = server.get(at("v1", namespace, "mpi", "mpijobs"))
    said = stored["metadata"].get("annotations", {}).get(CREATED_AS)
    assert said == ("v2beta1" if created == "v2beta1" else None)
    assert stored["spec"]["slotsPerWorker"] == 2
