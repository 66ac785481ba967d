"""Validation of an entry of a CustomResourceDefinition's `spec.versions`: schema, subresources, columns, selectors.

A part that is the same in all versions is validated once, under the path at which Kubernetes then keeps it:
`spec.validation`, `spec.subresources`, `spec.additionalPrinterColumns`, `spec.selectableFields`.
"""

from collections.abc import Iterator

from windlass.apiserver.crds.default_rules import default_causes
from windlass.apiserver.crds.schema_rules import schema_causes
from windlass.apiserver.crds.structural import has_rules
from windlass.kube.errors import Cause, duplicate, invalid, required, too_many
from windlass.kube.json import Json, Object, dig, dig_list, dig_object, is_list, is_object
from windlass.kube.names import dns1035_label_errors

_COLUMN_TYPES = ("boolean", "date", "integer", "number", "string")
_COLUMN_FORMATS = ("byte", "date", "date-time", "double", "float", "int32", "int64", "password")
_MAX_SELECTABLE_FIELDS = 8
_LONGEST_WARNING = 256
_AT_A_STATUS_ROOT = (
    *("Description", "Type", "Format", "Title", "Maximum", "ExclusiveMaximum", "Minimum", "ExclusiveMinimum"),
    *("MaxLength", "MinLength", "Pattern", "MaxItems", "MinItems", "UniqueItems", "MultipleOf", "Required", "Items"),
    *("Properties", "ExternalDocs", "Example", "XPreserveUnknownFields", "XValidations"),
)
_WORDS_AT_A_STATUS_ROOT = frozenset(
    name[0].lower() + name[1:] for name in _AT_A_STATUS_ROOT if not name.startswith("X")
) | {"x-kubernetes-preserve-unknown-fields", "x-kubernetes-validations"}


def versions_causes(versions: list[Object]) -> Iterator[Cause]:
    """Return all errors in the versions of a definition, except for their number and the storage version."""
    shared = {
        part: is_shared(versions, part)
        for part in ("schema", "subresources", "additionalPrinterColumns", "selectableFields")
    }
    shared["selectableFields"] &= shared["schema"]
    for index, version in enumerate(versions):
        yield from _name_causes(version, f"spec.versions[{index}]")
    for index, version in enumerate(versions):
        at = f"spec.versions[{index}]"
        if dig(version, "schema", "openAPIV3Schema") is None:
            yield required(f"{at}.schema.openAPIV3Schema", "schemas are required")
        elif not shared["schema"]:
            yield from _schema_causes(version, f"{at}.schema", has_status=has_status(version))
        yield from _parts_causes(version, at, {part for part, same in shared.items() if not same})
    if versions:
        if shared["schema"] and dig(versions[0], "schema", "openAPIV3Schema") is not None:
            yield from _schema_causes(versions[0], "spec.validation", has_status=any(map(has_status, versions)))
        yield from _parts_causes(versions[0], "spec", {part for part, same in shared.items() if same})


def is_shared(versions: list[Object], part: str) -> bool:
    """Whether a part is the same in all versions."""
    return all((version.get(part) or None) == (versions[0].get(part) or None) for version in versions)


def has_status(version: Object) -> bool:
    return is_object(dig(version, "subresources", "status"))


def _name_causes(version: Object, path: str) -> Iterator[Cause]:
    name = str(version.get("name") or "")
    if errors := dns1035_label_errors(name):
        yield invalid(f"{path}.name", name, ",".join(errors))
    warning = version.get("deprecationWarning")
    if warning is not None:
        for problem in _warning_problems(str(warning), is_deprecated=version.get("deprecated") is True):
            yield invalid(f"{path}.deprecationWarning", warning, problem)


def _warning_problems(text: str, *, is_deprecated: bool) -> Iterator[str]:
    if not is_deprecated:
        yield "can only be set for deprecated versions"
        return
    if len(text.encode()) > _LONGEST_WARNING:
        yield f"must be <= {_LONGEST_WARNING} characters long"
    if not text:
        yield "must not be an empty string"
    for index, char in enumerate(text):
        if not char.isprintable():
            where = f"non-printable character found at index {len(text[:index].encode())}"
            yield f"must only contain printable UTF-8 characters; {where}"
            return


def _parts_causes(version: Object, path: str, parts: set[str]) -> Iterator[Cause]:
    if "subresources" in parts:
        yield from _subresources(dig_object(version, "subresources"), f"{path}.subresources")
    if "additionalPrinterColumns" in parts:
        for index, column in enumerate(dig_list(version, "additionalPrinterColumns")):
            if is_object(column):
                yield from _column(column, f"{path}.additionalPrinterColumns[{index}]")
    if "selectableFields" in parts:
        schema = dig_object(version, "schema", "openAPIV3Schema")
        yield from _selectable(dig_list(version, "selectableFields"), schema, f"{path}.selectableFields")


# schemas


def _schema_causes(version: Object, path: str, *, has_status: bool) -> Iterator[Cause]:
    schema, at = dig_object(version, "schema", "openAPIV3Schema"), f"{path}.openAPIV3Schema"
    causes = [*(_status_root(schema, at) if has_status else ()), *schema_causes(schema, at)]
    causes = causes or list(default_causes(schema, at))  # which need a sound structure
    yield from causes
    if not causes and has_rules(schema):
        from windlass.apiserver.cel.compiling import rule_causes

        yield from rule_causes(schema, at)


def _status_root(schema: Object, path: str) -> Iterator[Cause]:
    """Validate the root of a schema with a status subresource, which may only describe its fields."""
    kind = schema.get("type")
    if kind and kind != "object":
        why = 'only "object" is allowed as the type at the root of the schema if the status subresource is enabled'
        yield invalid(f"{path}.type", kind, why)
    elif any(value not in (None, False, "", [], {}) for word, value in schema.items() if _is_not_at_root(word)):
        listed = " ".join(_AT_A_STATUS_ROOT)
        why = f"only [{listed}] fields are allowed at the root of the schema if the status subresource is enabled"
        yield invalid(path, schema, why)


def _is_not_at_root(word: str) -> bool:
    return word not in _WORDS_AT_A_STATUS_ROOT


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
        yield required(f"{path}.JSONPath")  # as Kubernetes spells it here
    elif not where.startswith("."):
        yield invalid(f"{path}.JSONPath", where, "must be a simple json path starting with .")


# selectable fields


def _selectable(fields: list[Json], schema: Object, path: str) -> Iterator[Cause]:
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
    if len(seen) > _MAX_SELECTABLE_FIELDS:
        yield too_many(path, len(seen), _MAX_SELECTABLE_FIELDS)


def _selectable_path(schema: Object, where: str, at: str) -> Iterator[Cause]:
    if where == ".metadata" or where.startswith(".metadata."):
        yield invalid(at, where, "must not point to fields in metadata")
        return
    declared: Json = schema
    for step in where.lstrip(".").split("."):
        declared = dig(declared, "properties", step)
    if not where.startswith(".") or not is_object(declared):
        yield invalid(at, where, "is an invalid path: does not refer to a valid field")
    elif declared.get("type") not in ("string", "boolean", "integer") or is_list(declared.get("items")):
        types = "must point to a field of type string, boolean or integer."
        why = f"{types} Enum string fields and strings with formats are allowed."
        yield invalid(at, where, why)
