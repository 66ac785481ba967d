"""The notebooks web app: every route, who may use it, and what bad input is answered."""

from collections.abc import Callable
from typing import Any

import pytest
import requests

from tests.apps.notebooks.web.test_form import a_form
from tests.gateway.browser import Person
from tests.gateway.platform import Platform
from tests.gateway.shared_platforms import NAMESPACE
from tests.gateway.webapps.app_client import App, app_of, field, refusal
from tests.support import eventually

LIST = f"/api/namespaces/{NAMESPACE}/notebooks"
CLAIMS = f"/api/v1/namespaces/{NAMESPACE}/persistentvolumeclaims"
NEW_CLAIM = {
    "metadata": {"name": "{notebook-name}-workspace"},
    "spec": {"accessModes": ["ReadWriteOnce"], "resources": {"requests": {"storage": "1Gi"}}},
}


NOTEBOOK = {
    "apiVersion": "kubeflow.org/v1",
    "kind": "Notebook",
    "metadata": {"name": "posted", "labels": {"app": "posted"}},
    "spec": {"template": {"spec": {"containers": [{"name": "posted", "image": "jupyter:1"}], "volumes": []}}},
}


@pytest.fixture(scope="module")
def app(platform: Platform, editor: Person) -> App:
    return app_of(platform, editor, "/jupyter")


@pytest.fixture(scope="module")
def outsider(platform: Platform, editor: Person, stranger: Person) -> App:
    return app_of(platform, stranger, "/jupyter")


def workspace(**metadata: str) -> dict[str, Any]:
    return {"mount": "/home/jovyan", "newPvc": {**NEW_CLAIM, "metadata": metadata or NEW_CLAIM["metadata"]}}


def claim_names(platform: Platform) -> set[str]:
    return {each["metadata"]["name"] for each in platform.api.get(CLAIMS)["items"]}


def test_the_page_sets_the_token_of_its_requests(app: App) -> None:
    page = app.get("/notebook/details/anything")

    assert page.status_code == 200
    name, *attributes = page.headers["Set-Cookie"].split("; ")
    assert len(name.removeprefix("XSRF-TOKEN=")) >= 43  # 32 random bytes
    # Upstream's cookies are each for the path of one app. Here one page calls all of them.
    assert "Path=/" in attributes
    assert "SameSite=Strict" in attributes
    assert "HttpOnly" not in attributes
    assert "no-store" in page.headers["Cache-Control"]


@pytest.mark.parametrize("path", ["/info", "/api/config"])
def test_the_user_is_in_every_answer(app: App, editor: Person, path: str) -> None:
    assert field(app.get(path), "user") == editor.email


@pytest.mark.parametrize("path", ["/healthz/other", "/info", "/api/config", LIST])
def test_nothing_but_health_is_open(platform: Platform, path: str) -> None:
    answer = requests.get(
        f"{platform.url}/jupyter{path}", headers={"Accept": "application/json"}, allow_redirects=False, timeout=30
    )

    assert answer.status_code == 401


def test_the_configuration_is_that_of_the_form(app: App) -> None:
    assert field(app.get("/api/config"), "config")["cpu"]["value"] == "0.5"


@pytest.mark.parametrize("key", ["storageclass.kubernetes.io", "storageclass.beta.kubernetes.io"])
def test_the_default_storage_class_is_found_by_its_annotation(app: App, platform: Platform, key: str) -> None:
    path = "/apis/storage.k8s.io/v1/storageclasses"
    metadata = {"name": key.replace("storageclass", "usual"), "annotations": {f"{key}/is-default-class": "true"}}
    for other in platform.api.get(path)["items"]:
        platform.api.request("DELETE", f"{path}/{other['metadata']['name']}")
    assert field(app.get("/api/storageclasses/default"), "defaultStorageClass") == ""

    platform.api.create(path, {"metadata": metadata, "provisioner": "example.com/none"})

    assert metadata["name"] in field(app.get("/api/storageclasses"), "storageClasses")
    assert field(app.get("/api/storageclasses/default"), "defaultStorageClass") == metadata["name"]
    platform.api.request("DELETE", f"{path}/{metadata['name']}")


def test_namespaces_are_those_of_the_user(app: App, outsider: App) -> None:
    assert field(app.get("/api/namespaces"), "namespaces") == [NAMESPACE]
    assert field(outsider.get("/api/namespaces"), "namespaces") == []


def test_gpu_vendors_are_those_of_nodes(app: App, platform: Platform) -> None:
    node = {"metadata": {"name": "gpu-node"}, "status": {"capacity": {"amd.com/gpu": "4", "cpu": "1"}}}
    platform.api.create("/api/v1/nodes", node)

    assert field(app.get("/api/gpus"), "vendors") == ["amd.com/gpu"]


def test_pod_defaults_have_a_label_and_a_description(app: App, platform: Platform) -> None:
    make_pod_default(platform, "with-secret", "use-secret", "ONE", desc="Adds the secret")

    found = {each["metadata"]["name"]: each for each in field(list_pod_defaults(app), "poddefaults")}

    assert (found["with-secret"]["label"], found["with-secret"]["desc"]) == ("use-secret", "Adds the secret")


def list_pod_defaults(app: App) -> requests.Response:
    return app.get(f"/api/namespaces/{NAMESPACE}/poddefaults")


def make_pod_default(platform: Platform, name: str, label: str, value: str, desc: str = "") -> None:
    spec = {"selector": {"matchLabels": {label: "true"}}, "env": [{"name": "SHARED", "value": value}], "desc": desc}
    path = f"/apis/kubeflow.org/v1alpha1/namespaces/{NAMESPACE}/poddefaults"
    body = {"apiVersion": "kubeflow.org/v1alpha1", "kind": "PodDefault", "metadata": {"name": name}, "spec": spec}
    platform.api.create(path, body)


def test_the_fields_of_the_first_spawner_are_accepted(app: App) -> None:
    form = a_form(name="old", cpu_guarantee="1", mem_guarantee="512M", extra_resource_limits='{"nvidia.com/gpu": 1}')
    old = {name: value for name, value in form.items() if name not in ("cpu", "memory", "gpus")}

    (*_, notebook) = field(app.post(f"{LIST}?dryRun=All", old), "objects")
    resources = notebook["spec"]["template"]["spec"]["containers"][0]["resources"]
    assert resources["requests"] == {"cpu": "1", "memory": "512M"}
    assert resources["limits"]["nvidia.com/gpu"] == 1

    assert "cpu_guarantee and cpu: both are given" in refusal(app.post(LIST, form), 400)


def test_the_life_of_a_notebook(app: App, platform: Platform, editor: Person) -> None:
    created = app.post(LIST, a_form(name="life", workspace=workspace()))
    assert "created" in field(created, "message")

    rows = {row["name"]: row for row in field(app.get(LIST), "notebooks")}
    assert rows["life"]["serverType"] == "jupyter"
    assert rows["life"]["shortImage"] == "jupyter-scipy:v1.10.0"
    assert (rows["life"]["cpu"], rows["life"]["memory"]) == ("0.5", "1.0Gi")
    assert rows["life"]["volumes"] == ["life-workspace", "dshm"]
    assert {"name": "life-workspace", "size": "1Gi", "mode": "ReadWriteOnce"} in field(
        app.get(f"/api/namespaces/{NAMESPACE}/pvcs"), "pvcs"
    )

    notebook = field(app.get(f"{LIST}/life"), "notebook")
    assert notebook["metadata"]["annotations"]["notebooks.kubeflow.org/creator"] == editor.email
    assert notebook["processed_status"]["phase"] in ("waiting", "warning")

    assert field(app.patch(f"{LIST}/life", {"stopped": True}), "success") is True
    assert "stopped already" in refusal(app.patch(f"{LIST}/life", {"stopped": True}), 409)
    eventually(lambda: phase_of(app, "life") == "stopped", 30, "the phase stopped")
    field(app.patch(f"{LIST}/life", {"stopped": False}), "success")
    field(app.patch(f"{LIST}/life", {"stopped": False}), "success")
    assert phase_of(app, "life") != "stopped"

    field(app.delete(f"{LIST}/life"), "message")
    eventually(lambda: app.get(f"{LIST}/life").status_code == 404, 30, "the notebook's end")
    assert "life-workspace" in claim_names(platform)


def phase_of(app: App, name: str) -> str:
    return field(app.get(f"{LIST}/{name}"), "notebook")["processed_status"]["phase"]


def test_the_pod_and_the_events_of_a_notebook(app: App, platform: Platform) -> None:
    field(app.post(LIST, a_form(name="with-pod")), "message")

    pod = eventually(lambda: found_pod(app, "with-pod"), 30, "the pod")

    assert pod["metadata"]["labels"]["notebook-name"] == "with-pod"
    for name in ("with-pod", "another"):
        make_event(platform, name)
    events = field(app.get(f"{LIST}/with-pod/events"), "events")
    assert {event["involvedObject"]["name"] for event in events} == {"with-pod"}
    assert {row["name"]: row["status"] for row in field(app.get(LIST), "notebooks")}["with-pod"]["phase"]
    refusal(app.get(f"{LIST}/with-pod/pod/no-such-pod/logs"), 404)
    refusal(app.get(f"{LIST}/no-such-notebook/pod"), 404)


def make_event(platform: Platform, notebook: str) -> None:
    about = {"apiVersion": "kubeflow.org/v1", "kind": "Notebook", "name": notebook, "namespace": NAMESPACE}
    event = {
        "metadata": {"name": f"{notebook}.1"},
        "involvedObject": about,
        "type": "Warning",
        "reason": "NameConflict",
    }
    platform.api.create(f"/api/v1/namespaces/{NAMESPACE}/events", event)


def found_pod(app: App, name: str) -> Any:
    answer = app.get(f"{LIST}/{name}/pod")
    return field(answer, "pod") if answer.status_code == 200 else None


def test_a_claim_with_a_generated_name_is_mounted(app: App, platform: Platform) -> None:
    field(app.post(LIST, a_form(name="generated", workspace=workspace(generateName="gen-"))), "message")

    spec = field(app.get(f"{LIST}/generated"), "notebook")["spec"]["template"]["spec"]
    name = spec["volumes"][0]["persistentVolumeClaim"]["claimName"]
    assert name.startswith("gen-")
    assert name in claim_names(platform)


def test_no_claim_is_left_when_the_notebook_cannot_be_made(app: App, platform: Platform) -> None:
    field(app.post(LIST, a_form(name="twice")), "message")

    refusal(app.post(LIST, a_form(name="twice", workspace=workspace())), 409)

    assert "twice-workspace" not in claim_names(platform)


def test_no_claim_is_left_when_a_later_claim_cannot_be_made(app: App, platform: Platform) -> None:
    volumes = [{"mount": f"/data/{number}", "newPvc": {**NEW_CLAIM, "metadata": {"name": "same"}}} for number in (1, 2)]

    refusal(app.post(LIST, a_form(name="same-claims", datavols=volumes)), 409)

    eventually(lambda: "same" not in claim_names(platform), 30, "the claim's end")
    refusal(app.get(f"{LIST}/same-claims"), 404)


def test_clashing_configurations_are_refused_by_name(app: App, platform: Platform) -> None:
    make_pod_default(platform, "clash-one", "clash", "1")
    make_pod_default(platform, "clash-two", "clash", "2")

    why = refusal(app.post(LIST, a_form(name="clashing", configurations=["clash"], workspace=workspace())), 400)

    assert all(part in why for part in ("SHARED", "clash-one", "clash-two"))
    assert "clashing-workspace" not in claim_names(platform)


def test_a_dry_run_answers_what_would_be_made_and_makes_nothing(app: App, platform: Platform) -> None:
    made = field(app.post(f"{LIST}?dryRun=All", a_form(name="tried", workspace=workspace())), "objects")

    assert [(each["kind"], each["metadata"]["name"]) for each in made] == [
        ("PersistentVolumeClaim", "tried-workspace"),
        ("Notebook", "tried"),
    ]
    refusal(app.get(f"{LIST}/tried"), 404)
    assert "tried-workspace" not in claim_names(platform)
    assert "name" in refusal(app.post(f"{LIST}?dryRun=All", a_form(name="Tried")), 400)
    assert "dryRun" in refusal(app.post(f"{LIST}?dryRun=maybe", a_form(name="tried")), 400)


def as_objects(app: App, **fields: Any) -> list[dict[str, Any]]:
    """What the form would make, to be posted as it is."""
    return field(app.post(f"{LIST}?dryRun=All", a_form(**fields)), "objects")


def test_a_notebook_is_made_from_objects_with_what_the_form_cannot_say(app: App, platform: Platform) -> None:
    objects = as_objects(app, name="as-yaml", workspace=workspace())
    objects[1]["spec"]["template"]["spec"]["terminationGracePeriodSeconds"] = 5

    assert field(app.post(f"{LIST}?dryRun=All", {"objects": objects}), "objects")[1]["kind"] == "Notebook"
    refusal(app.get(f"{LIST}/as-yaml"), 404)
    field(app.post(LIST, {"objects": objects}), "message")

    notebook = field(app.get(f"{LIST}/as-yaml"), "notebook")
    assert notebook["spec"]["template"]["spec"]["terminationGracePeriodSeconds"] == 5
    assert "as-yaml-workspace" in claim_names(platform)


def test_objects_are_checked_as_a_form_is_and_leave_nothing_behind(app: App, platform: Platform) -> None:
    make_pod_default(platform, "yaml-one", "yaml-clash", "1")
    make_pod_default(platform, "yaml-two", "yaml-clash", "2")
    objects = as_objects(app, name="yaml-clashing", workspace=workspace())
    objects[1]["metadata"]["labels"]["yaml-clash"] = "true"

    assert "yaml-two" in refusal(app.post(LIST, {"objects": objects}), 400)
    objects[1]["metadata"]["labels"].pop("yaml-clash")
    objects[1]["spec"]["template"]["spec"]["containers"][0]["image"] = 1
    assert "image" in refusal(app.post(LIST, {"objects": objects}), 422)
    assert "yaml-clashing-workspace" not in claim_names(platform)


@pytest.mark.parametrize(
    "call",
    [
        lambda app: app.get(LIST),
        lambda app: app.get(f"{LIST}/with-pod"),
        lambda app: app.get(f"{LIST}/with-pod/pod"),
        lambda app: app.get(f"{LIST}/with-pod/pod/with-pod-0/logs"),
        lambda app: app.get(f"{LIST}/with-pod/events"),
        lambda app: app.get(f"/api/namespaces/{NAMESPACE}/pvcs"),
        lambda app: list_pod_defaults(app),
        lambda app: app.post(LIST, a_form(name="foreign", workspace=workspace())),
        lambda app: app.post(LIST, {"objects": [NOTEBOOK]}),
        lambda app: app.patch(f"{LIST}/with-pod", {"stopped": True}),
        lambda app: app.delete(f"{LIST}/with-pod"),
    ],
)
def test_a_stranger_learns_nothing(outsider: App, call: Callable[[App], requests.Response]) -> None:
    here = refusal(call(outsider), 403)

    assert "forbidden" in here


def test_a_namespace_that_is_not_there_looks_the_same_to_a_stranger(outsider: App) -> None:
    there = refusal(outsider.get(LIST), 403)
    gone = refusal(outsider.get("/api/namespaces/no-such/notebooks"), 403)

    assert there.replace(f'"{NAMESPACE}"', '"X"') == gone.replace('"no-such"', '"X"')


@pytest.mark.parametrize(
    ("headers", "why"),
    [({"X-XSRF-TOKEN": None}, "header"), ({"X-XSRF-TOKEN": "another"}, "match")],
)
def test_a_request_without_the_token_is_refused(app: App, headers: dict[str, Any], why: str) -> None:
    assert why in refusal(app.send("DELETE", f"{LIST}/none", headers=headers), 403)


@pytest.mark.parametrize(
    "more",
    [
        {"data": "name=x"},
        {"data": "{", "headers": {"Content-Type": "application/json"}},
        {"data": b"\xff\xfe", "headers": {"Content-Type": "application/json"}},
        {"data": "[" * 100_000, "headers": {"Content-Type": "application/json"}},
        {"json": []},
        {"json": None},
        {"json": "text"},
        {"json": {}},
        {"json": {"name": 10**30}},
        {"json": {"name": {"a": 1}}},
    ],
)
@pytest.mark.parametrize(("method", "path"), [("POST", LIST), ("PATCH", f"{LIST}/any")])
def test_a_body_that_cannot_be_used_is_refused(app: App, method: str, path: str, more: dict[str, Any]) -> None:
    refusal(app.send(method, path, **more), 400)


@pytest.mark.parametrize(
    ("fields", "code", "why"),
    [
        ({"serverType": ["jupyter"]}, 400, "serverType"),
        ({"serverType": {}}, 400, "serverType"),
        ({"image": 7}, 400, "image"),
        ({"imagePullPolicy": "Sometimes"}, 422, "imagePullPolicy"),
        ({"configurations": ["not a label"]}, 422, "labels"),
        ({"gpus": []}, 400, "gpus"),
        ({"cpu": "1.7e308"}, 400, "cpu"),
        ({"cpu": True}, 400, "cpu"),
        ({"workspace": "home"}, 400, "workspace"),
        ({"workspace": workspace(name="Not A Name")}, 422, "Not A Name"),
        ({"workspace": workspace(name="x", namespace="other")}, 400, "namespace"),
        ({"datavols": {"mount": "/x"}}, 400, "datavols"),
        ({"datavols": [{"mount": "/x", "existingSource": {}}]}, 400, "existingSource"),
        ({"datavols": [{"mount": "/x", "existingSource": {"noSuchSource": {}}}]}, 400, "noSuchSource"),
        ({"environment": {"a=b": "c"}}, 422, "env"),
    ],
)
def test_fields_that_cannot_be_used_are_refused(app: App, fields: dict[str, Any], code: int, why: str) -> None:
    assert why in refusal(app.post(LIST, a_form(name="bad-fields", **fields)), code)


@pytest.mark.parametrize(
    ("method", "path", "code"),
    [
        ("GET", "/api/namespaces/..%2f..%2fsecrets/notebooks", 400),
        ("GET", f"{LIST}/..%2f..%2fsecrets", 400),
        ("GET", f"{LIST}/Not%20A%20Name", 400),
        ("GET", "/api/no-such-route", 404),
        ("PUT", LIST, 404),
        ("DELETE", f"{LIST}/no-such-notebook", 404),
    ],
)
def test_paths_that_name_nothing(app: App, method: str, path: str, code: int) -> None:
    refusal(app.send(method, path), code)
