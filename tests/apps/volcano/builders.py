"""Volcano's objects as a client writes them, with only what a test is about."""

from typing import Any

from windlass.apps.volcano import job_defaults, queue_defaults
from windlass.kube.errors import Cause
from windlass.kube.json import Object

TEMPLATE: Object = {"spec": {"containers": [{"name": "main", "image": "busybox"}]}}
OPEN: Object = {"state": "Open"}


def a_task(name: str = "worker", replicas: int = 2, **more: Any) -> Object:
    return {"name": name, "replicas": replicas, "template": TEMPLATE, **more}


def a_job(*tasks: Object, name: str = "demo", **spec: Any) -> Object:
    """A job as admission hands it to the rules: filled in."""
    return job_defaults.with_defaults(written_job(*tasks, name=name, **spec))


def written_job(*tasks: Object, name: str = "demo", **spec: Any) -> Object:
    return {
        "apiVersion": "batch.volcano.sh/v1alpha1",
        "kind": "Job",
        "metadata": {"name": name},
        "spec": {"tasks": list(tasks or [a_task()]), **spec},
    }


def a_queue(
    name: str, *, status: Object | None = None, annotations: dict[str, str] | None = None, **spec: Any
) -> Object:
    return queue_defaults.with_defaults(
        {
            "apiVersion": "scheduling.volcano.sh/v1beta1",
            "kind": "Queue",
            "metadata": {"name": name, "annotations": annotations or {}},
            "spec": spec,
            "status": status,
        }
    )


def queues(*more: Object) -> dict[str, Object]:
    """The two that are always there, and more."""
    return {queue["metadata"]["name"]: queue for queue in (a_queue("root"), a_queue("default"), *more)}


def any_template(template: Object) -> list[Cause]:
    """A check of pod templates that finds nothing."""
    return []
