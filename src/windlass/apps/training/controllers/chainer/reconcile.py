"""What should be done about a ChainerJob now. Its status is that of its master's Job."""

from functools import partial

from windlass.apis.apps_v1 import StatefulSet
from windlass.apis.batch_v1 import Job
from windlass.apis.core_v1 import ConfigMap, ServiceAccount
from windlass.apis.rbac_v1 import Role, RoleBinding
from windlass.apps.training.controllers.chainer import children
from windlass.apps.training.kinds.chainer_v1alpha1 import ChainerJob
from windlass.apps.training.options import DEFAULTS, Options
from windlass.controllers.opaque_kinds import form, one
from windlass.kube.conditions import is_true
from windlass.kube.controller import Controller, Observed
from windlass.kube.meta import Object
from windlass.kube.objects import AnyObject, key_of, wire
from windlass.kube.plan import Apply, Create, Delete, Event, Plan
from windlass.kube.refusals import REPLICA_FAILURE

OWNS: tuple[type[Object], ...] = (Job, StatefulSet, ServiceAccount, Role, RoleBinding, ConfigMap)
SYNCED = Event(reason="Synced", message="ChainerJob synced successfully")


def controller(options: Options = DEFAULTS) -> Controller[ChainerJob]:
    return Controller(
        "chainer-operator",
        ChainerJob,
        partial(reconcile, options),
        owns=[*map(form, OWNS)],
        refusal_condition=REPLICA_FAILURE,
    )


def reconcile(options: Options, job: ChainerJob, observed: Observed) -> Plan:
    if job.metadata.deletion_timestamp is not None:
        return Plan()
    if children.is_distributed(job) and (job.spec.backend or "mpi") != "mpi":
        message = f'backend "{job.spec.backend}" is not supported: workerSets need backend "mpi"'
        return Plan(events=[Event(reason="FailedSynced", message=message, warning=True)])
    master = observed.one(Job, children.master_name(job))
    done = master is not None and any(is_true(master.status.conditions, end) for end in ("Complete", "Failed"))
    wanted: list[AnyObject] = [*children.rights(job)]
    if children.is_distributed(job):
        wanted.append(children.assets(job))
        wanted += [children.worker_set(job, name, done=done) for name in sorted(job.spec.worker_sets)]
    new_master = children.master(job, options.mpi_kubectl_delivery_image)
    taken = _taken(job, [*wanted, new_master], observed)
    if taken:
        return Plan(events=taken)
    surplus = [
        each for each in observed.owned(StatefulSet) if each.metadata.name not in {key_of(one).name for one in wanted}
    ]
    missing = [] if master is not None else [new_master]  # what a Job runs cannot change once it is made
    return Plan(
        [
            *map(Apply, wanted),
            *map(Create, missing),
            *(Delete(each) for each in surplus if each.metadata.deletion_timestamp is None),
        ],
        status=master.status if master is not None else None,
        events=[] if master is not None else [SYNCED],
    )


def _taken(job: ChainerJob, wanted: list[AnyObject], observed: Observed) -> list[Event]:
    """Names that the job needs and that belong to others."""
    kinds = {kind.__name__: kind for kind in OWNS}
    notes: list[Event] = []
    for obj in wanted:
        name, kind = key_of(obj).name, str(wire(obj)["kind"])
        known = one(kinds[kind], name, observed)
        owner = known.metadata.controller if known is not None else None
        if known is not None and (owner is None or owner.uid != job.metadata.uid):
            message = f'Resource "{name}" of Kind "{kind}" already exists and is not managed by ChainerJob'
            notes.append(Event(reason="ErrResourceExists", message=message, warning=True))
    return notes
