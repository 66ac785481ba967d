"""Decides whether and why a pod terminates, and what to stop in which order."""

from collections.abc import Iterator

from msgspec import Struct

from windlass.kube.json import Object, dig, dig_list
from windlass.node.lifecycle import events, times
from windlass.node.lifecycle.decision import EventRecord, Stop
from windlass.node.lifecycle.runs import Run
from windlass.node.lifecycle.view import TERMINAL, View

DEADLINE_MESSAGE = "Pod was active on the node longer than the specified deadline"
MIN_GRACE = 2.0  # kubelet's, for a sidecar whose turn comes after the others have used the time up
EVICTED_BY_NODE = "TerminationByKubelet"


class Ending(Struct, frozen=True):
    """Why a pod terminates.

    An empty `phase` follows from the exit codes; `evicted` adds the condition DisruptionTarget.
    """

    grace: float
    phase: str = ""
    reason: str = ""
    message: str = ""
    evicted: bool = False
    rejected: bool = False


def ending(view: View) -> Ending | None:
    """Return why no container of the pod may start any more; None while the pod lives."""
    status, observed, grace = view.status, view.observed, view.grace
    if view.old_phase in TERMINAL:
        return Ending(grace, view.old_phase, status.get("reason") or "", status.get("message") or "")
    if observed.rejection is not None and observed.facts is None and not view.anything_ran():
        text = f"Pod was rejected: {observed.rejection.message}"
        return Ending(grace, "Failed", observed.rejection.reason, text, rejected=True)
    if observed.evicting is not None:
        least = min(grace, max(observed.evicting.grace, 1.0))
        return Ending(least, "Failed", observed.evicting.reason, observed.evicting.message, evicted=True)
    evicted = _recorded_eviction(view)
    if evicted is not None:
        return Ending(grace, "Failed", "Evicted", evicted.get("message") or "", evicted=True)
    deadline = deadline_of(view)
    if deadline is not None and view.now >= deadline:
        return Ending(grace, "Failed", "DeadlineExceeded", DEADLINE_MESSAGE)
    if _init_failed(view):
        return Ending(grace, "Failed")
    if _is_done(view):
        return Ending(grace, final_phase(view))
    if _is_lost(view):
        return Ending(grace, "Failed")
    return Ending(grace) if view.is_deleted else None


def start_time(view: View) -> float:
    return times.parse_time(view.status.get("startTime")) or view.now


def deadline_of(view: View) -> float | None:
    seconds = view.spec.get("activeDeadlineSeconds")
    return None if seconds is None else start_time(view) + float(seconds)


def final_phase(view: View) -> str:
    """Return the phase that follows from the exit codes of the deciding containers, once these have ended."""
    newest = [view.newest(each) for each in view.deciding]
    succeeded = all(run is not None and not run.running and run.exit_code == 0 for run in newest)
    return "Succeeded" if succeeded else "Failed"


def _recorded_eviction(view: View) -> Object | None:
    """Return an eviction that a previous agent began, as the status recorded it."""
    for condition in dig_list(view.status, "conditions"):
        if condition.get("type") == "DisruptionTarget" and condition.get("reason") == EVICTED_BY_NODE:
            return condition
    return None


def _init_failed(view: View) -> bool:
    if view.initialized:
        return False
    ended = ((each, view.newest(each)) for each in view.inits)
    return any(
        run is not None and not run.running and run.exit_code != 0 and not view.restarts(each, run)
        for each, run in ended
    )


def _is_lost(view: View) -> bool:
    """Whether the sandbox is gone and the restart policy allows no other."""
    if view.has_sandbox or view.restart_policy != "Never":
        return False
    return any(view.newest(each) is not None for each in (*view.inits, *view.mains)) and not _may_restart(view)


def _may_restart(view: View) -> bool:
    runs = ((each, view.newest(each)) for each in view.mains)
    return any(run is not None and view.restarts(each, run) for each, run in runs)


def _is_done(view: View) -> bool:
    for each in view.deciding:
        run = view.newest(each)
        if run is None or run.running or view.restarts(each, run):
            return False
    return bool(view.deciding)


# What to stop


def stops_of_the_end(view: View, grace: float) -> tuple[list[Stop], list[EventRecord]]:
    """Stop all containers at once, except sidecars: they stop one by one in reverse order after the others."""
    first = [each for each in (*view.inits, *view.mains, *view.ephemerals) if view.running(each)]
    stops: list[Stop] = []
    events_: list[EventRecord] = []
    if not first:
        first = [each for each in view.sidecars if view.running(each)][-1:]
        grace = _left_of(view, grace)
    for each in first:
        _stop(view, each, grace, "Terminating", f"Stopping container {each['name']}", stops, events_)
    return stops, events_


def _left_of(view: View, grace: float) -> float:
    if not view.is_deleted:
        return grace
    until = times.parse_time(view.metadata.get("deletionTimestamp"))
    return min(grace, max(until - view.now, MIN_GRACE))


def stops_of_life(view: View) -> tuple[list[Stop], list[EventRecord]]:
    """Stop containers that are unhealthy, have a changed definition, or whose postStart hook failed."""
    stops: list[Stop] = []
    events_: list[EventRecord] = []
    for each in view.containers():
        run = view.running(each)
        if run is None:
            continue
        for grace, reason, text in _complaints(view, each, run):
            _stop(view, each, grace, reason, text, stops, events_)
            break
    return stops, events_


def _complaints(view: View, container: Object, run: Run) -> Iterator[tuple[float, str, str]]:
    name, probe_results, hook = container["name"], view.probe_results(container, run), view.hook(container, run)
    killed = Run(attempt=run.attempt, running=False, here=True, exit_code=137)
    again = ", will be restarted" if view.restarts(container, killed) else ""
    if hook is not None and hook.state == "failed":
        yield view.grace, "PostStartHook", "FailedPostStartHook"
    if view.has_changed(container, run):
        yield view.grace, "Changed", f"Container {name} definition changed, will be restarted"
    for failed, probe, word in (
        (probe_results.live is False, "livenessProbe", "liveness"),
        (probe_results.started is False, "startupProbe", "startup"),
    ):
        if failed:
            own = dig(container, probe, "terminationGracePeriodSeconds")
            grace = view.grace if own is None or view.is_deleted else max(float(own), 1.0)
            yield grace, "Unhealthy", f"Container {name} failed {word} probe{again}"


def _stop(
    view: View, container: Object, grace: float, reason: str, text: str, stops: list[Stop], events_: list[EventRecord]
) -> None:
    """Begin a stop, or shorten one in progress; a stop that ends in time is left alone."""
    run = view.running(container)
    assert run is not None
    under_way = view.stopping(container, run)
    if under_way is not None and view.now + grace > under_way.since + under_way.grace - 0.5:
        return
    stops.append(Stop(container["name"], run.attempt, grace, reason))
    if under_way is None:
        events_.append(events.killing(text, view.field_path(container["name"])))
