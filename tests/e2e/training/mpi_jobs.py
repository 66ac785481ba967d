"""MPI jobs of both versions for stories, and what their launchers say."""

from typing import Any

from tests.e2e.node.pods import Object, named
from tests.e2e.training.jobs import JobShell

HOME_SSH = "/home/mpiuser/.ssh"
AS_MPIUSER = {"securityContext": {"runAsUser": 1000}}

ALLREDUCE = """
import socket
from mpi4py import MPI
world = MPI.COMM_WORLD
print(f"{socket.gethostname()} rank {world.rank} of {world.size}: {world.allreduce(world.rank + 1)}", flush=True)
"""


def role(count: int, image: str, **container: Any) -> Object:
    main: Object = {"name": "mpi", "image": image, **container}
    return {"replicas": count, "template": {"spec": {"terminationGracePeriodSeconds": 1, "containers": [main]}}}


def exec_job(name: str, ranks: int, image: str, **spec: Any) -> Object:
    launcher = role(1, image, command=["mpirun", "-np", str(ranks), "python3", "-c", ALLREDUCE])
    roles = {"Launcher": launcher, "Worker": role(2, image)}
    return named("MPIJob", name, "kubeflow.org/v1", spec={"mpiReplicaSpecs": roles, **spec})


def ssh_job(name: str, launcher: Object, worker: Object, **spec: Any) -> Object:
    roles = {"Launcher": launcher, "Worker": worker}
    return named("MPIJob", name, "kubeflow.org/v2beta1", spec={"mpiReplicaSpecs": roles, **spec})


def pi(name: str, image: str) -> Object:
    """As the MPI operator's own example is: all of it as user 1000, sshd with a configuration of its own."""
    launch = role(1, image, command=["mpirun"], args=["-n", "2", "/home/mpiuser/pi"], **AS_MPIUSER)
    sshd = ["-De", "-f", "/home/mpiuser/.sshd_config"]
    worker = role(2, image, command=["/usr/sbin/sshd"], args=sshd, **AS_MPIUSER)
    return ssh_job(name, launch, worker, runPolicy={"cleanPodPolicy": "Running"}, sshAuthMountPath=HOME_SSH)


def launcher_log(kubectl: JobShell, name: str) -> str:
    (only,) = kubectl.pods(f"training.kubeflow.org/job-name={name},training.kubeflow.org/job-role=launcher")
    return kubectl.log(only["metadata"]["name"])


def approximation(log: str) -> float:
    (line,) = [line for line in log.splitlines() if line.startswith("pi is approximately")]
    return float(line.split()[-1])


def sums(log: str) -> list[str]:
    """Who took part with which result, whatever else a machine's MPI has to say."""
    return sorted(line for line in log.splitlines() if " rank " in line)
