"""The cluster as it would be if some tasks had ended: to find out what would have room then."""

from collections.abc import Iterable
from types import TracebackType

from windlass.scheduler.framework.session import Session
from windlass.scheduler.model.columns import Vector
from windlass.scheduler.model.jobs import Status, Task
from windlass.scheduler.model.pod_info import PodInfo


class AssumedEvictions:
    """For the length of a block: without tasks that are ending anyway, and without others that are added.

    At the end all are what they were. `plain`: what is asked about depends on how full nodes are, and on nothing else.
    """

    def __init__(self, session: Session, *, plain: bool = False) -> None:
        self._session, self._cluster, self._plain = session, session.cluster, plain
        self._before: Vector | None = None
        self._ending: list[tuple[PodInfo, str]] = []
        self._gone: dict[str, tuple[Task, Status, str]] = {}

    def __enter__(self) -> "AssumedEvictions":
        snapshot = self._cluster.snapshot
        if not snapshot.table.ending:
            return self
        if self._plain:
            self._before = snapshot.table.suppose_ended()
            return self
        self._ending = [(pod, node) for pod, node in snapshot.ending() if snapshot.node(node) is not None]
        for pod, _ in self._ending:
            snapshot.remove_pod(pod.uid)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.without(())
        if self._before is not None:
            self._cluster.snapshot.table.unsuppose(self._before)
        for pod, node in self._ending:
            self._cluster.snapshot.add_pod(pod, node)
            self._cluster.snapshot.set_ending(pod.uid, True)

    def without(self, tasks: Iterable[Task]) -> None:
        """These, and no others, are gone."""
        wanted = {task.uid: task for task in tasks}
        for uid in [uid for uid in self._gone if uid not in wanted]:
            task, status, node = self._gone.pop(uid)
            self._cluster.move(task, status, node)
            self._session.placed(task)
        for uid, task in wanted.items():
            if uid not in self._gone:
                self._gone[uid] = task, task.status, task.node
                self._cluster.move(task, Status.FAILED)
                self._session.removed(task)
