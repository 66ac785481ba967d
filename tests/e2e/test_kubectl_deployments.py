"""Deployments and ReplicaSets as a person rolls them out, with pods that are said to be ready as a node would."""

from collections.abc import Callable

import pytest

from tests.e2e.shell import DEPLOYMENT, Shell
from tests.support import eventually

pytestmark = pytest.mark.kubectl
READY = {"phase": "Running", "conditions": [{"type": "Ready", "status": "True"}]}


def run_pods(kubectl: Shell) -> None:
    """Every pod that is not running yet runs and is ready."""
    path = f"/api/v1/namespaces/{kubectl.namespace}/pods"
    for pod in kubectl.server.get(path)["items"]:
        if pod["status"].get("phase") == "Pending":
            kubectl.server.patch(f"{path}/{pod['metadata']['name']}/status", {"status": READY})


def soon(kubectl: Shell, holds: Callable[[], bool], what: str) -> None:
    """Until it holds, with pods that start as they come."""

    def check() -> bool:
        run_pods(kubectl)
        return holds()

    eventually(check, 90, what)


def images(kubectl: Shell) -> list[str]:
    pods = kubectl.server.get(f"/api/v1/namespaces/{kubectl.namespace}/pods")["items"]
    return sorted(pod["spec"]["containers"][0]["image"] for pod in pods if "deletionTimestamp" not in pod["metadata"])


@pytest.fixture
def web(kubectl: Shell) -> Shell:
    """A Deployment of two pods of nginx:1, rolled out."""
    kubectl("apply -f -", DEPLOYMENT)
    with kubectl.watching("rollout status deployment/web --timeout=60s") as rollout:
        soon(kubectl, lambda: rollout.process.poll() is not None, "the rollout")
        assert rollout.ends().endswith('deployment "web" successfully rolled out\n')
    return kubectl


def test_a_deployment_is_seen_with_its_pods(web: Shell) -> None:
    assert web.rows("get deployment web")[1][:4] == ["web", "2/2", "2", "2"]
    [replica_set] = web.rows("get rs")[1:]
    assert replica_set[0].startswith("web-")
    assert replica_set[1:4] == ["2", "2", "2"]
    pods = web.rows("get pods")[1:]
    assert [row[0].startswith(f"{replica_set[0]}-") for row in pods] == [True, True]
    said = [" ".join(row) for row in web.rows("describe deployment web")]
    assert f"NewReplicaSet: {replica_set[0]} (2/2 replicas created)" in said
    assert "Available True MinimumReplicasAvailable" in said
    assert "Progressing True NewReplicaSetAvailable" in said
    scaled = f"Scaled up replica set {replica_set[0]} from 0 to 2"
    eventually(lambda: scaled in web("describe deployment web"), 60, "the event of the first scaling")
    eventually(lambda: "Created pod: web-" in web(f"describe rs {replica_set[0]}"), 60)
    assert ["Controlled", "By:", f"ReplicaSet/{replica_set[0]}"] in web.rows(f"describe pod {pods[0][0]}")


def test_a_new_image_is_rolled_out_and_taken_back(web: Shell) -> None:
    web("set image deployment/web main=nginx:2")
    web("annotate deployment web kubernetes.io/change-cause=second")
    with web.watching("rollout status deployment/web --timeout=60s") as rollout:
        soon(web, lambda: images(web) == ["nginx:2"] * 2, "the new image")
        soon(web, lambda: rollout.process.poll() is not None, "the rollout")
        rollout.ends()
    history = web.rows("rollout history deployment/web")
    assert [row[0] for row in history[2:]] == ["1", "2"]
    assert history[3][1] == "second"
    assert "nginx:1" in web("rollout history deployment/web --revision=1")

    assert web("rollout undo deployment/web") == "deployment.apps/web rolled back"
    soon(web, lambda: images(web) == ["nginx:1"] * 2, "the old image")
    assert [row[0] for row in web.rows("rollout history deployment/web")[2:]] == ["2", "3"]
    assert len(web.rows("get rs")) == 3
    assert web("rollout undo deployment/web --to-revision=2") == "deployment.apps/web rolled back"
    soon(web, lambda: images(web) == ["nginx:2"] * 2, "the new image again")


def test_a_restart_replaces_every_pod(web: Shell) -> None:
    before = set(web("get pods -o name").splitlines())
    web("rollout restart deployment/web")
    soon(web, lambda: not before & set(web("get pods -o name").splitlines()), "other pods")


def test_a_paused_deployment_rolls_when_it_is_resumed(web: Shell) -> None:
    web("rollout pause deployment/web")
    web("set image deployment/web main=nginx:2")
    web("scale deployment/web --replicas=3")
    soon(web, lambda: images(web) == ["nginx:1"] * 3, "the third pod")
    web("rollout resume deployment/web")
    soon(web, lambda: images(web) == ["nginx:2"] * 3, "the new image")


def test_recreate_has_no_two_images_at_once(kubectl: Shell) -> None:
    kubectl("apply -f -", DEPLOYMENT.replace("replicas: 2", "replicas: 2\n  strategy: {type: Recreate}"))
    soon(kubectl, lambda: images(kubectl) == ["nginx:1"] * 2, "the pods")
    kubectl("set image deployment/web main=nginx:2")

    def replaced() -> bool:
        found = images(kubectl)
        assert len(set(found)) <= 1
        return found == ["nginx:2"] * 2

    soon(kubectl, replaced, "the new image")


def test_what_is_deleted_comes_back_and_goes_with_its_owner(web: Shell) -> None:
    name = web("get pods -o jsonpath={.items[0].metadata.name}")
    web(f"delete pod {name} --now")
    soon(web, lambda: len(images(web)) == 2 and name not in web("get pods -o name"), "another pod")
    web("delete deployment web")
    eventually(lambda: web("get deployment,rs,pods -o name") == "", 60)


def test_pods_of_a_deployment_that_is_deleted_without_cascade_are_kept_and_adopted(web: Shell) -> None:
    pods = web("get pods -o name")
    web("delete deployment web --cascade=orphan")
    eventually(lambda: "ownerReferences" not in web.json("get rs")["items"][0]["metadata"], 60)
    web("apply -f -", DEPLOYMENT)
    eventually(lambda: "ownerReferences" in web.json("get rs")["items"][0]["metadata"], 60)
    assert web("get pods -o name") == pods


def test_a_rollout_that_a_quota_stops_says_why(kubectl: Shell) -> None:
    kubectl("create quota small --hard=pods=1")
    kubectl("apply -f -", DEPLOYMENT.replace("replicas: 2", "replicas: 4"))
    eventually(lambda: "ReplicaFailure" in kubectl("get deployment web -o jsonpath={.status.conditions[*].type}"), 60)
    said = kubectl("get deployment web -o jsonpath='{.status.conditions[?(@.type==\"ReplicaFailure\")].message}'")
    assert "exceeded quota: small" in said
    name = kubectl("get rs -o jsonpath={.items[0].metadata.name}")
    eventually(lambda: "Error creating: pods" in kubectl(f"describe rs {name}"), 60)
