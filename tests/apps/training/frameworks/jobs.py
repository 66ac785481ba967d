"""Jobs as the tests of the frameworks need them: demo in team-a, with one container a pod."""

from typing import Any

import msgspec

from windlass.apps.training.framework import Framework
from windlass.apps.training.job import Job, read
from windlass.apps.training.options import Options
from windlass.kube.json import Object

DEFAULTS = Options()


def a_job(
    framework: Framework,
    counts: dict[str, int],
    options: Options = DEFAULTS,
    annotations: dict[str, str] | None = None,
    port: int | None = None,
    **spec: Any,
) -> Job:
    """A job with so many replicas of each type; `spec` are further fields, as on the wire."""
    ports = [{"name": framework.port_name, "containerPort": port}] if port else []
    template = {"spec": {"containers": [{"name": framework.container, "image": "trainer", "ports": ports}]}}
    replicas = {name: {"replicas": count, "template": template} for name, count in counts.items()}
    obj: Object = {
        "metadata": {"name": "demo", "namespace": "team-a", "annotations": annotations or {}},
        "spec": {framework.specs_field: replicas, **spec},
    }
    return read(framework, msgspec.convert(obj, framework.kind), options)


def environment(job: Job, replica_type: str, index: int) -> list[str]:
    """The variables of one pod as lines; one that is no plain value as its JSON."""
    entries = job.framework.environment(job, job.replicas[replica_type], index)
    return [
        f"{entry['name']}={entry['value']}" if "value" in entry else msgspec.json.encode(entry).decode()
        for entry in entries
    ]
