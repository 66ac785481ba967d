"""Decides from a pod's object and its observed state what to do: instructions, status, events and the next wake-up.

It has no memory and no clock, so an agent that was killed at any moment continues from the same two arguments.
"""

from windlass.kube.json import Object, dig, dig_list
from windlass.node.lifecycle import events, times
from windlass.node.lifecycle.conditions import conditions
from windlass.node.lifecycle.decision import Decision, EventRecord, Finish, Instruction, Prepare, Remove, Start
from windlass.node.lifecycle.ending import (
    DEADLINE_MESSAGE,
    Ending,
    deadline_of,
    ending,
    final_phase,
    start_time,
    stops_of_life,
    stops_of_the_end,
)
from windlass.node.lifecycle.observed import Observed
from windlass.node.lifecycle.starting import Starting, Waiting, starting
from windlass.node.lifecycle.statuses import container_statuses
from windlass.node.lifecycle.view import TERMINAL, View


def decide(pod: Object, observed: Observed) -> Decision:
    """Decide on one pod.

    `pod` must carry the newest status that this node wrote: with an older one, ended runs look lost.
    """
    view = View(pod, observed)
    end = ending(view)
    if end is None:
        return _live(view)
    return _reject(view, end) if end.rejected else _end(view, end)


def _live(view: View) -> Decision:
    stops, killing = stops_of_life(view)
    begun = starting(view)
    status = _status(view, phase_of(view), None, begun.waiting)
    wake = list(begun.wake)
    deadline = deadline_of(view)
    if deadline is not None:
        wake.append(deadline)
    events_ = [*_changed_sandbox(view, begun), *killing, *_complaints(view, begun)]
    return Decision((*stops, *begun.do), status, tuple(events_), min(wake, default=None))


def _end(view: View, end: Ending) -> Decision:
    stops, events_ = stops_of_the_end(view, end.grace)
    if view.anything_runs():
        coming_to = end.phase or phase_of(view)
        return Decision(tuple(stops), _status(view, _phase_while_ending(view), end, {}, coming_to), tuple(events_))
    if view.old_phase in TERMINAL and not view.anything_ran():
        status = view.status  # it was refused, or another client has ended it: there is nothing to add
    else:
        phase = end.phase or final_phase(view)
        status = _status(view, phase, end, {}, phase)
    return Decision(_leave(view), status, tuple(_termination_messages(view, end)))


def _reject(view: View, end: Ending) -> Decision:
    status = view.status | {"phase": "Failed", "reason": end.reason, "message": end.message}
    status["startTime"] = times.format_time(start_time(view))
    if view.metadata.get("generation") is not None:
        status["observedGeneration"] = view.metadata["generation"]
    assert view.observed.rejection is not None
    note = EventRecord(end.reason, view.observed.rejection.message, warning=True)
    return Decision(_leave(view), status, (note,))


def _leave(view: View) -> tuple[Instruction, ...]:
    """Nothing runs: remove what is left, and the object if it is being deleted."""
    if view.is_deleted:
        is_asked = view.metadata.get("finalizers") and view.metadata.get("deletionGracePeriodSeconds") == 0
        return (Remove(),) if is_asked else (Remove(), Finish())
    return (Remove(),) if view.observed.facts is not None or view.observed.prepared else ()


def phase_of(view: View) -> str:
    """Return the phase of a living pod: Pending until every container has run, then Running."""
    standings = [view.run_state(each) for each in view.mains]
    if not view.initialized and "running" not in standings and "ended" not in standings:
        return "Pending"
    return "Pending" if "waiting" in standings else "Running"


def _phase_while_ending(view: View) -> str:
    return view.old_phase if view.old_phase in TERMINAL else phase_of(view)


def _status(
    view: View, phase: str, end: Ending | None, waiting: dict[str, Waiting], coming_to: str | None = None
) -> Object:
    """Build the whole status: the fields that this node owns, and the rest unchanged."""
    is_over = phase in TERMINAL
    lists = container_statuses(view, waiting, final=is_over)
    status = {key: value for key, value in view.status.items() if key not in ("reason", "message")} | lists
    status |= {"phase": phase, "startTime": times.format_time(start_time(view))}
    status["conditions"] = conditions(view, coming_to or phase, end, lists)
    if view.metadata.get("generation") is not None:
        status["observedGeneration"] = view.metadata["generation"]
    if view.observed.host_ip:
        status |= {"hostIP": view.observed.host_ip, "hostIPs": [{"ip": view.observed.host_ip}]}
    if view.observed.address:
        status |= {"podIP": view.observed.address, "podIPs": [{"ip": view.observed.address}]}
    if is_over and end is not None:
        status |= {key: text for key, text in (("reason", end.reason), ("message", end.message)) if text}
    return status


# Events


def _changed_sandbox(view: View, begun: Starting) -> list[EventRecord]:
    replaced = view.observed.facts is not None and not view.observed.facts.alive
    return [events.SANDBOX_CHANGED] if replaced and Prepare() in begun.do else []


def _complaints(view: View, begun: Starting) -> list[EventRecord]:
    """Return an event for each container that starts to wait, or waits for another reason than its status says."""
    events_: list[EventRecord] = []
    starts = {each.container for each in begun.do if isinstance(each, Start)}
    for name, waiting in begun.waiting.items():
        before = dig(view.statuses.get(name), "state", "waiting") or {}
        same = before.get("reason") == waiting.reason and (before.get("message") or "") == waiting.message
        if name in starts or (same and not _is_another_crash(view, name, waiting)):
            continue
        where = view.field_path(name)
        if waiting.reason == "CrashLoopBackOff":
            events_.append(events.crash_back_off(name, view.full_name, where))
        elif waiting.reason == "ImagePullBackOff":
            events_.append(events.pull_back_off(waiting.image, where))
            events_.append(events.start_failed(waiting.reason, where))
        else:
            image_failure = waiting.reason in ("ErrImagePull", "ErrImageNeverPull", "InvalidImageName")
            events_.append(events.start_failed(waiting.reason if image_failure else waiting.message, where))
    return events_


def _is_another_crash(view: View, name: str, waiting: Waiting) -> bool:
    if waiting.reason != "CrashLoopBackOff":
        return False
    return int(view.statuses[name].get("restartCount") or 0) != view.histories[name][-1].attempt


def _termination_messages(view: View, end: Ending) -> list[EventRecord]:
    """Return the event for the pod's end, recorded once, when the phase becomes final."""
    if view.old_phase in TERMINAL or not end.reason:
        return []
    if end.message == DEADLINE_MESSAGE:
        return [EventRecord(end.reason, end.message)]
    return [EventRecord(end.reason, end.message, warning=True)]


def has_condition(status: Object, type: str) -> bool:
    """Whether a condition of a pod's status is True."""
    return any(each.get("type") == type and each.get("status") == "True" for each in dig_list(status, "conditions"))
