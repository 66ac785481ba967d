"""Queues of Volcano and of kube-batch. One name is one queue: Volcano's counts where both have it."""

from windlass.apis import scheduling_kube_batch_v1alpha1, scheduling_volcano_v1beta1
from windlass.kube.json import Object as Json
from windlass.kube.kind import KINDS, Kind
from windlass.kube.objects import key_of, version_of
from windlass.scheduler.model.cluster import Cluster
from windlass.scheduler.model.jobs import Queue
from windlass.scheduler.model.parsing import queue_of

VOLCANO = KINDS.of(scheduling_volcano_v1beta1.Queue)
KUBE_BATCH = KINDS.of(scheduling_kube_batch_v1alpha1.Queue)
QUEUE_KINDS = (VOLCANO, KUBE_BATCH)
DEFAULT = "default"
"""There always is a queue of this name, also where no object says so."""


class Queues:
    """Keeps the objects of both kinds, and the core's queues in step with them."""

    def __init__(self, cluster: Cluster) -> None:
        self._cluster = cluster
        self._objects: dict[tuple[Kind, str], Json] = {}
        self._aside: dict[tuple[Kind, str], str] = {}
        """Versions of objects that are left out until they change."""
        cluster.put_queue(Queue(DEFAULT))

    def put(self, kind: Kind, obj: Json) -> None:
        name = key_of(obj).name
        if self._aside.get((kind, name)) == version_of(obj):
            return
        self._aside.pop((kind, name), None)
        self._objects[kind, name] = obj
        self._choose(name)

    def drop(self, kind: Kind, obj: Json) -> None:
        name = key_of(obj).name
        self._aside.pop((kind, name), None)
        self._objects.pop((kind, name), None)
        self._choose(name)

    def set_aside(self, kind: Kind, obj: Json) -> bool:
        """Leave a queue out until its object changes; False: it is left out already."""
        name, version = key_of(obj).name, version_of(obj)
        if self._aside.get((kind, name)) == version:
            return False
        self.drop(kind, obj)
        self._aside[kind, name] = version
        return True

    def object(self, name: str) -> tuple[Kind, Json] | None:
        """What stands for a queue."""
        for kind in QUEUE_KINDS:
            found = self._objects.get((kind, name))
            if found is not None:
                return kind, found
        return None

    def _choose(self, name: str) -> None:
        found = self.object(name)
        if found is not None:
            self._cluster.put_queue(queue_of(found[1]))
        elif name == DEFAULT:
            self._cluster.put_queue(Queue(DEFAULT))
        else:
            self._cluster.drop_queue(name)
