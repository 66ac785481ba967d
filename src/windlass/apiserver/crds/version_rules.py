"""What an entry of a CustomResourceDefinition's `spec.versions` must hold: schema, subresources, columns, selectors."""

from collections.abc import Iterator

from windlass.apiserver.crds.findings import Finding
from windlass.apiserver.crds.pruning import compile_prune
from windlass.apiserver.crds.schema_rules import children, schema_causes
from windlass.apiserver.crds.structural import has_rules
from windlass.apiserver.crds.validating import compile_check
from windlass.kube.errors import Cause, duplicate, forbidden, invalid, required
from windlass.kube.json import Json, Object, decode, dig, dig_list, dig_object, encode, is_list, is_object
from windlass.kube.names import dns1035_label_errors
from windlass.kube.schema import shared

_COLUMN_TYPES = ("boolean", "date", "integer", "number", "string")
_COLUMN_FORMATS = ("byte", "date", "date-time", "double", "float", "int32", "int64", "password")
_MOST_SELECTABLE = 8
_AT_A_STATUS_ROOT = (
    *("Description", "Type", "Format", "Title", "Maximum", "ExclusiveMaximum", "Minimum", "ExclusiveMinimum"),
    *("MaxLength", "MinLength", "Pattern", "MaxItems", "MinItems", "UniqueItems", "MultipleOf", "Required", "Items"),
    *("Properties", "ExternalDocs", "Example", "XPreserveUnknownFields", "XValidations"),
)
_NOT_AT_A_STATUS_ROOT = (
    *("enum", "maxProperties", "minProperties", "allOf", "anyOf", "oneOf", "not", "additionalProperties", "default"),
    *("nullable", "x-kubernetes-embedded-resource", "x-kubernetes-int-or-string", "x-kubernetes-map-type"),
)


def version_causes(version: Object, path: str) -> Iterator[Cause]:
    name = str(version.get("name") or "")
    if errors := dns1035_label_errors(name):
        yield invalid(f"{path}.name", name, ",".join(errors))
    if version.get("deprecationWarning") and version.get("deprecated") is not True:
        yield invalid(
            f"{path}.deprecationWarning", version["deprecationWarning"], "can only be set for deprecated versions"
        )
    schema = dig(version, "schema", "openAPIV3Schema")
    if is_object(schema):
        yield from _schema(schema, f"{path}.schema.openAPIV3Schema", dig_object(version, "subresources"))
    else:
        yield required(f"{path}.schema.openAPIV3Schema", "schemas are required")
    yield from _subresources(dig_object(version, "subresources"), f"{path}.subresources")
    for index, column in enumerate(dig_list(version, "additionalPrinterColumns")):
        if is_object(column):
            yield from _column(column, f"{path}.additionalPrinterColumns[{index}]")
    if is_object(schema):
        yield from _selectable(version, schema, f"{path}.selectableFields")


def _schema(schema: Object, path: str, subresources: Object) -> Iterator[Cause]:
    if "status" in subresources:
        yield from _status_root(schema, path)
    causes = schema_causes(schema, path)
    yield from causes
    if causes:  # what follows needs a sound structure
        return
    yield from _defaults(schema, path, root=True)
    if has_rules(schema):
        from windlass.apiserver.cel.compiling import rule_causes

        yield from rule_causes(schema, path)


def _status_root(schema: Object, path: str) -> Iterator[Cause]:
    """With a status subresource the root may only describe its fields: the two parts are validated apart."""
    if any(schema.get(word) not in (None, False) for word in _NOT_AT_A_STATUS_ROOT):
        listed = " ".join(_AT_A_STATUS_ROOT)
        why = f"only [{listed}] fields are allowed at the root of the schema if the status subresource is enabled"
        yield invalid(path, schema, why)


def _defaults(schema: Object, path: str, *, root: bool = False) -> Iterator[Cause]:
    value = schema.get("default")
    if value is not None:
        at = f"{path}.default"
        if root:
            yield forbidden(at, "must not be set at the root")
        pruned = decode(encode(value))
        if prune := compile_prune(schema):
            prune(pruned)
        if pruned != value:
            yield invalid(at, value, "must not have unknown fields")
        found: list[Finding] = []
        compile_check(schema)(value, None, found)
        for link, cause in found:
            field = cause.field if link and cause.field != "<nil>" else ""
            yield Cause(f"{at}.{field}" if field else at, cause.message, cause.reason)
    for sub, at, _ in children(schema, path):
        if not shared.is_kept(sub):  # a type of Kubernetes' own, whose defaults are right
            yield from _defaults(sub, at)


# subresources


def _subresources(subresources: Object, path: str) -> Iterator[Cause]:
    scale = subresources.get("scale")
    if not is_object(scale):
        return
    for field, roots, words in (
        ("specReplicasPath", (".spec.",), ".spec"),
        ("statusReplicasPath", (".status.",), ".status"),
        ("labelSelectorPath", (".spec.", ".status."), "either .spec or .status"),
    ):
        at, value = f"{path}.scale.{field}", str(scale.get(field) or "")
        if not value:
            if field != "labelSelectorPath":
                yield required(at)
        elif not value.startswith("."):
            yield invalid(at, value, "must be a simple json path starting with .")
        elif not value.startswith(roots):
            yield invalid(at, value, f"should be a json path under {words}")


# printer columns


def _column(column: Object, path: str) -> Iterator[Cause]:
    if not column.get("name"):
        yield required(f"{path}.name")
    kind = column.get("type")
    if not kind:
        yield required(f"{path}.type", f"must be one of {','.join(_COLUMN_TYPES)}")
    elif kind not in _COLUMN_TYPES:
        yield invalid(f"{path}.type", kind, f"must be one of {','.join(_COLUMN_TYPES)}")
    form = column.get("format")
    if form and form not in _COLUMN_FORMATS:
        yield invalid(f"{path}.format", form, f"must be one of {','.join(_COLUMN_FORMATS)}")
    where = str(column.get("jsonPath") or "")
    if not where:
        yield required(f"{path}.jsonPath")
    elif not where.startswith("."):
        yield invalid(f"{path}.jsonPath", where, "must be a simple json path starting with .")


# selectable fields


def _selectable(version: Object, schema: Object, path: str) -> Iterator[Cause]:
    fields = dig_list(version, "selectableFields")
    if len(fields) > _MOST_SELECTABLE:
        why = f"Too many: {len(fields)}: must have at most {_MOST_SELECTABLE} items"
        yield Cause(path, why, "FieldValueTooMany")
    seen: set[str] = set()
    for index, field in enumerate(fields):
        at, where = f"{path}[{index}].jsonPath", str(dig(field, "jsonPath") or "")
        if not where:
            yield required(at)
            continue
        yield from _selectable_path(schema, where, at)
        if where in seen:
            yield duplicate(at, where)
        seen.add(where)


def _selectable_path(schema: Object, where: str, at: str) -> Iterator[Cause]:
    if where == ".metadata" or where.startswith(".metadata."):
        yield invalid(at, where, "must not point to fields in metadata")
        return
    found: Json = schema
    for step in where.lstrip(".").split("."):
        found = dig(found, "properties", step)
    if not where.startswith(".") or not is_object(found):
        yield invalid(at, where, "is an invalid path: does not refer to a valid field")
    elif found.get("type") not in ("string", "boolean", "integer") or is_list(found.get("items")):
        types = "must point to a field of type string, boolean or integer."
        why = f"{types} Enum string fields and strings with formats are allowed."
        yield invalid(at, where, why)
