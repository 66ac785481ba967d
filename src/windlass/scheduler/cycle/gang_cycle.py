"""From a cluster and a configuration to decisions: the one way in for the live loop, simulations and tests."""

from collections.abc import Mapping
from dataclasses import replace

from windlass.apis.reasons import NodeCause
from windlass.scheduler.actions import ACTIONS
from windlass.scheduler.cycle.recovery import Recovery
from windlass.scheduler.framework import action_arguments, holds
from windlass.scheduler.framework.conf import Conf, parse
from windlass.scheduler.framework.decisions import Decisions
from windlass.scheduler.framework.plugin import Timed, untimed
from windlass.scheduler.framework.session import Session
from windlass.scheduler.model.cluster import Cluster
from windlass.scheduler.model.gang_tasks import LostTask
from windlass.scheduler.model.pod_info import PodInfo
from windlass.scheduler.placing.placer import Placer
from windlass.scheduler.plugins import plugins_of, registry
from windlass.scheduler.plugins.extender.client import Connect, unconnected
from windlass.scheduler.reservations import persistence as remembered
from windlass.scheduler.reservations.estimates import Estimates
from windlass.scheduler.reservations.reservation_limits import closed_to
from windlass.scheduler.reservations.reservations import Reservations


class CycleFailed(Exception):
    """A cycle ended early by what is its cause. `decisions` were made before that, and hold."""

    def __init__(self, decisions: Decisions) -> None:
        super().__init__("the cycle failed")
        self.decisions = decisions


class Decider:
    """Keeps what cycles have in common: the plugins of a configuration, rankings of nodes, what was promised.

    `before` decided by another configuration until now: what it has learned and promised stands. `connect` makes the
    clients of extenders.
    """

    def __init__(
        self,
        cluster: Cluster,
        conf: Conf,
        *,
        wants_words: bool = True,
        timed: Timed = untimed,
        before: "Decider | None" = None,
        connect: Connect = unconnected,
    ) -> None:
        self.cluster, self.conf, self.wants_words = cluster, conf, wants_words
        self._timed = timed
        self.plugins = plugins_of(conf, connect)
        self.placer = Placer(cluster.snapshot, self.plugins.profile())
        self.recovery = Recovery(conf.timeouts.gang_recovery)
        self.estimates = Estimates() if before is None else before.estimates
        self._reservations = (
            Reservations(cluster, self.estimates, conf.timeouts.starvation) if conf.reservation else None
        )
        if before is not None:
            self.recovery.take_over(before.recovery)
            self._take_over_reservations(before)

    def _take_over_reservations(self, before: "Decider") -> None:
        if self._reservations is None:
            self.cluster.reserved, self.cluster.unplaceable = set(), set()
        elif before._reservations is not None:
            self._reservations.take_over(before._reservations)

    def recall(self, now: float) -> None:
        """Find what was reserved and promised before this process started, as far as the API has it.

        To be called once, before the first cycle, when all that there is has been seen.
        """
        self.recall_reservations(now)
        for job in self.cluster.jobs.values():
            self.cluster.preemptions.recall(job, now + self.conf.timeouts.nomination)
            if job.is_broken:
                self.recovery.recall(job)
                if self.conf.timeouts.gang_hold > 0:
                    holds.recall(self.cluster, self.placer, job, now + self.conf.timeouts.gang_hold)

    def session(self, now: float) -> Session:
        return Session(self.cluster, self.plugins, self.placer, now, wants_words=self.wants_words, timed=self._timed)

    def decide(self, now: float) -> Decisions:
        """One cycle at the time `now` (seconds). What it decides is already so in the cluster.

        Raises CycleFailed where something in it raises; what was not decided by then is taken back.
        """
        freed = holds.renew(self.cluster, self.placer, now)
        session: Session | None = None
        try:
            session = self.session(now)
            session.decisions.freed += freed
            self._run(session)
        except Exception as error:
            raise CycleFailed(Decisions(freed=freed) if session is None else session.abandon()) from error
        return session.close()

    def _run(self, session: Session) -> None:
        if self._reservations is not None:
            self._reservations.open(session)
            session.reservations = self._reservations
        for action in self.conf.actions:
            with self._timed("action", action):
                ACTIONS[action](session)
        self.recovery.decide(session)
        if self._reservations is not None:
            self._reservations.close(session.decisions)

    def recall_reservations(self, now: float) -> None:
        """Of all that, only the nodes that are kept for gangs that wait."""
        if self._reservations is not None:
            remembered.recall(self.cluster, self._reservations, now)

    def closed_to(self, pod: PodInfo, now: float) -> Mapping[str, NodeCause]:
        """Nodes that are kept for gangs and that a pod of no gang may not use, and for whom."""
        if self._reservations is None or not self._reservations.kept or not pod.requests:
            return {}
        return closed_to(pod, self._reservations.kept.values(), self.conf.timeouts.starvation, now)

    def lost(self, lost: LostTask, now: float) -> None:
        """Keep the place of a task that has lost its node for a while: it failed, was deleted, or the node is gone.

        Not for tasks that a cycle evicted.
        """
        if self.conf.timeouts.gang_hold > 0:
            holds.lost(self.cluster, self.placer, lost, now + self.conf.timeouts.gang_hold)


def read_conf(text: str) -> Conf:
    """Read the format of volcano-scheduler.conf, with warnings of all that is not followed; raises BadConf."""
    actions = frozenset(ACTIONS)
    conf = parse(text, actions, frozenset(registry()))
    told = (*plugins_of(conf).warnings, *action_arguments.warnings(conf.configurations, actions))
    return replace(conf, warnings=told)
