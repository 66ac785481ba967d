"""MPI runs: mpirun reaches its workers by exec (v1) and by ssh (v2beta1)."""

from collections.abc import Callable

import pytest

from tests.e2e.node.platforms import USER
from tests.e2e.training.jobs import JobShell, conditions
from tests.e2e.training.mpi_jobs import (
    AS_MPIUSER,
    HOME_SSH,
    approximation,
    exec_job,
    launcher_log,
    pi,
    role,
    ssh_job,
    sums,
)

IMAGE, MPICH = "mpioperator/mpi-pi:openmpi", "mpioperator/mpi-pi:mpich"
RANK = 'echo "$(uname -n) rank $PMI_RANK of $PMI_SIZE"'
pytestmark = [pytest.mark.kubectl, pytest.mark.timeout(900)]


@pytest.fixture(autouse=True)
def environment(pulled: Callable[[str], None]) -> None:
    pulled(IMAGE)


def test_mpirun_starts_two_ranks_a_worker_by_exec(kubectl: JobShell) -> None:
    kubectl.apply(exec_job("sum", 4, IMAGE, slotsPerWorker=2, runPolicy={"cleanPodPolicy": "Running"}))

    kubectl.is_done("mpijobs/sum")

    assert sums(kubectl.log("sum-launcher")) == [
        "sum-worker-0 rank 0 of 4: 10",
        "sum-worker-0 rank 1 of 4: 10",
        "sum-worker-1 rank 2 of 4: 10",
        "sum-worker-1 rank 3 of 4: 10",
    ]
    kubectl.gone("pods/sum-worker-0")
    kubectl.gone("pods/sum-worker-1")


def test_mpirun_computes_pi_by_ssh_as_user_1000(kubectl: JobShell) -> None:
    kubectl.apply(pi("pi", IMAGE))

    ended = kubectl.is_done("mpijobs/pi")

    assert ended["status"]["replicaStatuses"]["Launcher"]["succeeded"] == 1
    assert approximation(launcher_log(kubectl, "pi")) == pytest.approx(3.14, abs=0.01)
    kubectl.gone("pods/pi-worker-0")
    kubectl.gone("pods/pi-worker-1")
    assert kubectl("get mpijobs.v2beta1.kubeflow.org pi --no-headers").split()[0] == "pi"


def test_mpich_reads_its_own_hostfile(kubectl: JobShell, pulled: Callable[[str], None]) -> None:
    pulled(MPICH)
    launch = role(1, MPICH, command=["mpiexec.hydra", "-n", "4", "sh", "-c", RANK], **AS_MPIUSER)
    worker = role(2, MPICH, command=["/usr/sbin/sshd", "-De", "-f", "/home/mpiuser/.sshd_config"], **AS_MPIUSER)
    given = {"mpiImplementation": "MPICH", "slotsPerWorker": 2, "sshAuthMountPath": HOME_SSH}
    kubectl.apply(ssh_job("hydra", launch, worker, runPolicy={"cleanPodPolicy": "All"}, **given))

    kubectl.is_done("mpijobs/hydra")

    assert sums(launcher_log(kubectl, "hydra")) == [
        "hydra-worker-0 rank 0 of 4",
        "hydra-worker-0 rank 1 of 4",
        "hydra-worker-1 rank 2 of 4",
        "hydra-worker-1 rank 3 of 4",
    ]


@pytest.mark.skipif(USER != "root", reason="sshd as root needs more than one user id in a container")
def test_workers_without_a_command_run_sshd_as_root_and_the_launcher_may_work_too(kubectl: JobShell) -> None:
    launch = role(1, IMAGE, command=["mpirun", "-n", "3", "/home/mpiuser/pi"])
    both = {"runLauncherAsWorker": True, "launcherCreationPolicy": "WaitForWorkersReady"}
    kubectl.apply(ssh_job("three", launch, role(2, IMAGE), runPolicy={"cleanPodPolicy": "All"}, **both))

    kubectl.is_done("mpijobs/three")

    log = launcher_log(kubectl, "three")
    assert approximation(log) == pytest.approx(3.14, abs=0.01)
    assert all(f" on three-{where}:" in log for where in ("launcher", "worker-0", "worker-1"))


def test_a_launcher_that_fails_as_often_as_it_may_fails_the_job(kubectl: JobShell) -> None:
    launch = {**role(1, IMAGE, command=["sh", "-c", "echo no such thing; exit 3"]), "restartPolicy": "Never"}
    worker = role(1, IMAGE, command=["sleep", "infinity"])
    policy = {"backoffLimit": 1, "cleanPodPolicy": "Running"}
    kubectl.apply(ssh_job("bad", launch, worker, runPolicy=policy))

    failed = kubectl.ends("mpijobs/bad")

    assert conditions(failed)[-1] == ("Failed", "True")
    told = failed["status"]["conditions"][-1]
    assert told["reason"] == "BackoffLimitExceeded/Error"
    assert told["message"].endswith("exit code 3: no such thing")
    assert failed["status"]["replicaStatuses"]["Launcher"]["failed"] == 2
    kubectl.gone("pods/bad-worker-0")


def test_a_job_rests_and_goes_on_with_new_workers(kubectl: JobShell) -> None:
    launch = role(1, IMAGE, command=["sh", "-c", "echo $K_MPI_JOB_ROLE; exec sleep infinity"])
    kubectl.apply(ssh_job("rest", launch, role(1, IMAGE, command=["sleep", "infinity"])))
    kubectl.has("mpijobs/rest", "Running")
    old = kubectl.get("pods/rest-worker-0")["metadata"]["uid"]

    kubectl('patch mpijob rest --type merge -p \'{"spec":{"runPolicy":{"suspend":true}}}\'')
    kubectl.has("mpijobs/rest", "Suspended")
    kubectl.gone("pods/rest-worker-0")
    kubectl('patch mpijob rest --type merge -p \'{"spec":{"runPolicy":{"suspend":false}}}\'')

    kubectl.has("mpijobs/rest", "Running")
    assert kubectl.get("pods/rest-worker-0")["metadata"]["uid"] != old
    kubectl("delete mpijob rest")
