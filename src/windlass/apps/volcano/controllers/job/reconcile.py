"""What should be done about a Job of Volcano now.

A decision is written into the status before anything is killed: a phase, a retry, a version. What follows from it is
read from there by the next reconcile, and by the next process, should this one be killed in between. So an action is
taken once, however often it is looked at.
"""

from dataclasses import replace
from functools import partial

import msgspec

from windlass.apis.core_v1 import Pod
from windlass.apis.gang_waits import GangWait
from windlass.apis.scheduling_v1 import PriorityClass
from windlass.apps.volcano.controllers.job import commands, job_events, ledger, phases, staffing, status
from windlass.apps.volcano.controllers.job.children import job_objects, job_volumes
from windlass.apps.volcano.controllers.job.job_state import POD_GROUPS, Member, VolcanoJobState, observe
from windlass.apps.volcano.controllers.job.phases import Move, moved, settled
from windlass.apps.volcano.controllers.job.plugins import PluginFault
from windlass.apps.volcano.controllers.job.policies.orders import Orders, orders_of, remembered
from windlass.apps.volcano.controllers.job.policies.policy_orders import Order
from windlass.apps.volcano.controllers.job.tasks import max_retry
from windlass.apps.volcano.controllers.names import COMPONENT
from windlass.apps.volcano.kinds.batch import Job, JobStatus
from windlass.apps.volcano.kinds.bus import Command
from windlass.kube.controller import Controller, Observed
from windlass.kube.objects import AnyObject
from windlass.kube.plan import Apply, Create, Delete, Event, Patch, Plan

WORKERS = 4


def reconcile(job: Job, observed: Observed) -> Plan:
    if job.metadata.deletion_timestamp is not None:
        return Plan()
    current = observe(job, observed)
    if not current.phase:
        return Plan(status=status.renewed(current, status.counted(current), phases.PENDING))
    plan = _commanded(current) or _by_phase(current)
    followed = [
        one for one in current.commands if ledger.is_followed(current.status.controlled_resources, one.metadata.uid)
    ]
    return replace(plan, actions=[*plan.actions, *map(Delete, followed)])


def _by_phase(current: VolcanoJobState) -> Plan:
    match current.phase:
        case "Pending" | "Running":
            return _at_work(current)
        case "Restarting":
            return _restarting(current)
        case _:
            return _ending(current)


# --- orders of people


def _commanded(current: VolcanoJobState) -> Plan | None:
    """The first Command that was not followed yet; that it was is written with what it leads to."""
    entries = current.status.controlled_resources
    new = next((one for one in current.commands if not ledger.is_followed(entries, one.metadata.uid)), None)
    if new is None or (current.phase == phases.RESTARTING and new.action in phases.STOPS):
        return None  # a restart is soon over; then the job is stopped
    move = moved(current.phase, new.action)
    if not commands.is_meant(new, current.job):
        return Plan([Delete(new)])
    if move is None:
        return Plan([Delete(new)], events=[job_events.commanded(new)])
    plan = _moved(current, move, new.action, new.message or "by command")
    assert isinstance(plan.status, JobStatus)
    known = ledger.with_followed(plan.status.controlled_resources, new.metadata.uid)
    renewed = msgspec.structs.replace(plan.status, controlled_resources=known)
    return replace(plan, status=renewed, events=[job_events.commanded(new), *plan.events])


# --- orders of policies


def _at_work(current: VolcanoJobState) -> Plan:
    if ledger.refusals(current.status.controlled_resources) >= ledger.MAX_REFUSALS:
        plan = _moved(
            current, Move(phases.TERMINATING), "RetryLimitReached", "what the job needs was refused too often"
        )
        return replace(plan, events=[job_events.gave_up("SyncJob")])
    orders = orders_of(current)
    if not orders.due:
        return _synced(current, orders)
    first = orders.due[0]
    move = moved(current.phase, first.action)
    assert move is not None
    if move.whole:
        return _moved(current, move, first.action, first.why.in_words, event=first.why.event)
    return _targeted(current, orders, move)


def _moved(current: VolcanoJobState, move: Move, action: str, message: str, event: str = "") -> Plan:
    """A job that is killed whole, or restarted by an order that names no part of it."""
    if not move.whole:
        renewed = status.renewed(
            current, status.counted(current), move.phase, reason=action, message=f"{action}: {message}"
        )
        return Plan(status=status.retried(renewed, move), events=[job_events.executes(action)])
    last = move.retries and current.status.retry_count + 1 >= max_retry(current.job)
    soft = last or action != phases.RESTART_JOB
    retained = [member.name for member in current.members if soft and member.ended]
    renewed = status.killed(current, move, event or action, f"{action}: {message}", retained)
    return Plan(status=renewed, events=[job_events.executes(action)])


def _targeted(current: VolcanoJobState, orders: Orders, move: Move) -> Plan:
    """A part of the job is restarted; its pods are killed when that is written down.

    Where a pod is gone without a trace, nothing but the counts in the status shows it: then the others of its task are
    marked first.
    """
    restarts = [order for order in orders.due if order.action in phases.TARGETED]
    first = restarts[0]
    hit = staffing.targets(current, restarts)
    untraced = staffing.targets(current, [order for order in restarts if order.why.cause is None])
    counts = status.counted(current, {member.name for member in (*hit, *staffing.surplus(current))})
    entries = remembered(current, orders, followed=restarts)
    message = f"{first.action}: {first.why.in_words}"
    renewed = status.renewed(current, counts, move.phase, entries=entries, reason=first.why.event, message=message)
    return Plan(
        staffing.marking(untraced),
        status=status.retried(renewed, move),
        events=[job_events.executes(action) for action in dict.fromkeys(order.action for order in restarts)],
    )


# --- phases


def _synced(current: VolcanoJobState, orders: Orders) -> Plan:
    """Whatever is missing is made, whatever is too much goes."""
    naming = job_volumes.naming(current.job)
    if naming is not None:
        return Plan([Patch(current.job, naming)])
    surplus = staffing.surplus(current)
    counts = status.counted(current, {member.name for member in surplus})
    phase, entries = settled(current.job, counts), remembered(current, orders)
    pause = ledger.pause(entries, current.now)
    kept = entries if pause else ledger.without(entries, ledger.REFUSED)
    renewed = status.renewed(current, counts, phase, entries={**kept, **job_objects.recorded(current)})
    gang = job_events.why_group_waits(current.group)
    waits = gang.job_message if gang is not None else "", job_events.why_pod_waits(current.members)
    renewed = status.explained(renewed, *waits, still_refused=bool(pause))
    if phase in phases.FINISHED:
        return Plan(status=renewed)
    try:
        pods = staffing.to_make(current)
    except PluginFault as fault:
        plan = _moved(current, Move(phases.TERMINATING), "PluginError", str(fault))
        return replace(plan, events=[job_events.plugin_fault(fault), *plan.events])
    refused = msgspec.structs.replace(renewed, controlled_resources=ledger.with_refusal(entries, current.now))
    outdated: list[AnyObject] = (
        [current.group] if current.group is not None and job_objects.is_outdated(current) else []
    )
    return Plan(
        [
            *staffing.marking(surplus),
            *map(Apply, job_objects.to_update(current)),
            *map(Create, [] if pause else [*job_objects.to_make(current), *pods]),
            *map(Delete, staffing.going(surplus)),
            *map(Delete, outdated),
        ],
        status=renewed,
        status_if_refused=partial(status.refused, refused),
        events=_events(current, orders, renewed, gang),
        again_in=min(filter(None, (orders.again_in(current), pause)), default=None),
    )


def _events(current: VolcanoJobState, orders: Orders, renewed: JobStatus, gang: GangWait | None) -> list[Event]:
    """The events that come with a change of the status, so that no reconcile repeats one."""
    state = renewed.state
    waits: list[Event] = []
    is_new = state.message != current.status.state.message
    if is_new and state.reason == status.GROUP_PENDING and gang is not None:
        waits = [job_events.group_waits(current.job, gang.message)]
    elif is_new and state.reason == status.PODS_WAITING:
        waits = [job_events.pod_waits(state.message)]
    delayed = [order for order in orders.waiting if _is_new(current.status, renewed, order)]
    return [*waits, *(job_events.executes_after(order.action, order.delay) for order in delayed)]


def _is_new(before: JobStatus, after: JobStatus, order: Order) -> bool:
    """Whether an order that waits shows for the first time."""
    match order.why.event:
        case "PodPending":
            return False  # recorded when the pod was created
        case "PodEvicted":
            return order.why.pod not in ledger.evictions(before.controlled_resources)
        case "PodFailed" | "TaskCompleted":
            task = order.why.task
            return before.task_status_count.get(task) != after.task_status_count.get(task)
        case _:
            return before != after


def _restarting(current: VolcanoJobState) -> Plan:
    """Pods of an earlier version go, and those that a targeted restart is about."""
    if current.status.retry_count >= max_retry(current.job):
        reason, message = (
            "RetryLimitReached",
            f"restarted {current.status.retry_count} times; {current.status.state.message}",
        )
        renewed = status.renewed(current, status.counted(current), phases.FAILED, reason=reason, message=message)
        return Plan(status=renewed)
    orders = orders_of(current, heeded=lambda policy_event: policy_event.cause is not None)
    whole = next((order for order in orders.due if order.action == phases.RESTART_JOB), None)
    if whole is not None:
        return _moved(current, Move(phases.RESTARTING), whole.action, whole.why.in_words, event=whole.why.event)
    hit = staffing.targets(current, orders.due)
    leaving = _leaving(current, hit)
    counts = status.counted(current, {member.name for member in leaving})
    removed = job_objects.to_remove(current) if job_objects.is_outdated(current) else []
    renewed = status.renewed(current, counts, settled(current.job, counts), entries=_after_restart(current, hit))
    return Plan(
        [*staffing.marking(hit), *map(Delete, [*staffing.going(leaving), *removed])],
        status=renewed,
        again_in=orders.again_in(current),
    )


def _leaving(current: VolcanoJobState, hit: list[Member]) -> list[Member]:
    keeps_ended = status.was_resumed(current.status)
    old = [one for one in current.members if not current.is_current(one) and not (keeps_ended and one.ended)]
    return list({member.name: member for member in (*staffing.surplus(current), *old, *hit)}.values())


def _after_restart(current: VolcanoJobState, hit: list[Member]) -> dict[str, str]:
    """Delays of the pods that are killed are over; others continue."""
    present = [command.metadata.uid for command in current.commands]
    entries = ledger.without_commands_gone(current.status.controlled_resources, present)
    killed = {member.name for member in hit}
    evicted = {pod: moment for pod, moment in ledger.evictions(entries).items() if pod not in killed}
    return ledger.with_evictions(entries, evicted)


def _ending(current: VolcanoJobState) -> Plan:
    """A job that is stopped or over: what still runs goes, and all that was made for the job but its claims."""
    leaving = [member for member in current.members if not member.ended]
    counts = status.counted(current, {member.name for member in leaving})
    entries = ledger.made_by_job(current.status.controlled_resources)
    present = [command.metadata.uid for command in current.commands]
    entries = ledger.without_commands_gone(entries, present)
    return Plan(
        [*map(Delete, [*staffing.going(leaving), *job_objects.to_remove(current)])],
        status=status.renewed(current, counts, settled(current.job, counts), entries=entries),
    )


CONTROLLER = Controller(
    "volcano-job",
    Job,
    reconcile,
    owns=[Pod, POD_GROUPS, *job_objects.VIEWS.values()],
    watches=[(Command, commands.job_of), (PriorityClass, lambda changed: ())],
    event_for=job_events.event_for_child,
    workers=WORKERS,
    component=COMPONENT,
)
