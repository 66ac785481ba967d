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
from windlass.apis.kubeflow_v2beta1 import MPIJob
from windlass.apis.training.common import TrainingJob
from windlass.apis.training.job import JOB_NAME, OPERATOR_NAME
from windlass.apis.training.options import DEFAULTS, Options
from windlass.controllers.training.engine import words
from windlass.controllers.training.engine.conditions import is_finished
from windlass.controllers.training.engine.gang import Gang, gang_for
from windlass.controllers.training.mpi import children, status
from windlass.controllers.training.mpi.job import OPERATOR, WORKER, is_ours, launches_late, read
from windlass.controllers.training.mpi.look import Look, is_running, look_at
from windlass.controllers.unread import form
from windlass.kube.controller import Controller, Key, Seen
from windlass.kube.json import Object, dig, dig_object
from windlass.kube.meta import parse_time
from windlass.kube.moments import moment_after
from windlass.kube.objects import AnyObject
from windlass.kube.plan import Apply, Create, Deed, Delete, Note, Patch, Plan

OWNS = (Pod, Service, ConfigMap, Secret, batch_v1.Job)
DIRECTIVES = ("nodeSelector", "tolerations", "affinity", "schedulingGates")
"""What may change in the template of a Job that has never had a pod."""


def controller(options: Options = DEFAULTS) -> Controller[MPIJob]:
    gang = gang_for(options.gang_scheduler)
    return Controller(
        OPERATOR,
        MPIJob,
        partial(reconcile, options, gang),
        owns=[*map(form, OWNS), *([gang.groups] if gang is not None else [])],
        watches=[(Pod, job_of), *(gang.watches if gang is not None else [])],
        tell=_told,
    )


def job_of(pod: Pod) -> Key | None:
    """The job of a launcher's pod, whose own controller is the launcher's Job."""
    labels = pod.metadata.labels
    name = labels.get(JOB_NAME) if labels.get(OPERATOR_NAME) == OPERATOR else None
    return Key(pod.metadata.namespace, name) if name else None


def _told(obj: MPIJob, deed: Deed) -> Note | None:
    return words.told_of(cast(TrainingJob, obj), deed)


def reconcile(options: Options, gang: Gang | None, obj: MPIJob, seen: Seen) -> Plan:
    if obj.metadata.deletion_timestamp is not None or not is_ours(obj):
        return Plan()
    look = look_at(read(obj, options), gang, seen)
    if is_finished(obj.status.conditions):
        return _after(look)
    end = status.end_of(look)
    if end is not None:
        kept = [name for name, pod in look.workers.items() if is_running(pod)]
        wasted = [words.kept_running(look.mpi.job, kept)] if kept and look.mpi.clean_pod_policy == "None" else []
        note = Note(reason=end.reason, message=end.message, warning=end.type == "Failed")
        return Plan(_stopping(look), status=status.ended(look, end), events=[note, *wasted])
    if look.taken:
        return Plan(events=[_taken(kind, name) for kind, name in look.taken])
    return _at_work(look)


def _taken(kind: str, name: str) -> Note:
    message = f'Resource "{name}" of Kind "{kind}" already exists and is not managed by MPIJob'
    return Note(reason="ErrResourceExists", message=message, warning=True)


def _at_work(look: Look) -> Plan:
    mpi, gang = look.mpi, look.gang
    now, notes = status.at_work(look)
    groups: list[AnyObject] = [gang.group(mpi.job, look.seen)] if gang is not None and not look.suspended else []
    create: list[AnyObject] = []
    if look.has_keys and look.may_start() and not look.suspended:
        missing = (index for index, name in enumerate(mpi.workers) if name not in look.workers)
        create += [children.worker(mpi, index, gang) for index in islice(missing, MAX_CREATED)]
    create += _launchers(look)
    return Plan(
        [
            *_steering(look),
            *map(Apply, groups),
            Apply(children.service(mpi)),
            Apply(children.config_map(mpi, [*look.workers.values()])),
            *map(Create, create),
            *map(Delete, _leaving(look)),
        ],
        status=now,
        status_if_refused=partial(status.refused, look, now),
        events=notes,
        again_in=status.next_deadline(look),
    )


def _launchers(look: Look) -> list[AnyObject]:
    """The launcher's Job if it is not there and may be made: at the start, or as soon as the workers are ready."""
    if look.launcher is not None or not look.has_keys:
        return []
    held = look.suspended or not look.may_launch()
    if launches_late(look.mpi.obj) and (held or not look.workers_ready()):
        return []
    return [children.launcher(look.mpi, look.gang, suspend=held)]


def _steering(look: Look) -> list[Patch]:
    """The launcher's Job rests while the job does, and goes on when it may launch (again)."""
    if look.suspended:
        return _stopping(look)
    launcher = look.launcher
    if launcher is None or not launcher.spec.suspend or not look.may_launch():
        return []
    change: Object = {"suspend": False}
    if launcher.status.start_time is None:
        change["template"] = _directives(look, launcher)
    return [Patch(launcher, {"spec": change})]


def _directives(look: Look, launcher: batch_v1.Job) -> Object:
    """Where the launcher may run, as the job now says: whoever admits suspended jobs writes that before."""
    wanted = children.launcher_template(look.mpi, look.gang)
    spec = {name: dig(wanted, "spec", name) for name in DIRECTIVES if dig(wanted, "spec", name) is not None}
    made = dig_object(launcher.spec.template, "metadata")
    metadata = {
        name: {**dig_object(made, name), **dig_object(wanted, "metadata", name)} for name in ("labels", "annotations")
    }
    return {"metadata": metadata, "spec": spec}


def _stopping(look: Look) -> list[Patch]:
    launcher = look.launcher
    over = look.launcher_ended("Complete") or look.launcher_ended("Failed")
    if launcher is None or over or launcher.spec.suspend:
        return []
    return [Patch(launcher, {"spec": {"suspend": True}})]


def _leaving(look: Look) -> list[AnyObject]:
    """Workers of places that are no more, those that must be made anew, and all of them while the job rests."""
    pods = [*look.surplus, *(look.workers.values() if look.suspended else _to_replace(look))]
    groups = look.gang.present(look.mpi.job, look.seen) if look.gang is not None and look.suspended else []
    return [*(pod for pod in pods if pod.metadata.deletion_timestamp is None), *groups]


def _to_replace(look: Look) -> list[Pod]:
    if look.mpi.restart_policy(WORKER) == "Never":
        return []
    return [pod for pod in look.workers.values() if pod.status.phase == "Failed"]


def _after(look: Look) -> Plan:
    """A job that is over: workers go as it says, and in the end it goes itself. The launcher stays, with its log."""
    pods = [*look.workers.values(), *look.surplus]
    match look.mpi.clean_pod_policy:
        case "All":
            gone = pods
        case "Running":
            gone = [pod for pod in pods if pod.status.phase in ("", "Pending", "Running")]
        case _:
            gone = []
    groups = look.gang.present(look.mpi.job, look.seen) if look.gang is not None else []
    delete: list[AnyObject] = [*(pod for pod in gone if pod.metadata.deletion_timestamp is None), *groups]
    ttl, ended = look.mpi.policy.ttl_seconds_after_finished, look.status.completion_time
    if ttl is None or ended is None:
        return Plan([*map(Delete, delete)])
    left = moment_after(parse_time(ended), ttl) - look.now
    return Plan([*map(Delete, delete)], again_in=left) if left > timedelta() else Plan([Delete(look.mpi.obj)])
