"""The running scheduler as a function: `turn(events) -> effects`.

Gangs are decided about in cycles, after whatever may help one of them; pods of no gang are taken from a queue one by
one, as kube-scheduler does it. What a turn changes is the core's own state, and nothing else.
"""

from collections.abc import Iterable
from typing import assert_never

from windlass.kube.faults import Faults
from windlass.scheduler.live.core import events as happened
from windlass.scheduler.live.core.claim_plans import ClaimPlan, plan_claims
from windlass.scheduler.live.core.effects import Clock, Effect, Turn, Wake
from windlass.scheduler.live.core.events import Event
from windlass.scheduler.live.core.gang_turns import GangTurns
from windlass.scheduler.live.core.group_reports import GroupReport
from windlass.scheduler.live.core.object_changes import Feeds, feeds
from windlass.scheduler.live.core.pod_turns import PodTurns
from windlass.scheduler.live.core.queue_reports import QueueReport
from windlass.scheduler.live.core.state import State
from windlass.scheduler.live.metrics import SchedulerMetrics
from windlass.scheduler.live.options import Options
from windlass.scheduler.model.gang_tasks import GroupKey
from windlass.scheduler.model.pod_info import PodInfo
from windlass.scheduler.plugins.extender.client import Connect, unconnected


class TurnFailed(Exception):
    """A turn ended early by what is its cause. `effects` were decided before that, and are to be carried out."""

    def __init__(self, effects: list[Effect]) -> None:
        super().__init__("the turn failed")
        self.effects = effects


class SchedulerCore:
    """Deterministic: it reads no clock but the one that it is given, and asks extenders alone, by `connect`."""

    def __init__(
        self, options: Options, metrics: SchedulerMetrics, faults: Faults, connect: Connect = unconnected
    ) -> None:
        self.state = State.empty(options, metrics, faults, connect)
        self._pods, self._gangs = PodTurns(self.state), GangTurns(self.state)
        self.feeds: Feeds = feeds(self.state, self._gangs)
        """The objects that it follows: `ObjectAdded` and so on name one of these."""

    def turn(self, events: Iterable[Event], clock: Clock) -> list[Effect]:
        """Take in what has happened and decide what follows; the effects are to be carried out in their order.

        Raises TurnFailed where something in it raises.
        """
        turn = Turn(clock)
        try:
            for event in events:
                self._take_in(turn, event)
        except Exception as error:
            raise TurnFailed(turn.effects) from error
        return turn.effects

    def _take_in(self, turn: Turn, event: Event) -> None:
        match event:
            case happened.ObjectAdded(feed, obj):
                self.feeds[feed].handler.added(turn, obj)
            case happened.ObjectChanged(feed, old, new):
                self.feeds[feed].handler.changed(turn, old, new)
            case happened.ObjectDeleted(feed, obj):
                self.feeds[feed].handler.deleted(turn, obj)
            case happened.Wakeup():
                self._decide(turn)
            case happened.PodBound():
                self._pods.bound(turn, event)
            case happened.PodNotBound():
                self._pods.not_bound(turn, event)
            case happened.GangBound():
                self._gangs.bound(turn, event)
            case happened.GangNotBound():
                self._gangs.not_bound(turn, event)
            case happened.GroupReported():
                self._gangs.group_reported(turn, event)
            case happened.NodesMeasured():
                self._gangs.measured(turn, event)
            case happened.ExtenderAnswered():
                self.state.wake_gangs(turn)
            case happened.Started():
                self._gangs.configured()
                turn.emit(Wake())
            case happened.Synced():
                self.state.decider.recall(turn.clock.wall())
            case _:
                assert_never(event)

    def _decide(self, turn: Turn) -> None:
        """Gangs first, then as many pods as the turn has time for."""
        began = turn.now
        self._pods.flush(began)
        gangs_after, reserved = self._gangs.decide(turn)
        if reserved:
            self._pods.reservations_changed(turn)
        pods_after = self._pods.decide(turn, began)
        turn.emit(Wake(0.0 if pods_after is None else min(gangs_after, pods_after)))

    # --- what is asked of it between turns

    def group_report(self, key: GroupKey, clock: Clock) -> GroupReport | None:
        """What is to be written of a group now; None: it is gone."""
        return self.state.group_reports.report(key, clock)

    def queue_report(self, name: str) -> QueueReport | None:
        """What is to be written of a queue now; None: there is no such object."""
        return self.state.queue_reports.report(name)

    def claim_plan(self, pod: PodInfo, node: str) -> ClaimPlan:
        """What is to be written for the claims of a pod, whose volumes are reserved; raises ClaimsFailed."""
        return plan_claims(self.state.snapshot, pod, node)

    @property
    def reads_usage(self) -> bool:
        """A plugin wants to know how busy nodes are."""
        return self._gangs.reads_usage
