"""Two editors with a namespace each, and objects in both."""

from typing import Any

import pytest

from tests.gateway.browser import Person, a_person
from tests.gateway.platform import Platform
from tests.gateway.webapps.app_client import make_namespace, serve_kinds

OWN, SECRET = "views-own", "views-secret"
REQUESTS = {"requests": {"cpu": "1", "memory": "1Gi"}}


def a_training_job(name: str, namespace: str, *, suspend: bool = False) -> dict[str, Any]:
    container = {"name": "pytorch", "image": "python:3.11", "command": ["true"], "resources": REQUESTS}
    volumes = [{"name": "data", "persistentVolumeClaim": {"claimName": f"{namespace}-claim"}}]
    template = {"spec": {"containers": [container], "volumes": volumes}}
    return {
        "apiVersion": "kubeflow.org/v1",
        "kind": "PyTorchJob",
        "metadata": {"name": name, "namespace": namespace},
        "spec": {
            "runPolicy": {"suspend": suspend},
            "pytorchReplicaSpecs": {role: {"replicas": 1, "template": template} for role in ("Master", "Worker")},
        },
    }


def fill(platform: Platform, namespace: str) -> None:
    """An object of each kind that views show, named after its namespace."""
    core, name = f"/api/v1/namespaces/{namespace}", namespace
    claim = {"accessModes": ["ReadWriteOnce"], "resources": {"requests": {"storage": "1Gi"}}}
    platform.api.create(f"{core}/persistentvolumeclaims", {"metadata": {"name": f"{name}-claim"}, "spec": claim})
    platform.api.create(
        f"{core}/resourcequotas", {"metadata": {"name": f"{name}-quota"}, "spec": {"hard": {"pods": "9"}}}
    )
    about = {"kind": "Pod", "namespace": namespace, "name": f"{name}-pod", "apiVersion": "v1", "uid": f"{name}-uid"}
    event = {"metadata": {"name": f"{name}-event"}, "involvedObject": about, "type": "Warning", "reason": "FailedMount"}
    platform.api.create(f"{core}/events", {**event, "message": f"{name}-message"})
    jobs = f"/apis/kubeflow.org/v1/namespaces/{namespace}/pytorchjobs"
    platform.api.create(jobs, a_training_job(f"{name}-job", namespace))
    container = {"name": "x", "image": "python:3.11"}
    notebook = {"metadata": {"name": f"{name}-notebook"}, "spec": {"template": {"spec": {"containers": [container]}}}}
    platform.api.create(
        f"/apis/kubeflow.org/v1/namespaces/{namespace}/notebooks",
        {"apiVersion": "kubeflow.org/v1", "kind": "Notebook", **notebook},
    )
    group = "/apis/scheduling.volcano.sh/v1beta1"
    platform.api.create(
        f"{group}/namespaces/{namespace}/podgroups",
        {
            "apiVersion": "scheduling.volcano.sh/v1beta1",
            "kind": "PodGroup",
            "metadata": {"name": f"{name}-gang"},
            "spec": {"minMember": 2, "minResources": {"cpu": "64"}},
        },
    )


@pytest.fixture(scope="session")
def owner(platform: Platform) -> Person:
    """May do everything in `views-own` and nothing in `views-secret`; both have objects."""
    person, other = a_person(platform, "views-owner@example.com"), a_person(platform, "views-other@example.com")
    serve_kinds(platform)
    make_namespace(platform, OWN, person)
    make_namespace(platform, SECRET, other)
    for namespace in (OWN, SECRET):
        fill(platform, namespace)
    return person
