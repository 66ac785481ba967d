"""Decodes request bodies in JSON, YAML or protobuf, and reports unknown and duplicate fields."""

import json
from collections.abc import Iterator
from itertools import islice
from typing import Any

from windlass.apiserver.call import Call
from windlass.formats import yaml_reader
from windlass.kube import schema
from windlass.kube.errors import ApiError, BadRequest, Invalid, UnsupportedMediaType, invalid
from windlass.kube.json import BadJson, Json, Object, dig, encode, is_list, is_object, parse

_JSON_TYPES = ("", "application/json", "*/*", "application/x-www-form-urlencoded")  # curl -d says the last
_YAML_TYPES = ("application/yaml", "application/x-yaml", "text/yaml")
STRATEGIC_PATCH = "application/strategic-merge-patch+json"
_PROTOBUF_TYPE = "application/vnd.kubernetes.protobuf"
_UNREADABLE = "couldn't get version/kind; json parse error: "
_JSON_NAMES = {str: "string", int: "number", float: "number", bool: "bool", list: "array", type(None): "null"}
_TYPE_META = (
    'type struct { APIVersion string "json:\\"apiVersion,omitempty\\""; Kind string "json:\\"kind,omitempty\\"" }'
)
_SHOWN = 30  # bytes of a body that could not be read
_MAX_REPEATED = 100  # duplicate fields that are reported, as in Kubernetes
_MAX_PATH = 1_000  # characters of the path of a duplicate field, whose keys may be long


def media_type(call: Call) -> str:
    raw = call.request.headers.get(b"content-type", b"").decode("latin-1")
    return raw.split(";", 1)[0].strip().lower()


def read_object(call: Call) -> Object:
    """Decode the body as an object of the call's kind; unknown and duplicate fields are warned about or refused."""
    repeated: list[str] = []
    try:
        obj = read_document(call.request.body, media_type(call), repeated)
        if not is_object(obj):
            raise BadRequest(
                f"{_UNREADABLE}json: cannot unmarshal {_JSON_NAMES[type(obj)]} into Go value of {_TYPE_META}"
            )
    except BadRequest as error:
        what = f"the object provided is unrecognized (must be of type {call.resource.kind})"
        raise BadRequest(f"{what}: {error.message} ({_summary(call.request.body)})") from error
    check_type_meta(call, obj)
    conform(call, obj, repeated)
    return obj


def _summary(body: bytes) -> str:
    """The beginning of an unreadable body: as text if it looks like JSON, else in hexadecimal digits."""
    if not body:
        return "<empty>"
    shown, more = body[:_SHOWN], " ..." if len(body) > _SHOWN else ""
    return (shown.decode("utf-8", "replace") if body.startswith(b"{") else shown.hex()) + more


def read_document(body: bytes, media: str, repeated: list[str] | None = None) -> Any:
    """Decode a body; messages about duplicate keys are added to `repeated`."""
    if media in _YAML_TYPES:
        return read_yaml(body, repeated)
    if media == _PROTOBUF_TYPE:
        from windlass.apiserver import protobuf

        return protobuf.decode(body)
    if media not in _JSON_TYPES:
        raise UnsupportedMediaType(
            "the body of the request was in an unknown format - accepted media types include: "
            "application/json, application/yaml"
        )
    if not body.strip():
        raise BadRequest(f"{_UNREADABLE}unexpected end of JSON input")
    try:
        document = parse(body)
    except BadJson as error:
        raise BadRequest(f"{_UNREADABLE}{_parse_error(body, error)}") from error
    # A repeated key always leaves quotes behind that encoding what was decoded does not have.
    if repeated is not None and body.count(b'"') != encode(document).count(b'"'):
        repeated += [f'duplicate field "{path}"' for path in _duplicate_fields(body)]
    return document


def _parse_error(body: bytes, error: Exception) -> str:
    """The error of a body: in Go's wording if it does not begin like JSON, as YAML does not."""
    first = body.lstrip()[:1]
    if first in b'{["-tfn' or first.isdigit():
        return str(error)
    return f"invalid character '{first.decode('latin-1')}' looking for beginning of value"


def read_yaml(body: bytes, repeated: list[str] | None = None) -> Any:
    """Decode YAML; each duplicate key is reported in `repeated` with its line, as Kubernetes' decoder does."""
    notes = yaml_reader.Notes() if repeated is not None else None
    try:
        document = yaml_reader.as_json(yaml_reader.read(body, dates=False, notes=notes))
    except yaml_reader.BadYaml as error:
        raise BadRequest(f"yaml: {' '.join(str(error).split())}") from error
    if repeated is not None and notes is not None:
        repeated += [f'line {line}: key "{key}" already set in map' for line, key in notes.repeated]
    return document


class _Pairs(list[tuple[str, Any]]):
    """A JSON object as it was written, including duplicate names."""


def _duplicate_fields(body: bytes) -> list[str]:
    try:
        return list(islice(_repeated(json.loads(body, object_pairs_hook=_Pairs), ""), _MAX_REPEATED))
    except (ValueError, RecursionError):
        return []


def _repeated(value: Any, path: str) -> Iterator[str]:
    if isinstance(value, _Pairs):
        seen: set[str] = set()
        for name, inner in value:
            here = f"{path}.{name}"[:_MAX_PATH] if path else name[:_MAX_PATH]
            if name in seen:
                yield here
            seen.add(name)
            yield from _repeated(inner, here)
    elif is_list(value):
        for index, inner in enumerate(value):
            yield from _repeated(inner, f"{path}[{index}]"[:_MAX_PATH])


def check_type_meta(call: Call, obj: Object) -> None:
    """Check that the body's apiVersion and kind are those of the URL; absent ones are filled in."""
    resource = call.resource
    api_version, kind = obj.get("apiVersion") or "", obj.get("kind") or ""
    if not isinstance(api_version, str) or not isinstance(kind, str):
        raise BadRequest("apiVersion and kind must be strings")
    if kind and kind != resource.kind:
        raise _other_kind(call, obj, api_version, kind)
    if api_version and api_version != resource.api_version:
        raise BadRequest(
            f"the API version in the data ({api_version}) does not match the expected API version "
            f"({resource.api_version})"
        )
    obj["apiVersion"], obj["kind"] = resource.api_version, resource.kind


def _other_kind(call: Call, obj: Object, api_version: str, kind: str) -> ApiError:
    """The refusal of an object of another kind: a custom resource is invalid, a typed one cannot be converted."""
    resource, version = call.resource, api_version.rpartition("/")[2] or call.resource.version
    if resource.custom:
        name = str(dig(obj, "metadata", "name") or "")
        return Invalid.of(resource.kind, resource.group, name, [invalid("kind", kind, f"must be {resource.kind}")])
    internal = resource.group.partition(".")[0] or "core"
    return BadRequest(
        f'{kind} in version "{version}" cannot be handled as a {resource.kind}: converting ({version}.{kind}) to '
        f"({internal}.{resource.kind}): unknown conversion"
    )


def conform(call: Call, obj: Object, repeated: list[str] | None = None, patch: Json = None) -> None:
    """Validate `obj` against its schema: refuse wrong types, warn about or refuse unknown fields, then drop them.

    `repeated`: messages about duplicate keys. `patch`: what a refusal shows if `obj` is the result of a patch.
    """
    resource = call.resource
    if resource.custom:
        whole_numbers(obj)
    findings = schema.check(resource.schema, obj)
    wrong = findings.type_error
    if wrong and resource.custom:  # validation reports the rest, with all causes at once
        wrong = schema.check(schema.OBJECT_META, obj.get("metadata")).type_error
    if wrong and patch is not None and not resource.custom:
        raise _unfit_patch(call, patch, findings)
    if wrong:
        raise BadRequest(
            f'{resource.kind} in version "{resource.version}" cannot be handled as a {resource.kind}: {wrong}'
        )
    problems = list(repeated or ())
    problems += [f'unknown field "{path}"' for path in findings.unknown]
    if problems:
        report_field_problems(call, problems, patch)
    if findings.unknown:
        schema.drop_unknown(resource.schema, obj)
    if findings.nulls:
        resource.drop_nulls(obj)


def _unfit_patch(call: Call, patch: Json, findings: schema.Findings) -> Invalid:
    """The refusal of a patch whose result is not an object of its kind."""
    if media_type(call) == STRATEGIC_PATCH:
        return Invalid.of("", "", "", [invalid("patch", go_text(patch), str(findings.restore_error))])
    return Invalid.of("", "", "", [invalid("patch", encode(patch).decode(), str(findings.type_error))])


def go_text(value: Json) -> str:
    """Format JSON as Go's `%+v` does: `map[metadata:map[labels:invalid]]`."""
    if is_object(value):
        return f"map[{' '.join(f'{key}:{go_text(value[key])}' for key in sorted(value))}]"
    if is_list(value):
        return f"[{' '.join(go_text(item) for item in value)}]"
    if value is None:
        return "<nil>"
    return str(value).lower() if isinstance(value, bool) else str(value)


def whole_numbers(value: Any) -> None:
    """Convert floats without a fraction to integers, in place, as Go prints them: 2.0 is stored as 2."""
    slots: Any = value.items() if is_object(value) else enumerate(value) if is_list(value) else ()
    for key, item in slots:
        if item.__class__ is float:
            if abs(item) < _LARGEST_WHOLE and item.is_integer():
                value[key] = int(item)
        elif item.__class__ in (dict, list):
            whole_numbers(item)


_LARGEST_WHOLE = 2.0**53  # from here on a float is no exact integer, and Kubernetes takes it for none


def report_field_problems(call: Call, problems: list[str], patch: Json = None) -> None:
    mode = call.query.get("fieldValidation") or "Warn"
    if mode == "Strict" and patch is not None:
        shown = encode(patch).decode()
        raise Invalid.of("", "", "", [invalid("patch", shown, f"strict decoding error: {', '.join(problems)}")])
    if mode == "Strict":
        resource = call.resource
        raise BadRequest(
            f'{resource.kind} in version "{resource.version}" cannot be handled as a {resource.kind}: '
            f"strict decoding error: {', '.join(problems)}"
        )
    if mode == "Warn":
        call.warnings += problems
