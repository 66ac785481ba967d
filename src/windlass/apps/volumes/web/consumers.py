"""What uses a claim, so that it is not deleted from under it."""

import asyncio
from collections.abc import Awaitable, Callable, Iterable, Sequence
from dataclasses import dataclass
from datetime import timedelta
from typing import Any

from windlass.apis.wellknown import KUBEFLOW_GROUP, PART_OF_LABEL, VOLCANO_BATCH_GROUP
from windlass.apps.notebooks.kinds import Notebook
from windlass.apps.tensorboards.kinds import Tensorboard, claim_of
from windlass.apps.volumes.names import PART_OF_VIEWERS
from windlass.gateway.views.claims import claims_in
from windlass.gateway.webapps.common import PODS
from windlass.kube.client import Client
from windlass.kube.errors import Forbidden, NotFound
from windlass.kube.json import Object, dig, dig_list, dig_object
from windlass.kube.kind import KINDS, Kind

NOTEBOOKS, BOARDS = KINDS.of(Notebook), KINDS.of(Tensorboard)
JOB_GROUPS = (
    "batch",
    KUBEFLOW_GROUP,
    "trainer.kubeflow.org",
    VOLCANO_BATCH_GROUP,
    "flow.volcano.sh",
    "jobset.x-k8s.io",
)
JOB_NAMES = ("Job", "JobSet", "JobTemplate", "TrainingRuntime")
OTHER_WORKLOADS = frozenset(
    {
        ("", "ReplicationController"),
        ("apps", "DaemonSet"),
        ("apps", "Deployment"),
        ("apps", "ReplicaSet"),
        ("apps", "StatefulSet"),
        ("serving.kserve.io", "InferenceService"),
    }
)
DISCOVERY_AGE = timedelta(minutes=1)
FINISHED_CONDITIONS = frozenset({"Succeeded", "Failed", "Complete", "Completed"})
FINISHED_PHASES = frozenset({"Completed", "Failed", "Aborted", "Terminated"})

MaySee = Callable[[Kind], Awaitable[bool]]


@dataclass(frozen=True, slots=True)
class Consumers:
    """What uses a claim: the objects that the user may see, as `Kind name`, and how many others."""

    named: tuple[str, ...] = ()
    hidden: int = 0

    def __bool__(self) -> bool:
        return bool(self.named) or self.hidden > 0

    def __str__(self) -> str:
        """As an error message lists them."""
        if not self.hidden:
            return ", ".join(self.named)
        hidden = f"{self.hidden} {'object' if self.hidden == 1 else 'objects'} that you may not see"
        return f"{', '.join(self.named)} and {hidden}" if self.named else hidden


async def consumers(clients: Sequence[Client], namespace: str, claim: str, may_see: MaySee) -> Consumers:
    """What uses the claim. Each kind is listed by the first of the clients that may list it."""
    served = await clients[0].discovery.kinds_of_last(DISCOVERY_AGE)
    kinds = [PODS, NOTEBOOKS, BOARDS, *workload_kinds(served)]
    found = await asyncio.gather(*(_list(clients, kind, namespace) for kind in kinds))
    named: list[str] = []
    hidden = 0
    for kind, names in using(zip(kinds, found, strict=True), claim).items():
        if await may_see(kind):
            named.extend(f"{kind.name} {name}" for name in names)
        else:
            hidden += len(names)
    return Consumers(tuple(named), hidden)


def using(objects: Iterable[tuple[Kind, list[Object]]], claim: str) -> dict[Kind, list[str]]:
    """The names of the objects that use a claim, by kind; without what belongs to another one of them."""
    users = [(kind, obj) for kind, found in objects for obj in found if uses(kind, obj, claim)]
    uids = {dig(obj, "metadata", "uid") for _, obj in users}
    by_kind: dict[Kind, list[str]] = {}
    for kind, obj in users:
        if kind == PODS or not owners(obj) & uids:
            by_kind.setdefault(kind, []).append(str(dig(obj, "metadata", "name")))
    return by_kind


def owners(obj: Object) -> set[Any]:
    """The uids of what the object belongs to."""
    return {dig(owner, "uid") for owner in dig_list(obj, "metadata", "ownerReferences")}


def workload_kinds(served: Iterable[Kind]) -> list[Kind]:
    """The kinds of jobs, of Kubernetes' workloads and of model servers, each in the version that the server prefers."""
    chosen: dict[tuple[str, str], Kind] = {}
    for kind in served:
        is_job = kind.group in JOB_GROUPS and kind.name.endswith(JOB_NAMES)
        if kind.namespaced and (is_job or (kind.group, kind.name) in OTHER_WORKLOADS):
            chosen.setdefault((kind.group, kind.name), kind)
    return list(chosen.values())


async def _list(clients: Sequence[Client], kind: Kind, namespace: str) -> list[Object]:
    for client in clients:
        try:
            return (await client.list(kind, namespace)).items
        except Forbidden:
            continue
        except NotFound:
            break
    return []


def uses(kind: Kind, obj: Object, claim: str) -> bool:
    """Whether an object needs the claim: not when it is over, and not when it is only a viewer of it."""
    spec = dig_object(obj, "spec")
    if kind == BOARDS:
        return claim_of(str(spec.get("logspath") or "")) == claim
    if dig(obj, "metadata", "labels", PART_OF_LABEL) == PART_OF_VIEWERS:
        return False
    if kind == PODS and dig(obj, "status", "phase") in ("Succeeded", "Failed"):
        return False
    return claim in claims_in(spec) and not is_finished(obj)


def is_finished(job: Object) -> bool:
    conditions = dig_list(job, "status", "conditions")
    ended = any(dig(each, "type") in FINISHED_CONDITIONS and dig(each, "status") == "True" for each in conditions)
    return ended or dig(job, "status", "state", "phase") in FINISHED_PHASES
