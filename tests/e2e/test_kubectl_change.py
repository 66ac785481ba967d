"""Changing what is there: label, annotate, patch in its forms, and edit."""

import json
import shlex
from typing import Any

import pytest

from tests.e2e.shell import DEPLOYMENT, WIDGET, Shell

pytestmark = pytest.mark.kubectl

_CONFLICT = "the object has been modified; please apply your changes to the latest version and try again"


def _patch(patch: Any) -> str:
    return f"-p {shlex.quote(json.dumps(patch))}"


@pytest.fixture
def web(kubectl: Shell) -> Shell:
    kubectl("apply -f -", DEPLOYMENT)
    return kubectl


def test_a_label_is_added_kept_overwritten_and_removed(kubectl: Shell) -> None:
    kubectl("create configmap one")
    assert kubectl("label configmap one color=red") == "configmap/one labeled"
    assert kubectl.fails("label configmap one color=blue") == (
        "error: 'color' already has a value (red), and --overwrite is false"
    )
    assert kubectl("label configmap one color=blue --overwrite") == "configmap/one labeled"
    assert kubectl("label configmap one --list") == "color=blue"
    assert kubectl("label configmap one color-") == "configmap/one unlabeled"
    assert kubectl.json("get configmap one")["metadata"].get("labels", {}) == {}


def test_labels_go_to_all_to_selected_and_to_files_objects(kubectl: Shell) -> None:
    kubectl.file("one.yaml", "apiVersion: v1\nkind: Service\nmetadata: {name: one}\nspec: {ports: [{port: 80}]}\n")
    kubectl("create -f one.yaml")
    kubectl("create service clusterip two --tcp=80")
    assert kubectl("label services --all team=a").splitlines() == ["service/one labeled", "service/two labeled"]
    assert kubectl("label services -l app=two size=big") == "service/two labeled"
    assert kubectl("label -f one.yaml file=yes") == "service/one labeled"
    assert kubectl("label service one tried=yes --dry-run=server") == "service/one labeled (server dry run)"
    assert kubectl.json("get service one")["metadata"]["labels"] == {"team": "a", "file": "yes"}


def test_a_bad_label_is_refused(kubectl: Shell) -> None:
    kubectl("create configmap one")
    said = kubectl.fails("label configmap one 'two words=x'")
    assert said.startswith(
        'The ConfigMap "one" is invalid: metadata.labels: Invalid value: "two words": name part must'
    )


def test_a_change_of_an_old_version_conflicts(kubectl: Shell) -> None:
    kubectl("create configmap one")
    version = kubectl("get configmap one -o jsonpath={.metadata.resourceVersion}")
    assert kubectl(f"label configmap one a=b --resource-version={version}") == "configmap/one labeled"
    assert _CONFLICT in kubectl.fails(f"label configmap one c=d --resource-version={version}")
    assert _CONFLICT in kubectl.fails(f"annotate configmap one c=d --resource-version={version}")


def test_an_annotation_is_added_kept_overwritten_and_removed(kubectl: Shell) -> None:
    kubectl("create configmap one")
    kubectl("annotate configmap one note='two words'")
    assert kubectl.fails("annotate configmap one note=other") == (
        "error: --overwrite is false but found the following declared annotation(s): "
        "'note' already has a value (two words)"
    )
    kubectl("annotate configmap one note=other --overwrite")
    assert kubectl("annotate configmap one --list") == "note=other"
    kubectl("annotate configmap one note-")
    assert "annotations" not in kubectl.json("get configmap one")["metadata"]


def test_a_strategic_patch_merges_lists_by_their_keys(web: Shell) -> None:
    containers = [{"name": "side", "image": "busybox"}]
    assert web(f"patch deployment web {_patch({'spec': {'template': {'spec': {'containers': containers}}}})}") == (
        "deployment.apps/web patched"
    )
    names = "get deployment web -o jsonpath='{.spec.template.spec.containers[*].name}'"
    assert sorted(web(names).split()) == ["main", "side"]
    containers = [{"name": "side", "$patch": "delete"}]
    web(f"patch deployment web {_patch({'spec': {'template': {'spec': {'containers': containers}}}})}")
    assert web(names) == "main"
    strategy = {"$retainKeys": ["type"], "type": "Recreate"}
    web(f"patch deployment web {_patch({'spec': {'strategy': strategy}})}")
    assert web.json("get deployment web")["spec"]["strategy"] == {"type": "Recreate"}


def test_a_patch_that_changes_nothing_says_so(kubectl: Shell) -> None:
    kubectl("create configmap one --from-literal=a=1")
    patch = _patch({"data": {"a": "1"}})
    assert kubectl(f"patch configmap one {patch}") == "configmap/one patched (no change)"


def test_a_patch_of_a_wrong_type_is_refused(web: Shell) -> None:
    said = web.fails("""patch deployment web -p '{"metadata":{"labels":"invalid"}}'""")

    assert "cannot restore map from string" in said


def test_a_merge_patch_replaces_lists_and_removes_by_null(web: Shell) -> None:
    env = [{"name": "ONLY", "value": "1"}]
    containers = [{"name": "main", "image": "nginx:1", "env": env}]
    patch = {
        "metadata": {"labels": {"app": None, "new": "1"}},
        "spec": {"template": {"spec": {"containers": containers}}},
    }
    web(f"patch deployment web --type=merge {_patch(patch)}")
    obj = web.json("get deployment web")
    assert obj["metadata"]["labels"] == {"new": "1"}
    assert obj["spec"]["template"]["spec"]["containers"][0]["env"] == env


def test_a_json_patch_runs_its_operations_or_none(kubectl: Shell) -> None:
    kubectl("create configmap one --from-literal=a=1")
    steps = [
        {"op": "test", "path": "/data/a", "value": "1"},
        {"op": "replace", "path": "/data/a", "value": "2"},
        {"op": "add", "path": "/data/b", "value": "3"},
        {"op": "copy", "from": "/data/b", "path": "/data/c"},
    ]
    kubectl(f"patch configmap one --type=json {_patch(steps)}")
    assert kubectl.json("get configmap one")["data"] == {"a": "2", "b": "3", "c": "3"}
    assert kubectl.fails(f"patch configmap one --type=json {_patch(steps)}") == (
        "The request is invalid: the server rejected our request due to an error in our request"
    )


def test_a_patch_may_be_yaml_and_from_a_file(web: Shell) -> None:
    web.file("patch.yaml", "spec:\n  replicas: 4\n")
    web("patch deployment web --patch-file patch.yaml")
    web("patch deployment web -p 'metadata: {labels: {from: yaml}}'")
    obj = web.json("get deployment web")
    assert (obj["spec"]["replicas"], obj["metadata"]["labels"]["from"]) == (4, "yaml")


def test_status_and_scale_are_patched_on_their_own(widgets: Shell) -> None:
    widgets("apply -f -", DEPLOYMENT + "---" + WIDGET)
    status = _patch({"status": {"replicas": 7}, "spec": {"replicas": 9}})
    assert widgets(f"patch deployment web --subresource=status --type=merge {status}") == "deployment.apps/web patched"
    widgets(f"patch widget lamp --subresource=status --type=merge {status}")
    assert widgets(f"patch deployment web --subresource=scale --type=merge {_patch({'spec': {'replicas': 3}})}") == (
        "scale.autoscaling/web patched"
    )
    deployment, widget = widgets.json("get deployment web"), widgets.json("get widget lamp")
    assert deployment["spec"]["replicas"] == 3
    assert (widget["spec"]["replicas"], widget["status"]) == (1, {"replicas": 7})
    assert (deployment["metadata"]["generation"], widget["metadata"]["generation"]) == (2, 1)


def test_what_may_not_change_is_refused(web: Shell) -> None:
    web("run one --image=nginx")
    changed = {"spec": {"containers": [{"name": "one", "image": "nginx", "command": ["sh"]}]}}
    said = web.fails(f"patch pod one {_patch(changed)}")
    assert said.startswith('The Pod "one" is invalid: spec: Forbidden: pod updates may not change fields other than')
    said = web.fails(f"patch deployment web {_patch({'metadata': {'name': 'other'}})}")
    assert said == (
        "Error from server (BadRequest): the name of the object (other) does not match the name on the URL (web)"
    )
    said = web.fails(f"patch deployment web --type=merge {_patch({'spec': {'replicas': -1}})}")
    assert said == (
        'The Deployment "web" is invalid: spec.replicas: Invalid value: -1: must be greater than or equal to 0'
    )
    assert web.fails(f"patch deployment nothing {_patch({})}") == (
        'Error from server (NotFound): deployments.apps "nothing" not found'
    )


def test_a_pods_image_may_be_patched(kubectl: Shell) -> None:
    kubectl("run one --image=nginx:1")
    patch = _patch({"spec": {"containers": [{"name": "one", "image": "nginx:2"}]}})
    assert kubectl(f"patch pod one {patch} -o jsonpath='{{.spec.containers[0].image}}'") == "nginx:2"
    assert kubectl("get pod one -o jsonpath={.metadata.generation}") == "2"


def test_a_custom_resource_takes_no_strategic_patch(widgets: Shell) -> None:
    widgets("apply -f -", WIDGET)
    patch = _patch({"spec": {"size": "large"}})
    assert "application/strategic-merge-patch+json is not supported by shop.example/v1, Kind=Widget" in widgets.fails(
        f"patch widget lamp {patch}"
    )
    assert widgets(f"patch widget lamp --type=merge {patch}") == "widget.shop.example/lamp patched"
    assert widgets.fails(f"patch widget lamp --type=merge {_patch({'spec': {'size': 'huge'}})}") == (
        'The Widget "lamp" is invalid: spec.size: Unsupported value: "huge": supported values: "small", "large"'
    )


def test_edit_saves_what_the_editor_changed(web: Shell) -> None:
    assert web("edit deployment web", EDITOR="sed -i s/nginx:1/nginx:2/") == "deployment.apps/web edited"
    assert web("get deployment web -o jsonpath={.spec.template.spec.containers[0].image}") == "nginx:2"
    assert web.run("edit deployment web", EDITOR="true").stderr == "Edit cancelled, no changes made.\n"


def test_edit_takes_many_objects_and_status(widgets: Shell) -> None:
    widgets("apply -f -", WIDGET)
    widgets("create configmap one --from-literal=size=small")
    answer = widgets("edit widget/lamp configmap/one", EDITOR="sed -i 's/size: small/size: large/'")
    assert answer.splitlines() == ["widget.shop.example/lamp edited", "configmap/one edited"]
    assert widgets.json("get widget lamp")["spec"]["size"] == "large"
    widgets.set_status("widget lamp", {"phase": "New"})
    widgets("edit widget lamp --subresource=status", EDITOR="sed -i s/New/Old/")
    assert widgets.json("get widget lamp")["status"] == {"phase": "Old"}


def test_an_edit_that_is_invalid_keeps_the_file_and_changes_nothing(kubectl: Shell) -> None:
    kubectl("create service clusterip one --tcp=80")
    said = kubectl.fails("edit service one", EDITOR="sed -i 's/protocol: TCP/protocol: CARRIER-PIGEON/'")
    assert 'services "one" is invalid' in said
    assert "A copy of your changes has been stored to" in said
    assert kubectl("get service one -o jsonpath={.spec.ports[0].protocol}") == "TCP"
