"""The Workflows that each of the controllers watches, and the handler that queues the keys of changed objects."""

from typing import Any

from windlass.apps.pipelines.kinds.argo import Workflow
from windlass.apps.pipelines.names import IR_LABEL, RUN_ID_LABEL
from windlass.kube.kind import KINDS
from windlass.kube.meta import Key
from windlass.kube.objects import controller_of, key_of
from windlass.kube.queue import Queue
from windlass.kube.view import metadata_only, untyped

CHILDREN = metadata_only(Workflow)
"""Workflows of a CronWorkflow."""
_ALL = untyped(KINDS.of(Workflow))
IR_WORKFLOWS = _ALL.narrowed(labels=f"{IR_LABEL}=true")
"""Workflows of runs in IR."""
ARGO_WORKFLOWS = _ALL.narrowed(labels=f"{IR_LABEL}!=true")
"""Workflows that are advanced by Argo's rules: all others."""
V1_WORKFLOWS = _ALL.narrowed(labels=f"{RUN_ID_LABEL},!{IR_LABEL}")
"""Workflows of runs of v1 pipelines, which are recorded."""


class Keys:
    """Adds the key of a changed object, or of the object that owns it, to a queue."""

    def __init__(self, place: str, queue: Queue[Key], *, by_owner: bool) -> None:
        self.place, self._queue, self._by_owner = place, queue, by_owner

    def added(self, obj: Any, /) -> None:
        key = key_of(obj)
        owner = controller_of(obj) if self._by_owner else None
        if owner is not None:
            self._queue.add(Key(key.namespace, owner.name))
        elif not self._by_owner:
            self._queue.add(key)

    def changed(self, old: Any, new: Any, /) -> None:
        self.added(new)

    def deleted(self, obj: Any, /) -> None:
        self.added(obj)
