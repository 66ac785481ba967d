"""Objects that Windlass provides: created at each start, or updated to the newest version.

Such an object has a digest of its content in an annotation. It is updated only while its content matches the digest:
changes by a user are kept.
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
    """The annotations of a stored object; the rest is not decoded."""

    metadata: _Metadata


async def renew(api: Api, wanted: Object, part: str = "spec", *, proven: bool = False) -> bool:
    """Create or update an object, and return whether it was created. `part` is its content, with all defaults."""
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
        log.info("%s was changed by a user and is not updated", name)
        return False

    def renewed(live: Object) -> Object:
        held: Object = live["metadata"]
        held["annotations"] = {**held.get("annotations", {}), **annotations}
        return {**live, part: wanted[part]}

    await modify(api, resource, namespace, name, renewed)
    return False
