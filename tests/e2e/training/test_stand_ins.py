"""Upstream manifests whose images bring a program: one of Windlass runs in its place, or the jobs say there is none."""

import contextlib
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import pytest
import yaml

from tests.e2e.node.platforms import USER
from tests.e2e.node.pods import Object, named
from tests.e2e.training.jobs import JobShell, conditions
from tests.support import eventually

pytestmark = [pytest.mark.kubectl, pytest.mark.timeout(900)]

TRAINING_SEEDS = Path(__file__).with_name("seeds")
VOLCANO_SEEDS = Path(__file__).parents[1] / "volcano" / "seeds"
LONGEST = 300
"""Seconds; six replicas that import TensorFlow on two slow cores."""
NOT_HERE = 'no command specified: the program of image "{}" is not on this machine, only its environment. '


def images_in(manifest: str) -> set[str]:
    """Those that a manifest's containers name."""
    lines = (line.strip() for line in manifest.splitlines())
    return {line.removeprefix("image: ") for line in lines if line.startswith("image: ")}


def completes(kubectl: JobShell, name: str) -> None:
    """Wait until a Volcano job has completed; what its pods said is shown where it does not."""

    def has_completed() -> bool:
        return kubectl(f"get vcjob {name} -o jsonpath={{.status.state.phase}}").strip() == "Completed"

    with contextlib.suppress(AssertionError):
        eventually(has_completed, LONGEST)
    said = {pod["metadata"]["name"]: kubectl.log(pod["metadata"]["name"])[-2000:] for pod in kubectl.pods()}
    assert has_completed(), said


def phases(kubectl: JobShell, *names: str) -> dict[str, str]:
    found = {pod["metadata"]["name"]: pod["status"]["phase"] for pod in kubectl.pods()}
    return {name: found.get(name, "") for name in names}


def test_the_volcano_job_that_people_begin_with_trains_on_every_worker_and_completes(
    kubectl: JobShell, pulled: Callable[[str], None]
) -> None:
    manifest, job = (VOLCANO_SEEDS / "tensorflow_dist_mnist.yaml").read_text(), "tensorflow-dist-mnist"
    for image in images_in(manifest):
        pulled(image)
    workers = [f"{job}-worker-{index}" for index in range(2)]

    kubectl("apply -f -", manifest)
    completes(kubectl, job)

    assert phases(kubectl, *workers) == dict.fromkeys(workers, "Succeeded")
    for index, name in enumerate(workers):
        said = kubectl.log(name)
        assert f"worker {index} of 1 ps, 2 worker" in said
        assert "is on /job:ps/task:0" in said
        assert f"worker {index}: epoch 10 loss 0." in said
        assert f"worker {index}: accuracy 0." in said
    kubectl.gone(f"pods/{job}-ps-0")


def test_all_workers_of_the_tf_job_that_people_begin_with_end(kubectl: JobShell, pulled: Callable[[str], None]) -> None:
    manifest, job = (TRAINING_SEEDS / "kube_batch.yaml").read_text(), "dist-mnist-for-e2e-test"
    for image in images_in(manifest):
        pulled(image)
    workers, servers = ([f"{job}-{role}-{index}" for index in range(n)] for role, n in (("worker", 4), ("ps", 2)))

    kubectl("apply -f -", manifest)
    kubectl.is_done(f"tfjobs/{job}", LONGEST)
    eventually(lambda: set(phases(kubectl, *workers).values()) == {"Succeeded"}, LONGEST, "all workers end")

    assert phases(kubectl, *servers) == dict.fromkeys(servers, "Running"), "parameter servers serve for ever"
    for index, name in enumerate(workers):
        said = kubectl.log(name)
        assert "is on /job:ps/task:1" in said, "both servers have a part of the weights"
        assert f"worker {index}: accuracy 0." in said


@pytest.mark.skipif(USER != "root", reason="sshd as root needs more than one user id in a container")
def test_the_mpi_example_of_volcano_greets_from_every_rank(kubectl: JobShell, pulled: Callable[[str], None]) -> None:
    image = "volcanosh/example-mpi:0.0.3"
    pulled(image)
    start = "mkdir -p /var/run/sshd; /usr/sbin/sshd"
    hosts = 'MPI_HOST=`cat /etc/volcano/mpiworker.host | tr "\\n" ","`'
    launch = f"{hosts}; {start}; mpiexec --allow-run-as-root --host ${{MPI_HOST}} -np 2 mpi_hello_world;"
    master = mpi_task("mpimaster", 1, image, launch, policies=[{"event": "TaskCompleted", "action": "CompleteJob"}])
    spec = {"minAvailable": 3, "schedulerName": "volcano", "plugins": {"ssh": [], "svc": []}}
    spec["tasks"] = [master, mpi_task("mpiworker", 2, image, f"{start} -D;")]
    kubectl.apply(named("Job", "lm-mpi-job", "batch.volcano.sh/v1alpha1", spec=spec))

    completes(kubectl, "lm-mpi-job")

    said = kubectl.log("lm-mpi-job-mpimaster-0").splitlines()
    for rank in range(2):
        greeting = f"Hello world from processor lm-mpi-job-mpiworker-{rank}, rank {rank} out of 2 processors"
        assert greeting in said
    assert "2 ranks took part" in said


def mpi_task(name: str, replicas: int, image: str, script: str, **more: object) -> Object:
    port = [{"containerPort": 22, "name": "mpijob-port"}]
    main = {"name": name, "image": image, "command": ["/bin/sh", "-c", script], "workingDir": "/home", "ports": port}
    template = {"spec": {"containers": [main], "restartPolicy": "OnFailure"}}
    return {"name": name, "replicas": replicas, "template": template, **more}


def test_the_simple_chainer_job_learns(kubectl: JobShell, pulled: Callable[[str], None]) -> None:
    image = "everpeace/chainer:4.1.0"
    pulled(image)
    command, args = ["python3"], ["/train_mnist.py", "-e", "2", "-b", "1000", "-u", "100", "--noplot"]
    master = {"template": {"spec": {"containers": [{"image": image, "command": command, "args": args}]}}}
    kubectl.apply(named("ChainerJob", "mnist", "kubeflow.org/v1alpha1", spec={"master": master}))

    done = ("Complete", "True")
    eventually(lambda: done in conditions(kubectl.json("get chainerjob mnist")), LONGEST, "the job is complete")

    (only,) = kubectl.pods("chainerjob.kubeflow.org/role=master")
    assert "accuracy 0." in kubectl.log(only["metadata"]["name"])


def test_the_elastic_echo_example_counts_who_takes_part(kubectl: JobShell, pulled: Callable[[str], None]) -> None:
    image = "kubeflow/pytorch-elastic-example-echo:1.0.0"
    pulled(image)
    command = ["python", "-m", "torch.distributed.run", "--rdzv_backend=c10d", "./echo.py"]
    pods = {"spec": {"containers": [{"name": "pytorch", "image": image, "command": command}]}}
    elastic = {"rdzvBackend": "c10d", "minReplicas": 1, "maxReplicas": 2, "maxRestarts": 100}
    spec = {"elasticPolicy": elastic, "pytorchReplicaSpecs": {"Worker": {"replicas": 2, "template": pods}}}
    kubectl.apply(named("PyTorchJob", "elastic-example-echo", "kubeflow.org/v1", spec=spec))

    kubectl.is_done("pytorchjobs/elastic-example-echo", LONGEST)

    assert "processes answered" in kubectl.log("elastic-example-echo-worker-0")


SMOKE = """
apiVersion: kubeflow.org/v1
kind: PyTorchJob
metadata: {name: pytorch-dist-basic-sendrecv}
spec:
  pytorchReplicaSpecs:
    Master: &pytorch
      replicas: 1
      restartPolicy: OnFailure
      template: {spec: {containers: [{name: pytorch, image: "gcr.io/kubeflow-ci/pytorch-dist-sendrecv-test:1.0"}]}}
    Worker: {<<: *pytorch, replicas: 3}
---
apiVersion: kubeflow.org/v1
kind: XGBoostJob
metadata: {name: xgboost-dist-test}
spec:
  xgbReplicaSpecs:
    Master: &xgboost
      replicas: 1
      restartPolicy: Never
      template: {spec: {containers: [{name: xgboost, image: "docker.io/merlintang/xgboost-dist-rabit-test:1.2"}]}}
    Worker: {<<: *xgboost, replicas: 2}
---
apiVersion: batch.volcano.sh/v1alpha1
kind: Job
metadata: {name: lightgbm-dist-test}
spec:
  schedulerName: volcano
  tasks:
    - name: worker
      replicas: 1
      template:
        spec:
          containers: [{name: main, image: "kubeflow/lightgbm-dist-py-test:1.0", args: [--job_type=Train]}]
---
apiVersion: trainer.kubeflow.org/v1alpha1
kind: TrainJob
metadata: {name: sendrecv}
spec:
  runtimeRef: {name: torch-distributed}
  trainer: {image: "gcr.io/kubeflow-ci/pytorch-dist-sendrecv-test:1.0"}
"""


@dataclass(frozen=True)
class Refused:
    """A job of SMOKE, one of its pods and the container of it, the image, and where the job says why it waits."""

    job: str
    pod: str
    container: str
    image: str
    where: str = "status.conditions[0].message"

    def says(self, kubectl: JobShell) -> str:
        return kubectl(f"get {self.job} -o jsonpath={{.{self.where}}}")


SENDRECV = "gcr.io/kubeflow-ci/pytorch-dist-sendrecv-test:1.0"
REFUSED = (
    Refused("pytorchjob/pytorch-dist-basic-sendrecv", "master-0", "pytorch", SENDRECV),
    Refused("xgboostjob/xgboost-dist-test", "master-0", "xgboost", "merlintang/xgboost-dist-rabit-test:1.2"),
    Refused(
        "vcjob/lightgbm-dist-test", "worker-0", "main", "kubeflow/lightgbm-dist-py-test:1.0", "status.state.message"
    ),
    Refused("trainjob/sendrecv", "node-0-0", "node", SENDRECV),
)


def test_an_image_without_its_program_starts_nowhere_and_the_jobs_say_so(kubectl: JobShell) -> None:
    kubectl.apply(*yaml.safe_load_all(SMOKE))

    for refused in REFUSED:
        name = refused.job.partition("/")[2]
        why = f"waits: CreateContainerError: container {refused.container}: {NOT_HERE.format(refused.image)}"
        eventually(lambda why=why, refused=refused: why in refused.says(kubectl), 90, f"{refused.job} says why")
        said = refused.says(kubectl)
        assert f"Pod {name}-{refused.pod}" in said
        assert f"windlass images add {refused.image} --python 3.11 --package" in said
        events = f"events --for {refused.job} --types=Warning"
        eventually(lambda why=why, events=events: why in kubectl(events), 30, f"an event of {refused.job} says why")
    assert {pod["status"]["phase"] for pod in kubectl.pods()} == {"Pending"}
    assert "Pulling image" not in kubectl("get events")
