"""What an MPIJob v2beta1 is made of: a service for names, a config map of hosts, worker pods, the launcher's Job."""

from collections.abc import Sequence

from windlass.apis.core_v1 import ConfigMap, Pod, Service, ServiceSpec
from windlass.apis.env_variables import variable
from windlass.apps.training.controllers.engine.children import MAIN_CONTAINER
from windlass.apps.training.controllers.engine.gang import Gang
from windlass.apps.training.controllers.mpi.job import LAUNCHER, OPERATOR, WORKER, Mpi, launches_late
from windlass.apps.training.job import JOB_NAME, OPERATOR_NAME, REPLICA_INDEX
from windlass.kube.json import Object, dig_list, dig_object
from windlass.kube.meta import ObjectMeta

CONFIG_VOLUME, SSH_VOLUME = "mpi-job-config", "ssh-auth"
CONFIG_FOLDER = "/etc/mpi"
HOSTFILE, DISCOVER = "hostfile", "discover_hosts.sh"
PRIVATE, PUBLIC = "ssh-privatekey", "ssh-publickey"
ROOT_SSH = "/root/.ssh"
SSH_ARGS = "-o ConnectionAttempts=10"
WAIT = f"""while read -r host slots; do
  until nslookup "${{host%%:*}}" >/dev/null 2>&1; do echo "waiting for $host"; sleep 1; done
done < {CONFIG_FOLDER}/{HOSTFILE}"""
NO_GPU = (variable("NVIDIA_VISIBLE_DEVICES", ""), variable("NVIDIA_DRIVER_CAPABILITIES", ""))


def service(mpi: Mpi) -> Service:
    """Gives each pod its name."""
    selector = {OPERATOR_NAME: OPERATOR, JOB_NAME: mpi.name}
    spec = ServiceSpec(
        cluster_ip="None", selector=selector, publish_not_ready_addresses=mpi.spec.run_launcher_as_worker
    )
    return Service(metadata=ObjectMeta(name=mpi.name, labels={"app": mpi.name}), spec=spec)


def config_map(mpi: Mpi, workers: Sequence[Pod]) -> ConfigMap:
    return ConfigMap(
        metadata=ObjectMeta(name=config_name(mpi), labels={"app": mpi.name}),
        data={HOSTFILE: hostfile(mpi), DISCOVER: discover_hosts(mpi, workers)},
    )


def config_name(mpi: Mpi) -> str:
    return f"{mpi.name}-config"


def secret_name(mpi: Mpi) -> str:
    return f"{mpi.name}-ssh"


def hostfile(mpi: Mpi) -> str:
    slots = mpi.spec.slots_per_worker
    end = f" slots={slots}" if mpi.spec.mpi_implementation == "OpenMPI" else f":{slots}"
    pods = [*([mpi.launcher] if mpi.spec.run_launcher_as_worker else []), *mpi.workers]
    return "".join(f"{mpi.host(pod)}{end}\n" for pod in pods)


def discover_hosts(mpi: Mpi, workers: Sequence[Pod]) -> str:
    running = sorted(pod.metadata.name for pod in workers if pod.status.phase == "Running")
    pods = [*([mpi.launcher] if mpi.spec.run_launcher_as_worker else []), *running]
    return "".join(["#!/bin/sh\n", *(f"echo {mpi.host(pod)}\n" for pod in pods)])


def worker(mpi: Mpi, index: int, gang: Gang | None) -> Object:
    name = mpi.job.pod_name(WORKER, index)
    replica = mpi.job.replicas[WORKER]
    number = index + 1 if mpi.spec.run_launcher_as_worker else index
    made = _from_template(mpi, WORKER, {REPLICA_INDEX: str(number)}, name)
    spec: Object = made["spec"]
    dns = dig_object(spec, "dnsConfig")
    domain = mpi.job.options.cluster_domain or "cluster.local"
    search = f"{mpi.name}.{mpi.namespace}.svc.{domain}"
    spec["dnsConfig"] = {**dns, "searches": [*dig_list(dns, "searches"), search]}
    first: Object = spec["containers"][0]
    if not first.get("command") and not first.get("args"):
        first["command"] = ["/usr/sbin/sshd", "-De"]
    first["env"] = [*dig_list(first, "env"), variable("K_MPI_JOB_ROLE", "worker")]
    metadata = {"name": name, "namespace": mpi.namespace, **made["metadata"]}
    pod: Object = {"apiVersion": "v1", "kind": "Pod", "metadata": metadata, "spec": spec}
    if gang is not None:
        gang.mark(mpi.job, replica, pod)
        spec["schedulerName"] = gang.scheduler
    return pod


def launcher(mpi: Mpi, gang: Gang | None, *, suspend: bool) -> Object:
    """The Job that launches. With `suspend` it has no pod until it is resumed."""
    policy = mpi.policy
    given = {
        "ttlSecondsAfterFinished": policy.ttl_seconds_after_finished,
        "activeDeadlineSeconds": policy.active_deadline_seconds,
        "backoffLimit": policy.backoff_limit,
        "suspend": suspend or None,
    }
    return {
        "apiVersion": "batch/v1",
        "kind": "Job",
        "metadata": {"name": mpi.launcher, "namespace": mpi.namespace, "labels": {"app": mpi.name}},
        "spec": {
            **{field: value for field, value in given.items() if value is not None},
            "podReplacementPolicy": "Failed",
            "template": launcher_template(mpi, gang),
        },
    }


def launcher_template(mpi: Mpi, gang: Gang | None) -> Object:
    replica = mpi.job.replicas[LAUNCHER]
    numbered = {REPLICA_INDEX: "0"} if mpi.spec.run_launcher_as_worker else {}
    made = _from_template(mpi, LAUNCHER, numbered, mpi.launcher)
    spec: Object = made["spec"]
    if len(spec["containers"]) > 1:  # a sidecar must not keep the job from completing
        annotations = {**dig_object(made["metadata"], "annotations"), MAIN_CONTAINER: spec["containers"][0]["name"]}
        made["metadata"]["annotations"] = annotations
    first: Object = spec["containers"][0]
    first.setdefault("terminationMessagePolicy", "FallbackToLogsOnError")
    first["env"] = [*dig_list(first, "env"), *launcher_environment(mpi)]
    first["volumeMounts"] = [*first["volumeMounts"], {"name": CONFIG_VOLUME, "mountPath": CONFIG_FOLDER}]
    items = [{"key": HOSTFILE, "path": HOSTFILE, "mode": 0o444}, {"key": DISCOVER, "path": DISCOVER, "mode": 0o555}]
    config = {"name": CONFIG_VOLUME, "configMap": {"name": config_name(mpi), "items": items}}
    spec["volumes"] = [*spec["volumes"], config]
    if gang is not None:
        gang.mark(mpi.job, replica, made)
        spec["schedulerName"] = gang.scheduler
        if not launches_late(mpi.obj):
            spec["initContainers"] = [*dig_list(spec, "initContainers"), _wait_for_workers(mpi)]
    return made


def _wait_for_workers(mpi: Mpi) -> Object:
    """Holds a launcher whose pod must be there with its workers' until they have names, as pods that are ready do."""
    return {
        "name": "wait-for-workers",
        "image": mpi.job.options.pytorch_init_container_image,
        "command": ["sh", "-c", WAIT],
        "volumeMounts": [{"name": CONFIG_VOLUME, "mountPath": CONFIG_FOLDER}],
        "resources": {"limits": {"cpu": "100m", "memory": "20Mi"}, "requests": {"cpu": "50m", "memory": "10Mi"}},
    }


def launcher_environment(mpi: Mpi) -> list[Object]:
    hosts, slots = f"{CONFIG_FOLDER}/{HOSTFILE}", mpi.spec.slots_per_worker
    match mpi.spec.mpi_implementation:
        case "OpenMPI":
            added = {
                "OMPI_MCA_orte_keep_fqdn_hostnames": "true",
                "OMPI_MCA_orte_default_hostfile": hosts,
                "OMPI_MCA_plm_rsh_args": SSH_ARGS,
                "OMPI_MCA_orte_set_default_slots": slots,
            }
        case "Intel":
            added = {
                "I_MPI_HYDRA_HOST_FILE": hosts,
                "I_MPI_HYDRA_BOOTSTRAP_EXEC_EXTRA_ARGS": SSH_ARGS,
                "I_MPI_PERHOST": slots,
            }
        case "MPICH":
            added = {"HYDRA_HOST_FILE": hosts, "HYDRA_LAUNCH_EXTRA_ARGS": SSH_ARGS}
    role = variable("K_MPI_JOB_ROLE", "launcher")
    no_gpu = () if mpi.spec.run_launcher_as_worker else NO_GPU
    return [role, *(variable(name, value) for name, value in added.items()), *no_gpu]


def _from_template(mpi: Mpi, role: str, labels: dict[str, str], host: str) -> Object:
    """What both roles' pods have: the template, labels, a name in the service, and the keys."""
    replica = mpi.job.replicas[role]
    written = dig_object(replica.template, "metadata")
    metadata: Object = {"labels": {**dig_object(written, "labels"), **mpi.labels(role), **labels}}
    for field in ("annotations", "finalizers"):
        if written.get(field):
            metadata[field] = written[field]
    spec: Object = {**dig_object(replica.template, "spec"), "hostname": host, "subdomain": mpi.name}
    spec["restartPolicy"] = replica.restart_policy
    if spec.get("hostNetwork"):
        spec["dnsPolicy"] = "ClusterFirstWithHostNet"
    first, *others = [dict(container) for container in dig_list(spec, "containers")]
    mount = {"name": SSH_VOLUME, "mountPath": mpi.spec.ssh_auth_mount_path}
    first["volumeMounts"] = [*dig_list(first, "volumeMounts"), mount]
    spec["containers"] = [first, *others]
    spec["volumes"] = [*dig_list(spec, "volumes"), _ssh_volume(mpi)]
    return {"metadata": metadata, "spec": spec}


def _ssh_volume(mpi: Mpi) -> Object:
    items = [(PRIVATE, "id_rsa"), (PUBLIC, "id_rsa.pub"), (PUBLIC, "authorized_keys")]
    secret: Object = {"secretName": secret_name(mpi), "items": [{"key": key, "path": path} for key, path in items]}
    if mpi.spec.ssh_auth_mount_path == ROOT_SSH:  # elsewhere another user reads it, who does not own the files
        secret["defaultMode"] = 0o600
    return {"name": SSH_VOLUME, "secret": secret}
