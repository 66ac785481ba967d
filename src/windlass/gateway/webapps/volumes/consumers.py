"""What uses a claim, so that it is not deleted from under it."""

import asyncio
from collections.abc import Iterable, Iterator
from datetime import timedelta
from typing import Any

from windlass.apis.kubeflow_v1 import Notebook
from windlass.apis.pvcviewers.names import PART_OF, PART_OF_VIEWERS
from windlass.apis.tensorboard_v1alpha1 import Tensorboard
from windlass.apis.tensorboards.logspath import PVC, claim_of
from windlass.gateway.webapps.common import PODS
from windlass.kube.client import Client
from windlass.kube.errors import Forbidden, NotFound
from windlass.kube.json import Object, dig, dig_list, dig_object, is_list, is_object
from windlass.kube.kind import KINDS, Kind

NOTEBOOKS, BOARDS = KINDS.of(Notebook), KINDS.of(Tensorboard)
JOB_GROUPS = ("batch", "kubeflow.org", "trainer.kubeflow.org", "batch.volcano.sh", "jobset.x-k8s.io")
JOB_NAMES = ("Job", "JobSet")
INFERENCE_SERVICE = ("serving.kserve.io", "InferenceService")
DISCOVERY_AGE = timedelta(minutes=1)
FINISHED_CONDITIONS = frozenset({"Succeeded", "Failed", "Complete", "Completed"})
FINISHED_PHASES = frozenset({"Completed", "Failed", "Aborted", "Terminated"})


async def consumers(client: Client, namespace: str, claim: str) -> list[str]:
    """What uses the claim, as `Kind name`, of that which the user may see."""
    served = await client.discovery.kinds_of_last(DISCOVERY_AGE)
    kinds = [PODS, NOTEBOOKS, BOARDS, *workload_kinds(served)]
    found = await asyncio.gather(*(_list(client, kind, namespace) for kind in kinds))
    return [
        f"{kind.name} {dig(obj, 'metadata', 'name')}"
        for kind, objects in zip(kinds, found, strict=True)
        for obj in objects
        if uses(kind, obj, claim)
    ]


def workload_kinds(served: Iterable[Kind]) -> list[Kind]:
    """The kinds of jobs and of model servers, each in the version that the server prefers."""
    chosen: dict[tuple[str, str], Kind] = {}
    for kind in served:
        is_job = kind.group in JOB_GROUPS and kind.name.endswith(JOB_NAMES)
        if kind.namespaced and (is_job or (kind.group, kind.name) == INFERENCE_SERVICE):
            chosen.setdefault((kind.group, kind.name), kind)
    return list(chosen.values())


async def _list(client: Client, kind: Kind, namespace: str) -> list[Object]:
    try:
        return (await client.list(kind, namespace)).items
    except (Forbidden, NotFound):
        return []


def uses(kind: Kind, obj: Object, claim: str) -> bool:
    """Whether an object needs the claim: not when it is over, and not when it is only a viewer of it."""
    spec = dig_object(obj, "spec")
    if kind == BOARDS:
        return claim_of(str(spec.get("logspath") or "")) == claim
    if kind == PODS:
        is_viewer = dig(obj, "metadata", "labels", PART_OF) == PART_OF_VIEWERS
        if is_viewer or dig(obj, "status", "phase") in ("Succeeded", "Failed"):
            return False
    return claim in claims_in(spec) and not is_finished(obj)


def is_finished(job: Object) -> bool:
    conditions = dig_list(job, "status", "conditions")
    ended = any(dig(each, "type") in FINISHED_CONDITIONS and dig(each, "status") == "True" for each in conditions)
    return ended or dig(job, "status", "state", "phase") in FINISHED_PHASES


def claims_in(value: Any) -> Iterator[str]:
    """The claims that a spec names anywhere: in pod templates, as Volcano's volumes, as `pvc://` addresses."""
    if is_list(value):
        for item in value:
            yield from claims_in(item)
    elif is_object(value):
        for name, item in value.items():
            if name == "persistentVolumeClaim" and isinstance(claim := dig(item, "claimName"), str):
                yield claim
            elif name == "volumeClaimName" and isinstance(item, str):
                yield item
            elif name == "storageUri" and isinstance(item, str) and item.startswith(PVC):
                yield claim_of(item)
            else:
                yield from claims_in(item)
