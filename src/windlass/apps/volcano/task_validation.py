"""Validation of a task of a Volcano Job, apart from its policies and its pod template."""

from collections.abc import Iterator

from windlass.apis.bounds import MAX_INDEXED_PODS, TOO_MANY
from windlass.apps.volcano.wording import listed
from windlass.kube.json import Json, dig, dig_list, dig_object
from windlass.kube.names import dns_label_errors, label_key_errors
from windlass.kube.quantity import Quantity

TWO_LIMITS = "must not specify 'highestTierAllowed' and 'highestTierName' in networkTopology simultaneously"


def has_two_limits(holder: Json) -> bool:
    """Whether the network topology of `holder` sets both limits, which are mutually exclusive."""
    topology = dig(holder, "networkTopology")
    return dig(topology, "highestTierAllowed") is not None and bool(dig(topology, "highestTierName"))


def task_problems(index: int, task: Json, job: str) -> Iterator[str]:
    """Yield errors in the form ` error;`. Without a `job`, names of pods are not validated."""
    name, replicas = str(task.get("name") or ""), int(task.get("replicas", 0))
    where = f"in task: {name}, job: {job};" if job else f"in task: {name};"
    if task.get("minAvailable", 0) > replicas:
        yield f" 'minAvailable' is greater than 'replicas' {where}"
    if replicas > MAX_INDEXED_PODS:
        yield f" 'replicas' {TOO_MANY} {where}"
    yield from _partitions(task, where)
    if errors := dns_label_errors(name):
        yield f" {listed(errors)};"
    pod = f"{job}-{name}-{max(replicas - 1, 0)}"
    if job and (errors := label_key_errors(pod)):
        yield f" create pod with name {pod} validate failed {listed(errors)};"
    if task.get("topologyPolicy", "none") != "none":
        yield from _fractional_cpus(index, task)


def _partitions(task: Json, where: str) -> Iterator[str]:
    policy = task.get("partitionPolicy")
    if policy is None:
        return
    total, size, least = policy["totalPartitions"], policy["partitionSize"], policy.get("minPartitions", 0)
    if total * size != task.get("replicas", 0):
        yield f" 'Replicas' is not equal to TotalPartitions*PartitionSize {where}"
    if least > total:
        yield f" 'MinPartitions' is greater than TotalPartitions {where}"
    elif least and least * size != task.get("minAvailable", least * size):
        yield f" 'MinAvailable' is not equal to MinPartitions*PartitionSize {where}"
    if has_two_limits(policy):
        yield f" {TWO_LIMITS} {where}"


def _fractional_cpus(index: int, task: Json) -> Iterator[str]:
    spec = dig(task, "template", "spec")
    for place, container in enumerate((*dig_list(spec, "containers"), *dig_list(spec, "initContainers"))):
        resources = dig_object(container, "resources")
        asked = dig_object(resources, "requests") or dig_object(resources, "limits")
        if not _is_whole(asked.get("cpu")):
            yield f" the cpu request isn't  an integer in spec.task[{index}] container[{place}]."


def _is_whole(amount: Json) -> bool:
    try:
        milli = Quantity.parse(amount if amount is not None else 0).milli()
    except ValueError:
        return False  # which the check of the template reports
    return milli > 0 and milli % 1000 == 0
