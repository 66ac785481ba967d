"""Make a notebook and its claims: everything is tried first, and what was made is deleted when a later step fails."""

import logging
from dataclasses import dataclass

from windlass.apps.notebooks.names import NOTEBOOK_LABEL
from windlass.apps.notebooks.web.form import Made
from windlass.gateway.webapps.common import CLAIMS, PODS
from windlass.gateway.webapps.pod_configurations import check_configurations
from windlass.kube.client import Client
from windlass.kube.errors import AlreadyExists, ApiError, BadRequest
from windlass.kube.json import Object, dig_list, dig_object
from windlass.kube.meta import Key
from windlass.kube.objects import key_of, uid_of

log = logging.getLogger(__name__)


@dataclass(frozen=True)
class Checks:
    """What is checked of the notebook's pod before anything is made."""

    pod_defaults: bool
    pod: bool


async def make(client: Client, made: Made, checks: Checks) -> None:
    """`client` has the rights of the user. Raises ApiError."""
    await check(client, made, checks)
    created: list[Object] = []
    try:
        for claim in made.claims:
            created.append(await client.create(claim, kind=CLAIMS))
        await client.create(made.notebook)
    except BaseException:
        await _delete(client, created)
        raise


async def check(client: Client, made: Made, checks: Checks) -> None:
    """Try everything, and make nothing. Raises ApiError."""
    _check_sources(made, await client.create(made.notebook, dry_run=True))
    if checks.pod_defaults:
        await check_configurations(client, pod_of(made))
    if checks.pod:
        await _try_pod(client, made)
    for claim in made.claims:
        await client.create(claim, kind=CLAIMS, dry_run=True)


def _check_sources(made: Made, tried: Object) -> None:
    """Refuse a volume whose source the API does not know: it would be an empty folder that ends with the pod."""
    kept = dig_list(tried, "spec", "template", "spec", "volumes")
    for asked, volume in zip(made.pod_spec["volumes"], kept, strict=False):
        if unknown := sorted(set(asked) - set(volume)):
            raise BadRequest(f"volume {asked['name']!r}: {unknown[0]!r} is not a source of volumes")


def pod_of(made: Made) -> Object:
    """The notebook's pod, as far as the form decides about it."""
    key = key_of(made.notebook)
    return {
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": {
            "name": f"{key.name}-0",
            "namespace": key.namespace,
            "labels": {**dig_object(made.notebook, "metadata", "labels"), NOTEBOOK_LABEL: key.name},
        },
        "spec": made.pod_spec,
    }


async def _try_pod(client: Client, made: Made) -> None:
    """Refuse what no pod can be, such as one with a host's folder: a Notebook's own schema does not say so."""
    try:
        await client.create(pod_of(made), kind=PODS, dry_run=True)
    except AlreadyExists:  # a pod of a Notebook that had this name is still ending
        return


async def _delete(client: Client, claims: list[Object]) -> None:
    for claim in claims:
        key: Key = key_of(claim)
        try:
            await client.delete(CLAIMS, key, uid=uid_of(claim))
        except ApiError as error:
            log.warning("a claim without its notebook remains claim=%s error=%s", key, error)
