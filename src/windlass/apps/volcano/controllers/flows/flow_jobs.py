"""The Job that a flow makes from its template: the template's spec, with what the flow changes in it. Pure."""

from typing import Any, TypeAlias, cast

import msgspec

from windlass.apps.volcano.kinds.batch import GROUP_VERSION
from windlass.apps.volcano.kinds.flow import Flow, JobFlow, JobTemplate
from windlass.kube.json import Object as Json
from windlass.kube.json import is_list, is_object
from windlass.kube.meta import Key

FROM_FLOW, FROM_TEMPLATE = "volcano.sh/createdByJobFlow", "volcano.sh/createdByJobTemplate"
LONGEST_LABEL = 63
IDENTIFIED_BY = {
    "tasks": "name",
    "volumes": "mountPath",
    "containers": "name",
    "initContainers": "name",
    "env": "name",
    "volumeMounts": "mountPath",
}
"""Lists whose entries a patch changes one by one; any other list it replaces."""

Value: TypeAlias = Any


def job_name(flow: JobFlow, template: str) -> str:
    return f"{flow.metadata.name}-{template}"


def job_from(flow: JobFlow, one: Flow, template: JobTemplate) -> Json:
    spec: Json = msgspec.to_builtins(template.spec)
    if one.patch is not None and one.patch.job_spec:
        spec = merged(spec, one.patch.job_spec)
    made_by = {FROM_FLOW: flow.metadata.key, FROM_TEMPLATE: template.metadata.key}
    metadata: Json = {
        "name": job_name(flow, one.name),
        "namespace": flow.metadata.namespace,
        "labels": {name: label_value(key) for name, key in made_by.items()},
        "annotations": {name: f"{key.namespace}.{key.name}" for name, key in made_by.items()},
    }
    return {"apiVersion": GROUP_VERSION, "kind": "Job", "metadata": metadata, "spec": spec}


def label_value(key: Key) -> str:
    """Cut where it would be too long for a label; the annotation of the same name has it whole."""
    return f"{key.namespace}.{key.name}"[:LONGEST_LABEL].rstrip("-_.")


def merged(base: Value, patch: Value, field: str = "") -> Value:
    """`base` with what `patch` says: objects member by member (null removes), lists of named things by name."""
    if is_object(patch) and is_object(base):
        result = {**base}
        for name, value in patch.items():
            if value is None:
                result.pop(name, None)
            else:
                result[name] = merged(base.get(name), value, name)
        return result
    identifier = IDENTIFIED_BY.get(field)
    if identifier and is_list(patch) and is_list(base):
        return _merged_lists(base, patch, identifier)
    return patch


def _merged_lists(base: list[Value], patch: list[Value], identifier: str) -> list[Value]:
    changes = {cast(Json, one).get(identifier): one for one in patch if is_object(one)}
    known = {cast(Json, one).get(identifier) for one in base if is_object(one)}
    kept = [merged(one, changes.get(one.get(identifier), {})) if is_object(one) else one for one in base]
    return [*kept, *(one for one in patch if not is_object(one) or one.get(identifier) not in known)]
