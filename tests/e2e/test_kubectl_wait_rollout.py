"""Waiting for things and rolling them out, on objects whose status is set here as their controller would set it."""

import pytest

from tests.e2e.shell import DEPLOYMENT, PAUSED, Shell, since
from tests.support import eventually

pytestmark = pytest.mark.kubectl


def test_wait_returns_when_a_condition_is_met(kubectl: Shell) -> None:
    kubectl("run one --image=nginx")
    assert kubectl.fails("wait --for=condition=Ready pod/one --timeout=0s").endswith(" pods/one")
    with kubectl.watching("wait --for=condition=Ready pod/one --timeout=60s") as waiter:
        kubectl.set_status("pod one", {"conditions": [{"type": "Ready", "status": "True"}]})
        assert waiter.ends() == "pod/one condition met\n"
    assert kubectl("wait --for=condition=Ready=True pod --all --timeout=5s") == "pod/one condition met"


def test_wait_returns_when_a_field_has_a_value(kubectl: Shell) -> None:
    kubectl("run one --image=nginx")
    with kubectl.watching("wait --for=jsonpath='{.status.phase}'=Running pod/one --timeout=60s") as waiter:
        kubectl.set_status("pod one", {"phase": "Running"})
        assert waiter.ends() == "pod/one condition met\n"


def test_wait_returns_when_objects_are_gone(kubectl: Shell) -> None:
    kubectl("create configmap one")
    with kubectl.watching("wait --for=delete configmap/one --timeout=60s") as waiter:
        kubectl("delete configmap one --wait=false")
        waiter.ends()
    assert kubectl("wait --for=delete configmap/one --timeout=5s") == ""


@since(31)
def test_wait_returns_when_an_object_is_created(kubectl: Shell) -> None:
    with kubectl.watching("wait --for=create configmap/later --timeout=60s") as waiter:
        kubectl("create configmap later")
        assert waiter.ends() == "configmap/later condition met\n"


def test_delete_waits_for_finalizers(kubectl: Shell) -> None:
    kubectl("create -f -", "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: held, finalizers: [example.com/hold]}\n")
    with kubectl.watching("delete configmap held") as deletion:
        deletion.until("deleted")
        eventually(lambda: kubectl("get configmap held -o jsonpath={.metadata.deletionTimestamp}"), 60)
        assert deletion.process.poll() is None
        kubectl('patch configmap held --type=merge -p \'{"metadata":{"finalizers":null}}\'')
        deletion.ends()
    assert kubectl("get configmap held --ignore-not-found") == ""


def test_rollout_status_follows_a_deployment_until_it_is_out(kubectl: Shell) -> None:
    kubectl("apply -f -", DEPLOYMENT)
    with kubectl.watching("rollout status deployment/web --timeout=90s") as rollout:
        for ready in (0, 1):
            rollout.until(
                f'Waiting for deployment "web" rollout to finish: {ready} of 2 updated replicas are available...'
            )
            pod = kubectl(f"get pods -o jsonpath={{.items[{ready}].metadata.name}}")
            kubectl.set_status(f"pod {pod}", {"phase": "Running", "conditions": [{"type": "Ready", "status": "True"}]})
        assert rollout.ends().splitlines()[-1] == 'deployment "web" successfully rolled out'


def test_rollout_status_fails_when_the_deadline_is_over(kubectl: Shell) -> None:
    kubectl("apply -f -", DEPLOYMENT.replace("replicas: 2", "replicas: 2\n  progressDeadlineSeconds: 1"))
    said = kubectl.fails("rollout status deployment/web --timeout=90s")
    assert said == 'error: deployment "web" exceeded its progress deadline'


def test_pause_resume_and_restart_change_the_template(kubectl: Shell) -> None:
    kubectl("apply -f -", DEPLOYMENT)
    assert kubectl("rollout pause deployment/web") == "deployment.apps/web paused"
    assert kubectl.fails("rollout pause deployment/web") == 'error: deployments.apps "web" is already paused'
    assert "can't restart paused deployment" in kubectl.fails("rollout restart deployment/web")
    assert kubectl("rollout resume deployment/web") == "deployment.apps/web resumed"
    assert kubectl("rollout restart deployment/web") == "deployment.apps/web restarted"
    annotations = kubectl.json("get deployment web")["spec"]["template"]["metadata"]["annotations"]
    assert list(annotations) == ["kubectl.kubernetes.io/restartedAt"]


@pytest.fixture
def two_revisions(kubectl: Shell) -> Shell:
    """A Deployment at its second revision, each with its cause."""
    for number in (0, 1):
        cause = f'annotations: {{kubernetes.io/change-cause: "image nginx:{number}"}}'
        text = DEPLOYMENT.replace("nginx:1", f"nginx:{number}").replace("  name: web\n", f"  name: web\n  {cause}\n", 1)
        kubectl("apply -f -", text)
        revision = "get deployment web -o jsonpath={.metadata.annotations.deployment\\\\.kubernetes\\\\.io/revision}"
        eventually(lambda number=number, line=revision: kubectl(line) == str(number + 1), 60)
    return kubectl


def test_history_lists_the_revisions(two_revisions: Shell) -> None:
    assert two_revisions.rows("rollout history deployment/web")[1:] == [
        ["REVISION", "CHANGE-CAUSE"],
        ["1", "image", "nginx:0"],
        ["2", "image", "nginx:1"],
    ]
    assert "nginx:0" in two_revisions("rollout history deployment/web --revision=1")
    assert two_revisions.fails("rollout history deployment/web --revision=7") == (
        "error: unable to find the specified revision"
    )


def test_undo_goes_back_to_the_revision_before_or_to_a_named_one(two_revisions: Shell) -> None:
    image = "get deployment web -o jsonpath={.spec.template.spec.containers[0].image}"
    assert two_revisions("rollout undo deployment/web") == "deployment.apps/web rolled back"
    assert two_revisions(image) == "nginx:0"
    assert two_revisions("rollout undo deployment/web --to-revision=2") == "deployment.apps/web rolled back"
    assert two_revisions(image) == "nginx:1"
    labels = two_revisions.json("get deployment web")["spec"]["template"]["metadata"]["labels"]
    assert labels == {"app": "web"}


def test_history_of_nothing_is_empty_and_undo_refused(kubectl: Shell) -> None:
    kubectl("apply -f -", PAUSED)
    assert kubectl("rollout history deployment/web").endswith("No rollout history found.")
    kubectl("rollout resume deployment/web")
    eventually(lambda: kubectl("get rs -o name"), 60)
    assert kubectl.fails("rollout undo deployment/web").startswith("error: no rollout history found for deployment")
