"""The ssh keys of trainings with MPI: one pair a job, made once. Making one is no decision, so it is apart."""

from base64 import b64encode
from collections.abc import Callable
from functools import partial

from windlass.apis.core_v1 import Secret
from windlass.apis.wellknown import SSH_AUTH_SECRET
from windlass.apps.trainer.controllers.reconcile import RUNTIMES, awaits_keys, is_ours, job_of
from windlass.apps.trainer.controllers.runtimes import SNAPSHOTS, NoRuntime, is_supported, runtime_of
from windlass.apps.trainer.controllers.status import is_finished
from windlass.apps.trainer.kinds import TrainJob
from windlass.apps.trainer.policies.mpi import PRIVATE, PUBLIC, secret_name
from windlass.controllers.opaque_kinds import form, one
from windlass.controllers.ssh_keys import KeyPair, make_keys
from windlass.kube.controller import Acting, Api, Observed
from windlass.kube.errors import AlreadyExists
from windlass.kube.kind import KINDS
from windlass.kube.meta import ObjectMeta
from windlass.kube.objects import owner_reference


def secret(job: TrainJob, keys: KeyPair) -> Secret:
    return Secret(
        metadata=ObjectMeta(
            name=secret_name(job),
            namespace=job.metadata.namespace,
            owner_references=[owner_reference(job, KINDS.of(TrainJob))],
        ),
        type=SSH_AUTH_SECRET,
        data={PRIVATE: b64encode(keys.private).decode(), PUBLIC: b64encode(keys.public).decode()},
        immutable=True,
    )


async def provide(make: Callable[[], KeyPair], job: TrainJob, observed: Observed, api: Api) -> None:
    """Make the job's secret if it needs one and has none."""
    if not is_ours(job) or is_finished(job) or not is_supported(job):
        return
    try:
        runtime, _ = runtime_of(job, observed)
    except NoRuntime:  # the reconcile reports it
        return
    if not awaits_keys(runtime) or one(Secret, secret_name(job), observed) is not None:
        return
    try:
        await api.create(secret(job, make()))
    except AlreadyExists:  # created meanwhile, or not ours: the reconcile decides
        return


CONTROLLER = Acting(
    "trainer-mpi-keys",
    TrainJob,
    partial(provide, make_keys),
    owns=[form(Secret)],
    watches=[(SNAPSHOTS, job_of), *RUNTIMES],
)
