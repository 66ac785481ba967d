"""The pods and services that a job is made of."""

from windlass.apps.training.controllers.engine.gang import Gang
from windlass.apps.training.controllers.engine.restarts import restarts_whole_job
from windlass.apps.training.job import JOB_ROLE, OURS, REPLICA_INDEX, Job, Replica, main_container
from windlass.kube.json import Object, dig_list, dig_object

MAIN_CONTAINER = f"{OURS}main-container"


def labels_of(job: Job, replica: Replica, index: int) -> dict[str, str]:
    return {**job.labels(replica.type), REPLICA_INDEX: str(index)}


def pod_for(job: Job, replica: Replica, index: int, gang: Gang | None) -> Object:
    """The pod at one place: what the template says, and what the framework and the engine add."""
    name = job.framework.pod_name(job, replica.type, index)
    metadata, spec = dig_object(replica.template, "metadata"), dict(dig_object(replica.template, "spec"))
    labels = {**dig_object(metadata, "labels"), **labels_of(job, replica, index)}
    if job.framework.is_master(job, replica.type, index):
        labels[JOB_ROLE] = "master"
    spec["restartPolicy"] = _restart_policy(job, replica)
    spec["containers"] = _containers(job, replica, index)
    annotations = {**dig_object(metadata, "annotations")}
    if len(spec["containers"]) > 1:
        annotations[MAIN_CONTAINER] = spec["containers"][main_container(job.framework, replica.template)]["name"]
    made: Object = {"name": name, "namespace": job.namespace, "labels": labels}
    if annotations:
        made["annotations"] = annotations
    if metadata.get("finalizers"):
        made["finalizers"] = metadata["finalizers"]
    pod: Object = {"apiVersion": "v1", "kind": "Pod", "metadata": made, "spec": spec}
    if gang is not None:
        gang.mark(job, replica, pod)
    return job.framework.shape(job, replica, index, pod)


def _restart_policy(job: Job, replica: Replica) -> str:
    """A job that restarts as a whole must see the failure, so no container is restarted in place."""
    if replica.restart_policy == "ExitCode" or (replica.restart_policy == "OnFailure" and restarts_whole_job(job)):
        return "Never"
    return replica.restart_policy


def _containers(job: Job, replica: Replica, index: int) -> list[Object]:
    added = [*job.framework.environment(job, replica, index)]
    main = main_container(job.framework, replica.template)
    containers: list[Object] = []
    for at, container in enumerate(dig_list(replica.template, "spec", "containers")):
        made: Object = dict(container)
        if added and (job.framework.every_container or at == main):
            made["env"] = [*dig_list(container, "env"), *added]
        if at == main:  # so that the reason of a failure has the last line of its log
            made.setdefault("terminationMessagePolicy", "FallbackToLogsOnError")
        containers.append(made)
    return containers


def service_for(job: Job, replica: Replica, index: int) -> Object:
    """The headless service that gives the pod at one place its name."""
    labels = labels_of(job, replica, index)
    containers = dig_list(replica.template, "spec", "containers")
    main = containers[main_container(job.framework, replica.template)] if containers else {}
    ports = [
        {"name": port.get("name") or f"port-{port['containerPort']}", "port": port["containerPort"]}
        | ({"protocol": port["protocol"]} if port.get("protocol") else {})
        for port in dig_list(main, "ports")
    ]
    return {
        "apiVersion": "v1",
        "kind": "Service",
        "metadata": {
            "name": job.framework.pod_name(job, replica.type, index),
            "namespace": job.namespace,
            "labels": labels,
        },
        "spec": {"clusterIP": "None", "selector": labels, "ports": ports},
    }
