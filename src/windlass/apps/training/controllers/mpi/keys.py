"""The ssh keys of MPIJobs: one pair a job, made once. Making one is no decision, so it is apart from the reconcile."""

from base64 import b64encode
from collections.abc import Callable
from functools import partial

from windlass.apis.core_v1 import Secret
from windlass.apis.wellknown import SSH_AUTH_SECRET
from windlass.apps.training.controllers.engine.conditions import is_finished
from windlass.apps.training.controllers.mpi.children import PRIVATE, PUBLIC, secret_name
from windlass.apps.training.controllers.mpi.job import is_ours, read
from windlass.apps.training.kinds.mpi_v2beta1 import MPIJob
from windlass.controllers.opaque_kinds import form, one
from windlass.controllers.ssh_keys import KeyPair, make_keys
from windlass.kube.controller import Acting, Api, Observed
from windlass.kube.errors import AlreadyExists
from windlass.kube.kind import KINDS
from windlass.kube.meta import ObjectMeta
from windlass.kube.objects import owner_reference


def secret(obj: MPIJob, keys: KeyPair) -> Secret:
    return Secret(
        metadata=ObjectMeta(
            name=secret_name(read(obj)),
            namespace=obj.metadata.namespace,
            labels={"app": obj.metadata.name},
            owner_references=[owner_reference(obj, KINDS.of(MPIJob))],
        ),
        type=SSH_AUTH_SECRET,
        data={PRIVATE: b64encode(keys.private).decode(), PUBLIC: b64encode(keys.public).decode()},
    )


async def provide(make: Callable[[], KeyPair], obj: MPIJob, observed: Observed, api: Api) -> None:
    """Make the job's secret if there is none."""
    if not is_ours(obj) or obj.metadata.deletion_timestamp or is_finished(obj.status.conditions):
        return
    if one(Secret, secret_name(read(obj)), observed) is not None:
        return
    try:
        await api.create(secret(obj, make()))
    except AlreadyExists:  # created meanwhile, or not ours: the reconcile decides
        return


CONTROLLER = Acting("mpi-keys", MPIJob, partial(provide, make_keys), owns=[form(Secret)])
