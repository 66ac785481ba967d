"""Gangs in the running system: when there is a cycle, what follows from its decisions, and how bindings end."""

import logging

from windlass.apis.core_v1 import Pod
from windlass.kube.json import Object as Json
from windlass.kube.kind import KINDS
from windlass.scheduler.cycle.gang_cycle import CycleFailed, Decider
from windlass.scheduler.framework.conf import Conf
from windlass.scheduler.framework.decisions import Commit, Decisions, Eviction, Trouble
from windlass.scheduler.framework.extension_points import Victims
from windlass.scheduler.live.core.effects import (
    BindGang,
    Condition,
    EvictPod,
    RecordEvent,
    Turn,
)
from windlass.scheduler.live.core.events import GangBound, GangNotBound, GroupReported, NodesMeasured
from windlass.scheduler.live.core.group_reports import GATHER_SECONDS
from windlass.scheduler.live.core.node_usage import NodeUsage
from windlass.scheduler.live.core.set_aside import SetAside
from windlass.scheduler.live.core.state import State
from windlass.scheduler.model.hyper_nodes import resolve
from windlass.scheduler.model.jobs import Job, Status
from windlass.scheduler.model.pod_groups import COMPONENTS, Mark, PodGroup, mark_of

PODS = KINDS.of(Pod)
RETRY_SECONDS = 5.0
"""After which gangs that wait are decided about again: some things change with time alone."""
IDLE_SECONDS = 3600.0
USAGE_PLUGINS = ("usage", "rescheduling")
"""The plugins that read how busy nodes are."""
ANOTHER_FAILED = "another pod of its gang could not be bound"
RELEASED = "Gang released: it lost members, and its resources let another incomplete gang finish"

log = logging.getLogger(__name__)


class GangTurns:
    def __init__(self, state: State) -> None:
        self.state = state
        self._set_aside = SetAside(state)
        self._usage = NodeUsage()
        self._hyper_nodes: dict[str, Json] = {}
        self._hyper_nodes_version = 0
        self._hyper_nodes_resolved: tuple[int, int] = (-1, -1)
        """Versions of the hyper nodes and of the nodes that they were last resolved with."""
        self._last_notes: list[str] = []
        self._last_cycle = 0.0
        self._reported_orphans: dict[str, float | None] = {}
        """By uid of a pod whose group does not exist: since when that is known; None: that has been reported."""

    # --- what a cycle depends on

    def configured(self) -> None:
        """A decider is in force that was not before."""
        for warning in self.state.decider.plugins.warnings:
            log.warning("configuration: %s", warning)

    def configure(self, turn: Turn, conf: Conf) -> None:
        """Decide by another configuration from now on."""
        state = self.state
        if conf != state.decider.conf:
            log.info("another configuration is in force actions=%s", ",".join(conf.actions))
            state.decider = Decider(
                state.cluster, conf, timed=state.metrics.timed, before=state.decider, connect=state.connect
            )
            self.configured()
            state.wake_gangs(turn)

    def put_hyper_node(self, name: str, obj: Json) -> None:
        resolve([obj], {})  # raises here, over this one alone, if it cannot be read
        self._hyper_nodes[name] = obj
        self._hyper_nodes_version += 1

    def drop_hyper_node(self, name: str) -> None:
        self._hyper_nodes.pop(name, None)
        self._hyper_nodes_version += 1

    @property
    def reads_usage(self) -> bool:
        return any(self.state.decider.plugins.named(name) for name in USAGE_PLUGINS)

    def measured(self, turn: Turn, event: NodesMeasured) -> None:
        offers = {node.name: node.allocatable for node in self.state.snapshot.nodes}
        self._usage.add(event.metrics, offers)
        self.state.cluster.usage = self._usage.now()
        self.state.wake_gangs(turn)

    def _resolve_hyper_nodes(self) -> None:
        snapshot = self.state.snapshot
        versions = (self._hyper_nodes_version, snapshot.nodes_version if self._hyper_nodes else 0)
        if versions != self._hyper_nodes_resolved:
            self._hyper_nodes_resolved = versions
            labels = {node.name: node.labels for node in snapshot.nodes}
            self.state.cluster.hyper_nodes = resolve(self._hyper_nodes.values(), labels)

    # --- when

    def decide(self, turn: Turn) -> tuple[float, bool]:
        """Run a cycle if there is reason to.

        Answers after how many seconds to try again, and whether other nodes are reserved for gangs than before.
        """
        state, now = self.state, turn.now
        early = self._last_cycle + state.options.period - now
        if state.gangs_are_due and early > 0:
            return early, False
        reserved = False
        if state.gangs_are_due or (self._waits and now - self._last_cycle >= self._retry_after):
            state.gangs_are_due, self._last_cycle = False, now
            self._resolve_hyper_nodes()
            state.group_reports.cycle += 1
            reserved = self._cycle(turn)
        if self._report_orphans(turn):
            return GATHER_SECONDS, reserved
        return (self._retry_after if self._waits else IDLE_SECONDS), reserved

    @property
    def _retry_after(self) -> float:
        """Whether groups that begin to wait are warned of is known soon."""
        return GATHER_SECONDS if self.state.group_reports.has_news else RETRY_SECONDS

    @property
    def _waits(self) -> bool:
        """Time alone may change what is decided."""
        cluster = self.state.cluster
        return bool(cluster.waiting or cluster.holds or self.state.decider.plugins.asked(Victims))

    def _cycle(self, turn: Turn) -> bool:
        state, now = self.state, turn.clock.wall()
        try:
            with state.metrics.timed("cycle", ""):
                decisions = state.decider.decide(now)
        except CycleFailed as failed:
            self._carry_out(turn, failed.decisions)
            self._set_aside.after(failed.__cause__ or failed)
            state.gangs_changed(turn)
            state.wake_gangs(turn)
            return False
        state.metrics.decided(state.decider, decisions, now)
        self._carry_out(turn, decisions)
        return state.queue_reports.cycle_ended(turn, decisions.reservations.values())

    # --- what follows from decisions

    def _carry_out(self, turn: Turn, decisions: Decisions) -> None:
        state = self.state
        for note in decisions.notes:
            if note not in self._last_notes:
                log.warning("%s", note)
        self._last_notes = decisions.notes
        for job in decisions.admitted:
            with self._set_aside.contain(job):
                self._settle(turn, job)
        for commit in decisions.commits:
            with self._set_aside.contain(commit.job):
                self._commit(turn, commit)
        for eviction in decisions.evictions:
            self._evict(turn, eviction)
        for job in decisions.released:
            self._released(turn, job)
        for uid, name in decisions.hyper_nodes.items():
            job = state.cluster.jobs.get(uid)
            group = self._group(job) if job is not None else None
            if group is not None:
                state.group_reports.placed_in(turn, group, name)
        for node in decisions.freed:
            state.node_freed(turn, node)
        for uid, trouble in decisions.troubles.items():
            job = state.cluster.jobs.get(uid)
            if job is not None:
                with self._set_aside.contain(job):
                    self._wait(turn, job, trouble)

    def _commit(self, turn: Turn, commit: Commit) -> None:
        was_ready = commit.job.ready - len(commit.tasks) >= commit.job.min_member
        turn.emit(BindGang(commit))
        group = self._settle(turn, commit.job)
        if group is not None and not was_ready:
            self.state.group_reports.ready(turn, group)

    def _group(self, job: Job) -> PodGroup | None:
        return self.state.gangs.get(job.ref) if job.ref is not None else None

    def _settle(self, turn: Turn, job: Job) -> PodGroup | None:
        """The job has what it waited for."""
        group = self._group(job)
        if group is not None:
            self.state.group_reports.settled(turn, group)
        return group

    def _wait(self, turn: Turn, job: Job, trouble: Trouble) -> None:
        """Conditions of pods of a gang that gathers come later (`group_reported`): the others may be on their way."""
        group = self._group(job)
        if group is not None:
            self.state.group_reports.waits(turn, group, trouble)
        if trouble.is_gathering and group is not None:
            return
        for uid, message in trouble.pod_messages().items():
            task = job.tasks.get(uid)
            if task is not None and task.status is Status.PENDING:
                self.state.pod_reports.unschedulable(turn, task.pod, message)

    def _evict(self, turn: Turn, eviction: Eviction) -> None:
        pod, group = eviction.task.pod, self._group(eviction.task.job)
        message = f"Pod is evicted, because of {eviction.action}"
        events = [RecordEvent(pod.scheduler, pod.pod, PODS, "Evict", message, is_warning=True)]
        if group is not None:
            text = f"Pod {pod.key} is evicted, because of {eviction.action}"
            events.append(RecordEvent(COMPONENTS[group.kind], group.obj, group.kind, "Evict", text))
        not_ready = Condition("Ready", "False", "Evict", message)
        target = Condition("DisruptionTarget", "True", "PreemptionByScheduler", message)
        turn.emit(EvictPod(pod, (not_ready, target), events))

    def _released(self, turn: Turn, job: Job) -> None:
        group = self._group(job)
        if group is not None:
            component = COMPONENTS[group.kind]
            turn.emit(RecordEvent(component, group.obj, group.kind, "GangReleased", RELEASED, is_warning=True))

    # --- what is reported later

    def group_reported(self, turn: Turn, event: GroupReported) -> None:
        report = event.report
        if not self.state.group_reports.reported(turn, report, is_written=event.is_written):
            return
        job, trouble = self.state.cluster.jobs.get(report.group.uid), report.trouble
        for task in list(job.pending.values()) if job is not None and trouble is not None else ():
            self.state.pod_reports.unschedulable(turn, task.pod, trouble.message if trouble is not None else "")

    def _report_orphans(self, turn: Turn) -> bool:
        """Report pods that have waited for a moment that their group does not exist; True: others have not yet."""
        orphans = {pod.uid: pod for pod in self.state.gangs.orphans()}
        known = {uid: since for uid, since in self._reported_orphans.items() if uid in orphans}
        for uid, pod in orphans.items():
            since = known.setdefault(uid, turn.now)
            if since is not None and turn.now - since >= GATHER_SECONDS:
                known[uid] = None
                self.state.pod_reports.unschedulable(turn, pod, _missing(mark_of(pod.pod)))
        self._reported_orphans = known
        return any(since is not None for since in known.values())

    # --- how bindings end

    def bound(self, turn: Turn, event: GangBound) -> None:
        for task in event.commit.tasks:
            self.state.snapshot.nominated.pop(task.uid, None)
            self.state.pod_reports.forget(task.uid)
            self.state.pod_reports.bound(turn, task.pod, task.node)

    def not_bound(self, turn: Turn, event: GangNotBound) -> None:
        """The tasks wait again, as their pods are by now: they may have changed."""
        state = self.state
        for task in event.commit.tasks:
            state.metrics.not_bound()
            node, message = task.node, event.messages.get(task.uid) or ANOTHER_FAILED
            state.gangs.not_bound(task)
            latest = event.latest.get(task.uid)
            if latest is not None:
                state.gangs.see(latest)
                state.pod_reports.failed(turn, task.pod, message)
            state.gangs_changed(turn)
            state.node_freed(turn, node)
        state.wake_gangs(turn)


def _missing(mark: Mark | None) -> str:
    if mark is None:
        return "the pod has no pod group: Volcano's controllers would make one"
    return f'pod group "{mark[1].name}" not found in namespace "{mark[1].namespace}"'
