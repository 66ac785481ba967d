"""MPIJob v1: a launcher starts processes on its workers by exec. `apis.kubeflow_v2beta1` is the version with SSH."""

from collections.abc import Sequence

from windlass.apis.core_v1 import ConfigMap, Pod, ServiceAccount
from windlass.apis.env_variables import variable
from windlass.apis.fields import AGE, Int32
from windlass.apis.rbac_v1 import Role, RoleBinding
from windlass.apps.training import exec_agent
from windlass.apps.training.framework import Framework, Leading
from windlass.apps.training.job import Job, Replica, main_container
from windlass.apps.training.kinds.common import GROUP_VERSION, STATE, Replicas, TrainingJob, TrainingSpec
from windlass.apps.training.kinds.mpi_v2beta1 import is_v2beta1
from windlass.kube.json import Object, dig_list, dig_object
from windlass.kube.kind import kind
from windlass.kube.meta import ObjectMeta
from windlass.kube.objects import AnyObject

CONFIG, KUBECTL = "mpi-job-config", "mpi-job-kubectl"
"""Names of volumes, beside what they hold."""
CONFIG_MOUNT: Object = {"name": CONFIG, "mountPath": "/etc/mpi"}
KUBECTL_MOUNT: Object = {"name": KUBECTL, "mountPath": "/opt/kube"}
AGENT, HOSTFILE, DISCOVER = "kubexec.sh", "hostfile", "discover_hosts.sh"
MODES = {HOSTFILE: 0o444, AGENT: 0o555, DISCOVER: 0o555}


class MPIJobSpec(TrainingSpec):
    mpi_replica_specs: Replicas
    slots_per_worker: Int32 | None = None
    main_container: str = ""


@kind(GROUP_VERSION, plural="mpijobs", columns=(AGE, STATE))
class MPIJob(TrainingJob):
    """Trains with MPI: a launcher starts processes on the workers."""

    spec: MPIJobSpec


def spec_of(job: Job) -> MPIJobSpec:
    assert isinstance(job.obj, MPIJob)
    return job.obj.spec


def slots(job: Job) -> int:
    given = spec_of(job).slots_per_worker
    return 1 if given is None else given


def pod_name(job: Job, replica_type: str, index: int) -> str:
    return f"{job.name}-launcher" if replica_type == "Launcher" else job.pod_name(replica_type, index)


def wants_gpu(replica: Replica) -> bool:
    """Whether the launcher also trains, judged by its GPU limits."""
    containers = dig_list(replica.template, "spec", "containers")
    return any("gpu" in key for container in containers for key in dig_object(container, "resources", "limits"))


def hostfile(job: Job) -> str:
    launcher = job.replicas.get("Launcher")
    hosts = [pod_name(job, "Launcher", 0)] if launcher and wants_gpu(launcher) else []
    return "".join(f"{host} slots={slots(job)}\n" for host in [*hosts, *job.pod_names("Worker")])


def discover_hosts(job: Job, pods: Sequence[Pod]) -> str:
    running = {pod.metadata.name for pod in pods if pod.status.phase == "Running"}
    hosts = sorted(running.intersection(job.pod_names("Worker")))
    return "".join(["#!/bin/sh\n", *(f"echo {name}:{slots(job)}\n" for name in hosts)])


def extras(job: Job, pods: Sequence[Pod]) -> Sequence[AnyObject]:
    labels, name = {"app": job.name}, pod_name(job, "Launcher", 0)
    files = {
        HOSTFILE: hostfile(job),
        AGENT: exec_agent.script("/opt/kube", spec_of(job).main_container),
        DISCOVER: discover_hosts(job, pods),
    }
    config = ConfigMap(metadata=ObjectMeta(name=f"{job.name}-config", labels=labels), data=files)
    if _account(job):
        return [config]
    rules = [exec_agent.READ_PODS, exec_agent.may_exec_in(job.pod_names("Worker"))]
    return [config, *exec_agent.rights(name, name, name, labels=labels, rules=rules)]


def _account(job: Job) -> str:
    """The service account in the launcher's template, in either of its two fields."""
    pod = dig_object(job.replicas["Launcher"].template, "spec") if "Launcher" in job.replicas else {}
    return str(pod.get("serviceAccountName") or pod.get("serviceAccount") or "")


def shape(job: Job, replica: Replica, index: int, pod: Object) -> Object:
    spec = pod["spec"]
    launches = replica.type == "Launcher"
    files = (AGENT, HOSTFILE, DISCOVER) if launches else (AGENT,)
    items = [{"key": name, "path": name, "mode": MODES[name]} for name in files]
    volumes: list[Object] = [{"name": CONFIG, "configMap": {"name": f"{job.name}-config", "items": items}}]
    first = spec["containers"][_position(job, replica)]
    first["volumeMounts"] = [*dig_list(first, "volumeMounts"), CONFIG_MOUNT]
    if launches:
        volumes.append({"name": KUBECTL, "emptyDir": {}})
        first["volumeMounts"].append(KUBECTL_MOUNT)
        first["env"] = [*dig_list(first, "env"), *launcher_environment(replica, first)]
        image, mounts = job.options.mpi_kubectl_delivery_image, (KUBECTL_MOUNT, CONFIG_MOUNT)
        last = exec_agent.delivery(image, job.namespace, "/opt/kube", mounts)
        spec["initContainers"] = [*dig_list(spec, "initContainers"), last]
        spec["serviceAccountName"] = _account(job) or pod_name(job, "Launcher", 0)
    elif not first.get("command"):
        first["command"], first["args"] = ["sleep"], ["365d"]
    spec["volumes"] = [*dig_list(spec, "volumes"), *volumes]
    return pod


def _position(job: Job, replica: Replica) -> int:
    """The index of the container that MPI runs in: the one that the job names, else the first."""
    return main_container(job.framework, replica.template) if spec_of(job).main_container else 0


def launcher_environment(replica: Replica, container: Object) -> list[Object]:
    given = {one.get("name") for one in dig_list(container, "env")}
    agent, hosts = f"/etc/mpi/{AGENT}", f"/etc/mpi/{HOSTFILE}"
    added = [variable("OMPI_MCA_plm_rsh_agent", agent), variable("OMPI_MCA_orte_default_hostfile", hosts)]
    if not wants_gpu(replica):
        added += [variable("NVIDIA_VISIBLE_DEVICES", ""), variable("NVIDIA_DRIVER_CAPABILITIES", "")]
    intel = {"I_MPI_HYDRA_BOOTSTRAP": "rsh", "I_MPI_HYDRA_BOOTSTRAP_EXEC": agent}
    return [*added, *(variable(name, value) for name, value in intel.items() if name not in given)]


def failed_reason(job: Job, pods: Sequence[Pod]) -> str:
    return "MPIJobEvicted" if any(pod.status.reason == "Evicted" for pod in pods) else "MPIJobFailed"


FRAMEWORK = Framework(
    kind=MPIJob,
    specs="mpi_replica_specs",
    replica_types=("Worker", "Launcher"),
    leading=lambda job: Leading("Launcher"),
    environment=lambda job, replica, index: (),
    container="mpi",
    own_container=lambda obj: obj.spec.main_container if isinstance(obj, MPIJob) else "",
    metrics_name="mpi",
    default_replicas={"Worker": 0},
    services=False,
    pod_name=pod_name,
    shape=shape,
    extras=extras,
    extra_kinds=(ConfigMap, ServiceAccount, Role, RoleBinding),
    failed_reason=failed_reason,
    runs=lambda obj: not is_v2beta1(obj),
)
