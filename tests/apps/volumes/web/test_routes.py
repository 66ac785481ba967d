"""The volumes web app: every route, who may use it, and what bad input is answered."""

from collections.abc import Callable
from typing import Any

import pytest
import requests

from tests.gateway.browser import Person, a_person
from tests.gateway.platform import Platform
from tests.gateway.shared_platforms import NAMESPACE
from tests.gateway.webapps.app_client import App, app_of, field, refusal
from tests.support import eventually

LIST = f"/api/namespaces/{NAMESPACE}/pvcs"
VIEWERS = f"/api/namespaces/{NAMESPACE}/viewers"
CORE = f"/api/v1/namespaces/{NAMESPACE}"


def a_form(volume: str, **fields: Any) -> dict[str, Any]:
    return {"name": volume, "mode": "ReadWriteOnce", "class": "{empty}", "size": "2Gi", "type": "new", **fields}


def volumes(claim: str) -> dict[str, Any]:
    return {
        "containers": [{"name": "main", "image": "x"}],
        "volumes": [{"name": "data", "persistentVolumeClaim": {"claimName": claim}}],
    }


@pytest.fixture(scope="module")
def app(platform: Platform, editor: Person) -> App:
    return app_of(platform, editor, "/volumes")


def spec_of(app: App, name: str) -> dict[str, Any]:
    return field(app.get(f"{LIST}/{name}"), "pvc")["spec"]


def gone(app: App, path: str) -> bool:
    return app.get(path).status_code == 404


def test_the_life_of_a_volume(app: App) -> None:
    field(app.post(LIST, a_form("life")), "message")

    rows = {each["name"]: each for each in field(app.get(LIST), "pvcs")}
    assert (rows["life"]["capacity"], rows["life"]["modes"]) == ("2Gi", ["ReadWriteOnce"])
    assert rows["life"]["notebooks"] == []
    assert rows["life"]["viewer"]["status"] == "uninitialized"
    assert field(app.get(f"{LIST}/life/pods"), "pods") == []
    assert isinstance(field(app.get(f"{LIST}/life/events"), "events"), list)

    field(app.delete(f"{LIST}/life"), "message")
    eventually(lambda: gone(app, f"{LIST}/life"), 30, "the claim's end")


@pytest.mark.parametrize(
    ("fields", "storage_class", "source"),
    [
        ({"class": "{none}"}, "", None),
        ({"class": "special"}, "special", None),
        (
            {"class": "special", "type": "snapshot", "snapshot": "yesterday"},
            "special",
            {"apiGroup": "snapshot.storage.k8s.io", "kind": "VolumeSnapshot", "name": "yesterday"},
        ),
        (
            {"class": "special", "type": "clone", "source": "other"},
            "special",
            {"kind": "PersistentVolumeClaim", "name": "other"},
        ),
    ],
)
def test_classes_and_sources(app: App, fields: dict[str, Any], storage_class: str, source: Any) -> None:
    name = f"made-{storage_class or 'none'}-{fields.get('type', 'empty')}"
    field(app.post(LIST, a_form(name, **fields)), "message")

    spec = spec_of(app, name)
    assert spec["storageClassName"] == storage_class
    assert spec.get("dataSource") == source


def test_a_viewer_is_opened_and_closed(app: App) -> None:
    field(app.post(LIST, a_form("viewed")), "message")
    field(app.post(VIEWERS, {"name": "viewed"}), "message")

    rows = {each["name"]: each for each in field(app.get(LIST), "pvcs")}
    assert rows["viewed"]["viewer"]["status"] == "waiting"
    refusal(app.post(VIEWERS, {"name": "viewed"}), 409)
    field(app.delete(f"{VIEWERS}/viewed"), "message")
    refusal(app.post(VIEWERS, {"name": "no-such-claim"}), 404)


def test_a_viewer_goes_with_its_volume(app: App, platform: Platform) -> None:
    field(app.post(LIST, a_form("viewed-too")), "message")
    field(app.post(VIEWERS, {"name": "viewed-too"}), "message")

    field(app.delete(f"{LIST}/viewed-too"), "message")

    path = f"/apis/kubeflow.org/v1alpha1/namespaces/{NAMESPACE}/pvcviewers/viewed-too"
    eventually(lambda: platform.api.request("GET", path).status == 404, 30, "the viewer's end")


def test_a_volume_in_use_is_not_deleted(app: App, platform: Platform) -> None:
    field(app.post(LIST, a_form("used")), "message")
    stopped = {"kubeflow-resource-stopped": "2026-01-01T00:00:00Z"}
    objects: list[tuple[str, dict[str, Any]]] = [
        (f"{CORE}/pods", {"metadata": {"name": "user-pod"}, "spec": volumes("used")}),
        (
            f"/apis/kubeflow.org/v1/namespaces/{NAMESPACE}/notebooks",
            {
                "apiVersion": "kubeflow.org/v1",
                "kind": "Notebook",
                "metadata": {"name": "user-notebook", "annotations": stopped},
                "spec": {"template": {"spec": volumes("used")}},
            },
        ),
        (
            f"/apis/tensorboard.kubeflow.org/v1alpha1/namespaces/{NAMESPACE}/tensorboards",
            {
                "apiVersion": "tensorboard.kubeflow.org/v1alpha1",
                "kind": "Tensorboard",
                "metadata": {"name": "user-board"},
                "spec": {"logspath": "pvc://used/run"},
            },
        ),
        (
            f"/apis/batch/v1/namespaces/{NAMESPACE}/jobs",
            {
                "metadata": {"name": "user-job"},
                "spec": {"suspend": True, "template": {"spec": {**volumes("used"), "restartPolicy": "Never"}}},
            },
        ),
    ]
    for path, obj in objects:
        platform.api.create(path, obj)

    why = refusal(app.delete(f"{LIST}/used"), 409)

    for user in ("Pod user-pod", "Notebook user-notebook", "Tensorboard user-board", "Job user-job"):
        assert user in why
    rows = {each["name"]: each for each in field(app.get(LIST), "pvcs")}
    assert rows["used"]["notebooks"] == ["user-notebook"]
    pods = {pod["metadata"]["name"] for pod in field(app.get(f"{LIST}/used/pods"), "pods")}
    assert "user-pod" in pods


def test_objects_that_the_user_may_not_see_are_counted_and_not_named(platform: Platform, editor: Person) -> None:
    """Whoever may delete claims but list nothing else does not delete a claim from under a pod."""
    person = a_person(platform, "claims-only@example.com")
    rules = [
        {"apiGroups": [""], "resources": ["persistentvolumeclaims"], "verbs": ["*"]},
        {"apiGroups": ["apps"], "resources": ["deployments"], "verbs": ["list"]},
    ]
    rbac = f"/apis/rbac.authorization.k8s.io/v1/namespaces/{NAMESPACE}"
    platform.api.create(f"{rbac}/roles", {"metadata": {"name": "claims-only"}, "rules": rules})
    subject = {"apiGroup": "rbac.authorization.k8s.io", "kind": "User", "name": person.email}
    role = {"apiGroup": "rbac.authorization.k8s.io", "kind": "Role", "name": "claims-only"}
    binding = {"metadata": {"name": "claims-only"}, "roleRef": role, "subjects": [subject]}
    platform.api.create(f"{rbac}/rolebindings", binding)
    app = app_of(platform, person, "/volumes")
    field(app.post(LIST, a_form("hidden-use")), "message")
    platform.api.create(f"{CORE}/pods", {"metadata": {"name": "secret-pod"}, "spec": volumes("hidden-use")})

    why = refusal(app.delete(f"{LIST}/hidden-use"), 409)
    assert why == "PVC hidden-use is in use by 1 object that you may not see"

    template = {"metadata": {"labels": {"app": "web"}}, "spec": volumes("hidden-use")}
    deployment = {"replicas": 0, "selector": {"matchLabels": {"app": "web"}}, "template": template}
    path = f"/apis/apps/v1/namespaces/{NAMESPACE}/deployments"
    platform.api.create(path, {"metadata": {"name": "web"}, "spec": deployment})

    def why_now() -> str:
        return refusal(app.delete(f"{LIST}/hidden-use"), 409)

    expected = "in use by Deployment web and 1 object that you may not see"
    eventually(lambda: expected in why_now(), 10, "the Deployment alone, without its ReplicaSet")


def test_a_volume_that_cannot_be_resized_says_why(app: App) -> None:
    field(app.post(LIST, a_form("fixed", **{"class": "{none}"})), "message")

    answer = app.patch(f"{LIST}/fixed", {"size": "3Gi"})

    assert answer.status_code in (403, 422)
    assert answer.json()["log"]


@pytest.mark.parametrize("missing", ["name", "mode", "class", "size", "type"])
def test_every_field_is_required(app: App, missing: str) -> None:
    body = a_form("incomplete")
    del body[missing]

    assert missing in refusal(app.post(LIST, body), 400)


@pytest.mark.parametrize(
    ("fields", "code"),
    [
        ({"size": "a lot"}, 400),
        ({"size": "-1Gi"}, 400),
        ({"size": "nan"}, 400),
        ({"size": 10}, 400),
        ({"mode": "WriteOnly"}, 422),
        ({"name": "Not A Name"}, 422),
        ({"type": "snapshot"}, 400),
        ({"type": "clone"}, 400),
        ({"type": ["clone"]}, 400),
        ({"class": None}, 400),
    ],
)
def test_fields_that_cannot_be_used_are_refused(app: App, fields: dict[str, Any], code: int) -> None:
    refusal(app.post(LIST, a_form("bad", **fields)), code)


@pytest.mark.parametrize(
    ("method", "path", "body", "code"),
    [
        ("PATCH", f"{LIST}/none", {}, 400),
        ("PATCH", f"{LIST}/none", {"size": "1Gi"}, 404),
        ("POST", VIEWERS, {}, 400),
        ("POST", VIEWERS, {"name": "../pods"}, 400),
        ("DELETE", f"{VIEWERS}/none", None, 404),
        ("DELETE", f"{LIST}/none", None, 404),
        ("GET", f"{LIST}/none", None, 404),
    ],
)
def test_what_is_not_there(app: App, method: str, path: str, body: Any, code: int) -> None:
    refusal(app.send(method, path, json=body), code)


@pytest.mark.parametrize(
    "call",
    [
        lambda app: app.get(LIST),
        lambda app: app.get(f"{LIST}/used"),
        lambda app: app.get(f"{LIST}/used/pods"),
        lambda app: app.get(f"{LIST}/used/events"),
        lambda app: app.post(LIST, a_form("foreign")),
        lambda app: app.patch(f"{LIST}/used", {"size": "3Gi"}),
        lambda app: app.delete(f"{LIST}/used"),
        lambda app: app.post(VIEWERS, {"name": "used"}),
        lambda app: app.delete(f"{VIEWERS}/used"),
    ],
)
def test_a_stranger_learns_nothing(
    platform: Platform, editor: Person, stranger: Person, call: Callable[[App], requests.Response]
) -> None:
    assert "user-pod" not in refusal(call(app_of(platform, stranger, "/volumes")), 403)
