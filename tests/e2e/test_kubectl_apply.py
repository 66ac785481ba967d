"""Keeping objects as files say: client-side apply with its annotation, prune, diff and replace."""

import pytest

from tests.e2e.shell import DEPLOYMENT, WIDGET, Shell

pytestmark = pytest.mark.kubectl


def _config_map(name: str, **data: str) -> str:
    lines = "".join(f'\n  {key}: "{value}"' for key, value in data.items())
    return (
        f"apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: {name}\n  labels: {{set: one}}\ndata:{lines or ' {}'}\n"
    )


def test_apply_creates_then_changes_nothing_then_configures(kubectl: Shell) -> None:
    assert kubectl("apply -f -", DEPLOYMENT) == "deployment.apps/web created"
    assert kubectl("apply -f -", DEPLOYMENT) == "deployment.apps/web unchanged"
    assert kubectl("apply -f -", DEPLOYMENT.replace("nginx:1", "nginx:2")) == "deployment.apps/web configured"

    deployment = kubectl.json("get deployment web")
    assert deployment["metadata"]["generation"] == 2
    assert deployment["spec"]["template"]["spec"]["containers"][0]["image"] == "nginx:2"


def test_apply_removes_what_left_the_file_and_keeps_what_others_set(kubectl: Shell) -> None:
    kubectl("apply -f -", DEPLOYMENT)
    kubectl("annotate deployment web owner=jane")
    kubectl("set env deployment/web THIRD=3")
    kubectl("apply -f -", DEPLOYMENT.replace('        - {name: SECOND, value: "2"}\n', ""))

    deployment = kubectl.json("get deployment web")
    assert deployment["metadata"]["annotations"]["owner"] == "jane"
    env = deployment["spec"]["template"]["spec"]["containers"][0]["env"]
    assert [entry["name"] for entry in env] == ["FIRST", "THIRD"]


def test_apply_changes_unions_orders_and_atomic_lists_as_the_file_says(kubectl: Shell) -> None:
    before = """
  strategy: {type: RollingUpdate, rollingUpdate: {maxSurge: 1}}
  template:
    metadata: {labels: {app: web}}
    spec:
      volumes: [{name: data, emptyDir: {}}]
      tolerations: [{key: a, operator: Exists}]
      initContainers: [{name: one, image: a}, {name: two, image: b}]
      containers: [{name: main, image: a, args: [x, z], ports: [{containerPort: 80}, {containerPort: 53}]}]
"""
    after = (
        before.replace("{type: RollingUpdate, rollingUpdate: {maxSurge: 1}}", "{type: Recreate}")
        .replace("emptyDir: {}", "configMap: {name: settings}")
        .replace("key: a", "key: b")
        .replace("{name: one, image: a}, {name: two, image: b}", "{name: two, image: b}, {name: one, image: a}")
        .replace("[x, z]", "[w]")
        .replace("{containerPort: 80}, ", "")
    )
    head = DEPLOYMENT[: DEPLOYMENT.index("  template:")].rstrip()
    kubectl("apply -f -", head + before)
    kubectl("apply -f -", head + after)

    spec = kubectl.json("get deployment web")["spec"]
    pod = spec["template"]["spec"]
    assert spec["strategy"] == {"type": "Recreate"}
    assert pod["volumes"] == [{"name": "data", "configMap": {"name": "settings", "defaultMode": 420}}]
    assert [toleration["key"] for toleration in pod["tolerations"]] == ["b"]
    assert [container["name"] for container in pod["initContainers"]] == ["two", "one"]
    [main] = pod["containers"]
    assert (main["args"], [port["containerPort"] for port in main["ports"]]) == (["w"], [53])
    assert kubectl("apply -f -", head + after) == "deployment.apps/web unchanged"


def test_apply_warns_about_an_object_that_it_did_not_make(kubectl: Shell) -> None:
    kubectl("create configmap settings")
    assert "is missing the kubectl.kubernetes.io/last-applied-configuration annotation" in kubectl.warns(
        "apply -f -", _config_map("settings", a="1")
    )
    assert kubectl.json("get configmap settings")["data"] == {"a": "1"}


def test_apply_works_on_custom_resources(widgets: Shell) -> None:
    assert widgets("apply -f -", WIDGET) == "widget.shop.example/lamp created"
    assert widgets("apply -f -", WIDGET) == "widget.shop.example/lamp unchanged"
    assert widgets("apply -f -", WIDGET.replace("small", "large")) == "widget.shop.example/lamp configured"
    assert 'spec.size: Unsupported value: "huge": supported values: "small", "large"' in widgets.fails(
        "apply -f -", WIDGET.replace("small", "huge")
    )


def test_the_last_applied_configuration_can_be_seen_set_and_edited(kubectl: Shell) -> None:
    kubectl.file("map.yaml", _config_map("settings", a="1"))
    kubectl("create -f map.yaml")
    assert "no last-applied-configuration annotation found" in kubectl.fails("apply view-last-applied -f map.yaml")
    kubectl("apply set-last-applied -f map.yaml --create-annotation")
    assert 'a: "1"' in kubectl("apply view-last-applied configmap/settings")
    kubectl("apply edit-last-applied configmap/settings", EDITOR='sed -i \'s/a: "1"/a: "2"/\'')
    assert 'a: "2"' in kubectl("apply view-last-applied configmap settings")


def test_prune_deletes_what_is_labelled_and_no_longer_in_the_folder(kubectl: Shell) -> None:
    for name in ("one", "two", "three"):
        kubectl.file(f"maps/{name}.yaml", _config_map(name))
    prune = "apply -f maps --prune -l set=one --prune-allowlist=core/v1/ConfigMap"
    kubectl(prune)
    kubectl("create configmap stranger")
    (kubectl.folder / "maps/two.yaml").unlink()

    assert kubectl(prune).splitlines() == [
        "configmap/one unchanged",
        "configmap/three unchanged",
        "configmap/two pruned",
    ]
    assert [row[0] for row in kubectl.rows("get configmaps --no-headers -l set=one")] == [
        "one",
        "three",
    ]


def test_an_apply_set_prunes_its_own_members(kubectl: Shell) -> None:
    for name in ("one", "two"):
        kubectl.file(f"maps/{name}.yaml", _config_map(name))
    prune = "apply -f maps --prune --applyset=configmaps/members"
    kubectl(prune, KUBECTL_APPLYSET="true")
    (kubectl.folder / "maps/two.yaml").unlink()

    assert kubectl(prune, KUBECTL_APPLYSET="true").splitlines() == ["configmap/one unchanged", "configmap/two pruned"]
    assert "applyset.kubernetes.io/id" in kubectl.json("get configmap members")["metadata"]["labels"]


def test_apply_tries_on_the_server_without_changing(kubectl: Shell) -> None:
    assert kubectl("apply -f - --dry-run=server", DEPLOYMENT) == "deployment.apps/web created (server dry run)"
    kubectl("apply -f -", DEPLOYMENT)
    changed = DEPLOYMENT.replace("nginx:1", "nginx:2")
    assert kubectl("apply -f - --dry-run=server", changed) == "deployment.apps/web configured (server dry run)"
    assert kubectl("apply -f - --dry-run=client", changed) == "deployment.apps/web configured (dry run)"
    assert kubectl("get deployment web -o jsonpath={.spec.template.spec.containers[0].image}") == "nginx:1"


def test_apply_refuses_a_change_of_an_immutable_field(kubectl: Shell) -> None:
    kubectl("apply -f -", DEPLOYMENT)
    said = kubectl.fails("apply -f -", DEPLOYMENT.replace("app: web", "app: other"))
    assert "spec.selector: Invalid value: " in said
    assert said.endswith("field is immutable")


def test_diff_shows_what_apply_would_change(kubectl: Shell) -> None:
    kubectl("apply -f -", DEPLOYMENT)
    assert kubectl("diff -f -", DEPLOYMENT) == ""

    done = kubectl.run("diff -f -", DEPLOYMENT.replace("nginx:1", "nginx:2"))
    assert done.returncode == 1, done.stderr
    changed = [line for line in done.stdout.splitlines() if line[0] in "+-" and line[:3] not in ("+++", "---")]
    assert changed == [
        "-  generation: 1",
        "+  generation: 2",
        "-        image: nginx:1",
        "+        image: nginx:2",
    ]


def test_diff_shows_a_new_object_whole(kubectl: Shell) -> None:
    done = kubectl.run("diff --server-side -f -", _config_map("fresh", a="1"))
    assert done.returncode == 1, done.stderr
    assert '+  a: "1"' in done.stdout
    assert "\n-" not in done.stdout.replace("\n---", "")


def test_replace_swaps_the_whole_object(kubectl: Shell) -> None:
    assert kubectl.fails("replace -f -", _config_map("settings")) == (
        'Error from server (NotFound): error when replacing "STDIN": configmaps "settings" not found'
    )
    kubectl("create configmap settings --from-literal=old=1")
    assert kubectl("replace -f -", _config_map("settings", new="2")) == "configmap/settings replaced"
    assert kubectl.json("get configmap settings")["data"] == {"new": "2"}


def test_replace_with_an_old_version_conflicts(kubectl: Shell) -> None:
    kubectl("create configmap settings --from-literal=a=1")
    stale = kubectl("get configmap settings -o yaml")
    kubectl("label configmap settings touched=yes")
    said = kubectl.fails("replace -f -", stale)
    assert "Error from server (Conflict)" in said
    assert "the object has been modified; please apply your changes to the latest version and try again" in said


def test_replace_by_force_makes_a_new_object(kubectl: Shell) -> None:
    kubectl("apply -f -", DEPLOYMENT)
    before = kubectl("get deployment web -o jsonpath={.metadata.uid}")
    done = kubectl("replace --force -f -", DEPLOYMENT.replace("app: web", "app: other"))
    assert done.splitlines()[-1] == "deployment.apps/web replaced"
    assert kubectl("get deployment web -o jsonpath={.metadata.uid}") != before
