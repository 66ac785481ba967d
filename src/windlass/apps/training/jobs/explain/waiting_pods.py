"""Why pods that have a node do not start, for `windlass explain`. Decides only."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import msgspec

from windlass.apis.core_v1 import Pod
from windlass.apis.wellknown import POD_GROUP_NAME_ANNOTATION
from windlass.apps.training.jobs.state.job_state import belongs
from windlass.apps.volcano.names import JOB_NAME as VOLCANO_JOB
from windlass.controllers.waiting_containers import waiting_container
from windlass.kube.json import dig, dig_object
from windlass.kube.objects import without_nulls

MAX_PODS = 3  # that are named
Object = Mapping[str, Any]


def waiting_notes(
    kind: str, name: str, namespace: str, owner: Object | None, pods: Sequence[dict[str, Any]]
) -> tuple[str, ...]:
    """A line for each pod of the podgroup, job or pod of that name whose container cannot start, the first of them."""
    mine = (pod for pod in pods if dig(pod, "metadata", "namespace") == namespace and _is_meant(kind, name, owner, pod))
    lines = list(_lines(mine))
    more = len(lines) - MAX_PODS
    return (*lines[:MAX_PODS], *([f"and {more} more pods wait"] if more > 0 else []))


def _lines(pods: Iterator[dict[str, Any]]) -> Iterator[str]:
    for pod in pods:
        if dig(pod, "spec", "nodeName") and dig(pod, "status", "phase") == "Pending":
            wait = waiting_container(msgspec.convert(without_nulls(pod), Pod))
            if wait is not None:
                yield f"pod {wait.pod} waits: {wait.reason}: {wait.details}"


def _is_meant(kind: str, name: str, owner: Object | None, pod: Object) -> bool:
    if kind == "pod":
        return dig(pod, "metadata", "name") == name
    if kind == "podgroup":
        return dig_object(pod, "metadata", "annotations").get(POD_GROUP_NAME_ANNOTATION) == name
    named = dig_object(pod, "metadata", "labels").get(VOLCANO_JOB) == name
    return named or (owner is not None and belongs(pod, str(owner.get("kind")), name))
