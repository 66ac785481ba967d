"""Jobs that keep a topology domain (a rack, a node pool) to themselves, if the JobSet is annotated so.

The pods of such a Job go to one domain, and pods of no other such Job are let into it: both are said by affinities in
the Job's template. With the strategy `node-selector` an administrator has labelled the nodes of each Job beforehand.
"""

from windlass.apps.jobset.names import (
    EXCLUSIVE_TOPOLOGY,
    JOB_KEY,
    NAMESPACED_JOB,
    NO_SCHEDULE_TAINT,
    NODE_SELECTOR_STRATEGY,
)
from windlass.kube.json import Object, dig_list, dig_object

_REQUIRED = "requiredDuringSchedulingIgnoredDuringExecution"


def placed(pod: Object, asked: dict[str, str], namespace: str, job: str, key: str) -> Object:
    """The spec of a Job's pods, with what the annotations in `asked` want of it."""
    if EXCLUSIVE_TOPOLOGY not in asked:
        return pod
    if NODE_SELECTOR_STRATEGY in asked:
        return _on_labelled_nodes(pod, f"{namespace}_{job}")
    return _alone_in_its_domain(pod, asked[EXCLUSIVE_TOPOLOGY], key)


def _on_labelled_nodes(pod: Object, job: str) -> Object:
    tolerated = {"key": NO_SCHEDULE_TAINT, "operator": "Exists", "effect": "NoSchedule"}
    return {
        **pod,
        "nodeSelector": {**dig_object(pod, "nodeSelector"), NAMESPACED_JOB: job},
        "tolerations": [*dig_list(pod, "tolerations"), tolerated],
    }


def _alone_in_its_domain(pod: Object, topology: str, key: str) -> Object:
    ours: Object = {"key": JOB_KEY, "operator": "In", "values": [key]}
    others: list[Object] = [
        {"key": JOB_KEY, "operator": "Exists"},
        {"key": JOB_KEY, "operator": "NotIn", "values": [key]},
    ]
    affinity = dig_object(pod, "affinity")
    return {
        **pod,
        "affinity": {
            **affinity,
            "podAffinity": _with_term(dig_object(affinity, "podAffinity"), [ours], topology),
            "podAntiAffinity": _with_term(dig_object(affinity, "podAntiAffinity"), others, topology),
        },
    }


def _with_term(affinity: Object, expressions: list[Object], topology: str) -> Object:
    term = {
        "labelSelector": {"matchExpressions": expressions},
        "topologyKey": topology,
        "namespaceSelector": {},
    }
    return {**affinity, _REQUIRED: [*dig_list(affinity, _REQUIRED), term]}
