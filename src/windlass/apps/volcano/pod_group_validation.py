"""Defaulting and validation of the queue of Volcano's PodGroups."""

from windlass.apis.wellknown import QUEUE_NAME_ANNOTATION
from windlass.apps.volcano.queue_references import pod_group_queue_problem
from windlass.apps.volcano.task_validation import TWO_LIMITS, has_two_limits
from windlass.kube.json import Object, dig, dig_list, dig_object, is_object

DEFAULT = "default"


def queue_of(group: Object) -> str:
    return str(dig(group, "spec", "queue") or DEFAULT)


def with_queue(group: Object, namespace: Object | None) -> Object:
    """Set the queue of the namespace on a PodGroup that names none."""
    chosen = dig(namespace, "metadata", "annotations", QUEUE_NAME_ANNOTATION)
    spec = group.get("spec", {})
    if not chosen or queue_of(group) != DEFAULT or not is_object(spec):
        return group
    return {**group, "spec": {**spec, "queue": chosen}}


def creation_problems(group: Object, queue: Object | None) -> str:
    """Why a new PodGroup for `queue` is refused; empty if it is valid."""
    spec = dig_object(group, "spec")
    limits = [f"{TWO_LIMITS}."] if has_two_limits(spec) else []
    for policy in dig_list(spec, "subGroupPolicy"):
        if has_two_limits(policy):
            limits.append(f"in subGroupPolicy '{policy.get('name', '')}': {TWO_LIMITS}.")
    found = [pod_group_queue_problem(queue_of(group), queue), " ".join(limits)]
    return "; ".join(text for text in found if text)
