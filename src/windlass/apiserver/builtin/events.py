"""Events in both of their groups: core `v1` and `events.k8s.io/v1` are two views of the same stored object."""

from windlass.apiserver.builtin.fields import Causes, check_immutable
from windlass.apiserver.builtin.registry import resource
from windlass.apiserver.builtin.strategy import Plain
from windlass.kube.errors import Cause, invalid, required
from windlass.kube.json import Object, dig, dig_object

_TO_CORE = {
    "regarding": "involvedObject",
    "note": "message",
    "reportingController": "reportingComponent",
    "deprecatedSource": "source",
    "deprecatedFirstTimestamp": "firstTimestamp",
    "deprecatedLastTimestamp": "lastTimestamp",
    "deprecatedCount": "count",
}
_FROM_CORE = {core: new for new, core in _TO_CORE.items()}


def to_core(event: Object) -> Object:
    """Convert an events.k8s.io Event to the stored form, a core Event."""
    return {**{_TO_CORE.get(field, field): value for field, value in event.items()}, "apiVersion": "v1"}


def from_core(event: Object) -> Object:
    """Convert a stored Event to events.k8s.io."""
    shown = {_FROM_CORE.get(field, field): value for field, value in event.items()}
    return {**shown, "apiVersion": "events.k8s.io/v1"}


_INVOLVED = ("kind", "namespace", "name", "uid", "apiVersion", "resourceVersion", "fieldPath")


class Events(Plain):
    allows_create_on_update = True

    def default(self, obj: Object) -> None:
        obj.setdefault("source", {})
        obj.setdefault("reportingComponent", "")
        obj.setdefault("reportingInstance", "")

    def validate(self, obj: Object) -> list[Cause]:
        involved = dig_object(obj, "involvedObject") or dig_object(obj, "regarding")
        namespace, about = dig(obj, "metadata", "namespace") or "", involved.get("namespace") or ""
        causes: Causes = []
        if about != namespace and (about or namespace not in ("default", "kube-system")):
            causes.append(invalid("involvedObject.namespace", about, "does not match event.namespace"))
        return causes

    def selectable_fields(self, obj: Object) -> dict[str, str]:
        core = obj if "involvedObject" in obj else to_core(obj)
        involved = dig_object(core, "involvedObject")
        fields = {f"involvedObject.{name}": involved.get(name, "") for name in _INVOLVED}
        reporter = core.get("reportingComponent", "")
        fields["reason"] = core.get("reason", "")
        fields["type"] = core.get("type", "")
        fields["reportingComponent"] = fields["reportingController"] = reporter
        fields["source"] = dig(core, "source", "component") or reporter
        fields.update({f"regarding.{name}": involved.get(name, "") for name in _INVOLVED})
        return fields


_IMMUTABLE = (
    *("regarding", "reason", "reportingController", "reportingInstance", "action", "note", "type", "eventTime"),
    *("deprecatedSource", "deprecatedFirstTimestamp", "deprecatedLastTimestamp", "deprecatedCount"),
)


class NewEvents(Events):
    """Events of events.k8s.io, which requires more fields than core."""

    def default(self, obj: Object) -> None:
        """Drop core's empty fields, which this version does not have."""

    def validate(self, obj: Object) -> list[Cause]:
        causes = super().validate(obj)
        if obj.get("deprecatedFirstTimestamp"):
            # It came from a client of the core group, which need not say all this.
            return causes
        for field in ("eventTime", "reportingController", "reportingInstance", "action", "reason"):
            if not obj.get(field):
                causes.append(required(field))
        if obj.get("type") not in ("Normal", "Warning"):
            causes.append(invalid("type", obj.get("type", ""), "has invalid value: "))
        return causes

    def validate_update(self, new: Object, old: Object) -> list[Cause]:
        """Allow changes of the series only."""
        causes: Causes = []
        for field in _IMMUTABLE:
            check_immutable(field, new.get(field), old.get(field), causes)
        return causes


RESOURCES = (
    resource(
        "events.k8s.io",
        "v1",
        "Event",
        "events",
        "ev",
        namespaced=True,
        strategy=NewEvents,
        storage_group="",
        to_storage=to_core,
        from_storage=from_core,
    ),
)
