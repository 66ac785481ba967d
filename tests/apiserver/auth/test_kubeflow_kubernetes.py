"""What owners, editors and viewers of a profile's namespace may do with Kubernetes' own kinds."""

import pytest

from .test_kubeflow import may

RBAC = "rbac.authorization.k8s.io"


@pytest.mark.parametrize(
    ("verb", "group", "resource", "subresource", "least"),
    [
        ("list", "", "pods", "", "view"),
        ("get", "", "pods", "log", "view"),
        ("list", "", "events", "", "view"),
        ("list", "apps", "deployments", "", "view"),
        ("list", "batch", "jobs", "", "view"),
        ("list", "networking.k8s.io", "ingresses", "", "view"),
        ("list", "kubeflow.org", "poddefaults", "", "view"),
        ("get", "", "secrets", "", "edit"),
        ("create", "", "secrets", "", "edit"),
        ("create", "", "pods", "", "edit"),
        ("create", "", "pods", "exec", "edit"),
        ("create", "", "pods", "portforward", "edit"),
        ("impersonate", "", "serviceaccounts", "", "edit"),
        ("create", "policy", "poddisruptionbudgets", "", "edit"),
        ("create", "networking.k8s.io", "networkpolicies", "", "edit"),
        ("create", "kubeflow.org", "poddefaults", "", "edit"),
        ("create", RBAC, "rolebindings", "", "admin"),
        ("delete", RBAC, "roles", "", "admin"),
        ("create", "authorization.k8s.io", "localsubjectaccessreviews", "", "admin"),
        ("create", "", "resourcequotas", "", "nobody"),
        ("update", "security.istio.io", "authorizationpolicies", "", "nobody"),
    ],
)
def test_each_role_adds_to_the_one_below(verb: str, group: str, resource: str, subresource: str, least: str) -> None:
    levels = ["view", "edit", "admin"]
    allowed = [level for level in levels if may(f"kubeflow-{level}", verb, group, resource, subresource)]

    assert allowed == (levels[levels.index(least) :] if least in levels else [])
