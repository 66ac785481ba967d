"""Kinds that Windlass brings: at each start their definitions are made, or brought up to date.

A definition of ours carries a digest of what we wrote. It is replaced by a newer one only while it still reads so: what
a user has put in its place, or changed, is left alone.
"""

import asyncio
import hashlib
import logging

import msgspec

from windlass.apis.provided import definitions
from windlass.apiserver.api import Api
from windlass.apiserver.internal import ensure, modify, resource_of
from windlass.kube.errors import ApiError
from windlass.kube.json import Object, decode, dig

log = logging.getLogger("windlass.server")

DIGEST = "windlass.dev/provided"
_CRDS = "apiextensions.k8s.io/customresourcedefinitions"
_VOLCANO = "scheduling.volcano.sh/v1beta1"


async def provide(api: Api) -> None:
    """The kinds are served, and there are two queues: the root of all, and the one for gangs that name none."""
    await asyncio.gather(*[_ensure_definition(api, wanted) for wanted in definitions()])
    if api.registry.by_kind("scheduling.volcano.sh", "v1beta1", "Queue") is not None:
        for name, reclaimable in (("root", False), ("default", True)):
            await _ensure_queue(api, name, reclaimable)


def digest(spec: Object) -> str:
    return hashlib.sha256(msgspec.json.encode(spec, order="sorted")).hexdigest()[:16]


class _Metadata(msgspec.Struct):
    annotations: dict[str, str] = {}


class _Marked(msgspec.Struct):
    """Of a stored definition, only its annotations: the rest is skipped unread."""

    metadata: _Metadata


async def _ensure_definition(api: Api, wanted: Object) -> None:
    name, mark = wanted["metadata"]["name"], digest(wanted["spec"])
    annotations = {**wanted["metadata"].get("annotations", {}), DIGEST: mark}
    wanted = {**wanted, "metadata": {**wanted["metadata"], "annotations": annotations}}
    row = api.store.newest((_CRDS, "", name))
    if row is None:
        await ensure(api, wanted)
        return
    found = msgspec.json.decode(row.value, type=_Marked).metadata.annotations.get(DIGEST)
    if found is None or found == mark:
        return
    if digest(decode(row.value)["spec"]) != found:
        log.info("%s has been changed, and is left as it is", name)
        return

    def renewed(live: Object) -> Object:
        metadata: Object = live["metadata"]
        metadata["annotations"] = {**metadata.get("annotations", {}), **annotations}
        return {**live, "spec": wanted["spec"]}

    await modify(api, resource_of(api, "apiextensions.k8s.io/v1", "CustomResourceDefinition"), "", name, renewed)


async def _ensure_queue(api: Api, name: str, reclaimable: bool) -> None:
    """A queue, open, as Volcano's scheduler makes it."""
    queue: Object = {
        "apiVersion": _VOLCANO,
        "kind": "Queue",
        "metadata": {"name": name},
        "spec": {"weight": 1, "reclaimable": reclaimable},
    }
    try:
        if await ensure(api, queue):
            await modify(api, resource_of(api, _VOLCANO, "Queue"), "", name, _opened, "status")
    except ApiError as error:  # by a definition that is not ours
        log.warning("there is no queue %s: %s", name, error)


def _opened(queue: Object) -> Object:
    return queue if dig(queue, "status", "state") else {**queue, "status": {"state": "Open"}}
