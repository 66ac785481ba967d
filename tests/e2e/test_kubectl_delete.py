"""delete: what goes along, what waits, what is only tried, and what it says."""

import json

import pytest

from tests.e2e.shell import Shell
from tests.support import eventually

pytestmark = pytest.mark.kubectl


def a_configmap(name: str, **metadata: object) -> str:
    return json.dumps({"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": name, **metadata}})


@pytest.fixture
def family(kubectl: Shell) -> Shell:
    """An owner and a dependent that blocks its deletion."""
    kubectl("create -f -", a_configmap("owner"))
    uid = kubectl.json("get cm owner")["metadata"]["uid"]
    reference = {"apiVersion": "v1", "kind": "ConfigMap", "name": "owner", "uid": uid, "blockOwnerDeletion": True}
    kubectl("create -f -", a_configmap("child", ownerReferences=[reference], labels={"family": "yes"}))
    return kubectl


def children(shell: Shell) -> list[str]:
    return shell("get cm -l family -o name").split()


def test_the_background_takes_the_dependents_later(family: Shell) -> None:
    assert family("delete cm owner --cascade=background") == 'configmap "owner" deleted'

    eventually(lambda: children(family) == [], 60, "the child is gone too")


def test_the_foreground_takes_them_first(family: Shell) -> None:
    family("""patch cm child --type=merge -p '{"metadata":{"finalizers":["example.com/hold"]}}'""")

    family("delete cm owner --cascade=foreground --wait=false")
    eventually(lambda: "deletionTimestamp" in family.json("get cm child")["metadata"], 60, "the child is asked to go")
    waiting = family.json("get cm owner")["metadata"]
    family("""patch cm child --type=merge -p '{"metadata":{"finalizers":null}}'""")
    family("wait --for=delete cm/owner --timeout=60s")

    assert waiting["finalizers"] == ["foregroundDeletion"]
    assert children(family) == []


def test_orphans_stay(family: Shell) -> None:
    family("delete cm owner --cascade=orphan")

    assert children(family) == ["configmap/child"]
    assert "ownerReferences" not in family.json("get cm child")["metadata"]


def test_a_deletion_waits_unless_told_not_to(kubectl: Shell) -> None:
    kubectl("create -f -", a_configmap("held", finalizers=["example.com/hold"]))

    assert kubectl("delete cm held --wait=false") == 'configmap "held" deleted'
    assert "timed out waiting for the condition" in kubectl.fails("delete cm held --timeout=1s")
    kubectl("""patch cm held --type=json -p '[{"op":"remove","path":"/metadata/finalizers"}]'""")
    assert "NotFound" in kubectl.fails("get cm held")


def test_a_pod_can_be_forced_out(kubectl: Shell) -> None:
    for name in ("a", "b", "c"):
        kubectl(f"run {name} --image=x")
    kubectl("""patch pod a --type=merge -p '{"metadata":{"labels":{"run":"a"}}}'""")

    forced = kubectl.run("delete pod a --force --grace-period=0")
    now = kubectl("delete pod b --now")

    assert forced.stdout.strip() == 'pod "a" force deleted'
    assert "Immediate deletion does not wait for confirmation" in forced.stderr
    assert now == 'pod "b" deleted'
    assert kubectl("delete pods -l run=c") == 'pod "c" deleted'
    assert kubectl("get pods") == ""


def test_a_deletion_can_be_tried(kubectl: Shell) -> None:
    kubectl("create -f -", a_configmap("x"))

    assert kubectl("delete cm x --dry-run=server") == 'configmap "x" deleted (server dry run)'
    assert kubectl("get cm x -o name") == "configmap/x"


def test_what_is_not_there_cannot_be_deleted(kubectl: Shell) -> None:
    assert kubectl.fails("delete cm nothing") == 'Error from server (NotFound): configmaps "nothing" not found'
    assert kubectl("delete cm nothing --ignore-not-found") == ""
    assert kubectl("delete cm -l no=such") == "No resources found"
    assert "no name was specified" in kubectl.fails("delete cm")


def test_all_of_many_kinds_go_at_once(kubectl: Shell) -> None:
    kubectl("create deployment web --image=nginx")
    kubectl("create service clusterip web --tcp=80")
    kubectl("run pod --image=x")

    gone = kubectl("delete all --all")

    assert {'deployment.apps "web" deleted', 'service "web" deleted', 'pod "pod" deleted'} <= set(gone.splitlines())
    eventually(lambda: kubectl("get all") == "", 60, "what the deployment had made is gone too")


def test_a_replacement_by_force_is_a_new_object(kubectl: Shell) -> None:
    kubectl("create -f -", a_configmap("x"))
    before = kubectl.json("get cm x")["metadata"]["uid"]

    said = kubectl("replace --force -f -", a_configmap("x"))

    assert said.splitlines() == ['configmap "x" deleted', "configmap/x replaced"]
    assert kubectl.json("get cm x")["metadata"]["uid"] != before
