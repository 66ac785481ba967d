"""The CustomResourceDefinition kind: its defaults and validation.

`CrdStrategy` is used by the registry like the strategy of any built-in kind. `schema_rules` validates the schema of a
version, `version_rules` its other parts, and `conversion_rules` the conversion.
"""

from collections.abc import Iterator

from windlass.apiserver.crds.conversion_rules import ca_bundle_causes, conversion_causes
from windlass.apiserver.crds.version_rules import versions_causes
from windlass.apiserver.resources import Strategy
from windlass.kube.errors import Cause, invalid, not_supported, required
from windlass.kube.json import Object, dig, dig_list, dig_object, is_object
from windlass.kube.names import dns1035_label_errors, dns_subdomain_errors

APPROVED = "api-approved.kubernetes.io"
_PROTECTED = ("k8s.io", "kubernetes.io")


class CrdStrategy(Strategy):
    allows_unconditional_update = False

    def default(self, obj: Object) -> None:
        spec = obj.get("spec")
        if not is_object(spec):
            return
        names = spec.get("names")
        if is_object(names) and isinstance(kind := names.get("kind"), str) and kind:
            names["singular"] = names.get("singular") or kind.lower()
            names["listKind"] = names.get("listKind") or f"{kind}List"
        conversion = spec.get("conversion")
        if not is_object(conversion):
            spec["conversion"] = {"strategy": "None"}
        elif is_object(service := dig(conversion, "webhook", "clientConfig", "service")) and not service.get("port"):
            service["port"] = 443

    def prepare_create(self, obj: Object) -> None:
        storage = storage_version(obj)
        obj["status"] = {
            "conditions": [],
            "acceptedNames": {"plural": "", "kind": ""},
            "storedVersions": [storage] if storage else [],
        }

    def prepare_update(self, new: Object, old: Object) -> None:
        if "status" in old:
            new["status"] = dict(old["status"])
        else:
            new.pop("status", None)
        storage = storage_version(new)
        stored = dig_list(new, "status", "storedVersions")
        if storage and storage not in stored:
            new.setdefault("status", {})["storedVersions"] = [*stored, storage]

    def prepare_delete(self, obj: Object) -> None:
        from windlass.apiserver.crds.lifecycle import mark_for_deletion  # it reads conditions with this module

        mark_for_deletion(obj)

    def validate(self, obj: Object) -> list[Cause]:
        causes = list(_name_causes(obj))
        spec = dig_object(obj, "spec")
        causes += _spec_causes(spec)
        causes += _names_causes(dig_object(obj, "status", "acceptedNames"), "status.acceptedNames")
        causes += _stored_version_causes(obj)
        causes += _approval_causes(obj)
        return causes

    def validate_change(self, new: Object, old: Object) -> list[Cause]:
        if new.get("spec") == old.get("spec"):  # its schemas are long, and were looked at when they were written
            return [*_stored_version_causes(new), *_approval_causes(new)]
        return super().validate_change(new, old)

    def validate_update(self, new: Object, old: Object) -> list[Cause]:
        causes: list[Cause] = []
        immutable = [("group",), ("names", "plural")]
        if is_established(old):
            immutable += [("scope",), ("names", "kind")]
        for path in immutable:
            value = dig(new, "spec", *path)
            if value != dig(old, "spec", *path):
                causes.append(invalid(".".join(("spec", *path)), value, "field is immutable"))
        if is_established(old):
            causes += ca_bundle_causes(new, old)
        return causes


def storage_version(crd: Object) -> str:
    """The version in which objects are stored; empty if none is marked."""
    for version in dig_list(crd, "spec", "versions"):
        if is_object(version) and version.get("storage") is True:
            return str(version.get("name", ""))
    return ""


def condition(crd: Object, kind: str) -> Object:
    """The condition of this type; an empty object if it is absent."""
    nothing: Object = {}
    return next((c for c in dig_list(crd, "status", "conditions") if is_object(c) and c.get("type") == kind), nothing)


def is_established(crd: Object) -> bool:
    return condition(crd, "Established").get("status") == "True"


def _name_causes(obj: Object) -> Iterator[Cause]:
    name, names = str(dig(obj, "metadata", "name") or ""), dig_object(obj, "spec", "names")
    wanted = f"{names.get('plural', '')}.{dig(obj, 'spec', 'group') or ''}"
    if name and name != wanted:
        yield invalid("metadata.name", name, 'must be spec.names.plural+"."+spec.group')


def _spec_causes(spec: Object) -> Iterator[Cause]:
    yield from _group_causes(str(spec.get("group") or ""))
    scope = spec.get("scope")
    if not scope:
        yield required("spec.scope")
    elif scope not in ("Cluster", "Namespaced"):
        yield not_supported("spec.scope", scope, ("Cluster", "Namespaced"))
    if spec.get("preserveUnknownFields") is True:
        why = "cannot set to true, set x-kubernetes-preserve-unknown-fields to true in spec.versions[*].schema instead"
        yield invalid("spec.preserveUnknownFields", True, why)
    versions = [version for version in dig_list(spec, "versions") if is_object(version)]
    yield from versions_causes(versions)
    names = [version.get("name") for version in versions]
    if len(set(map(str, names))) != len(names):
        yield invalid("spec.versions", versions, "must contain unique version names")
    if sum(version.get("storage") is True for version in versions) != 1:
        yield invalid("spec.versions", versions, "must have exactly one version marked as storage version")
    yield from _missing_name_causes(dig_object(spec, "names"))
    yield from _names_causes(dig_object(spec, "names"), "spec.names")
    yield from conversion_causes(dig_object(spec, "conversion"))


def _group_causes(group: str) -> Iterator[Cause]:
    if not group:
        yield required("spec.group")
    elif errors := dns_subdomain_errors(group):
        yield invalid("spec.group", group, ",".join(errors))
    elif "." not in group:
        yield invalid("spec.group", group, "should be a domain with at least one dot")


def _missing_name_causes(names: Object) -> Iterator[Cause]:
    for field in ("plural", "singular", "kind", "listKind"):
        if not names.get(field):
            yield required(f"spec.names.{field}")


def _names_causes(names: Object, path: str) -> Iterator[Cause]:
    """Return the errors in the names."""
    for field in ("plural", "singular", "kind", "listKind"):
        value = str(names.get(field) or "")
        mixed = field in ("kind", "listKind")
        if value and (errors := dns1035_label_errors(value.lower() if mixed else value)):
            prefix = "may have mixed case, but should otherwise match: " if mixed else ""
            yield invalid(f"{path}.{field}", value, prefix + ",".join(errors))
    for field in ("shortNames", "categories"):
        for index, value in enumerate(dig_list(names, field)):
            if errors := dns1035_label_errors(str(value)):
                yield invalid(f"{path}.{field}[{index}]", value, ",".join(errors))
    if names.get("kind") and names.get("kind") == names.get("listKind"):
        yield invalid(f"{path}.listKind", names["listKind"], "kind and listKind may not be the same")


def _stored_version_causes(obj: Object) -> Iterator[Cause]:
    stored = dig_list(obj, "status", "storedVersions")
    known = {v.get("name") for v in dig_list(obj, "spec", "versions") if is_object(v)}
    if not stored and is_object(obj.get("status")):
        yield invalid("status.storedVersions", stored, "must have at least one stored version")
    elif stored and (storage := storage_version(obj)) and storage not in stored:
        yield invalid("status.storedVersions", stored, f"must have the storage version {storage}")
    for index, name in enumerate(stored):
        if name not in known:
            why = (
                f"missing from spec.versions; {name} was previously a storage version, and must remain in "
                f"spec.versions until a storage migration ensures no data remains persisted in {name} and removes "
                f"{name} from status.storedVersions"
            )
            yield invalid(f"status.storedVersions[{index}]", name, why)


def _approval_causes(obj: Object) -> Iterator[Cause]:
    """Check that groups of the Kubernetes project have its approval annotation."""
    group = str(dig(obj, "spec", "group") or "")
    if not any(group == name or group.endswith(f".{name}") for name in _PROTECTED):
        return
    at = f"metadata.annotations[{APPROVED}]"
    value = dig_object(obj, "metadata", "annotations").get(APPROVED)
    more = "see https://github.com/kubernetes/enhancements/pull/1111"
    if not value:
        yield required(at, f'protected groups must have approval annotation "{APPROVED}", {more}')
    elif not str(value).startswith(("unapproved", "http://", "https://")):
        why = (
            f'protected groups must have approval annotation "{APPROVED}" with either a URL or a reason starting with '
        )
        yield invalid(at, value, f'{why}"unapproved", {more}')
