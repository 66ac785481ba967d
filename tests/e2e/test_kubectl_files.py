"""Many objects at once: lists, several documents, folders of files, and kustomizations."""

import json

import pytest

from tests.e2e.shell import Shell

pytestmark = pytest.mark.kubectl


def a_configmap(name: str, **data: str) -> dict[str, object]:
    return {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": name}, "data": data}


LISTS = f"""
apiVersion: v1
kind: List
items:
- {json.dumps(a_configmap("l1", key="3"))}
- {json.dumps(a_configmap("l2", key="1"))}
---
apiVersion: v1
kind: ConfigMapList
items:
- {json.dumps(a_configmap("l3", key="2"))}
---
# an empty document is no object
---
{json.dumps(a_configmap("l4"))}
"""


def test_lists_and_documents_are_taken_apart(kubectl: Shell) -> None:
    name = kubectl.file("lists.yaml", LISTS)

    created = kubectl(f"apply -f {name}")
    unchanged = kubectl(f"apply -f {name}")
    shown = kubectl(f"get -f {name} -o name")
    listed = kubectl.json("get configmap l1 l2")
    diff = kubectl(f"diff -f {name}")
    gone = kubectl(f"delete -f {name}")

    assert created.splitlines() == [f"configmap/l{n} created" for n in (1, 2, 3, 4)]
    assert unchanged.splitlines() == [f"configmap/l{n} unchanged" for n in (1, 2, 3, 4)]
    assert shown.split() == [f"configmap/l{n}" for n in (1, 2, 3, 4)]
    assert (listed["kind"], len(listed["items"])) == ("List", 2)
    assert diff == ""
    assert len(gone.splitlines()) == 4


def test_one_bad_document_does_not_stop_the_others(kubectl: Shell) -> None:
    done = kubectl.run("create -f -", f"---\n{json.dumps(a_configmap('Bad_'))}\n---\n{json.dumps(a_configmap('good'))}")

    assert done.returncode == 1
    assert done.stdout.strip() == "configmap/good created"
    assert '"Bad_" is invalid' in done.stderr


def test_folders_are_read_and_with_r_their_folders_too(kubectl: Shell) -> None:
    kubectl.file("all/a.json", json.dumps(a_configmap("a")))
    kubectl.file("all/deep/deeper/b.yaml", json.dumps(a_configmap("b")))
    kubectl.file("all/deep/notes.txt", "not a manifest")

    flat, deep = kubectl("apply -f all"), kubectl("apply -R -f all")

    assert flat == "configmap/a created"
    assert deep.splitlines() == ["configmap/a unchanged", "configmap/b created"]
    assert kubectl("get -R -f all -o name").split() == ["configmap/a", "configmap/b"]
    assert len(kubectl("delete -R -f all").splitlines()) == 2


def test_what_is_no_longer_in_the_folder_is_pruned(kubectl: Shell) -> None:
    for name in ("a", "b"):
        labelled = {**a_configmap(name), "metadata": {"name": name, "labels": {"app": "x"}}}
        kubectl.file(f"app/{name}.json", json.dumps(labelled))
    kubectl("apply -f app -l app=x")
    (kubectl.folder / "app" / "b.json").unlink()

    pruned = kubectl("apply -f app -l app=x --prune --prune-allowlist=core/v1/ConfigMap")

    assert pruned.splitlines() == ["configmap/a unchanged", "configmap/b pruned"]


BASE = """
resources: [deployment.yaml]
configMapGenerator:
- {name: conf, literals: [a=b]}
secretGenerator:
- {name: word, literals: [p=q]}
"""
DEPLOYMENT = """
apiVersion: apps/v1
kind: Deployment
metadata: {name: web}
spec:
  replicas: 1
  selector: {matchLabels: {app: web}}
  template:
    metadata: {labels: {app: web}}
    spec:
      containers:
      - {name: main, image: nginx, envFrom: [{configMapRef: {name: conf}}]}
"""
OVERLAY = """
resources: [../base]
namePrefix: dev-
labels: [{pairs: {stage: dev}}]
images: [{name: nginx, newTag: "1.2"}]
patches:
- target: {kind: Deployment, name: web}
  patch: |-
    - {op: replace, path: /spec/replicas, value: 3}
"""


def test_a_kustomization_is_applied_compared_and_deleted(kubectl: Shell) -> None:
    kubectl.file("base/kustomization.yaml", BASE)
    kubectl.file("base/deployment.yaml", DEPLOYMENT)
    kubectl.file("dev/kustomization.yaml", OVERLAY)

    created = kubectl("apply -k dev")
    again = kubectl("apply -k dev")
    diff = kubectl("diff -k dev")
    made = kubectl.json("get deployment dev-web")
    gone = kubectl("delete -k dev")

    assert [line.split()[1] for line in created.splitlines()] == ["created"] * 3
    assert [line.split()[1] for line in again.splitlines()] == ["unchanged"] * 3
    assert diff == ""
    assert (made["spec"]["replicas"], made["metadata"]["labels"]["stage"]) == (3, "dev")
    [container] = made["spec"]["template"]["spec"]["containers"]
    assert container["image"] == "nginx:1.2"
    assert container["envFrom"][0]["configMapRef"]["name"].startswith("dev-conf-")
    assert len(gone.splitlines()) == 3
