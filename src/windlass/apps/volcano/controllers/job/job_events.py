"""The events about a job, in Volcano's words."""

from collections.abc import Sequence
from datetime import timedelta

from windlass.apis.gang_waits import GangWait, gang_wait
from windlass.apis.reason_text import pod_wait_message
from windlass.apis.scheduling_volcano_v1beta1 import PodGroup
from windlass.apis.wellknown import TASK_SPEC_ANNOTATION
from windlass.apps.volcano.controllers.job.durations import go_duration
from windlass.apps.volcano.controllers.job.job_state import Member
from windlass.apps.volcano.controllers.job.policies.policy_orders import pending_order
from windlass.apps.volcano.kinds.batch import Job
from windlass.apps.volcano.kinds.bus import Command
from windlass.controllers.waiting_containers import waiting_container
from windlass.kube.json import dig
from windlass.kube.meta import parse_time
from windlass.kube.objects import key_of, wire
from windlass.kube.plan import Event, Outcome

EXECUTE = "ExecuteAction"
REFUSALS = {
    "PersistentVolumeClaim": ("PVCError", "Failed to create PVC, err: {}"),
    "PodGroup": ("PodGroupError", "Failed to create PodGroup, err: {}"),
}


def executes(action: str) -> Event:
    return Event(reason=EXECUTE, message=f"Start to execute action {action} ")


def executes_after(action: str, delay: timedelta) -> Event:
    return Event(reason=EXECUTE, message=f"Execute action {action} after {go_duration(delay)}")


def gave_up(action: str) -> Event:
    return Event(reason=EXECUTE, message=f"Job failed on action {action} for retry limit reached")


def commanded(command: Command) -> Event:
    message = f"Start to execute command {command.action}, and clean it up to make sure executed not more than once."
    return Event(reason="CommandIssued", message=message)


def plugin_fault(fault: Exception) -> Event:
    return Event(reason="PluginError", message=f"Execute plugin when job add failed, err: {fault}", warning=True)


def why_group_waits(group: PodGroup | None) -> GangWait | None:
    """None where it does not wait, or does not say why."""
    return gang_wait(wire(group)) if group is not None else None


def group_waits(job: Job, why: str) -> Event:
    about = f"PodGroup {job.metadata.namespace}:{job.metadata.name}"
    return Event(reason="PodGroupPending", message=f"{about} unschedulable, reason: {why}", warning=True)


def why_pod_waits(members: Sequence[Member]) -> str:
    """The first pod whose container cannot start, and why; empty where all can."""
    for member in members:
        if member.phase == "Pending" and not member.leaving and (wait := waiting_container(member.pod)) is not None:
            return pod_wait_message(wait)
    return ""


def pod_waits(why: str) -> Event:
    return Event(reason="PodsWaiting", message=why, warning=True)


def event_for_child(job: Job, outcome: Outcome) -> Event | None:
    """The event about a child that was created or removed."""
    obj = wire(outcome.obj)
    kind, name = str(obj["kind"]), key_of(outcome.obj).name
    if outcome.error is None:
        made = dig(obj, "metadata", "creationTimestamp")
        if outcome.verb != "create" or kind != "Pod" or not made:
            return None
        task = str(dig(obj, "metadata", "annotations", TASK_SPEC_ANNOTATION) or "")
        order = pending_order(job, task, parse_time(str(made)))
        return executes_after(order.action, order.delay) if order is not None else None
    said = outcome.error.message
    if kind == "Pod":
        if outcome.verb == "delete":
            return Event(reason="FailedDelete", message=f"Error deleting pods: [{name}: {said}]", warning=True)
        message = f"Error creating pods: [failed to create pod {name}, err: {said}]"
        return Event(reason="FailedCreate", message=message, warning=True)
    if outcome.verb != "create":
        return None
    reason, words = REFUSALS.get(kind, ("PluginError", "Execute plugin when job add failed, err: {}"))
    return Event(reason=reason, message=words.format(said), warning=True)
