"""Pods that are placed one by one, as kube-scheduler does it."""

from windlass.apis.core_v1 import Pod
from windlass.apis.reason_text import preemption_message
from windlass.apis.reasons import PreemptionPending
from windlass.kube.kind import KINDS
from windlass.scheduler.cycle.pod_cycle import RESERVATION, Placed, Unplaced, schedule
from windlass.scheduler.cycle.pod_preemption import Preemption, preempt
from windlass.scheduler.live.core.effects import BindPod, Turn, Wake
from windlass.scheduler.live.core.events import PodBound, PodNotBound
from windlass.scheduler.live.core.object_changes import PodChanges
from windlass.scheduler.live.core.resting_pods import Change, Waiting
from windlass.scheduler.live.core.state import State
from windlass.scheduler.model.pod_groups import DEFAULT

PODS = KINDS.of(Pod)
TURN_SECONDS = 0.01
"""After which the other tasks of the process have a turn."""
FLUSH_SECONDS = 30.0


class PodTurns:
    def __init__(self, state: State) -> None:
        self._state, self._queue, self._snapshot = state, state.queue, state.snapshot
        self._changes = PodChanges(state)
        self._flushed = 0.0

    def decide(self, turn: Turn, began: float) -> float | None:
        """Decide on pods until none is ready or the turn has lasted long enough; then there are more (None).

        Else the answer is the number of seconds after which one may be ready.
        """
        now = turn.now
        while (entry := self._queue.pop(now)) is not None:
            self._decide_or_skip(turn, entry)
            now = turn.now
            if now - began > TURN_SECONDS:
                return None
        next_at = self._queue.next_at()
        return FLUSH_SECONDS if next_at is None else min(FLUSH_SECONDS, next_at - now)

    def flush(self, now: float) -> None:
        """Every now and then pods are tried again that have rested for long, in case a change was not noticed."""
        if now - self._flushed > FLUSH_SECONDS:
            self._queue.flush(now)
            self._flushed = now

    def reservations_changed(self, turn: Turn) -> None:
        """Other nodes are reserved for gangs than before."""
        self._state.wake_pods(turn, Change(frozenset((RESERVATION,))))

    def _decide_or_skip(self, turn: Turn, entry: Waiting) -> None:
        """A pod over which this fails is left out until it changes."""
        pod = entry.pod
        with self._state.faults.contain(DEFAULT, pod.pod, PODS) as attempt:
            self._decide(turn, entry)
        if attempt.failed:
            self._queue.remove(pod.uid)
            self._snapshot.forget(pod.uid, pod.claim_keys)

    def _decide(self, turn: Turn, entry: Waiting) -> None:
        pod, state = entry.pod, self._state
        closed = state.decider.closed_to(pod, turn.clock.wall())
        match schedule(pod, self._snapshot, state.placer, closed):
            case Placed(node):
                self._snapshot.add_pod(pod, node)
                turn.emit(BindPod(pod, node))
            case Unplaced() as failed:
                self._fail(turn, entry, failed)

    def _fail(self, turn: Turn, entry: Waiting, failed: Unplaced) -> None:
        pod, message = entry.pod, failed.message
        self._queue.rest(pod.uid, failed.refused_by, turn.now)
        if failed.nodes:
            found = preempt(pod, failed, self._snapshot)
            if isinstance(found, Preemption):
                self._nominate(turn, entry, found)
            else:
                message = f"{message} {preemption_message(found.reason)}"
                if pod.uid in self._snapshot.nominated and not isinstance(found.reason, PreemptionPending):
                    del self._snapshot.nominated[pod.uid]
        self._state.pod_reports.unschedulable(turn, pod, message)

    def _nominate(self, turn: Turn, entry: Waiting, found: Preemption) -> None:
        """Victims are evicted for the pod. Pods of lower priority that were nominated to the node lose it."""
        pod, nominated, reports = entry.pod, self._snapshot.nominated, self._state.pod_reports
        for uid, (other, node) in list(nominated.items()):
            if node == found.node and other.priority < pod.priority:
                del nominated[uid]
                reports.nomination_withdrawn(turn, other)
        nominated[pod.uid] = (pod, found.node)
        for victim in found.victims:
            reports.preempted(turn, victim, pod, found.node)

    # --- how bindings end

    def bound(self, turn: Turn, event: PodBound) -> None:
        self._queue.remove(event.pod.uid)
        if event.is_certain:
            self._state.pod_reports.bound(turn, event.pod, event.node)

    def not_bound(self, turn: Turn, event: PodNotBound) -> None:
        """Its resources and volumes are free again, and the pod waits again, as it is by now: it may have changed."""
        pod, latest = event.pod, event.latest
        node = self._snapshot.node_of(pod.uid)
        self._snapshot.forget(pod.uid, pod.claim_keys)
        self._queue.retry(pod.uid, turn.now)
        if latest is not None and latest.metadata.uid == pod.uid:
            self._changes.added(turn, latest)
            if self._queue.get(pod.uid) is not None:
                self._state.pod_reports.failed(turn, pod, event.message)
        if node is not None:
            self._state.node_freed(turn, node.name)
        turn.emit(Wake())
