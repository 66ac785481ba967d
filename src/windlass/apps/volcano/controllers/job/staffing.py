"""Which pods a job at work should have made, and which should go."""

from collections.abc import Iterable, Sequence
from itertools import islice

from windlass.apis.bounds import MAX_CREATED
from windlass.apps.volcano import names
from windlass.apps.volcano.controllers.job.children import job_objects
from windlass.apps.volcano.controllers.job.children.job_pods import pod
from windlass.apps.volcano.controllers.job.children.pod_group import lets_start
from windlass.apps.volcano.controllers.job.job_state import Member, VolcanoJobState
from windlass.apps.volcano.controllers.job.phases import TARGETED
from windlass.apps.volcano.controllers.job.policies.policy_orders import Order
from windlass.apps.volcano.controllers.job.tasks import Task, pod_name
from windlass.kube.json import Object
from windlass.kube.objects import AnyObject
from windlass.kube.plan import Patch


def to_make(current: VolcanoJobState) -> list[Object]:
    """Pods whose place is empty, so many at a time, once the scheduler has admitted the group."""
    if not lets_start(current.group) or job_objects.is_outdated(current) or not job_objects.has_keys(current):
        return []
    here = current.by_name
    made = (
        pod(current.job, task, index)
        for task in current.tasks
        if may_start(current, task)
        for index in range(task.replicas)
        if pod_name(current.job, task.name, index) not in here
    )
    return list(islice(made, MAX_CREATED))


def may_start(current: VolcanoJobState, task: Task) -> bool:
    """Whether the tasks that it depends on are far enough: each, or any of them."""
    named = task.depends_on.name if task.depends_on is not None else []
    if not named:
        return True
    ready = [_is_up(current, other) for name in named if (other := current.task(name)) is not None]
    return any(ready) if task.depends_on is not None and task.depends_on.iteration == "any" else all(ready)


def _is_up(current: VolcanoJobState, task: Task) -> bool:
    return sum(map(_counts_as_up, current.of_task(task))) >= task.min_available


def _counts_as_up(member: Member) -> bool:
    if member.phase == "Succeeded":
        return True
    statuses = member.pod.status.container_statuses
    ready = bool(statuses) and all(status.ready for status in statuses)
    return member.phase == "Running" and not member.leaving and ready


def surplus(current: VolcanoJobState) -> list[Member]:
    """Those whose place is no more, and those whose end was decided before."""
    return [member for member in current.members if not current.has_place(member) or member.marked]


def targets(current: VolcanoJobState, orders: Iterable[Order]) -> list[Member]:
    """The pods that these orders restart, those that show why last: as long as one is there, the order stands."""
    chosen: dict[str, Member] = {}
    causes: set[str] = set()
    for order in orders:
        if order.action in TARGETED:
            chosen |= {member.name: member for member in current.members if _is_hit(current, order, member)}
            causes |= {order.why.pod}
    return sorted(chosen.values(), key=lambda member: (member.name in causes, member.name))


def _is_hit(current: VolcanoJobState, order: Order, member: Member) -> bool:
    why = order.why
    task = current.task(why.task)
    if task is None or member.task != task.name or member.marked:
        return False
    match order.action:
        case "RestartTask":
            return True
        case "RestartPod":
            return member.index == why.index
        case _:  # RestartPartition
            if why.index is None or task.partition_policy is None:
                return member.index == why.index
            return task.partition(member.index) == task.partition(why.index)


def marking(members: Iterable[Member]) -> list[Patch]:
    """So that the end of these pods means nothing."""
    change: Object = {"metadata": {"annotations": {names.OUT_OF_SYNC: "true"}}}
    return [Patch(member.pod, change) for member in members if not member.marked]


def going(members: Sequence[Member]) -> list[AnyObject]:
    return [member.pod for member in members if not member.leaving]
