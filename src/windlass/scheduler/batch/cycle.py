"""From a cluster and a configuration to decisions: the one way in for the live loop, simulations and tests."""

from windlass.scheduler.actions import ACTIONS
from windlass.scheduler.batch import holds
from windlass.scheduler.batch.cluster import Cluster
from windlass.scheduler.batch.conf import Conf, parse
from windlass.scheduler.batch.decisions import Decisions
from windlass.scheduler.batch.estimates import Estimates
from windlass.scheduler.batch.model import Job, Task
from windlass.scheduler.batch.plugin import Timed, untimed
from windlass.scheduler.batch.recovery import Recovery
from windlass.scheduler.batch.reservations import Reservations
from windlass.scheduler.batch.session import Session
from windlass.scheduler.placing.placer import Placer
from windlass.scheduler.plugins import plugins_of, registry


class Decider:
    """Keeps what cycles have in common: the plugins of a configuration, and rankings of nodes."""

    def __init__(self, cluster: Cluster, conf: Conf, *, wants_words: bool = True, timed: Timed = untimed) -> None:
        self.cluster, self.conf, self.wants_words = cluster, conf, wants_words
        self._timed = timed
        self.plugins = plugins_of(conf)
        self.placer = Placer(cluster.snapshot, self.plugins.profile())
        self._recovery = Recovery(conf.patience.gang_recovery)
        self.estimates = Estimates()
        self._reservations = (
            Reservations(cluster, self.estimates, conf.patience.starvation) if conf.reservation else None
        )

    def session(self, now: float) -> Session:
        return Session(self.cluster, self.plugins, self.placer, now, wants_words=self.wants_words, timed=self._timed)

    def decide(self, now: float) -> Decisions:
        """One cycle at the time `now` (seconds). What it decides is already so in the cluster."""
        freed = holds.renew(self.cluster, self.placer, now)
        session = self.session(now)
        session.decisions.freed += freed
        if self._reservations is not None:
            self._reservations.open(session)
            session.reservations = self._reservations
        for action in self.conf.actions:
            with self._timed("action", action):
                ACTIONS[action](session)
        self._recovery.look(session)
        if self._reservations is not None:
            self._reservations.close(session.decisions)
        return session.close()

    def lost(self, job: Job, task: Task, now: float) -> None:
        """A member of a job loses its node: it failed, was deleted, or the node is gone. The place is kept for a while.

        To be told while the task still counts as having the node; not of tasks that a cycle evicted.
        """
        if self.conf.patience.gang_hold > 0:
            holds.lost(self.cluster, self.placer, job, task, now + self.conf.patience.gang_hold)


def read_conf(text: str) -> Conf:
    """Read the format of volcano-scheduler.conf; raises BadConf."""
    return parse(text, frozenset(ACTIONS), frozenset(registry()))
