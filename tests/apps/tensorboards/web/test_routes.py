"""The TensorBoards web app: every route, who may use it, and what bad input is answered."""

from collections.abc import Callable
from typing import Any

import pytest
import requests

from tests.apps.notebooks.web.test_routes import make_pod_default
from tests.gateway.browser import Person
from tests.gateway.platform import Platform
from tests.gateway.shared_platforms import NAMESPACE
from tests.gateway.webapps.app_client import App, app_of, field, refusal
from tests.support import eventually

LIST = f"/api/namespaces/{NAMESPACE}/tensorboards"


@pytest.fixture(scope="module")
def app(platform: Platform, editor: Person) -> App:
    return app_of(platform, editor, "/tensorboards")


def test_the_life_of_a_tensorboard(app: App) -> None:
    field(app.post(LIST, {"name": "board", "logspath": "pvc://no-such/run", "configurations": ["use-s3"]}), "message")

    rows = {each["name"]: each for each in field(app.get(LIST), "tensorboards")}
    assert rows["board"]["logspath"] == "pvc://no-such/run"
    assert rows["board"]["namespace"] == NAMESPACE
    assert rows["board"]["age"]
    assert rows["board"]["status"] == {
        "phase": "unavailable",
        "message": "The volume no-such does not exist",
        "state": "ClaimNotFound",
    }
    made = field(app.get(f"{LIST}/board"), "tensorboard")
    assert made["metadata"]["labels"]["use-s3"] == "true"
    assert isinstance(field(app.get(f"{LIST}/board/events"), "events"), list)

    refusal(app.post(LIST, {"name": "board", "logspath": "s3://x"}), 409)
    field(app.delete(f"{LIST}/board"), "message")
    eventually(lambda: app.get(f"{LIST}/board").status_code == 404, 30, "the board's end")


def test_the_dialog_needs_no_configurations(app: App) -> None:
    field(app.post(LIST, {"name": "plain", "logspath": "s3://bucket/run"}), "message")

    assert "plain" in {each["name"] for each in field(app.get(LIST), "tensorboards")}


def test_clashing_configurations_are_refused_by_name(app: App, platform: Platform) -> None:
    make_pod_default(platform, "board-one", "board-clash", "1")
    make_pod_default(platform, "board-two", "board-clash", "2")
    form = {"name": "clashing", "logspath": "s3://bucket/run", "configurations": ["board-clash"]}

    why = refusal(app.post(LIST, form), 400)

    assert all(part in why for part in ("SHARED", "board-one", "board-two"))
    refusal(app.get(f"{LIST}/clashing"), 404)
    field(app.post(LIST, {**form, "configurations": []}), "message")


def test_a_configuration_that_clashes_with_the_board_itself_is_refused(app: App, platform: Platform) -> None:
    spec = {
        "selector": {"matchLabels": {"own-logs": "true"}},
        "volumeMounts": [{"name": "mine", "mountPath": "/tensorboard_logs/"}],
    }
    path = f"/apis/kubeflow.org/v1alpha1/namespaces/{NAMESPACE}/poddefaults"
    platform.api.create(path, {"kind": "PodDefault", "metadata": {"name": "own-logs"}, "spec": spec})

    why = refusal(app.post(LIST, {"name": "own", "logspath": "pvc://logs", "configurations": ["own-logs"]}), 400)

    assert all(part in why for part in ("/tensorboard_logs/", "own-logs", "the pod"))


def test_the_claims_to_choose_from_are_names(app: App, platform: Platform) -> None:
    spec = {"accessModes": ["ReadWriteOnce"], "resources": {"requests": {"storage": "1Gi"}}}
    claim = {"metadata": {"name": "board-logs"}, "spec": spec}
    platform.api.create(f"/api/v1/namespaces/{NAMESPACE}/persistentvolumeclaims", claim)

    assert "board-logs" in field(app.get(f"/api/namespaces/{NAMESPACE}/pvcs"), "pvcs")


@pytest.mark.parametrize(
    ("body", "code"),
    [
        ({}, 400),
        ({"name": "x"}, 400),
        ({"name": "", "logspath": "s3://x"}, 400),
        ({"name": ["x"], "logspath": "s3://x"}, 400),
        ({"name": "x", "logspath": 7}, 400),
        ({"name": "x" * 51, "logspath": "s3://x"}, 400),
        ({"name": "Not A Name", "logspath": "s3://x"}, 422),
        ({"name": "x", "logspath": "s3://x", "configurations": "one"}, 400),
        ({"name": "x", "logspath": "s3://x", "configurations": [1]}, 400),
        ({"name": "x", "logspath": "s3://x", "configurations": ["not a label"]}, 422),
        ([], 400),
    ],
)
def test_a_form_that_cannot_be_used_is_refused(app: App, body: Any, code: int) -> None:
    refusal(app.post(LIST, body), code)


@pytest.mark.parametrize("path", [f"{LIST}/none", f"{LIST}/none/pod", f"{LIST}/none/pod/none/logs"])
def test_what_is_not_there(app: App, path: str) -> None:
    refusal(app.get(path), 404)


@pytest.mark.parametrize(
    "call",
    [
        lambda app: app.get(LIST),
        lambda app: app.get(f"{LIST}/plain"),
        lambda app: app.get(f"{LIST}/plain/events"),
        lambda app: app.get(f"/api/namespaces/{NAMESPACE}/pvcs"),
        lambda app: app.get(f"/api/namespaces/{NAMESPACE}/poddefaults"),
        lambda app: app.post(LIST, {"name": "foreign", "logspath": "s3://x"}),
        lambda app: app.delete(f"{LIST}/plain"),
    ],
)
def test_a_stranger_learns_nothing(
    platform: Platform, editor: Person, stranger: Person, call: Callable[[App], requests.Response]
) -> None:
    refusal(call(app_of(platform, stranger, "/tensorboards")), 403)
