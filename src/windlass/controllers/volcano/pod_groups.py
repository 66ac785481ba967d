"""Pods of the scheduler `volcano` that name no group get one: of their owner, or of their own. Pure.

The group of a ReplicaSet or StatefulSet goes when that is scaled to nothing; others go with their owners.
"""

from collections.abc import Mapping
from contextlib import suppress
from datetime import timedelta
from typing import Any

import msgspec

from windlass.apis.apps_v1 import ReplicaSet, StatefulSet
from windlass.apis.core_v1 import Pod
from windlass.apis.quota_usage import FINISHED, pod_usage
from windlass.controllers.volcano.names import (
    COMPONENT,
    GROUP_MIN_MEMBER,
    GROUP_NAME,
    INHERITED,
    POD,
    POD_GROUP,
    QUEUE_NAME,
    SCHEDULER,
)
from windlass.kube.cache import Store
from windlass.kube.controller import Runtime, Service
from windlass.kube.errors import AlreadyExists, ApiError, NotFound
from windlass.kube.json import Object as Json
from windlass.kube.meta import Key, OwnerReference
from windlass.kube.objects import owner_reference
from windlass.kube.view import metadata_only, typed, untyped

NAME = "volcano-podgroup"
AGAIN = timedelta(seconds=5)
"""When a group that was refused (its queue is closed) is tried again."""


def needs_group(pod: Pod) -> bool:
    return (
        pod.spec.scheduler_name == SCHEDULER
        and not pod.metadata.annotations.get(GROUP_NAME)
        and pod.metadata.deletion_timestamp is None
        and pod.status.phase not in FINISHED
    )


def group_name(uid: str) -> str:
    return f"podgroup-{uid}"


def name_for(pod: Pod) -> str:
    owner = pod.metadata.controller
    return group_name(owner.uid if owner is not None else pod.metadata.uid)


def group_for(pod: Pod, owner_annotations: Mapping[str, str]) -> Json:
    """The group of a pod and of those like it. `owner_annotations`: of the object that controls the pod."""
    told = min_member(owner_annotations)
    least = 1 if told is None else told
    spec: Json = {"minMember": least, "minResources": _times(pod, least)}
    queue = pod.metadata.annotations.get(QUEUE_NAME)
    if queue:
        spec["queue"] = queue
    if pod.spec.priority_class_name:
        spec["priorityClassName"] = pod.spec.priority_class_name
    inherited = {**owner_annotations, **pod.metadata.annotations}
    metadata: Json = {
        "name": name_for(pod),
        "namespace": pod.metadata.namespace,
        "ownerReferences": msgspec.to_builtins(_owners(pod)),
        "annotations": {name: value for name, value in inherited.items() if name.startswith(INHERITED)},
    }
    return {"apiVersion": POD_GROUP.api_version, "kind": POD_GROUP.name, "metadata": metadata, "spec": spec}


def min_member(annotations: Mapping[str, str]) -> int | None:
    """What the owner says of how many must start together; None where it says nothing, or nothing sensible."""
    told = annotations.get(GROUP_MIN_MEMBER, "")
    return int(told) if told.isascii() and told.isdigit() and len(told) < 10 else None


def bad_min_member(annotations: Mapping[str, str]) -> str:
    """What is wrong with what the owner says, if something is."""
    told = annotations.get(GROUP_MIN_MEMBER)
    if told is None or min_member(annotations) is not None:
        return ""
    return f"annotation {GROUP_MIN_MEMBER} must be a number of pods, not {told!r}: minMember remains 1"


def _owners(pod: Pod) -> list[OwnerReference]:
    return pod.metadata.owner_references if pod.metadata.controller else [owner_reference(pod, POD)]


def _times(pod: Pod, count: int) -> dict[str, str]:
    return {name: str(amount * count) for name, amount in sorted(pod_usage(pod).items())}


class PodGroups:
    """Makes what is missing and removes what is over."""

    def __init__(self, runtime: Runtime) -> None:
        self._runtime, self._api = runtime, runtime.api
        self._queue = runtime.queue(NAME)
        self._pods, self._groups = runtime.store(typed(Pod)), runtime.store(untyped(POD_GROUP))
        self._owners: tuple[Store[ReplicaSet], Store[StatefulSet]] = (
            runtime.store(typed(ReplicaSet)),
            runtime.store(typed(StatefulSet)),
        )

    def start(self) -> None:
        self._pods.subscribe(_Concerned(self._pod_changed))
        for store in self._owners:
            store.subscribe(_Concerned(self._owner_changed))
        self._runtime.work(NAME, self._queue, self.look, 2)

    def _pod_changed(self, pod: Pod) -> None:
        if needs_group(pod):
            self._queue.add(("pod", pod.metadata.key))

    def _owner_changed(self, owner: ReplicaSet | StatefulSet) -> None:
        if owner.spec.replicas == 0:
            self._queue.add(("group", Key(owner.metadata.namespace, group_name(owner.metadata.uid))))

    async def look(self, concerned: tuple[str, Key]) -> timedelta | None:
        await self._groups.synced.wait()
        what, key = concerned
        if what == "group":
            await self._remove(key)
            return None
        pod = self._pods.get(key)
        if pod is None or not needs_group(pod):
            return None
        try:
            await self._provide(pod)
        except NotFound:  # the pod or its namespace is gone
            return None
        except ApiError as error:
            self._runtime.warn(COMPONENT, pod, POD, "PodGroupError", f"Failed to create PodGroup: {error.message}")
            return AGAIN
        return None

    async def _provide(self, pod: Pod) -> None:
        name = name_for(pod)
        if self._groups.get(Key(pod.metadata.namespace, name)) is None:
            annotations = await self._annotations_of_owner(pod)
            if problem := bad_min_member(annotations):
                self._runtime.warn(COMPONENT, pod, POD, "PodGroupError", problem)
            with suppress(AlreadyExists):  # made for another pod of the same owner, just now
                await self._api.create(group_for(pod, annotations), kind=POD_GROUP)
        patch: Json = {"metadata": {"uid": pod.metadata.uid, "annotations": {GROUP_NAME: name}}}
        await self._api.patch(POD, pod.metadata.key, patch)

    async def _annotations_of_owner(self, pod: Pod) -> dict[str, str]:
        owner = pod.metadata.controller
        if owner is None:
            return {}
        try:
            kind = await self._api.find_kind(owner.api_version, owner.kind)
            found = await self._api.get(metadata_only(kind), owner.name, pod.metadata.namespace)
        except NotFound:
            return {}
        return found.metadata.annotations

    async def _remove(self, key: Key) -> None:
        if self._groups.get(key) is None:
            return
        try:
            await self._api.delete(POD_GROUP, key)
        except NotFound:
            return


class _Concerned:
    def __init__(self, tell: Any) -> None:
        self._tell = tell

    def added(self, obj: Any, /) -> None:
        self._tell(obj)

    def changed(self, _: Any, new: Any, /) -> None:
        self._tell(new)

    def deleted(self, _: Any, /) -> None:
        """What belongs to it goes by its owner references."""


CONTROLLER = Service(NAME, lambda runtime: PodGroups(runtime).start())
