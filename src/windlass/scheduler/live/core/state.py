"""All that the running scheduler remembers between two turns, and how its parts ask each other to decide again.

All of it is rebuilt from the caches, so a restart loses nothing. A pod counts on its node from the decision on, until
the cache shows it there or the binding turns out to have failed: what is decided is never given away again.
"""

from dataclasses import dataclass, field

from windlass.apis.core_v1 import Pod
from windlass.apis.scheduling_v1 import PriorityClass
from windlass.kube.faults import Faults
from windlass.kube.meta import Key
from windlass.scheduler.cycle.gang_cycle import Decider
from windlass.scheduler.live.core.effects import Turn, Wake
from windlass.scheduler.live.core.group_reports import GroupReports
from windlass.scheduler.live.core.pod_reports import PodReports
from windlass.scheduler.live.core.queue_reports import QueueReports
from windlass.scheduler.live.core.resting_pods import Change
from windlass.scheduler.live.core.scheduling_queue import SchedulingQueue
from windlass.scheduler.live.metrics import SchedulerMetrics
from windlass.scheduler.live.options import Options
from windlass.scheduler.model.cluster import Cluster
from windlass.scheduler.model.gangs import Gangs
from windlass.scheduler.model.parsing import finished_at, seconds_of
from windlass.scheduler.model.pod_info import PodInfo
from windlass.scheduler.model.queues import Queues
from windlass.scheduler.model.snapshot import Snapshot
from windlass.scheduler.placing.placer import Placer
from windlass.scheduler.plugins.extender.client import Connect
from windlass.scheduler.predicates import resources
from windlass.scheduler.reservations.estimates import owner_named

HELPED_BY_A_FREE_PLACE = frozenset(("ports", "spread", "pod_affinity", "volumes", "gang"))


@dataclass
class State:
    options: Options
    metrics: SchedulerMetrics
    faults: Faults
    connect: Connect
    """Makes the clients of extenders."""
    cluster: Cluster
    decider: Decider
    """Decides about gangs by the configuration that is in force; another configuration makes another one."""
    placer: Placer
    queue: SchedulingQueue
    classes: dict[str, PriorityClass]
    gangs: Gangs
    queues: Queues
    pod_reports: PodReports
    group_reports: GroupReports
    queue_reports: QueueReports
    gangs_are_due: bool = field(default=True)
    """Something changed since the last cycle that may help a gang."""

    @classmethod
    def empty(cls, options: Options, metrics: SchedulerMetrics, faults: Faults, connect: Connect) -> "State":
        cluster, classes = Cluster(), dict[str, PriorityClass]()
        gangs = Gangs(cluster, classes, options.default_queue)
        queues = Queues(cluster)
        return cls(
            options=options,
            metrics=metrics,
            faults=faults,
            connect=connect,
            cluster=cluster,
            decider=Decider(cluster, options.conf, timed=metrics.timed, connect=connect),
            placer=Placer(cluster.snapshot),
            queue=SchedulingQueue(),
            classes=classes,
            gangs=gangs,
            queues=queues,
            pod_reports=PodReports(),
            group_reports=GroupReports(gangs),
            queue_reports=QueueReports(cluster, queues),
        )

    @property
    def snapshot(self) -> Snapshot:
        return self.cluster.snapshot

    # --- what brings pods and gangs back

    def wake_pods(self, turn: Turn, change: Change) -> None:
        """Decide again about pods that rest and that a change may help."""
        if self.queue.wake(change, turn.now):
            turn.emit(Wake())

    def wake_gangs(self, turn: Turn) -> None:
        """Something changed that may help a gang."""
        self.gangs_are_due = True
        turn.emit(Wake())

    def node_freed(self, turn: Turn, name: str) -> None:
        """A place on that node is free again."""
        node = self.snapshot.node(name)

        def fits(pod: PodInfo) -> bool:
            """Pods that only lack resources must fit there now."""
            return node is not None and resources.fits(pod, node)

        self.wake_pods(turn, Change(HELPED_BY_A_FREE_PLACE, fits))
        if self.cluster.waiting:
            self.wake_gangs(turn)

    def gangs_changed(self, turn: Turn) -> None:
        """Groups or their pods changed: what that means beyond them."""
        changes = self.gangs.take_changes()
        for lost in changes.lost:
            self.decider.lost(lost, turn.clock.wall())
        for key in changes.groups:
            self.group_reports.changed(turn, key)
        for group, pod in changes.ended:
            self._learn_run_time(group, pod, turn.clock.wall())
        for node in changes.freed:
            self.node_freed(turn, node)
        if changes.is_due:
            self.wake_gangs(turn)

    def _learn_run_time(self, group: Key, pod: Pod, now: float) -> None:
        seconds = (finished_at(pod) or now) - seconds_of(pod.status.start_time)
        if pod.status.start_time and seconds > 0:
            self.decider.estimates.learn(owner_named(group.namespace, group.name), seconds)
