"""All that one reconcile of an MPIJob v2beta1 has before it."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

from windlass.apis import batch_v1
from windlass.apis.core_v1 import ConfigMap, Pod, Secret, Service
from windlass.apps.training.controllers.engine.gang import Gang
from windlass.apps.training.controllers.mpi.children import config_name, secret_name
from windlass.apps.training.controllers.mpi.job import Mpi
from windlass.apps.training.kinds.common import JobStatus
from windlass.controllers.opaque_kinds import one
from windlass.kube.conditions import is_true
from windlass.kube.controller import Observed
from windlass.kube.meta import Object


@dataclass(frozen=True, slots=True, kw_only=True)
class MpiState:
    """`workers`: the pods at their places. `surplus`: those that have none any more. `taken`: kind and name of what
    another owner has made under a name that the job needs."""

    mpi: Mpi
    gang: Gang | None
    observed: Observed
    workers: Mapping[str, Pod]
    surplus: Sequence[Pod]
    launcher: batch_v1.Job | None
    launcher_pods: Sequence[Pod]
    has_keys: bool
    taken: Sequence[tuple[str, str]]

    @property
    def now(self) -> datetime:
        return self.observed.now

    @property
    def status(self) -> JobStatus:
        return self.mpi.obj.status

    @property
    def suspended(self) -> bool:
        return bool(self.mpi.policy.suspend)

    def workers_ready(self) -> bool:
        """Whether each worker is there and ready to be logged into."""
        return all(name in self.workers and is_ready(self.workers[name]) for name in self.mpi.workers)

    def may_start(self) -> bool:
        """Whether the gang scheduler, if there is one, lets pods be made."""
        return self.gang is None or self.gang.lets_start(self.mpi.job, self.observed)

    def may_launch(self) -> bool:
        """Whether the launcher's pod may be there. One of a gang must, for the others to be placed at all."""
        return self.may_start() if self.gang is not None else self.workers_ready()

    def launcher_ended(self, how: str) -> bool:
        return self.launcher is not None and is_true(self.launcher.status.conditions, how)


def is_ready(pod: Pod) -> bool:
    return pod.metadata.deletion_timestamp is None and is_true(pod.status.conditions, "Ready")


def is_running(pod: Pod) -> bool:
    return pod.status.phase == "Running" and pod.metadata.deletion_timestamp is None


def observe(mpi: Mpi, gang: Gang | None, observed: Observed) -> MpiState:
    wanted = {*mpi.workers}
    pods = observed.owned(Pod)
    launcher = observed.one(batch_v1.Job, mpi.launcher)
    launcher = launcher if launcher is not None and _owned(launcher, mpi) else None
    secret = one(Secret, secret_name(mpi), observed)
    return MpiState(
        mpi=mpi,
        gang=gang,
        observed=observed,
        workers={pod.metadata.name: pod for pod in pods if pod.metadata.name in wanted},
        surplus=[pod for pod in pods if pod.metadata.name not in wanted],
        launcher=launcher,
        launcher_pods=observed.owned(Pod, by=launcher) if launcher is not None else [],
        has_keys=secret is not None and _owned(secret, mpi),
        taken=_taken(mpi, observed),
    )


def _taken(mpi: Mpi, observed: Observed) -> list[tuple[str, str]]:
    names: list[tuple[type[Object], str]] = [
        (Service, mpi.name),
        (ConfigMap, config_name(mpi)),
        (Secret, secret_name(mpi)),
        (batch_v1.Job, mpi.launcher),
        *((Pod, name) for name in mpi.workers),
    ]
    found = ((kind, one(kind, name, observed)) for kind, name in names)
    return [(kind.__name__, obj.metadata.name) for kind, obj in found if obj is not None and not _owned(obj, mpi)]


def _owned(obj: Object, mpi: Mpi) -> bool:
    owner = obj.metadata.controller
    return owner is not None and owner.uid == mpi.obj.metadata.uid
