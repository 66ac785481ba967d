"""kubeflow.org/v2beta1: the MPIJob whose launcher connects to its workers by SSH.

Version v1 of the same kind, which uses exec, is `windlass.apps.training.frameworks.mpi`. Both are served together; the
annotation `CREATED_AS` records the version of an object.
"""

from typing import Literal

from windlass.apis.fields import AGE, Int32
from windlass.apps.training.job import OURS
from windlass.apps.training.kinds.common import GROUP, JobStatus, Replicas, RunPolicy
from windlass.kube.kind import kind
from windlass.kube.meta import Object, Struct, field

VERSION = "v2beta1"
GROUP_VERSION = f"{GROUP}/{VERSION}"
CREATED_AS = f"{OURS}created-as"
"""Annotation with the version at which an object was created; v1 if absent."""


class MPIJobSpec(Struct):
    mpi_replica_specs: Replicas
    slots_per_worker: Int32 = 1
    run_launcher_as_worker: bool = False
    ssh_auth_mount_path: str = field(name="sshAuthMountPath", default="/root/.ssh")
    launcher_creation_policy: Literal["AtStartup", "WaitForWorkersReady"] = "AtStartup"
    mpi_implementation: Literal["OpenMPI", "Intel", "MPICH"] = "OpenMPI"
    run_policy: RunPolicy = RunPolicy()


@kind(GROUP_VERSION, plural="mpijobs", columns=(AGE,))
class MPIJob(Object):
    """Trains with MPI: a launcher starts processes on the workers over SSH."""

    spec: MPIJobSpec
    status: JobStatus = JobStatus()


def is_v2beta1(obj: Object) -> bool:
    """Whether an MPIJob, read at any version, was created at v2beta1."""
    return obj.metadata.annotations.get(CREATED_AS) == VERSION
