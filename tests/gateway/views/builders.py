"""Objects as the API lists them, with only what a test is about."""

from typing import Any

from windlass.apis.reason_text import CONDITION_REASONS, condition_message
from windlass.apis.reasons import REASON_ANNOTATION, GangReason, to_annotation

Json = dict[str, Any]
AT = "2026-01-01T10:00:00Z"


def a_job(name: str = "train", namespace: str = "ml", *conditions: str, **spec: Any) -> Json:
    """A PyTorchJob of one master and two workers, with these conditions."""
    return {
        "apiVersion": "kubeflow.org/v1",
        "kind": "PyTorchJob",
        "metadata": {"name": name, "namespace": namespace, "uid": f"{namespace}-{name}", "creationTimestamp": AT},
        "spec": {"pytorchReplicaSpecs": {"Master": {"replicas": 1}, "Worker": {"replicas": 2}}, **spec},
        "status": {"conditions": [{"type": one, "status": "True", "lastTransitionTime": AT} for one in conditions]},
    }


def a_pod(
    name: str, namespace: str = "ml", *, job: str = "", node: str = "", phase: str = "Pending", **more: Any
) -> Json:
    """A pod that asks for one core."""
    labels = {"training.kubeflow.org/job-name": job} if job else {}
    role, _, index = name.removeprefix(f"{job}-").rpartition("-")
    if job:
        labels |= {"training.kubeflow.org/replica-type": role, "training.kubeflow.org/replica-index": index}
    return {
        "metadata": {"name": name, "namespace": namespace, "uid": f"{namespace}-{name}", "labels": labels},
        "spec": {
            "containers": [{"name": "pytorch", "resources": {"requests": {"cpu": "1"}}}],
            **({"nodeName": node} if node else {}),
        },
        "status": {"phase": phase, **more},
    }


def a_group(name: str, namespace: str = "ml", *, phase: str = "Pending", reason: GangReason | None = None) -> Json:
    """A PodGroup; with a reason one that waits for it."""
    found: Json = {
        "metadata": {"name": name, "namespace": namespace, "uid": f"{namespace}-{name}-pg", "creationTimestamp": AT},
        "spec": {"minMember": 3, "queue": "default"},
        "status": {"phase": phase},
    }
    if reason is not None:
        found["metadata"]["annotations"] = {REASON_ANNOTATION: to_annotation(reason)}
        condition = {"type": "Unschedulable", "status": "True", "reason": CONDITION_REASONS[type(reason)]}
        found["status"]["conditions"] = [{**condition, "message": condition_message(reason)}]
    return found


def a_node(name: str = "vm", **allocatable: str) -> Json:
    offered = {"cpu": "4", "memory": "8Gi", **allocatable}
    return {
        "metadata": {"name": name},
        "spec": {},
        "status": {"allocatable": offered, "conditions": [{"type": "Ready", "status": "True"}]},
    }
