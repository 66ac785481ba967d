"""The running platforms that tests of the gateway and of the apps in a process share, and people on them."""

from collections.abc import Iterator
from typing import Any

import pytest

from tests.gateway.browser import Person, a_person
from tests.gateway.platform import Platform
from tests.gateway.webapps.app_client import make_namespace, serve_kinds

NAMESPACE = "web-apps"
OWN, SECRET = "views-own", "views-secret"
REQUESTS = {"requests": {"cpu": "1", "memory": "1Gi"}}


@pytest.fixture(scope="session")
def platform(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Platform]:
    """Server, manager and gateway, without a node. Shared: make users and namespaces of your own."""
    flags, environment = ["--no-node", "--registration-flow"], {"WINDLASS_INGRESS_TOKENS": "true"}
    running = Platform(tmp_path_factory.mktemp("gateway"), flags, environment=environment)
    running.up()
    yield running
    running.down()


UNHEEDED = {
    "APP_DISABLE_AUTH": "true",
    "BACKEND_MODE": "dev",
    "DEV": "true",
    "DISABLE_AUTH": "true",
    "KUBEFLOW_USERID_HEADER": "x-user",
    "USERID_HEADER": "x-user",
}
"""Variables by which Katib's UI and the web apps turn authentication off."""


@pytest.fixture(scope="session")
def lone_platform(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Platform]:
    """As a person starts it on a laptop, with the first user alone. Leave no other user behind."""
    running = Platform(tmp_path_factory.mktemp("alone"), ["--no-node"], environment=UNHEEDED)
    running.up()
    yield running
    running.down()


@pytest.fixture(scope="session")
def editor(platform: Platform) -> Person:
    """May use the web apps in the namespace `web-apps`."""
    person = a_person(platform, "web-apps-editor@example.com")
    serve_kinds(platform)
    make_namespace(platform, NAMESPACE, person)
    return person


@pytest.fixture(scope="session")
def stranger(platform: Platform) -> Person:
    return a_person(platform, "web-apps-stranger@example.com")


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
