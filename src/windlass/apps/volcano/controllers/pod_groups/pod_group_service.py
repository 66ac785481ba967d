"""Gives lone pods of the scheduler `volcano` their groups, and keeps those in step with the pods' owners."""

from contextlib import suppress
from datetime import timedelta
from typing import Any, TypeAlias

from windlass.apis.apps_v1 import ReplicaSet, StatefulSet
from windlass.apis.core_v1 import Pod
from windlass.apis.scheduling_volcano_v1beta1 import Queue, generated_group_name
from windlass.apis.wellknown import POD_GROUP_NAME_ANNOTATION
from windlass.apps.volcano.controllers.names import COMPONENT, GROUP_MIN_MEMBER, POD, POD_GROUP
from windlass.apps.volcano.controllers.pod_groups.lone_pods import (
    bad_min_member,
    group_for,
    min_member,
    name_for,
    needs_group,
)
from windlass.kube.api import About
from windlass.kube.cache import Store
from windlass.kube.controller import Runtime, Service
from windlass.kube.errors import AlreadyExists, ApiError, Forbidden, NotFound
from windlass.kube.json import Object as Json
from windlass.kube.json import dig
from windlass.kube.kind import KINDS
from windlass.kube.meta import Key
from windlass.kube.view import metadata_only, typed, untyped

NAME = "volcano-podgroup"
AGAIN = timedelta(seconds=60)
"""When a group that was refused, as its queue is closed or not there, is tried again, if no queue changes before."""
Workload: TypeAlias = ReplicaSet | StatefulSet
Concerned: TypeAlias = tuple[type[Pod | Workload], Key]


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
        self._refused: set[Key] = set()

    def start(self) -> None:
        self._pods.subscribe(_Handler(self._pod_changed))
        for store in self._owners:
            store.subscribe(_Handler(self._owner_changed))
        self._runtime.store(typed(Queue)).subscribe(_Handler(self._queue_changed))
        self._runtime.work(NAME, self._queue, self.reconcile, 2, self._about)

    def _about(self, concerned: Concerned) -> About | None:
        what, key = concerned
        store: Store[Any] = self._pods if what is Pod else self._owners[0 if what is ReplicaSet else 1]
        found = store.get(key)
        return None if found is None else (found, KINDS.of(what))

    def _pod_changed(self, pod: Pod) -> None:
        if needs_group(pod):
            self._queue.add((Pod, pod.metadata.key))

    def _owner_changed(self, owner: Workload) -> None:
        if owner.spec.replicas == 0 or GROUP_MIN_MEMBER in owner.metadata.annotations:
            self._queue.add((type(owner), owner.metadata.key))

    def _queue_changed(self, _: Queue) -> None:
        for key in self._refused:
            self._queue.add((Pod, key))
        self._refused.clear()

    async def reconcile(self, concerned: Concerned) -> timedelta | None:
        await self._groups.synced.wait()
        what, key = concerned
        if what is not Pod:
            owner = self._owners[0 if what is ReplicaSet else 1].get(key)
            if owner is not None:
                await self._follow(owner)
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
            self._refused.add(pod.metadata.key)
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
        patch: Json = {"metadata": {"uid": pod.metadata.uid, "annotations": {POD_GROUP_NAME_ANNOTATION: name}}}
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
        except Forbidden as error:  # the owner is of a kind that the manager's role does not name
            self._runtime.warn(COMPONENT, pod, POD, "PodGroupOwnerNotRead", f"{GROUP_MIN_MEMBER}: {error.message}")
            return {}
        return found.metadata.annotations

    async def _follow(self, owner: Workload) -> None:
        """The group of an owner that has changed: it goes, or is as large as that says now."""
        key = Key(owner.metadata.namespace, generated_group_name(owner.metadata.uid))
        group = self._groups.get(key)
        if group is None:
            return
        with suppress(NotFound):
            if owner.spec.replicas == 0:
                await self._api.delete(POD_GROUP, key)
                return
            least = min_member(owner.metadata.annotations)
            pods = self._pods.filed("owner", owner.metadata.uid)
            if least is None or not pods or dig(group, "spec", "minMember") == least:
                return
            spec = group_for(pods[0], owner.metadata.annotations)["spec"]
            changed = {name: spec[name] for name in ("minMember", "minResources")}
            await self._api.patch(POD_GROUP, key, {"spec": changed})


class _Handler:
    def __init__(self, handle: Any) -> None:
        self._handle = handle

    def added(self, obj: Any, /) -> None:
        self._handle(obj)

    def changed(self, _: Any, new: Any, /) -> None:
        self._handle(new)

    def deleted(self, _: Any, /) -> None:
        """What belongs to it goes by its owner references."""


CONTROLLER = Service(NAME, lambda runtime: PodGroups(runtime).start())
