"""Tells pod groups what became of them: phase, counts, conditions, events; only what is new is written."""

import re
import time
from collections.abc import Callable
from contextlib import suppress
from datetime import timedelta

from windlass.kube import errors
from windlass.kube.applier import CAUGHT_UP_WITHIN, Written
from windlass.kube.controller import Runtime
from windlass.kube.json import Object as Json
from windlass.kube.json import dig, timestamp
from windlass.kube.objects import uid_of, version_of
from windlass.kube.queue import Queue
from windlass.kube.view import untyped
from windlass.scheduler.framework.decisions import GATHERING, NOT_ENQUEUEABLE, Trouble
from windlass.scheduler.live.group_status import status_of
from windlass.scheduler.model.gangs import Gangs, GroupKey
from windlass.scheduler.model.pod_groups import COMPONENTS, Group

SOON = 0.05  # seconds in which changes of a group's pods gather
PATIENCE = 1.0  # seconds that a gang may take to gather before it is told that pods are missing
AMOUNTS = re.compile(r" \([^()]*\)")
"""What is asked and free: a condition tells it, but no event, which would be written anew whenever it changes."""

ALLOCATED_HYPER_NODE = "volcano.sh/job-allocated-hypernode"
"""Annotation of a PodGroup: the hyper node that all of it was placed in."""


class GroupReporter:
    """`incomplete` hears of a gang that has waited in vain for its pods."""

    def __init__(self, runtime: Runtime, incomplete: Callable[[Group], None]) -> None:
        self._runtime, self._incomplete = runtime, incomplete
        self.queue: Queue[GroupKey] = runtime.queue("pod_groups")
        self.gangs: Gangs
        self._short_since: dict[GroupKey, float] = {}
        self._told: dict[GroupKey, str] = {}
        self._first: dict[GroupKey, int] = {}
        """The cycle that left a group waiting; one that the next cycle places is not warned of."""
        self._newest = -1
        self._places: dict[GroupKey, str] = {}
        self._written: dict[GroupKey, Written] = {}
        self.cycle = 0

    @property
    def has_news(self) -> bool:
        """The last cycle left a group waiting that did not wait before."""
        return self._newest == self.cycle

    def changed(self, key: GroupKey) -> None:
        """Changes gather, but nobody who waits for a group to be let in waits for that."""
        group = self.gangs.get(key)
        if group is not None and group.phase in ("", "Pending"):
            self.queue.add(key)
        else:
            self.queue.add_after(key, SOON)

    def at_once(self, group: Group) -> None:
        self.queue.add((group.kind, group.key))

    def ready(self, group: Group) -> None:
        """All that it needs have nodes now."""
        key = (group.kind, group.key)
        self._short_since.pop(key, None)
        self._told.pop(key, None)
        self._first.pop(key, None)
        self._runtime.tell(COMPONENTS[group.kind], group.obj, group.kind, "Scheduled", "pod group is ready")
        self.at_once(group)

    def placed_in(self, group: Group, hyper_node: str) -> None:
        """All of it is in one hyper node."""
        self._places[group.kind, group.key] = hyper_node
        self.at_once(group)

    def waits(self, group: Group, trouble: Trouble) -> None:
        key = (group.kind, group.key)
        if trouble.reason in GATHERING:
            self._short_since.setdefault(key, time.monotonic())
        else:
            self._short_since.pop(key, None)
            if key not in self._first:
                self._first[key] = self._newest = self.cycle
        self.at_once(group)

    async def step(self, key: GroupKey) -> timedelta | None:
        """Write what is new of one group."""
        await self._see_own_write(key)
        group = self.gangs.get(key)
        if group is None:
            for known in (self._short_since, self._told, self._first):
                known.pop(key, None)
            return None
        trouble = self.gangs.trouble(group)
        left = self._patience_left(key, trouble)
        await self._write(key, group, trouble if left <= 0 else None)
        if left > 0:
            return timedelta(seconds=left)
        if trouble is None:
            return None
        if self._first.get(key) == self.cycle:
            return timedelta(seconds=PATIENCE)
        self._warn(key, group, trouble)
        return None

    async def _see_own_write(self, key: GroupKey) -> None:
        """Wait for the cache to show the last write: a patch of an older version would be refused as a conflict."""
        written = self._written.pop(key, None)
        if written is not None:
            await written.store.until(written.seen, CAUGHT_UP_WITHIN)

    def _patience_left(self, key: GroupKey, trouble: Trouble | None) -> float:
        since = self._short_since.get(key)
        if trouble is None or trouble.reason not in GATHERING or since is None:
            return 0.0
        return since + PATIENCE - time.monotonic()

    def _warn(self, key: GroupKey, group: Group, trouble: Trouble) -> None:
        refused = trouble.reason == NOT_ENQUEUEABLE
        text = AMOUNTS.sub("", trouble.message) if refused else trouble.message
        if self._told.get(key) == text:
            return
        self._told[key] = text
        component = COMPONENTS[group.kind]
        if refused:
            for refusal in text.split("; "):
                self._runtime.tell(component, group.obj, group.kind, "Unschedulable", refusal)
            text = _not_admitted(self.gangs.count(group).pods, group, text)
        self._runtime.warn(component, group.obj, group.kind, "Unschedulable", text)
        if trouble.reason in GATHERING:
            self._incomplete(group)

    async def _write(self, key: GroupKey, group: Group, trouble: Trouble | None) -> None:
        status = status_of(
            group,
            self.gangs.count(group),
            admitted=self.gangs.is_admitted(key),
            trouble=trouble,
            now=timestamp(),
            cycle=str(self.cycle),
        )
        place = self._places.get(key, "")
        if status == group.status and not place:
            return
        gone = {name: None for name in group.status if name not in status}
        metadata: Json = {"resourceVersion": dig(group.obj, "metadata", "resourceVersion")}
        if place:
            metadata["annotations"] = {ALLOCATED_HYPER_NODE: place}
        patch: Json = {"metadata": metadata, "status": status | gone}
        subresource = "status" if group.kind.status else ""
        with suppress(errors.NotFound, errors.Conflict):  # another look comes with the change that was not seen yet
            answer = await self._runtime.api.patch(group.kind, group.key, patch, subresource=subresource)
            store = self._runtime.store(untyped(group.kind))
            self._written[key] = Written(store, group.key, uid_of(answer), version_of(answer))
            self._places.pop(key, None)


def _not_admitted(pods: int, group: Group, why: str) -> str:
    """Volcano's words, and what they mean: `why` is what keeps its queue from admitting it."""
    least, queue = group.min_member, str(dig(group.obj, "spec", "queue") or "default")
    pending = f"{pods} Pending, " if pods else ""
    head = f"{pods}/{pods} tasks in gang unschedulable: pod group is not ready, {pending}{least} minAvailable"
    exist = f"{pods} of {least} pods exist" if pods else f"no pods exist yet, the gang needs {least}"
    return f"{head}. Queue {queue} does not admit it, {exist}: {why}"
