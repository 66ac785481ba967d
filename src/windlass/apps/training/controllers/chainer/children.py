"""What a ChainerJob is made of: the master's Job, a StatefulSet a set of workers, and the way into the workers."""

from collections.abc import Sequence

from windlass.apis.core_v1 import ConfigMap
from windlass.apis.env_variables import variable
from windlass.apis.rbac_v1 import PolicyRule
from windlass.apis.wellknown import NVIDIA_GPU
from windlass.apps.training import exec_agent
from windlass.apps.training.controllers.chainer import scripts
from windlass.apps.training.kinds.chainer_v1alpha1 import ChainerJob, MPIConfig
from windlass.kube.json import Object, dig_list, dig_object
from windlass.kube.meta import ObjectMeta
from windlass.kube.objects import AnyObject
from windlass.kube.quantity import Quantity

LABEL = "chainerjob.kubeflow.org/"
CONTAINER = "chainer"
FOLDER = "/kubeflow/chainer-operator"
ASSETS, KUBE, GENERATED = f"{FOLDER}/assets", f"{FOLDER}/kube", f"{FOLDER}/generated"
HOSTFILE = f"{GENERATED}/hostfile"
VOLUME = "chainer-operator-volume-"
MOUNTS: tuple[Object, ...] = (
    {"name": f"{VOLUME}generated", "mountPath": GENERATED},
    {"name": f"{VOLUME}kubectl", "mountPath": KUBE},
    {"name": f"{VOLUME}assets", "mountPath": ASSETS},
)
ENVIRONMENT = (
    variable("KUBECTL_DIR", KUBE),
    variable("OMPI_MCA_plm_rsh_agent", f"{ASSETS}/{scripts.AGENT}"),
    variable("OMPI_MCA_orte_keep_fqdn_hostnames", "t"),
    variable("OMPI_MCA_orte_default_hostfile", HOSTFILE),
    variable("OMPI_MCA_btl_tcp_if_exclude", "lo,docker0"),
)


def is_distributed(job: ChainerJob) -> bool:
    return bool(job.spec.worker_sets)


def master_name(job: ChainerJob) -> str:
    return f"{job.metadata.name}-master"


def account_name(job: ChainerJob) -> str:
    return f"{job.metadata.name}-launcher"


def set_name(job: ChainerJob, worker_set: str) -> str:
    return f"{job.metadata.name}-workerset-{worker_set}"


def replicas(job: ChainerJob, worker_set: str) -> int:
    given = job.spec.worker_sets[worker_set].replicas
    return 1 if given is None else given


def worker_names(job: ChainerJob) -> list[str]:
    sets = sorted(job.spec.worker_sets)
    return [f"{set_name(job, name)}-{index}" for name in sets for index in range(replicas(job, name))]


def labels(job: ChainerJob, role: str = "", worker_set: str = "") -> dict[str, str]:
    found = {f"{LABEL}name": job.metadata.name, f"{LABEL}role": role, f"{LABEL}workersetname": worker_set}
    return {key: value for key, value in found.items() if value}


def rights(job: ChainerJob) -> Sequence[AnyObject]:
    """The master may look at what the job is made of, and start processes in its workers."""
    name, rules = job.metadata.name, list[PolicyRule]()
    if pods := worker_names(job):
        sets = [set_name(job, each) for each in sorted(job.spec.worker_sets)]
        rules = [
            PolicyRule(verbs=["get"], api_groups=["apps"], resources=["statefulsets"], resource_names=sets),
            PolicyRule(verbs=["get", "list"], api_groups=[""], resources=["pods"], resource_names=pods),
            exec_agent.may_exec_in(pods),
        ]
    account, role, binding = account_name(job), f"{name}-launcher-role", f"{name}-launcher-rolebinding"
    return exec_agent.rights(account, role, binding, labels=labels(job), rules=rules)


def assets(job: ChainerJob) -> ConfigMap:
    sets = [
        (set_name(job, name), slots(spec.mpi_config, named(spec.template)), replicas(job, name))
        for name, spec in sorted(job.spec.worker_sets.items())
    ]
    metadata = ObjectMeta(name=f"{job.metadata.name}-assets", labels=labels(job))
    return ConfigMap(metadata=metadata, data=scripts.all_of(sets, KUBE, CONTAINER))


def slots(config: MPIConfig, template: Object) -> int:
    """As many processes as asked for, else one for each GPU of the container that trains."""
    if config.slots is not None:
        return config.slots
    for container in dig_list(template, "spec", "containers"):
        gpus = dig_object(container, "resources", "limits").get(NVIDIA_GPU)
        if container.get("name") == CONTAINER and gpus is not None:
            return Quantity.parse(gpus).value()
    return 1


def named(template: Object) -> Object:
    """A single container without a name is the one that trains."""
    containers = dig_list(template, "spec", "containers")
    if len(containers) != 1 or containers[0].get("name"):
        return template
    return {**template, "spec": {**template["spec"], "containers": [{**containers[0], "name": CONTAINER}]}}


def master(job: ChainerJob, delivery_image: str) -> Object:
    spec = job.spec.master
    template = _template(job, named(spec.template), labels(job, "master"))
    pod: Object = template["spec"]
    pod.setdefault("restartPolicy", "Never")
    pod["serviceAccountName"] = pod.get("serviceAccountName") or account_name(job)
    if is_distributed(job):
        own = slots(spec.mpi_config, named(spec.template))
        delivery = exec_agent.delivery(delivery_image, job.metadata.namespace, KUBE, MOUNTS)
        pod["initContainers"] = [*dig_list(pod, "initContainers"), delivery, _hostfile_generator(own)]
    limits = {"activeDeadlineSeconds": spec.active_deadline_seconds, "backoffLimit": spec.backoff_limit}
    return {
        "apiVersion": "batch/v1",
        "kind": "Job",
        "metadata": {"name": master_name(job), "namespace": job.metadata.namespace, "labels": labels(job, "master")},
        "spec": {
            "completions": 1,
            "parallelism": 1,
            **{field: value for field, value in limits.items() if value is not None},
            "template": template,
        },
    }


def _hostfile_generator(own_slots: int) -> Object:
    return {
        "name": "chainer-operator-hostfile-generator",
        "image": "alpine",
        "command": ["/bin/sh", f"{ASSETS}/{scripts.GENERATOR}"],
        "args": [HOSTFILE, "$(POD_NAME)", f"slots={own_slots}", f"{ASSETS}/{scripts.SETS}"],
        "env": [{"name": "POD_NAME", "valueFrom": {"fieldRef": {"fieldPath": "metadata.name"}}}],
        "volumeMounts": [*MOUNTS],
    }


def worker_set(job: ChainerJob, name: str, *, done: bool) -> Object:
    """Scaled to nothing once the master is done."""
    marks = labels(job, "workerset", name)
    return {
        "apiVersion": "apps/v1",
        "kind": "StatefulSet",
        "metadata": {"name": set_name(job, name), "namespace": job.metadata.namespace, "labels": marks},
        "spec": {
            "replicas": 0 if done else replicas(job, name),
            "podManagementPolicy": "Parallel",
            "serviceName": set_name(job, name),
            "selector": {"matchLabels": marks},
            "template": _template(job, named(job.spec.worker_sets[name].template), marks),
        },
    }


def _template(job: ChainerJob, template: Object, marks: dict[str, str]) -> Object:
    written = dig_object(template, "metadata")
    metadata: Object = {**written, "labels": {**dig_object(written, "labels"), **marks}}
    pod: Object = dict(dig_object(template, "spec"))
    if is_distributed(job):
        config = f"{job.metadata.name}-assets"
        items = [{"key": name, "path": name, "mode": 0o555} for name in scripts.NAMES]
        pod["volumes"] = [
            *dig_list(pod, "volumes"),
            {"name": f"{VOLUME}generated", "emptyDir": {}},
            {"name": f"{VOLUME}kubectl", "emptyDir": {}},
            {"name": f"{VOLUME}assets", "configMap": {"name": config, "items": items}},
        ]
        for group in ("initContainers", "containers"):
            if dig_list(pod, group):
                pod[group] = [_mounted(container, group == "containers") for container in dig_list(pod, group)]
    return {"metadata": metadata, "spec": pod}


def _mounted(container: Object, trains: bool) -> Object:
    made = {**container, "volumeMounts": [*dig_list(container, "volumeMounts"), *MOUNTS]}
    return made | ({"env": [*dig_list(container, "env"), *ENVIRONMENT]} if trains else {})
