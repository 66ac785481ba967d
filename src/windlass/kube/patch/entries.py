"""The entries of `metadata.managedFields`: reading them, writing them in Kubernetes' order, and keeping them few."""

from dataclasses import dataclass, replace
from typing import Any, Final

from windlass.kube.json import Json, Object, is_list, is_object
from windlass.kube.patch.fieldset import FieldSet, is_valid, union

# A manager that updates under ever new names must not make every object grow.
MAX_UPDATE_MANAGERS: Final = 10
_ANCIENT: Final = "ancient-changes"


@dataclass(frozen=True, slots=True)
class Entry:
    """What one manager owns through one kind of operation."""

    manager: str
    operation: str  # Apply or Update
    api_version: str
    subresource: str
    time: str
    fields: FieldSet

    def identity(self) -> tuple[str, str, str, str]:
        """Entries of one identity are one entry; an applier has one, whatever API version it applied."""
        version = "" if self.operation == "Apply" else self.api_version
        return (self.manager, self.operation, version, self.subresource)

    def with_fields(self, fields: FieldSet, time: str) -> "Entry":
        return replace(self, fields=fields, time=time)

    def shown(self) -> str:
        """The manager as conflict messages name it."""
        shown = f'"{self.manager}"'
        if self.subresource:
            shown += f' with subresource "{self.subresource}"'
        return f"{shown} using {self.api_version}" if self.operation == "Update" else shown

    def encoded(self) -> Object:
        return encoded_entry(self.manager, self.operation, self.api_version, self.subresource, self.time, self.fields)


def encoded_entry(
    manager: str, operation: str, api_version: str, subresource: str, time: str, fields: FieldSet
) -> Object:
    """An entry as managedFields holds it."""
    entry: Object = {
        "manager": manager,
        "operation": operation,
        "apiVersion": api_version,
        "time": time,
        "fieldsType": "FieldsV1",
        "fieldsV1": fields,
    }
    if not time:
        del entry["time"]
    if subresource:
        entry["subresource"] = subresource
    return entry


def decode_entries(listed: Json) -> list[Entry] | None:
    """The entries of a managedFields list, or None where it is not one."""
    if not is_list(listed):
        return None
    entries: dict[tuple[str, ...], Entry] = {}
    for item in listed:
        entry = _decoded(item)
        if entry is None:
            return None
        entries[entry.identity()] = entry
    return list(entries.values())


def _decoded(item: Json) -> Entry | None:
    if not is_object(item) or item.get("operation") not in ("Apply", "Update"):
        return None
    fields: Any = item.get("fieldsV1") or {}
    if item.get("fieldsType", "FieldsV1") != "FieldsV1" or not is_object(fields):
        return None
    texts = [item.get(name) or "" for name in ("manager", "operation", "apiVersion", "subresource", "time")]
    return Entry(*map(str, texts), fields=fields)


def entries_are_valid(listed: Json) -> bool:
    """Whether a client may set managedFields to this: entries of a known shape that hold real sets."""
    entries = decode_entries(listed)
    return entries is not None and all(is_valid(entry.fields) for entry in entries)


def is_reset(listed: list[Any]) -> bool:
    """A list of one empty entry asks to forget all managers; a merely empty list is a client that knows of none."""
    return len(listed) == 1 and listed[0] == {}


def encode_entries(entries: list[Entry]) -> list[Object]:
    """The managedFields list, sorted as Kubernetes sorts it."""
    entries.sort(key=lambda entry: (entry.operation, entry.time, entry.manager, entry.api_version, entry.subresource))
    return [entry.encoded() for entry in entries]


def capped(entries: list[Entry]) -> list[Entry]:
    """At most ten managers that update: the oldest become one, per API version."""
    if len(entries) <= MAX_UPDATE_MANAGERS:
        return entries
    updaters = sorted((each for each in entries if each.operation == "Update"), key=lambda each: each.time)
    surplus = len(updaters) - MAX_UPDATE_MANAGERS
    if surplus <= 0:
        return entries
    ancient: dict[str, Entry] = {}
    kept = [each for each in entries if each.operation != "Update"]
    for position, entry in enumerate(updaters):
        if entry.manager != _ANCIENT and position > surplus:
            kept.append(entry)
            continue
        previous = ancient.get(entry.api_version)
        fields = union(previous.fields, entry.fields) if previous else entry.fields
        ancient[entry.api_version] = Entry(_ANCIENT, "Update", entry.api_version, "", entry.time, fields)
    return [*kept, *ancient.values()]
