"""Who set which field: `metadata.managedFields` after a write, and server-side apply.

`record_update` keeps the record for creates, updates and patches; `applied` carries out an apply. A field belongs to
every manager that set it to the value it has; who changes it by an update takes it, who changes it by an apply has to
force it. An entry is known by its manager, operation, API version and subresource.
"""

from itertools import islice
from typing import Any, Final, cast

from windlass.kube.errors import BadRequest, Cause, Conflict
from windlass.kube.json import Json, Object, decode, dig, encode, is_list, is_object, parse
from windlass.kube.patch.entries import (
    Entry,
    capped,
    decode_entries,
    encode_entries,
    encoded_entry,
    entries_are_valid,
    is_reset,
)
from windlass.kube.patch.fieldset import FieldSet, difference, intersection, members, path_text, union
from windlass.kube.patch.ownable import UnkeyedElement, all_of, compare, configured
from windlass.kube.patch.structured import merge, prune
from windlass.kube.schema import Schema
from windlass.kube.series import Series

_UNOWNED: Final = frozenset(
    ("name", "namespace", "creationTimestamp", "selfLink", "uid", "generation", "managedFields", "resourceVersion")
)
_LAST_APPLIED: Final = "kubectl.kubernetes.io/last-applied-configuration"
_NAMED: Final[FieldSet] = {"f:metadata": {"f:name": {}}}  # every configuration says it, though nobody owns it
MAX_NAMED: Final = 1_000
MAX_PATH: Final = 1_000
_KUBECTL: Final = "kubectl"
_series: Final[Series[FieldSet]] = Series()  # field sets are never changed in place, so they may be shared
_BEFORE_FIRST_APPLY: Final = "before-first-apply"


def record_update(
    old: Object | None,
    new: Object,
    schema: Schema,
    *,
    manager: str,
    api_version: str,
    time: str,
    subresource: str = "",
    ignored: tuple[str, ...] | None = None,
) -> None:
    """Set `new`'s managedFields after a create (`old` is None), an update or a patch that was not an apply.

    `ignored` are top-level fields that this endpoint does not write: for built-in kinds `status`, unless it is the
    status endpoint. What a client itself sent as managedFields is taken over, as Kubernetes does.
    """
    skipped = _ignored(schema, subresource) if ignored is None else ignored
    metadata = cast(Object, new.setdefault("metadata", {}))
    if old is None:
        metadata.pop("managedFields", None)
        fields = _all_fields(new, schema, skipped)
        if fields:
            metadata["managedFields"] = [encoded_entry(manager, "Update", api_version, subresource, time, fields)]
        return
    entries = _entries_to_keep(old, metadata, subresource)
    metadata.pop("managedFields", None)
    if not entries:
        return
    changed, removed = _changes(old, new, schema, skipped)
    if changed or removed:
        entries = _taken_over(entries, Entry(manager, "Update", api_version, subresource, time, changed), removed)
    if entries:
        metadata["managedFields"] = encode_entries(entries)


def applied(
    live: Object | None,
    config: Object,
    schema: Schema,
    *,
    manager: str,
    api_version: str,
    time: str,
    force: bool,
    subresource: str = "",
    ignored: tuple[str, ...] | None = None,
) -> Object:
    """The object after `manager` applied `config`, with its managedFields; neither argument is touched.

    Raises Conflict where another manager has set a field to something else, unless `force`.
    """
    if dig(config, "metadata", "managedFields"):
        raise BadRequest("metadata.managedFields must be nil")
    skipped = _ignored(schema, subresource) if ignored is None else ignored
    config = {key: value for key, value in decode(encode(config)).items() if key not in skipped}
    try:
        claimed = _configured_fields(config, schema)
    except UnkeyedElement as error:
        raise BadRequest(_untyped(config, error)) from None
    entries = _entries_before_apply(live, schema, api_version, time, skipped)
    mine = Entry(manager, "Apply", api_version, subresource, time, claimed)
    last = next((each for each in entries if each.identity() == mine.identity()), None)
    others = [each for each in entries if each is not last]
    result = config if live is None else _merged(live, config, schema, last, [*others, mine])
    if live is not None and _without_managers(live) != result:
        mergeable = _last_applied_fields(live, schema, api_version, skipped) if manager == _KUBECTL else {}
        others = _after_conflicts(others, *_changes(live, result, schema, skipped), force=force, free=mergeable)
    elif last is not None and last.fields == claimed and last.api_version == api_version:
        mine = last  # nothing is new, so the time is not either
    owners = [*others, mine] if mine.fields else others
    if owners:
        _metadata(result)["managedFields"] = encode_entries(owners)
    if live is not None and manager == _KUBECTL:
        _keep_last_applied(live, config, result)
    return result


# Fields of whole objects: what no manager owns is left out


def _ignored(schema: Schema, subresource: str) -> tuple[str, ...]:
    return ("status",) if schema.name and not subresource else ()


def _all_fields(obj: Object, schema: Schema, ignored: tuple[str, ...]) -> FieldSet:
    ownable = {key: value for key, value in obj.items() if key not in ("apiVersion", "kind") and key not in ignored}
    metadata = ownable.get("metadata")
    if is_object(metadata):
        ownable["metadata"] = {key: value for key, value in metadata.items() if key not in _UNOWNED}
    if not schema.name:
        fields = dict(all_of(ownable, schema))
        fields.pop(".", None)
        return _unwrapped(fields)
    likeness = b"%b %b" % (schema.name.encode(), encode(ownable))
    known = _series.get(likeness)
    if known is None:
        fields = dict(all_of(ownable, schema, added=False))
        fields.pop(".", None)
        known = _unwrapped(fields)
        _series.put(likeness, known)
    return known


def _unwrapped(fields: FieldSet) -> FieldSet:
    """Without `metadata` itself, which every object has."""
    metadata = fields.get("f:metadata")
    if metadata is None:
        return fields
    inside = {step: node for step, node in metadata.items() if step != "."}
    rest = {step: node for step, node in fields.items() if step != "f:metadata"}
    return {"f:metadata": inside, **rest} if inside else rest


def _configured_fields(config: Object, schema: Schema) -> FieldSet:
    ownable = {key: value for key, value in config.items() if key not in ("apiVersion", "kind")}
    metadata = ownable.get("metadata")
    if is_object(metadata):
        ownable["metadata"] = {key: value for key, value in metadata.items() if key not in _UNOWNED}
    return _unwrapped(configured(ownable, schema))


def _changes(old: Object, new: Object, schema: Schema, ignored: tuple[str, ...]) -> tuple[FieldSet, FieldSet]:
    """(added or modified, removed) between two objects, without what is never owned."""
    left = {key: value for key, value in old.items() if key not in ignored}
    right = {key: value for key, value in new.items() if key not in ignored}
    for side in (left, right):
        side.pop("apiVersion", None)
        side.pop("kind", None)
        metadata = side.get("metadata")
        if is_object(metadata):
            side["metadata"] = {key: value for key, value in metadata.items() if key not in _UNOWNED}
    if left == right:
        return {}, {}
    changed, removed = compare(left, right, schema, always=bool(schema.name))
    return _unwrapped(changed), _unwrapped(removed)


# Updates


def _entries_to_keep(old: Object, metadata: Object, subresource: str) -> list[Entry]:
    """The record to start from: the client's own, where it sent one, else the live object's."""
    before: Json = dig(old, "metadata", "managedFields")
    sent: Json = metadata.get("managedFields")
    if not subresource and is_list(sent) and sent != before:
        if is_reset(sent):
            return []
        if sent and entries_are_valid(sent):
            return decode_entries(sent) or []
    return decode_entries(before) or []


def _taken_over(entries: list[Entry], mine: Entry, removed: FieldSet) -> list[Entry]:
    """Nobody else owns what `mine` changed, and nobody what was removed."""
    gone = union(mine.fields, removed)
    identity, kept = mine.identity(), list[Entry]()
    for entry in entries:
        if entry.identity() == identity:
            left = difference(entry.fields, removed)
            mine = mine.with_fields(union(left, mine.fields), mine.time if mine.fields else entry.time)
        else:
            left = difference(entry.fields, gone)
            if left:
                kept.append(entry if left is entry.fields else entry.with_fields(left, entry.time))
    if mine.fields:
        kept.append(mine)
    return capped(kept)


# Applies


def _entries_before_apply(
    live: Object | None, schema: Schema, api_version: str, time: str, ignored: tuple[str, ...]
) -> list[Entry]:
    if live is None:
        return []
    entries = decode_entries(dig(live, "metadata", "managedFields"))
    if entries:
        return entries
    fields = _all_fields(live, schema, ignored)
    return [Entry(_BEFORE_FIRST_APPLY, "Update", api_version, "", time, fields)] if fields else []


def _merged(live: Object, config: Object, schema: Schema, last: Entry | None, owners: list[Entry]) -> Object:
    """`live` with the configuration laid over it, and without what only its manager's last one said."""
    result = cast(Object, merge(decode(encode(_without_managers(live))), config, schema, typed=bool(schema.name)))
    if last is not None and last.fields != owners[-1].fields:
        kept = _NAMED
        for owner in owners:
            kept = union(kept, owner.fields)
        prune(result, schema, last.fields, kept)
    _metadata(result)
    return result


def _metadata(obj: Object) -> Object:
    return cast(Object, obj.setdefault("metadata", {}))


def _without_managers(obj: Object) -> Object:
    metadata = obj.get("metadata")
    if not is_object(metadata) or "managedFields" not in metadata:
        return obj
    return {**obj, "metadata": {key: value for key, value in metadata.items() if key != "managedFields"}}


def _after_conflicts(
    others: list[Entry], changed: FieldSet, removed: FieldSet, *, force: bool, free: FieldSet
) -> list[Entry]:
    """The other managers once an apply took these fields from them; Conflict where it may not.

    It may take what is `free`, and everything by `force`.
    """
    contested = [(entry, intersection(entry.fields, changed)) for entry in others]
    refused = [(entry, difference(fields, free)) for entry, fields in contested]
    if not force and any(fields for _, fields in refused):
        raise _conflict([(entry, fields) for entry, fields in refused if fields])
    left: list[Entry] = []
    for entry, fields in contested:
        remaining = difference(difference(entry.fields, fields), removed)
        if remaining:
            left.append(entry.with_fields(remaining, entry.time))
    return left


def _conflict(contested: list[tuple[Entry, FieldSet]]) -> Conflict:
    """At most MAX_NAMED fields of a manager are named, and paths are cut: keys in them may be long."""
    causes: list[Cause] = []
    lines: list[str] = []
    count = sum(1 for _, fields in contested for _ in members(fields))
    for entry, fields in sorted(contested, key=lambda each: each[0].identity()):
        paths = [path_text(path)[:MAX_PATH] for path in islice(members(fields), MAX_NAMED)]
        causes.extend(Cause(path, f"conflict with {entry.shown()}", "FieldManagerConflict") for path in paths)
        lines.append(f"conflicts with {entry.shown()}:")
        lines.extend(f"- {path}" for path in paths)
    if count == 1:
        message = f"Apply failed with 1 conflict: {causes[0].message}: {causes[0].field}"
    else:
        message = f"Apply failed with {count} conflicts: " + "\n".join(lines)
    return Conflict(message, causes=causes)


def _untyped(config: Object, error: UnkeyedElement) -> str:
    name: Any = dig(config, "metadata", "name") or ""
    namespace: Any = dig(config, "metadata", "namespace") or ""
    version = str(config.get("apiVersion", ""))
    kind = f"{version if '/' in version else '/' + version}, Kind={config.get('kind', '')}"
    return f"failed to create typed patch object ({namespace}/{name}; {kind}): {error}"


def _last_applied_fields(live: Object, schema: Schema, api_version: str, ignored: tuple[str, ...]) -> FieldSet:
    """What `kubectl apply` without --server-side set and nobody changed since: kubectl may keep changing it.

    So a user moves from one way of applying to the other without conflicts with their own past.
    """
    text: Json = dig(live, "metadata", "annotations", _LAST_APPLIED)
    if not isinstance(text, str):
        return {}
    try:
        last: Json = parse(text)
        if not is_object(last) or last.get("apiVersion") != api_version:
            return {}
        fields = _configured_fields(last, schema)
    except ValueError:  # no JSON, or lists whose elements have no keys
        return {}
    changed, removed = _changes(last, live, schema, ignored)
    return difference(difference(fields, changed), removed)


def _keep_last_applied(live: Object, config: Object, result: Object) -> None:
    """A user of `kubectl apply` without --server-side, before and again, gets no conflicts for old changes."""
    if not dig(live, "metadata", "annotations", _LAST_APPLIED):
        return
    annotations: Json = dig(result, "metadata", "annotations")
    if is_object(annotations):
        annotations[_LAST_APPLIED] = encode(config).decode() + "\n"
