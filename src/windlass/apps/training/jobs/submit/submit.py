"""Submits a job and its files to a server."""

from contextlib import suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from windlass.apps.training.jobs.errors import JobsError
from windlass.apps.training.jobs.state.lookup import CONFIG_MAP
from windlass.apps.training.jobs.submit.manifest import files_of
from windlass.apps.training.jobs.submit.packages import Packages
from windlass.kube import errors
from windlass.kube.json import dig
from windlass.kube.meta import Key

if TYPE_CHECKING:
    from windlass.kube.client import Client
    from windlass.kube.kind import Kind


@dataclass(frozen=True, kw_only=True)
class PreparedJob:
    """A job to submit, and the explanation for the user."""

    name: str
    why: str
    archive: bytes
    manifests: list[dict[str, Any]]
    guessed: Packages = ()
    """Packages that no file declares, but the script imports."""


async def submit(client: "Client", plan: PreparedJob, namespace: str) -> "tuple[Kind, dict[str, Any]]":
    """Create the ConfigMap and the job, and make the job its owner, so that both are deleted together."""
    files, wanted = plan.manifests
    try:
        kind = await client.kind_of(wanted)
    except errors.NotFound as error:
        raise JobsError(f"this server does not serve {wanted['kind']} in {wanted['apiVersion']}: {error}") from error
    try:
        await client.create(files, kind=CONFIG_MAP, namespace=namespace)
        job = await client.create(wanted, kind=kind, namespace=namespace)
    except errors.AlreadyExists as error:
        raise JobsError(f"a job or a ConfigMap of that name already exists: {error}. Choose another --name") from error
    except errors.ApiError:
        with suppress(errors.NotFound):  # the refused object may be the ConfigMap itself
            await client.delete(CONFIG_MAP, Key(namespace, files_of(plan.name)))
        raise
    owner = {"apiVersion": kind.api_version, "kind": kind.name, "name": plan.name, "uid": dig(job, "metadata", "uid")}
    tie = {"metadata": {"ownerReferences": [owner]}}
    await client.patch(CONFIG_MAP, Key(namespace, files_of(plan.name)), tie)
    return kind, job
