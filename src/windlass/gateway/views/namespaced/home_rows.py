"""The home page of a namespace: what runs, what needs attention, how much is free. Pure."""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

import msgspec

from windlass.apis.quota_usage import FINISHED
from windlass.apis.wellknown import POD_GROUP_NAME_ANNOTATION
from windlass.apps.notebooks.web.notebook_view import NotebookRow
from windlass.apps.tensorboards.web.tensorboard_view import TensorboardRow
from windlass.apps.training.web.structs.jobs import JobRow
from windlass.apps.volcano.controllers.pod_groups.lone_pods import group_name
from windlass.gateway.views.capacity import node_rows, ordered, pod_requests, totals
from windlass.gateway.views.events import event_row
from windlass.gateway.views.home import (
    AttentionItem,
    CapacityRow,
    CapacityUser,
    HomeView,
    QuotaRow,
    RecentFile,
    RecentJob,
)
from windlass.gateway.views.links import job_page, object_page
from windlass.gateway.views.parts import EventRow, ObjectRef, Why
from windlass.gateway.views.reading import amount, amount_of, name_of, namespace_of, text, time_of
from windlass.gateway.views.visibility import Visible
from windlass.gateway.views.whys import plain_why
from windlass.gateway.webapps.event_times import is_of_start
from windlass.kube.json import Object, dig, dig_list, dig_object

ATTENTION_AGE = timedelta(hours=1)
MAX_ATTENTION = 12
MAX_USERS = 6
MAX_RECENT_JOBS = 6
UNWELL = ("Failed", "Waiting", "Restarting")
PARTS = ("Pod", "PodGroup", "StatefulSet", "ReplicaSet", "Job", "JobSet")
RUNNING_PHASES = ("ready", "waiting", "warning", "unavailable")


def home_view(
    namespace: str,
    jobs: Sequence[JobRow],
    notebooks: Sequence[NotebookRow],
    boards: Sequence[TensorboardRow],
    attention: Sequence[AttentionItem],
    quotas: Sequence[Object],
    capacity: Sequence[CapacityRow],
    files: Sequence[RecentFile],
    curves: Mapping[str, tuple[str, tuple[float, ...]]],
) -> HomeView:
    """`curves`: the metric and the newest values of a job, by its uid."""
    return HomeView(
        namespace=namespace,
        jobs=tuple(row for row in jobs if row.state not in ("Succeeded", "Failed", "Suspended")),
        notebooks=tuple(row for row in notebooks if row.status.phase in RUNNING_PHASES),
        tensorboards=tuple(boards),
        attention=tuple(attention),
        quotas=tuple(quota_rows(quotas)),
        capacity=tuple(capacity),
        recent_files=tuple(files),
        recent_jobs=tuple(_recent(row, curves.get(row.uid, ("", ()))) for row in jobs[:MAX_RECENT_JOBS]),
    )


def _recent(row: JobRow, curve: tuple[str, tuple[float, ...]]) -> RecentJob:
    return RecentJob(row=row, metric=curve[0], values=curve[1])


def attention_items(
    events: Iterable[Object],
    jobs: Sequence[JobRow],
    notebooks: Sequence[NotebookRow],
    gone: frozenset[str],
    now: datetime,
) -> tuple[AttentionItem, ...]:
    """Objects that are not well, the newest first: jobs and notebooks by their state, others by their warnings.

    `gone` are the uids that events name and that no longer exist, or whose warnings are over.
    """
    warnings = _warnings(events, now)
    counts = {uid: sum(one.count for one in rows) for uid, rows in warnings.items()}
    items: dict[str, AttentionItem] = {}
    for row in jobs:
        if row.why is not None and row.state in UNWELL and _is_recent(row.ended, now):
            items[row.uid] = _job_item(row, row.why, counts.get(row.uid, 0))
    for row in notebooks:
        if row.why is not None:
            items[row.uid] = _notebook_item(row, row.why, counts.get(row.uid, 0))
    # Owners first: what a Notebook repeats of its pod's events is shown once, on the Notebook.
    for uid, rows in sorted(warnings.items(), key=lambda warning: warning[1][0].object.kind in PARTS):
        if uid not in items and uid not in gone and not _is_listed(rows[0], items.values()):
            items[uid] = _warning_item(rows, counts[uid])
    found = sorted(items.values(), key=lambda item: item.last, reverse=True)
    return tuple(found[:MAX_ATTENTION])


def is_well(pod: Object) -> bool:
    """Whether a pod has succeeded, or all its containers run and none was started again."""
    phase, statuses = dig(pod, "status", "phase"), dig_list(pod, "status", "containerStatuses")
    if phase == "Succeeded":
        return True
    return phase == "Running" and all(dig(one, "ready") is True and not dig(one, "restartCount") for one in statuses)


def _is_recent(ended: str | None, now: datetime) -> bool:
    moment = time_of(ended)
    return moment is None or now - moment <= timedelta(days=1)


def _warnings(events: Iterable[Object], now: datetime) -> dict[str, list[EventRow]]:
    """Warnings of the last hour by the object that they are about, the newest first."""
    warnings: defaultdict[str, list[EventRow]] = defaultdict(list)
    for event in events:
        row = event_row(event)
        moment = time_of(row.last)
        is_warning = row.type == "Warning" and not is_of_start(row.reason, row.message)
        if is_warning and moment is not None and now - moment <= ATTENTION_AGE:
            warnings[row.object.uid or f"{row.object.kind}/{row.object.name}"].append(row)
    for rows in warnings.values():
        rows.sort(key=lambda row: row.last, reverse=True)
    return dict(warnings)


def _is_listed(row: EventRow, items: Iterable[AttentionItem]) -> bool:
    """Whether an object of that name is listed already, or the one that the pod, gang or set is a part of."""
    return any(
        item.object.namespace == row.object.namespace
        and (
            (item.object.kind, item.object.name) == (row.object.kind, row.object.name)
            or (row.object.kind in PARTS and _is_part_name(row.object.name, item.object.name))
            or row.object.name == group_name(item.object.uid)
        )
        for item in items
    )


def _is_part_name(name: str, owner: str) -> bool:
    return name == owner or name.startswith(f"{owner}-")


def _job_item(row: JobRow, why: Why, count: int) -> AttentionItem:
    ref = ObjectRef(api_version=row.api_version, kind=row.kind, namespace=row.namespace, name=row.name, uid=row.uid)
    last = row.ended or row.started or row.created
    return AttentionItem(object=ref, why=why, count=count, last=last, link=job_page(row.kind, row.namespace, row.name))


def _notebook_item(row: NotebookRow, why: Why, count: int) -> AttentionItem:
    ref = ObjectRef(api_version="kubeflow.org/v1", kind="Notebook", namespace=row.namespace, name=row.name, uid=row.uid)
    link = object_page(ref.api_version, ref.kind, ref.namespace, ref.name)
    return AttentionItem(object=ref, why=why, count=count, last=row.age or "", link=link)


def _warning_item(rows: Sequence[EventRow], count: int) -> AttentionItem:
    """The newest reason, in the words that say most: `Error: ImagePullBackOff` follows what could not be pulled."""
    newest = rows[0]
    ref = newest.object
    fullest = max((row.message for row in rows if row.reason == newest.reason), key=len)
    return AttentionItem(
        object=ref,
        why=plain_why(newest.reason, fullest),
        count=count,
        last=newest.last,
        link=object_page(ref.api_version, ref.kind, ref.namespace, ref.name),
    )


def quota_rows(quotas: Iterable[Object]) -> list[QuotaRow]:
    rows: list[QuotaRow] = []
    for quota in quotas:
        hard = dig_object(quota, "status", "hard") or dig_object(quota, "spec", "hard")
        used = dig_object(quota, "status", "used")
        rows += [
            QuotaRow(
                quota=name_of(quota),
                resource=name,
                hard=amount_of(hard[name], name),
                used=amount_of(used.get(name, "0"), name),
            )
            for name in ordered(hard)
        ]
    return rows


@dataclass(frozen=True, kw_only=True)
class Measured:
    """Measurements beside the requests; None where nothing measures."""

    cpu: float | None = None
    """Cores that the ready nodes use together."""
    memory: float | None = None
    """Bytes."""
    disk: tuple[float, float] | None = None
    """The size of the data directory's disk and its free part, in bytes."""

    def of(self, resource: str) -> float | None:
        return {"cpu": self.cpu, "memory": self.memory}.get(resource)


def capacity_rows(
    nodes: Sequence[Object], pods: Sequence[Object], volumes: Iterable[Object], visible: Visible, measured: Measured
) -> tuple[CapacityRow, ...]:
    """CPU, memory, GPUs and disk of the cluster."""
    rows = [
        _capacity(name, total, requested, measured.of(name), _users(name, pods, visible))
        for name, (total, requested) in totals(node_rows(nodes, pods)).items()
        if name != "ephemeral-storage"
    ]
    if measured.disk is not None:
        size, free = measured.disk
        requested = sum(amount_of(dig(one, "spec", "capacity", "storage")).value for one in volumes)
        rows.append(msgspec.structs.replace(_capacity("disk", size, requested, size - free), free=amount("disk", free)))
    order = ordered(row.resource for row in rows if row.resource != "disk")
    return tuple(sorted(rows, key=lambda row: order.index(row.resource) if row.resource in order else len(order)))


def _capacity(
    name: str, total: float, requested: float, in_use: float | None, users: tuple[CapacityUser, ...] = ()
) -> CapacityRow:
    return CapacityRow(
        resource=name,
        total=amount(name, total),
        requested=amount(name, requested),
        in_use=amount(name, in_use) if in_use is not None else None,
        free=amount(name, max(0.0, total - requested)),
        users=users,
    )


def _users(resource: str, pods: Iterable[Object], visible: Visible) -> tuple[CapacityUser, ...]:
    held: defaultdict[tuple[str, str, str], float] = defaultdict(float)
    for pod in pods:
        if not dig(pod, "spec", "nodeName") or dig(pod, "status", "phase") in FINISHED:
            continue
        value = pod_requests(pod).get(resource, 0.0)
        if value:
            held[owner_of(pod) if namespace_of(pod) in visible else ("", "", "")] += value
    largest = sorted(held.items(), key=lambda one: (-one[1], one[0]))[:MAX_USERS]
    return tuple(
        CapacityUser(namespace=namespace, kind=kind, name=name, amount=amount(resource, value))
        for (namespace, kind, name), value in largest
    )


def owner_of(pod: Object) -> tuple[str, str, str]:
    """What a pod is a part of: its controller or its gang, else the pod itself."""
    namespace = namespace_of(pod)
    for owner in dig_list(pod, "metadata", "ownerReferences"):
        if dig(owner, "controller") is True:
            return namespace, text(dig(owner, "kind")), text(dig(owner, "name"))
    group = text(dig_object(pod, "metadata", "annotations").get(POD_GROUP_NAME_ANNOTATION))
    return (namespace, "PodGroup", group) if group else (namespace, "Pod", name_of(pod))
