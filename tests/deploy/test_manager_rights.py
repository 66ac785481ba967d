"""The check that all stories end with: what controllers ask for is compared with the printed roles."""

import json
from typing import Any

import pytest

from tests.manager_rights import MANAGER, missing_rights
from windlass.apiserver.auth import credentials


def logged(controller: str, verb: str, resource: str, group: str = "", code: int = 200, **more: Any) -> bytes:
    ref = {"apiGroup": group, "resource": resource, "namespace": "ml", "name": "a"}
    ref |= {key: more.pop(key) for key in ("subresource", "name") if key in more}
    user_agent = f"windlass/{controller}" if controller else "windlass"
    event = {"verb": verb, "userAgent": user_agent, "objectRef": ref, "responseStatus": {"code": code}, **more}
    return json.dumps(event).encode() + b"\n"


def test_what_is_logged_is_what_the_embedded_manager_asks_for() -> None:
    assert credentials.MANAGER.name == MANAGER


@pytest.mark.parametrize(
    "allowed",
    [
        logged("notebook-controller", "patch", "statefulsets", "apps", 201),
        logged("volcano-podgroup", "get", "tfjobs", "kubeflow.org"),
        logged("volcano-podgroup", "get", "workflows", "argoproj.io"),
        logged("default-scheduler", "create", "pods", subresource="binding"),
        logged("default-scheduler", "create", "gangbindings", "node.windlass.dev"),
        logged("pipeline-workflows", "delete", "nodes", impersonatedUser={"username": "ada"}),
        logged("deployment", "delete", "nodes"),  # Kubernetes' own, which has its rights from the cluster
        logged("", "list", "nodes"),
        b'{"verb": "ge',
    ],
)
def test_a_request_that_the_roles_allow_is_not_reported(allowed: bytes) -> None:
    assert missing_rights(allowed) == []


@pytest.mark.parametrize(
    ("refused", "reported"),
    [
        (logged("notebook-controller", "delete", "nodes"), "notebook-controller: delete /nodes"),
        (logged("volcano-podgroup", "get", "rayclusters", "ray.io"), "volcano-podgroup: get ray.io/rayclusters"),
        (
            logged("tfjob-controller", "create", "pods", subresource="eviction"),
            "tfjob-controller: create /pods/eviction",
        ),
        (logged("notebook-controller", "patch", "nodes", code=201), "notebook-controller: create /nodes"),
        (logged("tfjob-controller", "get", "tfjobs", "kubeflow.org"), "tfjob-controller: get kubeflow.org/tfjobs"),
    ],
)
def test_a_request_that_they_do_not_allow_is_reported_with_its_controller(refused: bytes, reported: str) -> None:
    assert reported in missing_rights(refused + refused)
