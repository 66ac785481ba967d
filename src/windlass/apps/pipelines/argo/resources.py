"""Resource templates: the manifest to act on, conditions over the object, and outputs by JSONPath or a path of jq."""

import re
from typing import Any

from windlass.apps.pipelines.argo.language.values import text_of
from windlass.apps.pipelines.argo.manifests import BadManifest, read_manifest, read_operations
from windlass.apps.pipelines.argo.naming import fnv32a
from windlass.apps.pipelines.argo.observation import ResourceAction
from windlass.apps.pipelines.validation import SELECTOR_FLAGS
from windlass.kube.errors import ApiError
from windlass.kube.json import Object, dig, dig_list, dig_object, encode, is_list, is_object
from windlass.kube.jsonpath import compile_path
from windlass.kube.kind import KINDS
from windlass.kube.selector import parse_labels

NODE_ANNOTATION = "pipelines.windlass.dev/workflow-node"
"""On a created object: the node that created it, so that a repeated creation is recognised."""
IGNORE_MISSING = ("--ignore-not-found", "--ignore-not-found=true")
JQ_PATH = re.compile(r"\.|(\.[A-Za-z_][\w-]*|\.?\[\d+\])+")
"""Filters of jq that are paths."""
FINAL_PATHS = ("{}", "{.}", "")


class BadResource(ValueError):
    """Why an action cannot be carried out, or an output has no value."""


def action_of(resource: Object, owner: Object, node_id: str, *, namespace: str, is_started: bool) -> ResourceAction:
    """The action of a resource template whose tags were replaced. Raises BadResource."""
    action, text = str(resource.get("action")), str(resource.get("manifest") or "")
    flags = [str(flag) for flag in dig_list(resource, "flags")]
    names, selector = _arguments(flags)
    is_json_patch = action == "patch" and resource.get("mergeStrategy") == "json"
    try:
        operations = read_operations(text) if is_json_patch else []
        manifest = read_manifest(text) if text and not is_json_patch else {}
    except BadManifest as error:
        raise BadResource(f"resource.manifest: {error}") from None
    if is_json_patch or names:
        manifest = _on(_named_object(names, selector), manifest)
    return ResourceAction(
        node_id=node_id,
        action=action,
        manifest=_completed(
            manifest, owner if resource.get("setOwnerReference") else {}, node_id, namespace, action, selector
        ),
        merge_strategy=str(resource.get("mergeStrategy") or "strategic"),
        operations=operations,
        selector=selector,
        is_started=is_started,
        waits="--wait=false" not in flags,
        ignores_missing=any(flag in IGNORE_MISSING for flag in flags),
    )


def _arguments(flags: list[str]) -> tuple[list[str], str]:
    """The words of kubectl's command line that name an object, and its label selector."""
    names: list[str] = []
    selector, is_value = "", False
    for flag in flags:
        option, mark, value = flag.partition("=")
        if is_value:
            selector, is_value = flag, False
        elif option in SELECTOR_FLAGS:
            selector, is_value = value, not mark
        elif not flag.startswith("-"):
            names += flag.split("/")
    return names, selector


def _named_object(names: list[str], selector: str) -> Object:
    """The object that flags name: `configmap/name`, or `configmap` and `name`; with a selector only its kind."""
    if len(names) != (1 if selector else 2):
        raise BadResource("resource.flags: the kind and the name of one object are required")
    resource, _, group = names[0].lower().partition(".")
    for kind in KINDS:
        if resource in (kind.plural, kind.name.lower(), *kind.short) and group in ("", kind.group):
            metadata = {"name": names[1]} if not selector else {}
            return {"apiVersion": kind.api_version, "kind": kind.name, "metadata": metadata}
    raise BadResource(f"resource.flags: the kind {names[0]!r} is not known")


def _on(named: Object, patch: Object) -> Object:
    """A patch that is for a named object."""
    return {**patch, **named, "metadata": {**dig_object(patch, "metadata"), **dig_object(named, "metadata")}}


def _completed(manifest: Object, owner: Object, node_id: str, namespace: str, action: str, selector: str) -> Object:
    """The manifest with a namespace, a name, its owner and, of one that is created, the mark of its node."""
    if not manifest.get("apiVersion") or not manifest.get("kind"):
        raise BadResource("resource.manifest: apiVersion and kind are required")
    metadata: Object = {"namespace": namespace, **dig_object(manifest, "metadata")}
    if not metadata.get("name") and not selector:
        if not metadata.get("generateName") or action != "create":
            raise BadResource("resource.manifest: metadata.name is required")
        # The name follows from the node, so that a repeated creation finds the object.
        metadata["name"] = f"{metadata.pop('generateName')}{fnv32a(node_id):08x}"
    if action == "create":
        metadata["annotations"] = {**dig_object(metadata, "annotations"), NODE_ANNOTATION: node_id}
    if owner:
        metadata["ownerReferences"] = [*(metadata.get("ownerReferences") or []), owner]
    return {**manifest, "metadata": metadata}


def condition_holds(condition: str, obj: Object) -> bool:
    """Whether a condition such as `status.phase == Bound,status.ready > 1` holds. Raises BadResource."""
    try:
        selector = parse_labels(condition)
    except (ApiError, ValueError) as error:
        raise BadResource(f"the condition {condition!r} is invalid: {error}") from None
    values = {requirement.key: _at(obj, requirement.key) for requirement in selector.requirements}
    return selector.matches({key: text_of(value) for key, value in values.items() if value is not None})


def _at(value: Any, path: str) -> Any:
    """The value at `status.conditions.0.type`."""
    for step in path.split("."):
        if is_object(value):
            value = value.get(step)
        elif is_list(value) and step.isdigit() and int(step) < len(value):
            value = value[int(step)]
        else:
            return None
    return value


def is_unbound_claim(obj: Object) -> bool:
    is_claim = obj.get("kind") == "PersistentVolumeClaim" and obj.get("apiVersion") == "v1"
    return is_claim and dig(obj, "status", "phase") != "Bound"


def as_if_bound(obj: Object) -> Object:
    """A claim that is not bound with the capacity that it asks for, which its volume has at least; else the object."""
    requests = dig_object(obj, "spec", "resources", "requests")
    if not is_unbound_claim(obj) or not requests:
        return obj
    return {**obj, "status": {**dig_object(obj, "status"), "capacity": requests}}


def output_value(path: str, obj: Object) -> str:
    """The output of a JSONPath; what is missing is empty. Raises BadResource."""
    if path.strip() in FINAL_PATHS:
        return encode(obj).decode()
    try:
        values = compile_path(path)(obj)
    except ValueError as error:
        raise BadResource(f"jsonPath {path!r}: {error}") from None
    return " ".join(text_of(value) for value in values)


def filtered_value(jq: str, obj: Object) -> str:
    """The output of a filter of jq, which must be a path such as `.status.conditions[0].type`. Raises BadResource."""
    if not JQ_PATH.fullmatch(jq.strip()):
        raise BadResource(f"jqFilter {jq!r}: only paths such as .metadata.name are supported")
    if jq.strip() == ".":
        return encode(obj).decode()
    values = compile_path(f"{{{jq.strip()}}}")(obj)
    return text_of(values[0]) if values else "null"


def object_name(obj: Object) -> str:
    return f"{dig(obj, 'kind')}/{dig(obj, 'metadata', 'name')}"
