"""Lists training jobs of all kinds with their state."""

from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

from windlass.apps.training.jobs.errors import JobsError
from windlass.apps.training.jobs.state import train_job
from windlass.apps.training.jobs.state.job_state import RelatedObjects, Row, has_ended, row
from windlass.apps.training.jobs.state.lookup import JOB, POD, group_kinds, job_kinds
from windlass.kube import errors
from windlass.kube.json import dig

if TYPE_CHECKING:
    from windlass.kube.client import Client


async def list_jobs(client: "Client", namespace: str) -> list[Row]:
    """All jobs, the newest last; in all namespaces if none is given."""
    kinds = await job_kinds(client)
    if not kinds:
        raise JobsError("this server has no training jobs: the CRDs of kubeflow.org are not installed")
    found: list[dict[str, Any]] = []
    for kind in kinds:
        found += [{"kind": kind.name, **obj} for obj in (await client.list(kind, namespace)).items]
    found.sort(key=lambda obj: (str(dig(obj, "metadata", "creationTimestamp")), str(dig(obj, "metadata", "name"))))
    related = RelatedObjects(
        groups=await _groups(client, namespace),
        jobs=await _batch_jobs(client, namespace) if any(map(train_job.is_train_job, found)) else [],
        running_pods=await _running_pods(client, namespace) if any(map(has_ended, found)) else [],
    )
    now = datetime.now(UTC)
    return [row(obj, related, now) for obj in found]


async def _running_pods(client: "Client", namespace: str) -> list[dict[str, Any]]:
    try:
        return (await client.list(POD, namespace, fields="status.phase=Running")).items
    except errors.Forbidden:  # who may see jobs need not see pods
        return []


async def _batch_jobs(client: "Client", namespace: str) -> list[dict[str, Any]]:
    """The batch Jobs of TrainJobs, which count running pods."""
    try:
        return (await client.list(JOB, namespace)).items
    except errors.Forbidden:
        return []


async def _groups(client: "Client", namespace: str) -> dict[tuple[str, str], dict[str, Any]]:
    found: dict[tuple[str, str], dict[str, Any]] = {}
    for kind in await group_kinds(client):
        try:
            items = (await client.list(kind, namespace)).items
        except errors.Forbidden:  # who may see jobs need not see groups
            continue
        found |= {(str(dig(one, "metadata", "namespace")), str(dig(one, "metadata", "name"))): one for one in items}
    return found
