"""The manifests of the documents that Windlass began with: each applies as it is written, and what can run does.

`seeds/` holds them. Their images are mapped, as a user would, to an environment whose `python` runs `seeds/train.py`.
"""

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
import yaml

from tests.e2e.node.platforms import Platform
from tests.e2e.node.pods import condition
from tests.e2e.training.jobs import JobShell, conditions
from tests.support import eventually

pytestmark = [pytest.mark.kubectl, pytest.mark.timeout(600)]

SEEDS = Path(__file__).with_name("seeds")
IMAGES = (
    "ccr.ccs.tencentyun.com/chenyong/tf-dist-mnist-test",
    "docker.io/kubeflowkatib/pytorch-mnist",
    "gcr.io/tf-on-k8s-dogfood/tf_sample",
    "gcr.io/kubeflow/tf-benchmarks-cpu",
    "gcr.io/your-project/your-image",
    "example.com/mnist",
)
ENDLESS = "kubeflow/tf-dist-mnist-test"
"""What holds its GPU until the test is over."""
MNIST = [f"dist-mnist-for-e2e-test-{role}" for role in ("ps-0", "ps-1", "worker-0", "worker-1", "worker-2", "worker-3")]


def manifest(name: str) -> str:
    return (SEEDS / f"{name}.yaml").read_text()


@pytest.fixture(scope="module", autouse=True)
def _images(platform: Platform, tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """The images of the documents, with a program inside. Other tests of this Windlass do not see them."""
    environment = tmp_path_factory.mktemp("images") / "seeds"
    (environment / "bin").mkdir(parents=True)
    for name in ("python", "python3"):
        program = environment / "bin" / name
        program.write_text(f"#!/bin/sh\nexec /usr/bin/env -S PATH=/usr/bin python3 {environment}/train.py\n")
        program.chmod(0o755)
    (environment / "train.py").write_text((SEEDS / "train.py").read_text())
    mapped = platform.data_dir / "images.yaml"
    before = mapped.read_text() if mapped.exists() else None
    rule = {"image": list(IMAGES), "path": str(environment), "command": ["python", "main.py"]}
    endless = {"image": ENDLESS, "path": str(environment), "command": ["sleep", "infinity"]}
    mapped.write_text(yaml.safe_dump({"images": [rule, endless]}))
    yield
    if before is None:
        mapped.unlink()
    else:
        mapped.write_text(before)


@pytest.fixture
def within(platform: Platform, tmp_path: Path) -> Iterator[Callable[[str], JobShell]]:
    """A shell in a namespace that a manifest names."""
    made: list[str] = []

    def shell(namespace: str) -> JobShell:
        if platform.request("GET", f"/api/v1/namespaces/{namespace}").status == 404:  # `kubeflow` is always there
            platform.create("/api/v1/namespaces", {"metadata": {"name": namespace}})
            made.append(namespace)
        account = f"/api/v1/namespaces/{namespace}/serviceaccounts/default"
        eventually(lambda: platform.request("GET", account).status == 200, 60, f"the service account of {namespace}")
        return JobShell(platform, namespace, tmp_path)

    yield shell
    for namespace in made:
        platform.request("DELETE", f"/api/v1/namespaces/{namespace}")
        path = f"/api/v1/namespaces/{namespace}"
        eventually(lambda path=path: platform.request("GET", path).status == 404, 120, f"{namespace} goes")


def names(kubectl: JobShell) -> list[str]:
    return sorted(pod["metadata"]["name"] for pod in kubectl.pods())


def has_pods(kubectl: JobShell, *wanted: str) -> None:
    eventually(lambda: names(kubectl) == sorted(wanted), 60, f"pods {wanted}")


def succeeds(kubectl: JobShell, path: str) -> None:
    """A job that is over at once may never have been seen to run."""
    ended = kubectl.ends(path)
    assert conditions(ended)[-1] == ("Succeeded", "True"), f"{ended['status']}\n{kubectl.told(path)}"


def test_a_gang_of_kube_batch_trains_together(kubectl: JobShell) -> None:
    kubectl("apply -f -", manifest("kube_batch"))

    succeeds(kubectl, "tfjobs/dist-mnist-for-e2e-test")
    assert names(kubectl) == MNIST
    assert kubectl.log(MNIST[2]) == "worker 0 trained with ps 0, ps 1\n"


def test_a_gang_that_a_person_made_is_theirs(kubectl: JobShell) -> None:
    kubectl("apply -f -", manifest("volcano_group"))

    succeeds(kubectl, "tfjobs/dist-mnist-for-e2e-test")
    assert names(kubectl) == MNIST
    group = kubectl.json("get podgroups.v1beta1.scheduling.volcano.sh dist-mnist-for-e2e-test")
    assert "ownerReferences" not in group["metadata"]


def test_the_simple_pytorch_job_trains(within: Callable[[str], JobShell]) -> None:
    kubectl = within("kubeflow")
    kubectl("apply -f -", manifest("pytorch_simple"))

    succeeds(kubectl, "pytorchjobs/pytorch-simple")
    assert kubectl.log("pytorch-simple-master-0") == "trained with 1 others\n"
    assert names(kubectl) == ["pytorch-simple-master-0", "pytorch-simple-worker-0"]


def test_a_job_without_a_name_of_its_own_is_created(within: Callable[[str], JobShell]) -> None:
    kubectl = within("your-user-namespace")
    name = kubectl("create -o name -f -", manifest("generated_name")).rpartition("/")[2]

    assert name.startswith("tfjob")
    has_pods(kubectl, f"{name}-ps-0", *(f"{name}-worker-{index}" for index in range(3)))
    assert kubectl.get(f"pods/{name}-ps-0")["metadata"]["annotations"]["sidecar.istio.io/inject"] == "false"


def test_with_one_gpu_one_worker_runs_beside_the_parameter_servers_and_three_wait(kubectl: JobShell) -> None:
    kubectl("apply -f -", manifest("gpu_workers"))

    has_pods(kubectl, *MNIST)
    eventually(lambda: len(told_to_wait(kubectl)) == 3, 60, "three workers are told to wait")
    waiting = told_to_wait(kubectl)
    for name in set(MNIST) - set(waiting):
        kubectl.phase(name, "Running")
    for name in waiting:
        told = kubectl.event(f"pods/{name}", "FailedScheduling")
        assert told.startswith("0/1 nodes are available: 1 Insufficient nvidia.com/gpu.")
    assert "default-scheduler" in kubectl(f"describe pod {waiting[0]}")
    assert set(waiting) < set(MNIST[2:])
    assert ("Created", "True") in conditions(kubectl.get("tfjobs/dist-mnist-for-e2e-test"))


def told_to_wait(kubectl: JobShell) -> list[str]:
    return [pod["metadata"]["name"] for pod in kubectl.pods() if condition(pod, "PodScheduled") == "False"]


def test_the_scheduler_may_stand_beside_the_replicas(kubectl: JobShell) -> None:
    kubectl("create serviceaccount default-editor")
    warned = kubectl.warns("apply -f -", manifest("scheduler_name"))

    assert "restartPolicy" in warned
    succeeds(kubectl, "tfjobs/mnist-train")
    assert names(kubectl) == ["mnist-train-chief-0", "mnist-train-ps-0", "mnist-train-worker-0"]
    chief = kubectl.get("pods/mnist-train-chief-0")["spec"]
    assert (chief["schedulerName"], chief["serviceAccountName"]) == ("volcano", "default-editor")
    assert chief["restartPolicy"] == "Never", "that of the template is overwritten"
    assert kubectl.log("mnist-train-chief-0") == "chief 0 trained with ps 0\n"


def test_the_job_of_the_first_version_trains_and_leaves_no_pods(kubectl: JobShell) -> None:
    kubectl("apply -f -", manifest("first_version"))

    succeeds(kubectl, "tfjobs/example-job")
    eventually(lambda: names(kubectl) == [], 60, "all pods are cleaned up")
    old = kubectl.json("get tfjobs.v1alpha1.kubeflow.org example-job")
    assert old["spec"] == yaml.safe_load(manifest("first_version"))["spec"]
    assert (old["status"]["phase"], old["status"]["state"]) == ("Done", "Succeeded")
    kubectl("apply -f -", manifest("first_version"))


def test_the_job_of_the_second_version_trains_and_leaves_no_server(within: Callable[[str], JobShell]) -> None:
    kubectl = within("kubeflow")
    kubectl("apply -f -", manifest("second_version"))

    succeeds(kubectl, "tfjobs/mycnnjob")
    assert kubectl.log("mycnnjob-worker-0") == "worker 0 trained with ps 0\n"
    eventually(  # the namespace may have pods of other jobs
        lambda: [name for name in names(kubectl) if name.startswith("mycnnjob")] == ["mycnnjob-worker-0"],
        60,
        "the parameter server is cleaned up",
    )
    old = kubectl.json("get tfjobs.v1alpha2.kubeflow.org mycnnjob")
    assert old["spec"] == yaml.safe_load(manifest("second_version"))["spec"]
    assert set(old["status"]["tfReplicaStatuses"]) == {"PS", "Worker"}


def test_the_volume_of_a_server_elsewhere_is_kept(kubectl: JobShell) -> None:
    kubectl("apply -f -", manifest("nfs_volume"))
    try:
        assert kubectl.json("get pv nfs-pv")["spec"]["nfs"] == {"server": "172.22.132.41", "path": "/nfs-data"}
    finally:
        kubectl("delete pv nfs-pv")
