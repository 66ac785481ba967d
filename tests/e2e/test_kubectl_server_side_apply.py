"""Server-side apply as kubectl drives it: owners of fields, conflicts, force, and the move from client-side apply."""

from typing import Any

import pytest

from tests.e2e.shell import DEPLOYMENT, WIDGET, Shell
from tests.support import eventually

pytestmark = pytest.mark.kubectl

_MAP = "apiVersion: v1\nkind: ConfigMap\nmetadata: {{name: shared}}\ndata: {{{}}}\n"


def _managers(obj: Any) -> dict[tuple[str, str], Any]:
    return {(entry["manager"], entry["operation"]): entry["fieldsV1"] for entry in obj["metadata"]["managedFields"]}


def test_an_apply_owns_exactly_what_its_file_says(kubectl: Shell) -> None:
    assert kubectl("apply --server-side -f -", DEPLOYMENT) == "deployment.apps/web serverside-applied"

    managed = _managers(kubectl.json("get deployment web --show-managed-fields"))
    fields = managed["kubectl", "Apply"]
    assert set(fields["f:spec"]) == {"f:replicas", "f:selector", "f:template"}
    container = fields["f:spec"]["f:template"]["f:spec"]["f:containers"]['k:{"name":"main"}']
    assert set(container) == {".", "f:name", "f:image", "f:env"}
    assert 'k:{"name":"FIRST"}' in container["f:env"]


def test_an_apply_of_the_same_file_changes_nothing(kubectl: Shell) -> None:
    kubectl("apply --server-side -f -", DEPLOYMENT)

    def is_unchanged() -> bool:
        before = kubectl("get deployment web -o jsonpath={.metadata.resourceVersion}")
        kubectl("apply --server-side -f -", DEPLOYMENT)
        return kubectl("get deployment web -o jsonpath={.metadata.resourceVersion}") == before

    eventually(is_unchanged, 60, "the same, once the controllers are done with the status")


def test_another_managers_value_conflicts_until_it_is_forced(kubectl: Shell) -> None:
    kubectl("apply --server-side -f -", DEPLOYMENT)
    changed = DEPLOYMENT.replace("nginx:1", "nginx:2")
    said = kubectl.fails("apply --server-side --field-manager=ci -f -", changed)
    assert said.startswith(
        "error: Apply failed with 1 conflict: "
        'conflict with "kubectl": .spec.template.spec.containers[name="main"].image\n'
    )
    kubectl("apply --server-side --field-manager=ci --force-conflicts -f -", changed)

    obj = kubectl.json("get deployment web --show-managed-fields")
    assert obj["spec"]["template"]["spec"]["containers"][0]["image"] == "nginx:2"
    kept = _managers(obj)["kubectl", "Apply"]["f:spec"]["f:template"]["f:spec"]["f:containers"]['k:{"name":"main"}']
    assert "f:image" not in kept


def test_what_leaves_the_file_leaves_the_object(kubectl: Shell) -> None:
    full = """
apiVersion: v1
kind: ConfigMap
metadata: {name: one, labels: {a: b}, annotations: {c: d}, finalizers: [example.com/hold]}
data: {x: "1"}
"""
    kubectl("apply --server-side -f -", full)
    kubectl("apply --server-side -f -", "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: one}\n")

    obj = kubectl.json("get configmap one --show-managed-fields")
    assert set(obj) == {"apiVersion", "kind", "metadata"}
    assert set(obj["metadata"]) == {"creationTimestamp", "name", "namespace", "resourceVersion", "uid"}


def test_several_conflicts_are_told_by_manager(kubectl: Shell) -> None:
    kubectl("apply --server-side --field-manager=one -f -", _MAP.format("a: '1', b: '1'"))
    kubectl("apply --server-side --field-manager=two -f -", _MAP.format("c: '1'"))
    said = kubectl.fails("apply --server-side --field-manager=three -f -", _MAP.format("a: '2', b: '2', c: '2'"))
    assert said.startswith('error: Apply failed with 3 conflicts: conflicts with "one":\n- .data.a\n- .data.b\n')
    assert 'conflicts with "two":\n- .data.c' in said


def test_what_both_want_alike_is_shared_and_stays_until_both_let_go(kubectl: Shell) -> None:
    for manager in ("one", "two"):
        kubectl(f"apply --server-side --field-manager={manager} -f -", _MAP.format("a: '1'"))
    kubectl("apply --server-side --field-manager=one -f -", _MAP.format(""))
    assert kubectl.json("get configmap shared")["data"] == {"a": "1"}
    kubectl("apply --server-side --field-manager=two -f -", _MAP.format(""))
    assert "a" not in kubectl.json("get configmap shared").get("data", {})


def test_a_scaled_deployment_conflicts_with_a_file_that_sets_replicas(kubectl: Shell) -> None:
    kubectl("apply --server-side -f -", DEPLOYMENT.replace("  replicas: 2\n", ""))
    kubectl("scale deployment web --replicas=5")
    said = kubectl.fails("apply --server-side -f -", DEPLOYMENT)
    assert said.startswith("error: Apply failed with 1 conflict: conflict with ")
    assert ' with subresource "scale" using apps/v1: .spec.replicas\n' in said
    assert kubectl("apply --server-side -f -", DEPLOYMENT.replace("  replicas: 2\n", ""))
    assert kubectl("get deployment web -o jsonpath={.spec.replicas}") == "5"


def test_client_side_applied_objects_move_to_server_side_apply(kubectl: Shell) -> None:
    kubectl("apply -f -", DEPLOYMENT)
    fewer = DEPLOYMENT.replace('        - {name: SECOND, value: "2"}\n', "").replace("nginx:1", "nginx:2")
    kubectl("apply --server-side -f -", fewer)

    obj = kubectl.json("get deployment web --show-managed-fields")
    assert ("kubectl-client-side-apply", "Update") not in _managers(obj)
    [container] = obj["spec"]["template"]["spec"]["containers"]
    assert (container["image"], [entry["name"] for entry in container["env"]]) == ("nginx:2", ["FIRST"])
    assert kubectl("apply -f -", DEPLOYMENT) == "deployment.apps/web configured"


def test_a_dry_run_shows_the_result_and_keeps_nothing(kubectl: Shell) -> None:
    tried = kubectl.json("apply --server-side --dry-run=server -f -", DEPLOYMENT)
    assert tried["spec"]["strategy"]["type"] == "RollingUpdate"
    assert kubectl("get deployments -o name") == ""
    kubectl("apply --server-side -f -", DEPLOYMENT)
    answer = kubectl("apply --server-side --dry-run=server -f -", DEPLOYMENT.replace("nginx:1", "nginx:2"))
    assert answer == "deployment.apps/web serverside-applied (server dry run)"
    assert kubectl("get deployment web -o jsonpath={.spec.template.spec.containers[0].image}") == "nginx:1"


def test_custom_resources_are_owned_field_by_field(widgets: Shell) -> None:
    widgets("apply --server-side -f -", WIDGET)
    said = widgets.fails("apply --server-side --field-manager=ci -f -", WIDGET.replace("small", "large"))
    assert said.startswith('error: Apply failed with 1 conflict: conflict with "kubectl": .spec.size\n')
    widgets('patch widget lamp --type=merge --field-manager=hand -p \'{"spec":{"size":"large"}}\'')
    managed = _managers(widgets.json("get widget lamp --show-managed-fields"))
    assert managed["hand", "Update"] == {"f:spec": {"f:size": {}}}
    assert managed["kubectl", "Apply"] == {"f:spec": {"f:replicas": {}}}


def test_managed_fields_are_shown_only_when_asked_for(kubectl: Shell) -> None:
    kubectl("create configmap settings --from-literal=a=1")
    assert "managedFields" not in kubectl("get configmap settings -o yaml")
    managed = _managers(kubectl.json("get configmap settings --show-managed-fields"))
    assert managed == {("kubectl-create", "Update"): {"f:data": {".": {}, "f:a": {}}}}


def test_diff_server_side_tells_conflicts(kubectl: Shell) -> None:
    kubectl("apply --server-side -f -", DEPLOYMENT)
    changed = DEPLOYMENT.replace("nginx:1", "nginx:2")
    done = kubectl.run("diff --server-side --field-manager=ci -f -", changed)
    assert done.returncode > 1
    assert 'Apply failed with 1 conflict: conflict with "kubectl"' in done.stderr
    done = kubectl.run("diff --server-side --field-manager=ci --force-conflicts -f -", changed)
    assert done.returncode == 1
    assert "+        image: nginx:2" in done.stdout
