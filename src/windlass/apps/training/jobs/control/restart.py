"""Restarts a job: deletes it and creates it again from its own manifest, under the same name."""

import asyncio
import secrets
import time
from collections.abc import Mapping
from copy import deepcopy
from typing import TYPE_CHECKING, Any

from windlass.apis.wellknown import LAST_APPLIED_ANNOTATION
from windlass.apps.training.jobs.control.suspend import ENDED, POLL_INTERVAL_SECONDS, state_of
from windlass.apps.training.jobs.errors import JobsError
from windlass.apps.training.jobs.state.job_state import has_ended
from windlass.apps.training.jobs.state.lookup import CONFIG_MAP, VOLCANO, display_name, find_any_job
from windlass.kube import errors
from windlass.kube.json import dig, dig_list, dig_object
from windlass.kube.kind import Kind
from windlass.kube.meta import Key

if TYPE_CHECKING:
    from windlass.kube.client import Client

Json = dict[str, Any]
KEPT_METADATA = ("name", "namespace", "labels", "annotations")
MAX_NAME = 63


def clean_manifest(obj: Mapping[str, Any], *, name: str = "") -> Json:
    """The manifest from which an equal job can be created: without status and what the server wrote."""
    metadata = {field: deepcopy(value) for field in KEPT_METADATA if (value := dig(obj, "metadata", field))}
    annotations = dig_object(metadata, "annotations")
    annotations.pop(LAST_APPLIED_ANNOTATION, None)
    if not annotations:
        metadata.pop("annotations", None)
    if name:
        metadata["name"] = name
    return {
        "apiVersion": obj.get("apiVersion"),
        "kind": obj.get("kind"),
        "metadata": metadata,
        "spec": deepcopy(dig_object(obj, "spec")),
    }


def copy_name(name: str) -> str:
    """A name for a copy of a job."""
    return _suffixed(name, "copy")


def _suffixed(name: str, suffix: str) -> str:
    return f"{name[: MAX_NAME - len(suffix) - 1].rstrip('-.')}-{suffix}"


async def restart_job(
    client: "Client",
    reference: str,
    namespace: str,
    timeout: float,  # noqa: ASYNC109 - the user's
    *,
    force: bool = False,
) -> tuple[Kind, Json]:
    """Delete the job and create it again. Refuses to restart one that has not ended, unless `force`.

    Nothing is deleted before the server has accepted the manifest in a dry run, under another name.
    """
    kind, found = await find_any_job(client, reference, namespace, suspendable=False)
    name = str(dig(found, "metadata", "name"))
    ended = state_of(kind, found) in ENDED if kind == VOLCANO else has_ended(found)
    if not ended and not force:
        raise JobsError(f"{display_name(kind)}/{name} is {state_of(kind, found)}: it restarts only if that is forced")
    found = {**found, "apiVersion": kind.api_version, "kind": kind.name}
    unused = _suffixed(name, secrets.token_hex(4))  # a clone may have the name of a copy
    await client.create(clean_manifest(found, name=unused), kind=kind, dry_run=True)
    files = await _release_files(client, found)
    await client.delete(kind, Key(namespace, name))
    await _wait_until_gone(client, kind, found, timeout)
    made = await client.create(clean_manifest(found), kind=kind)
    for each in files:
        await _own(client, each, [owner_of(kind, made)])
    return kind, made


def owner_of(kind: Kind, job: Mapping[str, Any]) -> Json:
    metadata = dig_object(job, "metadata")
    return {"apiVersion": kind.api_version, "kind": kind.name, "name": metadata["name"], "uid": metadata["uid"]}


async def _release_files(client: "Client", job: Json) -> list[Key]:
    """Take the job's ConfigMaps (the submitted folder) from it, so that they are not deleted with it."""
    uid, namespace = dig(job, "metadata", "uid"), str(dig(job, "metadata", "namespace"))
    try:
        listed = (await client.list(CONFIG_MAP, namespace)).items
    except errors.Forbidden:
        return []
    owned = [
        Key(namespace, str(dig(one, "metadata", "name")))
        for one in listed
        if uid in (dig(owner, "uid") for owner in dig_list(one, "metadata", "ownerReferences"))
    ]
    for each in owned:
        await _own(client, each, [])
    return owned


async def _own(client: "Client", key: Key, owners: list[Json]) -> None:
    await client.patch(CONFIG_MAP, key, {"metadata": {"ownerReferences": owners or None}})


async def _wait_until_gone(client: "Client", kind: Kind, job: Json, timeout: float) -> None:  # noqa: ASYNC109 - the user's
    name, namespace = str(dig(job, "metadata", "name")), str(dig(job, "metadata", "namespace"))
    until = time.monotonic() + timeout
    while True:
        try:
            found = await client.get(kind, name, namespace)
        except errors.NotFound:
            return
        if dig(found, "metadata", "uid") != dig(job, "metadata", "uid"):
            raise JobsError(f"{display_name(kind)}/{name} was created again by someone else")
        if time.monotonic() >= until:
            raise JobsError(f"{display_name(kind)}/{name} was not deleted within {timeout:g} s; create it again later")
        await asyncio.sleep(POLL_INTERVAL_SECONDS)
