"""Validation of embedded objects (`x-kubernetes-embedded-resource`): version, kind and metadata."""

from windlass.apiserver.crds.findings import Finding, Link, text_of
from windlass.kube import schema
from windlass.kube.errors import Cause, invalid, required
from windlass.kube.json import Json, Object, dig_object, is_object
from windlass.kube.names import dns1035_label_errors, label_key_errors, label_value_errors, path_segment_errors

_MIXED_CASE = "may have mixed case, but should otherwise match: "


def check_embedded(value: Object, at: Link, out: list[Finding]) -> None:
    """Append the errors of an embedded object that its own schema does not cover."""
    for name in ("apiVersion", "kind"):
        if value.get(name, "") == "":
            _report(out, (at, name), required(text_of((at, name)), "must not be empty"))
    kind = value.get("kind")
    if isinstance(kind, str) and kind:
        for why in dns1035_label_errors(kind.lower()):
            _report(out, (at, "kind"), invalid(text_of((at, "kind")), kind, _MIXED_CASE + why))
    metadata = value.get("metadata")
    if metadata is not None:
        _check_metadata(metadata, (at, "metadata"), out)


def _check_metadata(metadata: Json, at: Link, out: list[Finding]) -> None:
    wrong = schema.check(schema.OBJECT_META, metadata).type_error
    if wrong or not is_object(metadata):
        _report(out, at, invalid(text_of(at), metadata, wrong or "must be an object"))
        return
    name = str(metadata.get("name") or "")
    for why in path_segment_errors(name) if name else ():
        _report(out, (at, "name"), invalid(text_of((at, "name")), name, why))
    labels: dict[str, str] = dig_object(metadata, "labels")
    for key, value in labels.items():
        link: Link = (at, "labels")
        for found, problems in ((key, label_key_errors(key)), (value, label_value_errors(value))):
            for why in problems:
                _report(out, link, invalid(text_of(link), found, why))


def _report(out: list[Finding], link: Link, cause: Cause) -> None:
    out.append((link, cause))
