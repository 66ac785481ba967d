"""Defaults of new Volcano Jobs."""

from windlass.kube.json import Json, Object, dig, dig_list, dig_object, is_list, is_object

SCHEDULER = "volcano"
QUEUE = "default"
MAX_RETRY = 3
TASK_NAME = "default"
_NEEDS_SERVICE = ("tensorflow", "pytorch", "mpi", "ray")


def with_defaults(job: Object) -> Object:
    """Return the job with the defaults of Volcano's webhook. Values of a wrong type are left to the schema."""
    spec = job.get("spec", {})
    if not is_object(spec):
        return job
    made = {
        **spec,
        "schedulerName": spec.get("schedulerName") or SCHEDULER,
        "queue": spec.get("queue") or QUEUE,
        "maxRetry": spec.get("maxRetry") or MAX_RETRY,
        "minAvailable": spec.get("minAvailable") or sum(_minimum(task) for task in dig_list(spec, "tasks")),
    }
    if is_list(tasks := spec.get("tasks")):
        made["tasks"] = [_task(index, task) if is_object(task) else task for index, task in enumerate(tasks)]
    if is_object(plugins := spec.get("plugins")):
        made["plugins"] = _plugins(plugins)
    return {**job, "spec": made}


def _task(index: int, task: Object) -> Object:
    made = {
        **task,
        "name": task.get("name") or f"{TASK_NAME}{index}",
        "maxRetry": task.get("maxRetry") or MAX_RETRY,
    }
    if task.get("minAvailable") is None:
        made["minAvailable"] = _minimum(task)
    if dig(task, "template", "spec", "hostNetwork") and not dig(task, "template", "spec", "dnsPolicy"):
        template = dig_object(task, "template")
        made["template"] = {**template, "spec": {**template["spec"], "dnsPolicy": "ClusterFirstWithHostNet"}}
    return made


def _minimum(task: Json) -> int:
    """The number of pods that must start: `minAvailable`, or the pods of the minimum number of partitions, or all."""
    if dig(task, "minAvailable") is not None:
        return _count(task["minAvailable"])
    least, size = (_count(dig(task, "partitionPolicy", name)) for name in ("minPartitions", "partitionSize"))
    return least * size or _count(dig(task, "replicas"))


def _count(value: Json) -> int:
    return value if isinstance(value, int) else 0


def _plugins(given: Object) -> Object:
    made = dict(given)
    if any(name in given for name in _NEEDS_SERVICE):
        made.setdefault("svc", [])
    if "mpi" in given:
        made.setdefault("ssh", [])
    return made
