"""Objects that Windlass brings: made at each start, or brought up to date.

An object of ours carries a digest of what we wrote. It is replaced by a newer one only while it still reads so: what a
user has put in its place, or changed, is left alone.
"""

import hashlib
import logging

import msgspec

from windlass.apiserver.api import Api
from windlass.apiserver.internal import ensure, modify, resource_of
from windlass.kube.json import Json, Object, decode

log = logging.getLogger("windlass.server")

DIGEST = "windlass.dev/provided"


def digest(part: Json) -> str:
    return hashlib.sha256(msgspec.json.encode(part, order="sorted")).hexdigest()[:16]


class _Metadata(msgspec.Struct):
    annotations: dict[str, str] = {}


class _Marked(msgspec.Struct):
    """Of a stored object, only its annotations: the rest is skipped unread."""

    metadata: _Metadata


async def renew(api: Api, wanted: Object, part: str = "spec", *, proven: bool = False) -> bool:
    """`part` is what the object says; it must be whole, as a server stores it. Whether it was made now."""
    resource = resource_of(api, wanted["apiVersion"], wanted["kind"])
    metadata: Object = wanted["metadata"]
    name, namespace, mark = metadata["name"], metadata.get("namespace", ""), digest(wanted[part])
    annotations = {**metadata.get("annotations", {}), DIGEST: mark}
    row = api.store.newest((resource.store_key, namespace, name))
    if row is None:
        return await ensure(api, {**wanted, "metadata": {**metadata, "annotations": annotations}}, proven=proven)
    found = msgspec.json.decode(row.value, type=_Marked).metadata.annotations.get(DIGEST)
    if found is None or found == mark:
        return False
    if digest(decode(row.value)[part]) != found:
        log.info("%s has been changed, and is left as it is", name)
        return False

    def renewed(live: Object) -> Object:
        held: Object = live["metadata"]
        held["annotations"] = {**held.get("annotations", {}), **annotations}
        return {**live, part: wanted[part]}

    await modify(api, resource, namespace, name, renewed)
    return False
