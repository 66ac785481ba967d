"""Cycles of the gang scheduler in the running system: when there is one, and what follows from it."""

import logging
import time
from collections.abc import Callable, Mapping

from windlass.apis.core_v1 import Pod
from windlass.apis.scheduling_v1 import PriorityClass
from windlass.kube.controller import Runtime
from windlass.kube.json import Object as Json
from windlass.kube.kind import KINDS
from windlass.kube.meta import Key
from windlass.kube.view import typed
from windlass.scheduler.cycle.gang_cycle import CycleFailed, Decider
from windlass.scheduler.framework.conf import Conf
from windlass.scheduler.framework.decisions import GATHERING, Commit, Decisions, Eviction, Trouble
from windlass.scheduler.live.claims import Claims
from windlass.scheduler.live.extender_client import ask_aside
from windlass.scheduler.live.gang_effects import Evictor, GangBinding
from windlass.scheduler.live.group_reports import PATIENCE, GroupReporter
from windlass.scheduler.live.metrics import SchedulerMetrics
from windlass.scheduler.live.options import Options
from windlass.scheduler.live.pod_reports import Reporter
from windlass.scheduler.live.queue_reports import QueueReporter
from windlass.scheduler.live.set_aside import SetAside
from windlass.scheduler.live.usage_reports import UsageReader
from windlass.scheduler.model.cluster import Cluster
from windlass.scheduler.model.gangs import Gangs
from windlass.scheduler.model.hyper_nodes import resolve
from windlass.scheduler.model.jobs import Job, Status, Task
from windlass.scheduler.model.parsing import finished_at, seconds_of
from windlass.scheduler.model.pod_groups import COMPONENTS, Group, Mark, mark_of
from windlass.scheduler.model.pod_info import PodInfo
from windlass.scheduler.model.queues import Queues
from windlass.scheduler.reservations.estimates import owner_named

PODS = KINDS.of(Pod)
BINDERS, REPORTERS = 8, 4
LOOK_AGAIN = 5.0  # seconds after which jobs that wait are looked at again: some things change with time alone
NEVER = 3600.0

log = logging.getLogger(__name__)


class GangCycles:
    """`kick` asks for a turn; `freed` hears of nodes with new room, `opened` that others are kept for gangs now."""

    def __init__(
        self,
        runtime: Runtime,
        cluster: Cluster,
        options: Options,
        claims: Claims,
        reporter: Reporter,
        kick: Callable[[], None],
        freed: Callable[[str], None],
        opened: Callable[[], None],
    ) -> None:
        self._runtime, self.cluster, self._kick, self._freed, self._opened = runtime, cluster, kick, freed, opened
        self._options = options
        self._reporter = reporter
        self._pods = runtime.store(typed(Pod))
        self._classes = runtime.store(typed(PriorityClass))
        self.groups = GroupReporter(runtime, self._incomplete)
        self.gangs = Gangs(
            cluster,
            self._class,
            self.groups.changed,
            self.wake,
            self._lost,
            self._done,
            freed,
            default_queue=options.default_queue,
        )
        self.groups.gangs = self.gangs
        self.queues = Queues(cluster)
        self._set_aside = SetAside(cluster, self.gangs, self.queues, runtime.faults)
        self._queue_reporter = QueueReporter(runtime, cluster, self.queues)
        self.metrics = SchedulerMetrics(runtime.registry)
        self.decider = Decider(cluster, options.conf, timed=self.metrics.timed)
        self.hyper_nodes: dict[str, Json] = {}
        self._hyper_nodes_seen: tuple[int, int] = (-1, -1)
        self._hyper_nodes_version = 0
        self._usage = UsageReader(runtime, cluster, lambda: self.decider.plugins, self.wake)
        self._noted: list[str] = []
        self._configured()
        self._binding = GangBinding(runtime, claims, self._bound, self._not_bound)
        self._evictor = Evictor(runtime, self._pods, self._evicted)
        self._due = True
        self._looked = 0.0
        self._without_group: dict[str, float] = {}
        runtime.work("gang-bind", self._binding.queue, self._binding.step, BINDERS)
        runtime.work("gang-evict", self._evictor.queue, self._evictor.step, REPORTERS)
        runtime.work("queue-status", self._queue_reporter.queue, self._queue_reporter.step, 1)
        runtime.work("node-usage", self._usage.queue, self._usage.step, 1)
        runtime.work("pod-groups", self.groups.queue, self.groups.step, REPORTERS)

    def _class(self, name: str) -> PriorityClass | None:
        if not self._options.priority_classes:
            return None
        if name:
            return self._classes.get(Key("", name))
        return next((one for one in self._classes if one.global_default), None)

    # --- when

    def wake(self) -> None:
        """Something changed that may help a gang."""
        self._due = True
        self._kick()

    def classes_changed(self) -> None:
        self.gangs.priorities_changed()

    def configure(self, conf: Conf) -> None:
        """Decide by another configuration from now on."""
        if conf != self.decider.conf:
            log.info("another configuration is in force actions=%s", ",".join(conf.actions))
            self.decider = Decider(self.cluster, conf, timed=self.metrics.timed, before=self.decider)
            self._configured()
            self.wake()

    def _configured(self) -> None:
        ask_aside(self.decider.plugins, self.wake)
        for warning in self.decider.plugins.warnings:
            log.warning("configuration: %s", warning)

    def hyper_node(self, name: str, obj: Json | None) -> None:
        """One came or changed; None: it went."""
        if obj is None:
            self.hyper_nodes.pop(name, None)
        else:
            resolve([obj], {})  # raises here, over this one alone, if it cannot be read
            self.hyper_nodes[name] = obj
        self._hyper_nodes_version += 1

    def volumes_changed(self) -> None:
        self._binding.look_again()
        if self.cluster.waiting:
            self.wake()

    def recall(self) -> None:
        """Before the first turn, when all that there is has been seen: what was promised before a restart stands."""
        self.decider.recall(time.time())

    def closed_to(self, pod: PodInfo) -> Mapping[str, str]:
        """Nodes that a pod of no gang may not use, and why."""
        return self.decider.closed_to(pod, time.time())

    def turn(self) -> float:
        """Decide if there is reason to; answers in how many seconds to look again."""
        now = time.monotonic()
        early = self._looked + self._options.period - now
        if self._due and early > 0:
            return early
        if self._due or (self._waits and now - self._looked >= self._look_again):
            self._due, self._looked = False, now
            self._resolve_hyper_nodes()
            self.groups.cycle += 1
            self._decide(time.time())
        if self._miss_groups(now):
            return PATIENCE
        return self._look_again if self._waits else NEVER

    def _decide(self, now: float) -> None:
        try:
            with self.metrics.timed("cycle", ""):
                decisions = self.decider.decide(now)
        except CycleFailed as failed:
            self._carry_out(failed.decisions)
            self._set_aside.after(failed.__cause__ or failed)
            self.wake()
            return
        self.metrics.decided(self.decider, decisions, now)
        self._carry_out(decisions)
        if self._queue_reporter.look(decisions.reservations.values()):
            self._opened()

    @property
    def _look_again(self) -> float:
        """Of groups that begin to wait it is known soon whether they are to be told so aloud."""
        return PATIENCE if self.groups.has_news else LOOK_AGAIN

    @property
    def _waits(self) -> bool:
        """Time alone may change what is decided."""
        return bool(self.cluster.waiting or self.cluster.holds or self.decider.plugins.flat["victims"])

    def _resolve_hyper_nodes(self) -> None:
        snapshot = self.cluster.snapshot
        seen = (self._hyper_nodes_version, snapshot.nodes_version if self.hyper_nodes else 0)
        if seen != self._hyper_nodes_seen:
            self._hyper_nodes_seen = seen
            labels = {node.name: node.labels for node in snapshot.nodes}
            self.cluster.hyper_nodes = resolve(self.hyper_nodes.values(), labels)

    # --- what follows

    def _carry_out(self, decisions: Decisions) -> None:
        for note in decisions.notes:
            if note not in self._noted:
                log.warning("%s", note)
        self._noted = decisions.notes
        for job in decisions.admitted:
            with self._set_aside.contain(job):
                self._settle(job)
        for commit in decisions.commits:
            with self._set_aside.contain(commit.job):
                self._commit(commit)
        for eviction in decisions.evictions:
            self._evictor.add(eviction)
        for job in decisions.released:
            self._released(job)
        for uid, name in decisions.hyper_nodes.items():
            job = self.cluster.jobs.get(uid)
            group = self._group(job) if job is not None else None
            if group is not None:
                self.groups.placed_in(group, name)
        for node in decisions.freed:
            self._freed(node)
        for uid, trouble in decisions.troubles.items():
            job = self.cluster.jobs.get(uid)
            if job is not None:
                with self._set_aside.contain(job):
                    self._wait(job, trouble)

    def _commit(self, commit: Commit) -> None:
        was_ready = commit.job.ready - len(commit.tasks) >= commit.job.min_member
        self._binding.add(commit)
        group = self._settle(commit.job)
        if group is not None and not was_ready:
            self.groups.ready(group)

    def _group(self, job: Job) -> Group | None:
        return self.gangs.get(job.ref) if job.ref is not None else None

    def _settle(self, job: Job) -> Group | None:
        """What it waited for has come."""
        group = self._group(job)
        if group is not None:
            self.gangs.troubles.pop((group.kind, group.key), None)
            self.groups.at_once(group)
        return group

    def _wait(self, job: Job, trouble: Trouble) -> None:
        """What may be on its way is not missed aloud at once."""
        group = self._group(job)
        if group is not None:
            self.gangs.troubles[group.kind, group.key] = trouble
            self.groups.waits(group, trouble)
        if trouble.reason in GATHERING and group is not None:
            return
        for uid, message in trouble.pods.items():
            task = job.tasks.get(uid)
            if task is not None and task.status is Status.PENDING:
                self._reporter.unschedulable(task.pod, message)

    def _incomplete(self, group: Group) -> None:
        """Its pods have waited for the others long enough to be told so."""
        trouble = self.gangs.troubles.get((group.kind, group.key))
        job = self.cluster.jobs.get(group.uid)
        for task in job.pending.values() if job is not None and trouble is not None else ():
            self._reporter.unschedulable(task.pod, trouble.message if trouble is not None else "")

    # --- pods whose group is not there

    def _miss_groups(self, now: float) -> bool:
        """Tell those that have waited for a moment; whether others still have patience."""
        orphans = {pod.uid: pod for pod in self.gangs.orphans()}
        self._without_group = {uid: since for uid, since in self._without_group.items() if uid in orphans}
        for uid, pod in orphans.items():
            since = self._without_group.setdefault(uid, now)
            if now - since >= PATIENCE:
                self._without_group[uid] = -NEVER
                self._reporter.unschedulable(pod, _missing(mark_of(pod.pod)))
        return any(since > 0 for since in self._without_group.values())

    # --- members that are lost, or done

    def _lost(self, job: Job, task: Task) -> None:
        self.decider.lost(job, task, time.time())

    def _done(self, group: Key, pod: Pod) -> None:
        seconds = (finished_at(pod) or time.time()) - seconds_of(pod.status.start_time)
        if pod.status.start_time and seconds > 0:
            self.decider.estimates.learn(owner_named(group.namespace, group.name), seconds)

    def _released(self, job: Job) -> None:
        group = self._group(job)
        if group is not None:
            text = "the gang lacks members and is given up, so that another one in the same plight can go on"
            self._runtime.warn(COMPONENTS[group.kind], group.obj, group.kind, "GangReleased", text)

    # --- what became of it

    def _bound(self, task: Task) -> None:
        pod = task.pod
        self.cluster.snapshot.nominated.pop(task.uid, None)
        self._reporter.forget(task.uid)
        text = f"Successfully assigned {pod.key} to {task.node}"
        self._runtime.tell(pod.scheduler, pod.pod, PODS, "Scheduled", text)

    def _not_bound(self, task: Task, why: str) -> None:
        """It waits again, as it is by now: it may have changed."""
        self.metrics.not_bound()
        node = task.node
        self.gangs.not_bound(task)
        latest = self._pods.get(task.pod.key)
        if latest is not None and latest.metadata.uid == task.uid:
            self.gangs.see(latest)
            self._reporter.failed(task.pod, why)
        self._freed(node)
        self.wake()

    def _evicted(self, eviction: Eviction) -> None:
        group = self._group(eviction.task.job)
        if group is not None:
            text = f"Pod {eviction.task.pod.key} is evicted, because of {eviction.action}"
            self._runtime.tell(COMPONENTS[group.kind], group.obj, group.kind, "Evict", text)


def _missing(mark: Mark | None) -> str:
    if mark is None:
        return "the pod has no pod group: Volcano's controllers would make one"
    return f'pod group "{mark[1].name}" not found in namespace "{mark[1].namespace}"'
