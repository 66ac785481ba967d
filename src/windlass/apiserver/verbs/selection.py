"""Selection of the objects of a list, watch or deletecollection: namespace, name, label and field selectors."""

from dataclasses import dataclass
from typing import Any

from windlass.apiserver.api import load
from windlass.apiserver.call import Call
from windlass.apiserver.resources import Resource
from windlass.apiserver.store import Row
from windlass.kube.errors import BadRequest
from windlass.kube.selector import FieldSelector, LabelSelector, parse_fields, parse_labels


@dataclass(frozen=True, slots=True)
class Selection:
    """A compiled selection, which any row of the resource can be matched against."""

    resource: Resource
    namespace: str | None
    name: str | None
    labels: LabelSelector | None
    fields: FieldSelector | None

    @property
    def everything(self) -> bool:
        return self.labels is None and self.fields is None and self.name is None

    def matches(self, row: Row) -> bool:
        if self.name is not None and row.key[2] != self.name:
            return False
        if self.labels is not None and not self.labels.matches(row.labels):
            return False
        return self.fields is None or self.fields.matches(selectable(self.resource, row))


def selectable(resource: Resource, row: Row) -> dict[str, str]:
    """The row's values for field selectors, cached on the row for all watchers.

    A version that a webhook converts can be selected by name and namespace only: it is not available synchronously.
    """
    if resource.conversion is not None:
        return {"metadata.name": row.key[2], "metadata.namespace": row.key[1]}
    fields = row.fields
    if fields is None:
        obj: Any = load(resource, row)
        fields = resource.strategy.selectable_fields(obj)
        fields["metadata.name"] = row.key[2]
        fields["metadata.namespace"] = row.key[1]
        row.fields = fields
    return fields


def selection(call: Call) -> Selection:
    """Build the selection from the call's query parameters."""
    namespace = call.path.namespace if call.resource.namespaced and call.path.namespace else None
    labels = fields = None
    name: str | None = call.path.name or None
    raw_labels, raw_fields = call.query.get("labelSelector", ""), call.query.get("fieldSelector", "")
    if raw_labels:
        try:
            labels = parse_labels(raw_labels)
        except ValueError as error:
            raise BadRequest(str(error)) from error
    if raw_fields:
        fields, named = _field_selector(call.resource, raw_fields)
        if named is not None:
            if name is not None and name != named:
                raise BadRequest(f"fieldSelector metadata.name does not match the requested name {name}")
            name = named
    return Selection(call.resource, namespace, name, labels, fields)


def _field_selector(resource: Resource, raw: str) -> tuple[FieldSelector | None, str | None]:
    """The selector, and the single name that it selects, if any."""
    try:
        parsed = parse_fields(raw)
    except ValueError as error:
        raise BadRequest(str(error)) from error
    known = {"metadata.name", "metadata.namespace"}
    if resource.conversion is None:
        known |= resource.strategy.selectable_fields({}).keys()
    name: str | None = None
    for field, operator, value in parsed.requirements:
        if field not in known:
            raise BadRequest(_unknown_field(resource, field))
        if field == "metadata.name" and operator == "=":
            name = value
    if name is not None and len(parsed.requirements) == 1:
        return None, name
    return parsed, name


def _unknown_field(resource: Resource, field: str) -> str:
    """Kubernetes' error, by kind: some list their fields, kinds without own fields list the two common ones."""
    if (resource.group, resource.kind) in (("apps", "ReplicaSet"), ("batch", "Job")):
        return f'field label "{field}" not supported for {resource.group}{resource.version}.{resource.kind}'
    if resource.custom or resource.strategy.selectable_fields({}):
        return f"field label not supported: {field}"
    return f'"{field}" is not a known field selector: only "metadata.name", "metadata.namespace"'
