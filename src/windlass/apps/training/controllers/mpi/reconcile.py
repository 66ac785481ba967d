"""What should be done about an MPIJob v2beta1 now.

An end is written before anything is cleaned up. The launcher's Job may be there from the start, but has a pod only when
all workers are ready: one that starts too soon would use up its tries.
"""

from datetime import timedelta
from functools import partial
from itertools import islice
from typing import cast

from windlass.apis import batch_v1
from windlass.apis.bounds import MAX_CREATED
from windlass.apis.core_v1 import ConfigMap, Pod, Secret, Service
from windlass.apps.training.controllers.engine import messages
from windlass.apps.training.controllers.engine.conditions import is_finished
from windlass.apps.training.controllers.engine.gang import Gang, gang_for
from windlass.apps.training.controllers.mpi import children, status
from windlass.apps.training.controllers.mpi.job import OPERATOR, WORKER, is_ours, launches_late, read
from windlass.apps.training.controllers.mpi.mpi_state import MpiState, is_running, observe
from windlass.apps.training.job import JOB_NAME, OPERATOR_NAME
from windlass.apps.training.kinds.common import TrainingJob
from windlass.apps.training.kinds.mpi_v2beta1 import MPIJob
from windlass.apps.training.options import DEFAULTS, Options
from windlass.controllers.opaque_kinds import form
from windlass.kube.controller import Controller, Key, Observed
from windlass.kube.json import Object, dig, dig_object
from windlass.kube.meta import parse_time
from windlass.kube.moments import moment_after
from windlass.kube.objects import AnyObject
from windlass.kube.plan import Apply, Create, Delete, Event, Outcome, Patch, Plan

OWNS = (Pod, Service, ConfigMap, Secret, batch_v1.Job)
DIRECTIVES = ("nodeSelector", "tolerations", "affinity", "schedulingGates")
"""What may change in the template of a Job that has never had a pod."""


def controller(options: Options = DEFAULTS) -> Controller[MPIJob]:
    gang = gang_for(options.used_gang_scheduler)
    return Controller(
        OPERATOR,
        MPIJob,
        partial(reconcile, options, gang),
        owns=[*map(form, OWNS), *([gang.groups] if gang is not None else [])],
        watches=[(Pod, job_of), *(gang.watches if gang is not None else [])],
        event_for=_event_for,
    )


def job_of(pod: Pod) -> Key | None:
    """The job of a launcher's pod, whose own controller is the launcher's Job."""
    labels = pod.metadata.labels
    name = labels.get(JOB_NAME) if labels.get(OPERATOR_NAME) == OPERATOR else None
    return Key(pod.metadata.namespace, name) if name else None


def _event_for(obj: MPIJob, outcome: Outcome) -> Event | None:
    return messages.event_for_child(cast(TrainingJob, obj), outcome)


def reconcile(options: Options, gang: Gang | None, obj: MPIJob, observed: Observed) -> Plan:
    if obj.metadata.deletion_timestamp is not None or not is_ours(obj):
        return Plan()
    current = observe(read(obj, options), gang, observed)
    if is_finished(obj.status.conditions):
        return _after(current)
    end = status.end_of(current)
    if end is not None:
        kept = [name for name, pod in current.workers.items() if is_running(pod)]
        wasted = (
            [messages.kept_running(current.mpi.job, kept)] if kept and current.mpi.clean_pod_policy == "None" else []
        )
        note = Event(reason=end.reason, message=end.message, warning=end.type == "Failed")
        return Plan(_stopping(current), status=status.ended(current, end), events=[note, *wasted])
    if current.taken:
        return Plan(events=[_taken(kind, name) for kind, name in current.taken])
    return _at_work(current)


def _taken(kind: str, name: str) -> Event:
    message = f'Resource "{name}" of Kind "{kind}" already exists and is not managed by MPIJob'
    return Event(reason="ErrResourceExists", message=message, warning=True)


def _at_work(current: MpiState) -> Plan:
    mpi, gang = current.mpi, current.gang
    now, notes = status.at_work(current)
    groups: list[AnyObject] = (
        [gang.group(mpi.job, current.observed)] if gang is not None and not current.suspended else []
    )
    create: list[AnyObject] = []
    if current.has_keys and current.may_start() and not current.suspended:
        missing = (index for index, name in enumerate(mpi.workers) if name not in current.workers)
        create += [children.worker(mpi, index, gang) for index in islice(missing, MAX_CREATED)]
    create += _launchers(current)
    return Plan(
        [
            *_steering(current),
            *map(Apply, groups),
            Apply(children.service(mpi)),
            Apply(children.config_map(mpi, [*current.workers.values()])),
            *map(Create, create),
            *map(Delete, _leaving(current)),
        ],
        status=now,
        status_if_refused=partial(status.refused, current, now),
        events=notes,
        again_in=status.next_deadline(current),
    )


def _launchers(current: MpiState) -> list[AnyObject]:
    """The launcher's Job if it is not there and may be made: at the start, or as soon as the workers are ready."""
    if current.launcher is not None or not current.has_keys:
        return []
    held = current.suspended or not current.may_launch()
    if launches_late(current.mpi.obj) and (held or not current.workers_ready()):
        return []
    return [children.launcher(current.mpi, current.gang, suspend=held)]


def _steering(current: MpiState) -> list[Patch]:
    """The launcher's Job is suspended while the job is, and resumed when it may launch (again)."""
    if current.suspended:
        return _stopping(current)
    launcher = current.launcher
    if launcher is None or not launcher.spec.suspend or not current.may_launch():
        return []
    change: Object = {"suspend": False}
    if launcher.status.start_time is None:
        change["template"] = _directives(current, launcher)
    return [Patch(launcher, {"spec": change})]


def _directives(current: MpiState, launcher: batch_v1.Job) -> Object:
    """Where the launcher may run, as the job now says: the admission of suspended jobs writes that before."""
    wanted = children.launcher_template(current.mpi, current.gang)
    spec = {name: dig(wanted, "spec", name) for name in DIRECTIVES if dig(wanted, "spec", name) is not None}
    made = dig_object(launcher.spec.template, "metadata")
    metadata = {
        name: {**dig_object(made, name), **dig_object(wanted, "metadata", name)} for name in ("labels", "annotations")
    }
    return {"metadata": metadata, "spec": spec}


def _stopping(current: MpiState) -> list[Patch]:
    launcher = current.launcher
    over = current.launcher_ended("Complete") or current.launcher_ended("Failed")
    if launcher is None or over or launcher.spec.suspend:
        return []
    return [Patch(launcher, {"spec": {"suspend": True}})]


def _leaving(current: MpiState) -> list[AnyObject]:
    """Surplus workers, those that must be recreated, and all of them while the job is suspended."""
    pods = [*current.surplus, *(current.workers.values() if current.suspended else _to_replace(current))]
    groups = (
        current.gang.present(current.mpi.job, current.observed)
        if current.gang is not None and current.suspended
        else []
    )
    return [*(pod for pod in pods if pod.metadata.deletion_timestamp is None), *groups]


def _to_replace(current: MpiState) -> list[Pod]:
    if current.mpi.restart_policy(WORKER) == "Never":
        return []
    return [pod for pod in current.workers.values() if pod.status.phase == "Failed"]


def _after(current: MpiState) -> Plan:
    """A job that is over: workers go as it says, and in the end it goes itself. The launcher stays, with its log."""
    pods = [*current.workers.values(), *current.surplus]
    match current.mpi.clean_pod_policy:
        case "All":
            gone = pods
        case "Running":
            gone = [pod for pod in pods if pod.status.phase in ("", "Pending", "Running")]
        case _:
            gone = []
    groups = current.gang.present(current.mpi.job, current.observed) if current.gang is not None else []
    delete: list[AnyObject] = [*(pod for pod in gone if pod.metadata.deletion_timestamp is None), *groups]
    ttl, ended = current.mpi.policy.ttl_seconds_after_finished, current.status.completion_time
    if ttl is None or ended is None:
        return Plan([*map(Delete, delete)])
    left = moment_after(parse_time(ended), ttl) - current.now
    return Plan([*map(Delete, delete)], again_in=left) if left > timedelta() else Plan([Delete(current.mpi.obj)])
