"""delete and deletecollection: at once, or by marking an object until its grace period and finalizers are over.

A finalizer keeps the object until its controller removes it; a grace period keeps a Pod until its node agent deletes it
again with none; the garbage collector removes `orphan` and `foregroundDeletion`.
"""

from collections.abc import Awaitable
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from windlass.apiserver.admission.chain import Attributes
from windlass.apiserver.api import Api, load
from windlass.apiserver.call import Call, is_dry_run
from windlass.apiserver.connection import Answer, Response
from windlass.apiserver.conversions import between
from windlass.apiserver.resources import Resource
from windlass.apiserver.store import Row
from windlass.apiserver.verbs import write
from windlass.apiserver.verbs.answers import list_answer, object_answer, plain_answer
from windlass.apiserver.verbs.bodies import media_type, read_document
from windlass.apiserver.verbs.get import fetch, not_found
from windlass.apiserver.verbs.list import select
from windlass.apiserver.verbs.selection import selection
from windlass.kube import schema
from windlass.kube.definitions import schema_of
from windlass.kube.errors import BadRequest, Conflict, Invalid, forbidden, not_supported
from windlass.kube.json import Object, dig_object, encode, is_object, timestamp
from windlass.kube.moments import moment_after

ORPHAN, FOREGROUND = "orphan", "foregroundDeletion"
_POLICIES = {"Orphan": ORPHAN, "Foreground": FOREGROUND, "Background": ""}


@dataclass(frozen=True, slots=True)
class DeleteOptions:
    grace: int | None = None
    policy: str = ""
    uid: str | None = None
    version: str | None = None
    """A precondition that is given counts even when it is empty, as no object has that uid or version."""
    dry_run: bool = False


def delete_options(call: Call) -> DeleteOptions:
    """Read the options from the body, or from the query without a body."""
    body: Object = {}
    if call.request.body.strip():
        document = read_document(call.request.body, media_type(call))
        if not is_object(document):
            raise BadRequest("DeleteOptions must be an object")
        body = document
    return options_from(call, body)


def options_from(call: Call, body: Object) -> DeleteOptions:
    _decode(body)
    grace = body.get("gracePeriodSeconds", call.number("gracePeriodSeconds"))
    policy: Any = body.get("propagationPolicy") or call.query.get("propagationPolicy") or ""
    orphan = body.get("orphanDependents", call.query.get("orphanDependents"))
    causes = [
        *([not_supported("propagationPolicy", policy, (*_POLICIES,))] if policy and policy not in _POLICIES else []),
        *([forbidden("propagationPolicy", "orphanDependents and deletionPropagation cannot be both set")]
          if policy and orphan is not None else []),
    ]  # fmt: skip
    if causes:
        raise Invalid.of("DeleteOptions", "meta.k8s.io", "", causes)
    if orphan is not None and not policy:
        policy = "Orphan" if orphan in (True, "true", "1") else "Background"
    preconditions = dig_object(body, "preconditions")
    dry_run = is_dry_run(body.get("dryRun") or call.query.get("dryRun", ""))
    uid, version = preconditions.get("uid"), preconditions.get("resourceVersion")
    return DeleteOptions(None if grace is None else max(grace, 0), str(policy), uid, version, dry_run)


def _decode(body: Object) -> None:
    """Decode the options in place as Go does: a value of a wrong type is refused, null is an absent field."""
    form = schema_of("io.k8s.apimachinery.pkg.apis.meta.v1.DeleteOptions")
    findings = schema.check(form, body)
    if findings.type_error:
        raise BadRequest(f'DeleteOptions in version "v1" cannot be handled as a DeleteOptions: {findings.type_error}')
    if findings.nulls:
        schema.drop_nulls(form, body)


async def delete(api: Api, call: Call) -> Response:
    options = delete_options(call)
    resource = call.resource.at_rest
    for _ in range(8):
        row = api.store.newest(call.key)
        if row is None:
            raise not_found(call)
        obj = load(resource, row)
        check_preconditions(call, options, obj)
        await _admit(api, call, options, obj)
        if api.store.newest(call.key) is row:
            break
    else:
        raise write.conflict(call)
    if not options.policy and call.resource.strategy.orphans_warning:
        call.warnings.append(call.resource.strategy.orphans_warning)
    gone, value, durable = remove(api, resource, obj, options)
    if durable is not None:
        await durable
        api.react(resource, obj, gone=gone)
    if not gone:
        (shown,) = await between([obj], resource, call.resource)
        return object_answer(call, value if shown is obj else encode(shown))
    if call.resource.strategy.returns_deleted:
        return object_answer(call, value)
    return plain_answer(call, _success(call, obj))


def _success(call: Call, obj: Object) -> Object:
    resource, metadata = call.resource, obj["metadata"]
    details: Object = {
        "name": metadata["name"],
        "group": resource.group,
        "kind": resource.plural,
        "uid": metadata["uid"],
    }
    details = {key: value for key, value in details.items() if value}
    return {"kind": "Status", "apiVersion": "v1", "metadata": {}, "status": "Success", "details": details}


def check_preconditions(call: Call, options: DeleteOptions, obj: Object) -> None:
    metadata = obj["metadata"]
    for field, wanted, found in (
        ("UID", options.uid, metadata.get("uid")),
        ("ResourceVersion", options.version, metadata.get("resourceVersion")),
    ):
        if wanted is not None and wanted != found:
            raise write.conflict(
                call, f"Precondition failed: {field} in precondition: {wanted}, {field} in object meta: {found}"
            )


async def _admit(api: Api, call: Call, options: DeleteOptions, obj: Object) -> None:
    metadata = obj["metadata"]
    attributes = Attributes(
        "DELETE", call.resource.at_rest, "", metadata.get("namespace", ""), metadata["name"], None, obj, call.user,
        options.dry_run, warnings=call.warnings,
    )  # fmt: skip
    api.admission.chain.mutate(attributes)
    api.admission.chain.validate(attributes)
    remote = api.admission.remote
    if remote is not None:
        attributes.options = _shown(options)
        await remote.mutate(attributes)
        await remote.validate(attributes)


def _shown(options: DeleteOptions) -> Object:
    """The options as webhooks and policies see them."""
    given: Object = {
        "gracePeriodSeconds": options.grace,
        "propagationPolicy": options.policy or None,
        "preconditions": {"uid": options.uid} if options.uid is not None else None,
        "dryRun": ["All"] if options.dry_run else None,
    }
    shown = {name: value for name, value in given.items() if value is not None}
    return {"kind": "DeleteOptions", "apiVersion": "meta.k8s.io/v1", **shown}


def remove(
    api: Api, resource: Resource, obj: Object, options: DeleteOptions
) -> tuple[bool, bytes, Awaitable[object] | None]:
    """Delete an object or mark it as deleted; returns whether it is gone, its last bytes, and when it is durable."""
    changed = mark_deleted(resource, obj, options)
    if write.is_finished_deletion(resource, obj):
        if options.dry_run:
            return True, encode(obj), None
        return True, *write.remove_object(api, resource, obj)
    if not changed or options.dry_run:
        return False, encode(obj), None
    return False, *write.store_object(api, resource, obj)


def mark_deleted(resource: Resource, obj: Object, options: DeleteOptions) -> bool:
    """Set the deletion metadata of `obj`; returns whether anything changed."""
    metadata = obj["metadata"]
    before = (metadata.get("deletionTimestamp"), metadata.get("deletionGracePeriodSeconds"), metadata.get("finalizers"))
    if not metadata.get("deletionTimestamp"):
        resource.strategy.prepare_delete(obj)
    grace = _grace(resource, obj, options.grace)
    finalizers = _finalizers(metadata, options.policy or _default_policy(resource, metadata))
    if not metadata.get("deletionTimestamp"):
        if metadata.get("generation"):
            metadata["generation"] += 1
        metadata["deletionTimestamp"] = timestamp(moment_after(datetime.now(UTC), grace))
        metadata["deletionGracePeriodSeconds"] = grace
    elif grace < (metadata.get("deletionGracePeriodSeconds") or 0):
        metadata["deletionTimestamp"] = timestamp(moment_after(datetime.now(UTC), grace))
        metadata["deletionGracePeriodSeconds"] = grace
    if finalizers:
        metadata["finalizers"] = finalizers
    else:
        metadata.pop("finalizers", None)
    if resource.store_key == "/namespaces":
        obj.setdefault("status", {})["phase"] = "Terminating"
    return before != (
        metadata.get("deletionTimestamp"), metadata.get("deletionGracePeriodSeconds"), metadata.get("finalizers")
    )  # fmt: skip


def _grace(resource: Resource, obj: Object, asked: int | None) -> int:
    """The grace period: only Pods on a node have one, from their spec or from the client."""
    if resource.store_key != "/pods":
        return 0
    spec, phase = dig_object(obj, "spec"), dig_object(obj, "status").get("phase")
    if not spec.get("nodeName") or phase in ("Failed", "Succeeded"):
        return 0
    if asked is not None:
        return asked
    return int(spec.get("terminationGracePeriodSeconds", 30))


def _default_policy(resource: Resource, metadata: Object) -> str:
    """The default propagation policy: that of an earlier deletion, or Orphan for some old kinds."""
    decided = {ORPHAN, FOREGROUND} & set(metadata.get("finalizers") or ())
    return "Orphan" if resource.strategy.orphans_dependents and not decided else ""


def _finalizers(metadata: Object, policy: str) -> list[str]:
    """Replace the finalizer of an earlier propagation policy; other finalizers stay."""
    present: list[str] = list(metadata.get("finalizers") or [])
    if not policy:
        return present
    wanted = _POLICIES[policy]
    kept = [name for name in present if name not in (ORPHAN, FOREGROUND)]
    return [*kept, wanted] if wanted else kept


async def delete_collection(api: Api, call: Call) -> Answer:
    options = delete_options(call)
    rows = select(api, selection(call))
    deleted: list[Row] = []
    waiting: list[tuple[Awaitable[object], Object, bool]] = []
    for row in rows:
        newest = api.store.newest(row.key)
        if newest is None:
            continue
        obj = load(call.resource.at_rest, newest)
        await _admit(api, call, options, obj)
        if api.store.newest(row.key) is not newest:
            raise Conflict(f'{call.resource.group_resource} "{row.key[2]}" changed while it was being deleted')
        gone, _, durable = remove(api, call.resource.at_rest, obj, options)
        deleted.append(newest)
        if durable is not None:
            waiting.append((durable, obj, gone))
    for durable, obj, gone in waiting:
        await durable
        api.react(call.resource, obj, gone=gone)
    await fetch(call, *deleted)
    return list_answer(call, deleted, {"resourceVersion": str(api.store.revision)})
