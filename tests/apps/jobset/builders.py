"""JobSets as a client writes them, with only what a test is about."""

from typing import Any

from windlass.apps.jobset.defaults import with_defaults
from windlass.kube.json import Object

POD: Object = {"containers": [{"name": "main", "image": "busybox"}]}


def job(name: str = "workers", replicas: int = 1, pods: int | None = 1, **more: Any) -> Object:
    """A replicated job of `replicas` Jobs with `pods` pods each; `spec` and `pod` add to those of its Jobs and pods."""
    spec = more.pop("spec", {})
    counts = {} if pods is None else {"parallelism": pods, "completions": pods}
    template = {"spec": {**POD, **more.pop("pod", {})}, **more.pop("template", {})}
    made = {"spec": {**counts, "backoffLimit": 0, "template": template, **spec}}
    return {"name": name, "groupName": "default", "replicas": replicas, "template": made, **more}


def written(*jobs: Object, name: str = "demo", annotations: dict[str, str] | None = None, **spec: Any) -> Object:
    return {
        "apiVersion": "jobset.x-k8s.io/v1alpha2",
        "kind": "JobSet",
        "metadata": {"name": name, "namespace": "team-a", "annotations": annotations or {}},
        "spec": {"replicatedJobs": list(jobs or [job()]), **spec},
    }


def jobset(*jobs: Object, name: str = "demo", annotations: dict[str, str] | None = None, **spec: Any) -> Object:
    """As admission hands it on: filled in."""
    return with_defaults(written(*jobs, name=name, annotations=annotations, **spec))


def after(name: str, status: str = "Complete") -> list[Object]:
    return [{"name": name, "status": status}]
