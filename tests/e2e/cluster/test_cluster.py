"""The move to a cluster: manifests applied, controllers, webhooks and leader election against a server that knows
nothing of them."""

import copy
import json
import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest
import yaml

from tests.e2e.cluster.bare import Right, rights_of
from tests.e2e.cluster.environment import make_environment
from tests.e2e.cluster.installed import USER, Cluster
from tests.e2e.node.pods import Object
from tests.e2e.training.jobs import JobShell, job, template
from tests.support import eventually
from windlass.apps.training.app import APP as TRAINING
from windlass.cli.manifests import parts
from windlass.deploy.manager_permissions import cluster_rules, lease_rules, secret_rules
from windlass.kube.json import dig

pytestmark = [pytest.mark.kubectl, pytest.mark.timeout(300)]

FOREIGN = "jobs.example"
"""A group of which no part of the embedded server knows anything: what happens to its objects, webhooks did."""
TRUE = template("PyTorchJob", "busybox", ["true"])
DEPLOYMENT = "/apis/apps/v1/namespaces/windlass/deployments/windlass-manager"
LEASE = "/apis/coordination.k8s.io/v1/namespaces/windlass/leases/windlass-manager"


def test_a_job_runs_to_its_end_under_a_leader(cluster: Cluster, kubectl: JobShell) -> None:
    kubectl("apply -f -", json.dumps(job("PyTorchJob", "demo", {"Master": 1, "Worker": 1}, TRUE)))

    kubectl.is_done("pytorchjobs/demo")
    assert cluster.platform.get(LEASE)["spec"]["holderIdentity"]


def test_what_is_printed_is_accepted_by_strict_validation(cluster: Cluster) -> None:
    assert len(cluster.applied.stdout.splitlines()) == len(parts("all", "windlass", ""))
    assert cluster.applied.stderr == ""


@pytest.fixture(scope="module")
def foreign(cluster: Cluster) -> Iterator[None]:
    """PyTorchJob and TFJob in a group of their own, with the printed webhooks."""
    crds = [crd for crd in parts("crds", "", "", cluster.webhook_url) if _kind(crd) in ("PyTorchJob", "TFJob")]
    bundle = dig(cluster.validator(), "webhooks")[0]["clientConfig"]["caBundle"]
    for crd in crds:
        crd["metadata"]["name"] = crd["metadata"]["name"].replace("kubeflow.org", FOREIGN)
        crd["spec"]["group"] = FOREIGN
        if crd["spec"]["conversion"]["strategy"] == "Webhook":
            crd["spec"]["conversion"]["webhook"]["clientConfig"]["caBundle"] = bundle
    validator = copy.deepcopy(cluster.validator())
    validator["metadata"] = {"name": f"validator.{FOREIGN}"}
    for webhook in validator["webhooks"]:
        webhook["rules"][0]["apiGroups"] = [FOREIGN]
    made = yaml.safe_dump_all([*crds, validator])
    cluster.platform.kubectl("apply --server-side -f -", stdin=made)
    for crd in crds:
        name = crd["metadata"]["name"]
        cluster.platform.kubectl(f"wait --for=condition=Established crd/{name} --timeout=60s")
    yield
    cluster.platform.kubectl("delete -f -", stdin=made)


def _kind(crd: Object) -> str:
    return crd["spec"]["names"]["kind"]


@pytest.mark.usefixtures("foreign")
def test_a_bad_job_is_refused_by_the_webhook_in_upstreams_words(kubectl: JobShell) -> None:
    bad = job("PyTorchJob", "bad", {"Master": 2, "Worker": 1}, template("PyTorchJob", "", ["true"]))

    told = kubectl.fails("create -f -", json.dumps({**bad, "apiVersion": f"{FOREIGN}/v1"}))

    assert 'admission webhook "validator.pytorchjob.training-operator.kubeflow.org" denied the request: [' in told
    assert "spec.pytorchReplicaSpecs[Master].replicas: Forbidden: must be 1" in told
    assert "spec.pytorchReplicaSpecs[Worker].template.spec.containers[0].image: Required value" in told


@pytest.mark.usefixtures("foreign")
def test_what_is_only_unwise_is_let_in_with_the_webhooks_warning(kubectl: JobShell) -> None:
    unwise = job("PyTorchJob", "unwise", {"Worker": 1}, {"spec": {**TRUE["spec"], "restartPolicy": "Always"}})

    told = kubectl.warns("create -f -", json.dumps({**unwise, "apiVersion": f"{FOREIGN}/v1"}))

    assert "spec.pytorchReplicaSpecs[Worker].template.spec.restartPolicy: Always is overwritten" in told


@pytest.mark.usefixtures("foreign")
def test_an_old_job_is_converted_by_the_webhook_and_reads_back_as_it_was_written(kubectl: JobShell) -> None:
    old = {
        "apiVersion": f"{FOREIGN}/v1alpha2",
        "kind": "TFJob",
        "metadata": {"name": "old"},
        "spec": {
            "cleanPodPolicy": "All",
            "unheardOf": {"field": 1},
            "tfReplicaSpecs": {"Worker": {"template": template("TFJob", "busybox", ["true"]), "stray": True}},
        },
    }

    kubectl("create -f -", json.dumps(old))

    stored = kubectl.json(f"get tfjobs.v1.{FOREIGN} old")
    assert stored["spec"]["runPolicy"]["cleanPodPolicy"] == "All"
    assert "cleanPodPolicy" not in stored["spec"]
    assert kubectl.json(f"get tfjobs.v1alpha2.{FOREIGN} old")["spec"] == old["spec"]


def test_another_manager_stands_by_and_takes_over(cluster: Cluster, kubectl: JobShell) -> None:
    leader = eventually(lambda: _leader(cluster), 60, "one leads")
    cluster.start_manager("second")
    assert _leader(cluster) == leader

    cluster.end("first")
    eventually(lambda: _leader(cluster) not in ("", leader), 120, "another leads")
    cluster.start_manager("third", "--webhook-port", str(cluster.webhook_port))  # it stands by, and answers reviews
    kubectl("apply -f -", json.dumps(job("PyTorchJob", "after", {"Worker": 1}, TRUE)))

    kubectl.is_done("pytorchjobs/after")


def _leader(cluster: Cluster) -> str:
    return cluster.platform.get(LEASE)["spec"].get("holderIdentity") or ""


CPU = {"name": "cpu", "target": {"type": "Utilization", "averageUtilization": 80}}
SUSPEND = json.dumps({"spec": {"runPolicy": {"suspend": True}}})
WORKER_SET = "statefulsets/chainer-workerset-first"


def chainer_job(*worker_sets: str) -> Object:
    pod = {"spec": {"containers": [{"name": "chainer", "image": "busybox", "command": ["sleep", "inf"]}]}}
    spec = {"master": {"template": pod}, "workerSets": {name: {"template": pod} for name in worker_sets}}
    return {"apiVersion": "kubeflow.org/v1alpha1", "kind": "ChainerJob", "metadata": {"name": "chainer"}, "spec": spec}


def test_the_printed_rights_are_enough_and_no_more(cluster: Cluster, kubectl: JobShell) -> None:
    killed = template("PyTorchJob", "busybox", ["sh", "-c", "exit 137"])
    policy = {"backoffLimit": 1, "ttlSecondsAfterFinished": 0}
    elastic = {"minReplicas": 1, "maxReplicas": 2, "metrics": [{"type": "Resource", "resource": CPU}]}
    idle = template("PyTorchJob", "busybox", ["sleep", "inf"])
    by_exec = job("MPIJob", "exec", {"Launcher": 1, "Worker": 1}, template("MPIJob", "busybox", ["sleep", "inf"]))
    kubectl.apply(
        job("PyTorchJob", "killed", {"Worker": 1}, killed, "ExitCode", runPolicy=policy),
        job("PyTorchJob", "elastic", {"Worker": 1}, idle, elasticPolicy=elastic),
        by_exec,
        {**by_exec, "apiVersion": "kubeflow.org/v2beta1", "metadata": {"name": "ssh"}},
        chainer_job("first", "second"),
    )
    kubectl.gone("pytorchjobs/killed")
    kubectl.until("configmaps/exec-config", bool)
    kubectl.until("jobs/ssh-launcher", lambda launcher: not launcher["spec"].get("suspend"))
    kubectl.until(WORKER_SET, bool)
    kubectl.apply(chainer_job("second"))
    for kind, name in (("pytorchjobs", "elastic"), ("mpijobs", "exec"), ("mpijobs", "ssh")):
        kubectl(f"patch {kind}.kubeflow.org {name} --type=merge -p '{SUSPEND}'")
    kubectl.gone("configmaps/exec-config")
    kubectl.gone(WORKER_SET)

    eventually(lambda: not unused(cluster), 120, f"every right is used: {unused(cluster)}")
    assert refused(cluster, kubectl.namespace) == []


def unused(cluster: Cluster) -> set[Right]:
    used = {right for event in cluster.audited() for right in rights_of(event)}
    return {right for right in granted() if not is_elsewhere(*right)} - used


def granted() -> set[Right]:
    rules = [*cluster_rules([TRAINING]), *lease_rules("windlass-manager"), *secret_rules("")]
    return {
        (verb, rule["apiGroups"][0], resource)
        for rule in rules
        for verb in rule["verbs"]
        for resource in rule["resources"]
    }


def is_elsewhere(verb: str, group: str, resource: str) -> bool:
    """Whether a right is for what does not happen here, or only in a while."""
    other_kinds = group == "kubeflow.org" and not resource.startswith("pytorchjobs")
    other_gangs = group in ("scheduling.x-k8s.io", "scheduling.incubator.k8s.io")
    handed_on = (verb, resource) in (("get", "pods"), ("create", "pods/exec"), ("get", "statefulsets"))
    guarded = resource.endswith("/finalizers")
    repeated = (verb, resource) in (("update", "secrets"), ("patch", "events"))
    listed = verb == "list"  # this server's watches begin with what is there
    absent_kinds = (verb, resource) == ("watch", "customresourcedefinitions")  # here, every kind is served
    return other_kinds or other_gangs or handed_on or guarded or repeated or listed or absent_kinds


def refused(cluster: Cluster, namespace: str) -> list[str]:
    """What was asked for in vain; not in other tests' namespaces, where nothing may be made any more."""
    places = (None, namespace, "windlass")
    told = [event for event in cluster.audited() if event["responseStatus"]["code"] == 403]
    return [event["requestURI"] for event in told if dig(event, "objectRef", "namespace") in places]


@pytest.fixture
def image() -> Iterator[Path]:
    """An environment that stands for the manager's image; not below /tmp, where its pod has a volume of its own."""
    folder = Path(tempfile.mkdtemp(prefix="windlass-image-", dir="/var/tmp"))
    folder.chmod(0o755)
    make_environment(folder)
    yield folder
    shutil.rmtree(folder, ignore_errors=True)


def test_the_printed_deployment_takes_over_and_is_asked_through_its_service(
    cluster: Cluster, kubectl: JobShell, image: Path
) -> None:
    if USER != "root" or not cluster.platform.runtime().startswith("windlass-sandbox:"):
        pytest.skip("the Deployment runs as a user that a node has only where it is root's, and has sandboxes")
    data = ("--data-dir", str(cluster.platform.data_dir))
    cluster.windlass("images", "add", "windlass:*", "--path", str(image), *data)
    kubectl("delete pods --all -n windlass --wait=false")  # the first one waits ever longer for its image
    eventually(lambda: cluster.platform.get(DEPLOYMENT)["status"].get("readyReplicas"), 120, "its pod is ready")
    by_service = cluster.windlass("manifests", "webhooks")
    cluster.platform.kubectl("apply --server-side --force-conflicts -f -", stdin=by_service)
    for name in [name for name in cluster.processes if name != "own-parts"]:
        cluster.end(name)
    kubectl("apply -f -", json.dumps(job("PyTorchJob", "in-pod", {"Worker": 1}, TRUE)))

    kubectl.is_done("pytorchjobs/in-pod")
    assert _leader(cluster).startswith("windlass-manager-")
