"""What should be done about a Job of Volcano now.

A decision is written into the status before anything is killed: a phase, a retry, a version. What follows from it is
read from there at the next look, and the next controller's, should this one be killed in between. So an action is
taken once, however often it is looked at.
"""

from dataclasses import replace
from functools import partial

import msgspec

from windlass.apis.batch_volcano_v1alpha1 import Job, JobStatus
from windlass.apis.bus_volcano_v1alpha1 import Command
from windlass.apis.core_v1 import Pod
from windlass.apis.gang_waits import GangWait
from windlass.apis.scheduling_v1 import PriorityClass
from windlass.controllers.volcano.job import children, commands, ledger, phases, staffing, status, volumes, words
from windlass.controllers.volcano.job.look import POD_GROUPS, Look, Member, look_at
from windlass.controllers.volcano.job.orders import Orders, orders_of, remembered
from windlass.controllers.volcano.job.phases import Move, moved, settled
from windlass.controllers.volcano.job.plugins import PluginFault
from windlass.controllers.volcano.job.policies import Order
from windlass.controllers.volcano.job.tasks import max_retry
from windlass.controllers.volcano.names import COMPONENT
from windlass.kube.controller import Controller, Seen
from windlass.kube.objects import AnyObject
from windlass.kube.plan import Apply, Create, Delete, Note, Patch, Plan

WORKERS = 4


def reconcile(job: Job, seen: Seen) -> Plan:
    if job.metadata.deletion_timestamp is not None:
        return Plan()
    look = look_at(job, seen)
    if not look.phase:
        return Plan(status=status.renewed(look, status.counted(look), phases.PENDING))
    plan = _commanded(look) or _by_phase(look)
    followed = [one for one in look.commands if ledger.is_followed(look.status.controlled_resources, one.metadata.uid)]
    return replace(plan, actions=[*plan.actions, *map(Delete, followed)])


def _by_phase(look: Look) -> Plan:
    match look.phase:
        case "Pending" | "Running":
            return _at_work(look)
        case "Restarting":
            return _restarting(look)
        case _:
            return _ending(look)


# --- orders of people


def _commanded(look: Look) -> Plan | None:
    """The first Command that was not followed yet; that it was is written with what it leads to."""
    entries = look.status.controlled_resources
    new = next((one for one in look.commands if not ledger.is_followed(entries, one.metadata.uid)), None)
    if new is None or (look.phase == phases.RESTARTING and new.action in phases.STOPS):
        return None  # a restart is soon over; then the job is stopped
    move = moved(look.phase, new.action)
    if not commands.is_meant(new, look.job):
        return Plan([Delete(new)])
    if move is None:
        return Plan([Delete(new)], events=[words.commanded(new)])
    plan = _moved(look, move, new.action, new.message or "by command")
    assert isinstance(plan.status, JobStatus)
    known = ledger.with_followed(plan.status.controlled_resources, new.metadata.uid)
    renewed = msgspec.structs.replace(plan.status, controlled_resources=known)
    return replace(plan, status=renewed, events=[words.commanded(new), *plan.events])


# --- orders of policies


def _at_work(look: Look) -> Plan:
    if ledger.refusals(look.status.controlled_resources) >= ledger.MOST_REFUSALS:
        plan = _moved(look, Move(phases.TERMINATING), "RetryLimitReached", "what the job needs was refused too often")
        return replace(plan, events=[words.gave_up("SyncJob")])
    orders = orders_of(look)
    if not orders.due:
        return _synced(look, orders)
    first = orders.due[0]
    move = moved(look.phase, first.action)
    assert move is not None
    if move.whole:
        return _moved(look, move, first.action, first.why.in_words, event=first.why.event)
    return _targeted(look, orders, move)


def _moved(look: Look, move: Move, action: str, message: str, event: str = "") -> Plan:
    """A job that is killed whole, or restarted by an order that names no part of it."""
    if not move.whole:
        renewed = status.renewed(look, status.counted(look), move.phase, reason=action, message=f"{action}: {message}")
        return Plan(status=status.retried(renewed, move), events=[words.executes(action)])
    last = move.retries and look.status.retry_count + 1 >= max_retry(look.job)
    soft = last or action != phases.RESTART_JOB
    retained = [member.name for member in look.members if soft and member.ended]
    renewed = status.killed(look, move, event or action, f"{action}: {message}", retained)
    return Plan(status=renewed, events=[words.executes(action)])


def _targeted(look: Look, orders: Orders, move: Move) -> Plan:
    """A part of the job is restarted; its pods are killed when that is written down.

    Where a pod is gone without a trace, nothing but the counts in the status shows it: then the others of its task are
    marked first.
    """
    restarts = [order for order in orders.due if order.action in phases.TARGETED]
    first = restarts[0]
    hit = staffing.targets(look, restarts)
    untraced = staffing.targets(look, [order for order in restarts if order.why.cause is None])
    counts = status.counted(look, {member.name for member in (*hit, *staffing.surplus(look))})
    entries = remembered(look, orders, followed=restarts)
    message = f"{first.action}: {first.why.in_words}"
    renewed = status.renewed(look, counts, move.phase, entries=entries, reason=first.why.event, message=message)
    return Plan(
        staffing.marking(untraced),
        status=status.retried(renewed, move),
        events=[words.executes(action) for action in dict.fromkeys(order.action for order in restarts)],
    )


# --- phases


def _synced(look: Look, orders: Orders) -> Plan:
    """Whatever is missing is made, whatever is too much goes."""
    naming = volumes.naming(look.job)
    if naming is not None:
        return Plan([Patch(look.job, naming)])
    surplus = staffing.surplus(look)
    counts = status.counted(look, {member.name for member in surplus})
    phase, entries = settled(look.job, counts), remembered(look, orders)
    pause = ledger.pause(entries, look.now)
    kept = entries if pause else ledger.without(entries, ledger.REFUSED)
    renewed = status.renewed(look, counts, phase, entries={**kept, **children.recorded(look)})
    gang = words.why_group_waits(look.group)
    waits = gang.job_message if gang is not None else "", words.why_pod_waits(look.members)
    renewed = status.explained(renewed, *waits, still_refused=bool(pause))
    if phase in phases.FINISHED:
        return Plan(status=renewed)
    try:
        pods = staffing.to_make(look)
    except PluginFault as fault:
        plan = _moved(look, Move(phases.TERMINATING), "PluginError", str(fault))
        return replace(plan, events=[words.plugin_fault(fault), *plan.events])
    refused = msgspec.structs.replace(renewed, controlled_resources=ledger.with_refusal(entries, look.now))
    outdated: list[AnyObject] = [look.group] if look.group is not None and children.is_outdated(look) else []
    return Plan(
        [
            *staffing.marking(surplus),
            *map(Apply, children.to_update(look)),
            *map(Create, [] if pause else [*children.to_make(look), *pods]),
            *map(Delete, staffing.going(surplus)),
            *map(Delete, outdated),
        ],
        status=renewed,
        status_if_refused=partial(status.refused, refused),
        events=_told(look, orders, renewed, gang),
        again_in=min(filter(None, (orders.again_in(look), pause)), default=None),
    )


def _told(look: Look, orders: Orders, renewed: JobStatus, gang: GangWait | None) -> list[Note]:
    """The events that come with a change of the status, so that none is repeated at every look."""
    state = renewed.state
    waits: list[Note] = []
    is_new = state.message != look.status.state.message
    if is_new and state.reason == status.GROUP_PENDING and gang is not None:
        waits = [words.group_waits(look.job, gang.message)]
    elif is_new and state.reason == status.PODS_WAITING:
        waits = [words.pod_waits(state.message)]
    delayed = [order for order in orders.waiting if _is_new(look.status, renewed, order)]
    return [*waits, *(words.executes_after(order.action, order.delay) for order in delayed)]


def _is_new(before: JobStatus, after: JobStatus, order: Order) -> bool:
    """Whether an order that waits shows for the first time."""
    match order.why.event:
        case "PodPending":
            return False  # it was told when the pod was made
        case "PodEvicted":
            return order.why.pod not in ledger.evictions(before.controlled_resources)
        case "PodFailed" | "TaskCompleted":
            task = order.why.task
            return before.task_status_count.get(task) != after.task_status_count.get(task)
        case _:
            return before != after


def _restarting(look: Look) -> Plan:
    """Pods of an earlier version go, and those that a targeted restart is about."""
    if look.status.retry_count >= max_retry(look.job):
        reason, message = "RetryLimitReached", f"restarted {look.status.retry_count} times; {look.status.state.message}"
        renewed = status.renewed(look, status.counted(look), phases.FAILED, reason=reason, message=message)
        return Plan(status=renewed)
    orders = orders_of(look, heeded=lambda happening: happening.cause is not None)
    whole = next((order for order in orders.due if order.action == phases.RESTART_JOB), None)
    if whole is not None:
        return _moved(look, Move(phases.RESTARTING), whole.action, whole.why.in_words, event=whole.why.event)
    hit = staffing.targets(look, orders.due)
    leaving = _leaving(look, hit)
    counts = status.counted(look, {member.name for member in leaving})
    removed = children.to_remove(look) if children.is_outdated(look) else []
    renewed = status.renewed(look, counts, settled(look.job, counts), entries=_after_restart(look, hit))
    return Plan(
        [*staffing.marking(hit), *map(Delete, [*staffing.going(leaving), *removed])],
        status=renewed,
        again_in=orders.again_in(look),
    )


def _leaving(look: Look, hit: list[Member]) -> list[Member]:
    keeps_ended = status.was_resumed(look.status)
    old = [one for one in look.members if not look.is_current(one) and not (keeps_ended and one.ended)]
    return list({member.name: member for member in (*staffing.surplus(look), *old, *hit)}.values())


def _after_restart(look: Look, hit: list[Member]) -> dict[str, str]:
    """Delays of the pods that are killed are over; others go on."""
    present = [command.metadata.uid for command in look.commands]
    entries = ledger.without_commands_gone(look.status.controlled_resources, present)
    killed = {member.name for member in hit}
    evicted = {pod: moment for pod, moment in ledger.evictions(entries).items() if pod not in killed}
    return ledger.with_evictions(entries, evicted)


def _ending(look: Look) -> Plan:
    """A job that is stopped or over: what still runs goes, and all that was made for the job but its claims."""
    leaving = [member for member in look.members if not member.ended]
    counts = status.counted(look, {member.name for member in leaving})
    entries = ledger.made_by_job(look.status.controlled_resources)
    present = [command.metadata.uid for command in look.commands]
    entries = ledger.without_commands_gone(entries, present)
    return Plan(
        [*map(Delete, [*staffing.going(leaving), *children.to_remove(look)])],
        status=status.renewed(look, counts, settled(look.job, counts), entries=entries),
    )


CONTROLLER = Controller(
    "volcano-job",
    Job,
    reconcile,
    owns=[Pod, POD_GROUPS, *children.VIEWS.values()],
    watches=[(Command, commands.job_of), (PriorityClass, lambda changed: ())],
    tell=words.told_of,
    workers=WORKERS,
    component=COMPONENT,
)
