"""The common path of all writes after the verb has built the new object: defaults, admission, validation, commit.

Nothing is awaited between reading the newest state and handing the new bytes to the store, unless a webhook or policy
is configured; then the state is read again afterwards and the verb starts over if it has changed. So two writers of one
object never overwrite each other unnoticed.
"""

from collections.abc import Awaitable
from datetime import UTC, datetime
from random import choices, getrandbits
from time import time
from typing import Any

from windlass.apiserver.admission.chain import Attributes
from windlass.apiserver.api import Api
from windlass.apiserver.builtin.metadata import validate_metadata, validate_metadata_update
from windlass.apiserver.call import Call
from windlass.apiserver.resources import Resource
from windlass.apiserver.store import Row
from windlass.kube.errors import BadRequest, Cause, Conflict, Invalid, forbidden, invalid
from windlass.kube.json import Object, dig_list, encode, is_object, timestamp
from windlass.kube.patch.managed import record_update

_UUID_VERSION = 0x4000_8000_0000_0000_0000  # version 4, variant of RFC 9562
_UUID_RANDOM = ~0xF000_C000_0000_0000_0000
_SUFFIX_ALPHABET = "bcdfghjklmnpqrstvwxz2456789"  # Kubernetes': no vowels, nothing that looks like another
_MAX_GENERATED_BASE = 58
_SERVER_OWNED = frozenset(
    ("resourceVersion", "deletionTimestamp", "deletionGracePeriodSeconds", "selfLink", "generation")
)
_WRITTEN_WITH_STATUS = ("apiVersion", "kind", "metadata", "status")
_MAX_VERSION_DIGITS = 20  # of a number of 64 bits
MODIFIED = "the object has been modified; please apply your changes to the latest version and try again"

_second = 0
_now = ""


def now() -> str:
    """The current time as objects carry it, formatted once a second."""
    global _second, _now
    second = int(time())
    if second != _second:
        _second, _now = second, timestamp(datetime.fromtimestamp(second, UTC))
    return _now


def new_uid() -> str:
    """Return a random (version 4) UUID. It is no secret, so it need not come from the kernel as `uuid.uuid4`'s does."""
    digits = f"{getrandbits(128) & _UUID_RANDOM | _UUID_VERSION:032x}"
    return f"{digits[:8]}-{digits[8:12]}-{digits[12:16]}-{digits[16:20]}-{digits[20:]}"


def metadata_of(obj: Object) -> Object:
    metadata: Any = obj.get("metadata")
    if metadata is None:
        metadata = obj["metadata"] = {}
    if not is_object(metadata):
        raise BadRequest("metadata must be an object")
    return metadata


def generate_name(base: str) -> str:
    return base[:_MAX_GENERATED_BASE] + "".join(choices(_SUFFIX_ALPHABET, k=5))


def attributes_of(call: Call, operation: str, obj: Object | None, old: Object | None) -> Attributes:
    path = call.path
    name: str = path.name or (metadata_of(obj).get("name", "") if obj else "")
    namespace = path.namespace if call.resource.namespaced or call.resource.store_key == "/namespaces" else ""
    return Attributes(
        operation, call.resource, path.subresource, namespace, name, obj, old, call.user, call.dry_run,
        warnings=call.warnings, annotations=call.request.annotations,
    )  # fmt: skip


def options_of(call: Call, kind: str) -> Object:
    """The client's options as webhooks and policies see them."""
    options: Object = {"kind": kind, "apiVersion": "meta.k8s.io/v1"}
    options |= {name: call.query[name] for name in ("fieldManager", "fieldValidation") if call.query.get(name)}
    return {**options, "dryRun": ["All"]} if call.dry_run else options


def conflict(call: Call, why: str = MODIFIED) -> Conflict:
    resource = call.resource
    message = f'Operation cannot be fulfilled on {resource.group_resource} "{call.path.name}": {why}'
    return Conflict(message, kind=resource.plural, group=resource.group, name=call.path.name)


def refuse(resource: Resource, name: str, causes: list[Cause]) -> None:
    if causes:
        raise Invalid.of(resource.kind, resource.group, name, causes)


# --- create


def prepare_new(api: Api, call: Call, obj: Object) -> None:
    """Set everything that a new object needs before admission."""
    metadata = metadata_of(obj)
    resource = call.resource
    _match_namespace(call, metadata)
    name = metadata.get("name")
    if not name and metadata.get("generateName"):
        metadata["name"] = generate_name(str(metadata["generateName"]))
    if metadata.get("resourceVersion"):
        raise BadRequest("resourceVersion should not be set on objects to be created")
    for server_owned in _SERVER_OWNED & metadata.keys():
        del metadata[server_owned]
    drop_empty(metadata)
    metadata["uid"] = new_uid()
    metadata["creationTimestamp"] = now()
    if resource.strategy.generation_fields != ():
        metadata["generation"] = 1
    resource.strategy.default(obj)


def _match_namespace(call: Call, metadata: Object) -> None:
    if not call.resource.namespaced:
        if metadata.pop("namespace", ""):
            raise BadRequest(f"namespace is not allowed on {call.resource.kind}: it is not namespaced")
        return
    given, wanted = metadata.get("namespace"), call.path.namespace
    if given and given != wanted:
        raise BadRequest("the namespace of the provided object does not match the namespace sent on the request")
    if not wanted:
        raise BadRequest("an empty namespace may not be set during creation")
    metadata["namespace"] = wanted


def asks_others(api: Api, resource: Resource) -> bool:
    """Whether a write waits for admission webhooks, conversion webhooks or policies."""
    return api.admission.remote is not None or resource.conversion is not None


def admit_new_at_once(api: Api, call: Call, obj: Object) -> None:
    """Run admission and validation of a new object synchronously; `obj` is then ready to be stored."""
    attributes = attributes_of(call, "CREATE", obj, None)
    api.admission.chain.mutate(attributes)
    call.warnings += _check_new(api, call, attributes, obj)


async def admit_new(api: Api, call: Call, obj: Object) -> Object:
    """Run admission and validation of a new object; returns the object to store."""
    resource, admission = call.resource, api.admission
    attributes = attributes_of(call, "CREATE", obj, None)
    admission.chain.mutate(attributes)
    remote = admission.remote
    if remote is not None:
        attributes.options = options_of(call, "CreateOptions")
        if await remote.mutate(attributes):
            assert attributes.obj is not None
            obj = attributes.obj
            resource.strategy.default(obj)
            admission.chain.mutate(attributes)  # again: a container that a webhook has added lacks what others got
    warnings = _check_new(api, call, attributes, obj)
    await _wait(api, call, attributes)
    call.warnings += warnings
    return obj


def _check_new(api: Api, call: Call, attributes: Attributes, obj: Object) -> list[str]:
    """Refuse the object, or return the warnings about it."""
    resource, strategy = call.resource, call.resource.strategy
    strategy.prepare_create(obj)
    causes = validate_metadata(
        obj, resource.namespaced, strategy.validate_name, qualified_finalizers=strategy.qualified_finalizers
    )
    wrong, warnings = ([], strategy.warnings(obj)) if call.proven else strategy.validate_create(obj)
    refuse(resource, _display_name(obj), causes + wrong)
    api.admission.chain.validate(attributes)
    return warnings


async def _wait(api: Api, call: Call, attributes: Attributes) -> None:
    """Run the asynchronous part of a write: configured admission, and conversion by a webhook."""
    if api.admission.remote is not None:
        await api.admission.remote.validate(attributes)
    if call.resource.conversion is not None and attributes.obj is not None:
        call.at_rest = await call.resource.conversion.to_storage(attributes.obj)
    api.admission.chain.validate(attributes)  # again: others may have used up a quota while this one waited


def _display_name(obj: Object) -> str:
    metadata = metadata_of(obj)
    return str(metadata.get("name") or metadata.get("generateName") or "")


# --- update


def carry_over(call: Call, new: Object, old: Object) -> None:
    """Restore what no client may change: identity, and the metadata of a deletion in progress."""
    fresh, kept = metadata_of(new), metadata_of(old)
    _match_identity(call, fresh, kept)
    for name in ("name", "namespace", "creationTimestamp", "uid", "generation", "generateName",
                 "deletionTimestamp", "deletionGracePeriodSeconds", "selfLink"):  # fmt: skip
        if name in kept:
            fresh[name] = kept[name]
        else:
            fresh.pop(name, None)
    drop_empty(fresh)


def drop_empty(metadata: Object) -> None:
    """Drop empty fields, as Kubernetes does with every object's metadata."""
    for name in ("labels", "annotations", "ownerReferences", "finalizers"):
        if name in metadata and not metadata[name]:
            del metadata[name]


def _match_identity(call: Call, fresh: Object, kept: Object) -> None:
    name = fresh.get("name")
    if not name:
        raise BadRequest("name must be provided")
    if name != call.path.name:
        raise BadRequest(f"the name of the object ({name}) does not match the name on the URL ({call.path.name})")
    namespace = fresh.get("namespace")
    if call.resource.namespaced and namespace and namespace != call.path.namespace:
        raise BadRequest("the namespace of the provided object does not match the namespace sent on the request")
    uid = fresh.get("uid")
    if uid and uid != kept.get("uid"):
        raise conflict(call, f"Precondition failed: UID in precondition: {uid}, UID in object meta: {kept.get('uid')}")


def check_version(call: Call, new: Object, row: Row) -> None:
    """Check optimistic concurrency: the version that the client changed must be the newest.

    No version and "0" ask for an unconditional update, which kinds allow or not.
    """
    version = _version_number(call, str(metadata_of(new).get("resourceVersion") or "0"))
    if version == 0 and not call.resource.strategy.allows_unconditional_update:
        cause = invalid("metadata.resourceVersion", 0, "must be specified for an update")
        refuse(call.resource, call.path.name, [cause])
    if version not in (0, row.rev):
        raise conflict(call)


def _version_number(call: Call, version: str) -> int:
    if not (version.isascii() and version.isdigit()) or len(version) > _MAX_VERSION_DIGITS:
        refuse(call.resource, call.path.name, [invalid("metadata.resourceVersion", version, "must be a whole number")])
    return int(version)


async def admit_change(api: Api, call: Call, new: Object, old: Object) -> Object:
    """Run defaulting, admission and validation of a changed object; returns the object to store."""
    resource, admission = call.resource, api.admission
    strategy, subresource = resource.strategy, call.path.subresource
    strategy.default(new)
    attributes = attributes_of(call, "UPDATE", new, old)
    admission.chain.mutate(attributes)
    remote = admission.remote if subresource != "binding" else None  # which was asked about the Binding itself
    if remote is not None:
        attributes.options = options_of(call, "UpdateOptions")
        if await remote.mutate(attributes):
            assert attributes.obj is not None
            new = attributes.obj
            carry_over(call, new, old)
            strategy.default(new)
    if subresource == "status":
        strategy.prepare_status(new, old)
    elif subresource:
        strategy.prepare_subresource(subresource, new, old)
    else:
        strategy.prepare_update(new, old)
    if subresource != "binding":
        _advance_generation(resource, new, old)
    causes = validate_metadata(
        new, resource.namespaced, strategy.validate_name, qualified_finalizers=strategy.qualified_finalizers
    )
    causes += validate_metadata_update(new, old)
    causes += _no_new_finalizers(new, old)
    causes += strategy.validate_change(new, old)
    refuse(resource, call.path.name, causes)
    admission.chain.validate(attributes)
    if remote is not None or resource.conversion is not None:
        await _wait(api, call, attributes)
    if not subresource:
        call.warnings += strategy.warnings(new)
    return new


def _advance_generation(resource: Resource, new: Object, old: Object) -> None:
    fields = resource.strategy.generation_fields
    if fields == ():
        return
    if fields is None:
        fields = tuple({*new, *old} - {"metadata", "apiVersion", "kind", *(("status",) if resource.has_status else ())})
    if any(new.get(name) != old.get(name) for name in fields):
        metadata_of(new)["generation"] = (metadata_of(old).get("generation") or 0) + 1


def _no_new_finalizers(new: Object, old: Object) -> list[Cause]:
    if not metadata_of(old).get("deletionTimestamp"):
        return []
    had = dig_list(old, "metadata", "finalizers")
    added = [str(name) for name in dig_list(new, "metadata", "finalizers") if name not in had]
    if not added:
        return []
    listed = ", ".join(f'"{name}"' for name in added)
    why = f"no new finalizers can be added if the object is being deleted, found new finalizers []string{{{listed}}}"
    return [forbidden("metadata.finalizers", why)]


def is_finished_deletion(resource: Resource, obj: Object) -> bool:
    """Whether this write removed the last finalizer or grace period of a deletion."""
    metadata = metadata_of(obj)
    if not metadata.get("deletionTimestamp") or metadata.get("finalizers"):
        return False
    if resource.store_key == "/namespaces":
        return not dig_list(obj, "spec", "finalizers")
    return not metadata.get("deletionGracePeriodSeconds")


def is_unchanged(new: Object, old: Object) -> bool:
    """Whether only bookkeeping differs: such a write is not stored, as in Kubernetes."""
    if any(new.get(name) != old.get(name) for name in {*new, *old} if name != "metadata"):
        return False
    fresh, kept = metadata_of(new), metadata_of(old)
    return all(fresh.get(name) == kept.get(name) for name in {*fresh, *kept} if name != "resourceVersion")


def unwritten_fields(call: Call) -> tuple[str, ...] | None:
    """The top-level fields that this endpoint does not write and nobody comes to own; None for the default."""
    resource = call.resource
    if call.path.subresource == "status":
        return tuple(name for name in ("spec", *resource.schema.properties) if name not in _WRITTEN_WITH_STATUS)
    return ("status",) if resource.custom and resource.has_status and not call.path.subresource else None


def record(call: Call, new: Object, old: Object | None) -> None:
    """Record the author of each field in managedFields."""
    record_update(
        old,
        new,
        call.resource.schema,
        manager=call.field_manager,
        api_version=call.resource.api_version,
        time=now(),
        subresource=call.path.subresource,
        ignored=unwritten_fields(call),
    )


# --- commit


def store_object(
    api: Api, resource: Resource, obj: Object, at_rest: Object | None = None
) -> tuple[bytes, Awaitable[object]]:
    """Set the object's version and pass it to the store; returns its bytes for the client, and when it is durable.

    `at_rest` is the object in its storage version, if a webhook had to convert it.
    """
    metadata = obj["metadata"]
    store = api.store
    metadata["resourceVersion"] = str(store.next_revision)
    value = encode(obj)
    stored = value if resource.to_storage is None else _at_rest(resource, obj, at_rest)
    key = (resource.store_key, metadata.get("namespace", "") if resource.namespaced else "", metadata["name"])
    return value, store.put(key, stored)


def _at_rest(resource: Resource, obj: Object, converted: Object | None) -> bytes:
    if converted is None:
        assert resource.to_storage is not None
        return encode(resource.to_storage(obj))
    # The server has gone on with the metadata meanwhile; a webhook has a say only in labels and annotations.
    newer = {name: value for name, value in obj["metadata"].items() if name not in ("labels", "annotations")}
    return encode({**converted, "metadata": {**converted["metadata"], **newer}})


def remove_object(
    api: Api, resource: Resource, obj: Object, at_rest: Object | None = None
) -> tuple[bytes, Awaitable[object]]:
    """Remove the object from the store; returns its last state, and when the removal is durable. See `store_object`."""
    metadata = obj["metadata"]
    metadata["resourceVersion"] = str(api.store.next_revision)
    value = encode(obj)
    stored = value if resource.to_storage is None else _at_rest(resource, obj, at_rest)
    key = (resource.store_key, metadata.get("namespace", "") if resource.namespaced else "", metadata["name"])
    api.allocators.release(resource, obj)
    return value, api.store.delete(key, stored)
