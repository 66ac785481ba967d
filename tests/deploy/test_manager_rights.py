"""The check that all stories end with: what controllers ask for is compared with the printed roles."""

import json
from pathlib import Path
from typing import Any

import pytest

from tests.manager_rights import MANAGER, audit_flags, check_rights, log_in, missing_rights
from windlass.apiserver.auth import credentials


def logged(controller: str, verb: str, resource: str, group: str = "", code: int = 200, **more: Any) -> bytes:
    ref = {"apiGroup": group, "resource": resource, "namespace": "ml", "name": "a"}
    ref |= {key: more.pop(key) for key in ("subresource", "name") if key in more}
    user_agent = f"windlass/{controller}" if controller else "windlass"
    event = {"verb": verb, "userAgent": user_agent, "objectRef": ref, "responseStatus": {"code": code}, **more}
    event = {"user": {"username": MANAGER}, **event}
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
        logged("", "create", "events"),  # of whichever controller
        logged("", "watch", "notebooks", "kubeflow.org"),
        logged("", "watch", "controllerrevisions", "apps"),  # for Kubernetes' own
        logged("", "delete", "nodes", user={"username": "ada"}),
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
        (logged("", "delete", "events"), "any controller: delete /events"),
        (logged("", "watch", "rayclusters", "ray.io"), "any controller: watch ray.io/rayclusters"),
    ],
)
def test_a_request_that_they_do_not_allow_is_reported_with_its_controller(refused: bytes, reported: str) -> None:
    assert reported in missing_rights(refused + refused)


def test_a_log_in_which_no_controller_is_named_shows_nothing(tmp_path: Path) -> None:
    audit_flags(tmp_path)
    log_in(tmp_path).write_bytes(logged("", "watch", "notebooks", "kubeflow.org"))
    with pytest.raises(AssertionError, match="no request names its controller"):
        check_rights(tmp_path)

    log_in(tmp_path).unlink()
    with pytest.raises(FileNotFoundError):
        check_rights(tmp_path)


def test_a_manager_that_never_got_to_ask_lacks_nothing(tmp_path: Path) -> None:
    check_rights(tmp_path)
    audit_flags(tmp_path)
    log_in(tmp_path).write_bytes(b"")
    check_rights(tmp_path)
