"""The locks of all Workflows in this process, and who is woken when one is released."""

from collections.abc import Callable, Iterable

from windlass.apps.pipelines.argo.locks import LockTable, held_locks, holder_of
from windlass.apps.pipelines.argo.workflow import Advance
from windlass.kube.json import Object, dig_object
from windlass.kube.meta import Key


class WorkflowLocks:
    """A lock that was granted becomes visible in the status of its Workflow before anything starts with it.

    So a restart loses only grants that were not used yet.
    """

    def __init__(self, wake: Callable[[Key], None]) -> None:
        self._wake = wake
        self._table: LockTable | None = None

    def load(self, workflows: Iterable[Object]) -> None:
        """Take over, once, what the statuses of all Workflows say."""
        if self._table is None:
            self._table = LockTable()
            for workflow in workflows:
                self._table.load(workflow)

    def answer(self, workflow: Object, made: Advance, answers: dict[str, bool]) -> bool:
        """Acquire what the engine asks for, and add it to the answers. Returns whether there was something new."""
        new = [node for node in made.lock_requests if node not in answers]
        for node in new:
            assert self._table is not None
            answers[node] = self._table.acquire(holder_of(workflow, node), made.lock_requests[node])
        return bool(new)

    def settle(self, key: Key, workflow: Object, made: Advance) -> None:
        """Release what the Workflow, as it was written, neither holds nor waits for any more."""
        status = dig_object(workflow, "status")
        self._settle(key, held_locks(status), made.lock_requests)

    def forget(self, key: Key) -> None:
        """Release everything of a Workflow that is deleted."""
        self._settle(key, {}, ())

    def _settle(self, key: Key, held: dict[str, set[str]], waiting: Iterable[str]) -> None:
        if self._table is not None:
            for waiter in self._table.settle(key, held, waiting):
                self._wake(waiter)
