"""The environment variables of a task's container."""

from windlass.apps.pipelines.executor.context import Json, TaskContext
from windlass.apps.pipelines.executor.platform.fields import items, object_name, required
from windlass.apps.pipelines.executor.values import section, text


def task_variables(context: TaskContext) -> list[Json]:
    """Return the variables of the component and those of the platform spec, of which later ones win."""
    variables = [
        {"name": required(item, "name", where), "value": text(item.get("value") or "")}
        for where, item in items(section(context.executor, "container"), "env")
    ]
    variables += _from_objects(context, "secretAsEnv", "secretName", "secretKey", "secretKeyRef")
    variables += _from_objects(context, "configMapAsEnv", "configMapName", "configMapKey", "configMapKeyRef")
    for where, item in items(context.platform, "fieldPathAsEnv"):
        variables.append(_field(required(item, "name", where), required(item, "fieldPath", where)))
    return variables


def pod_variables(context: TaskContext) -> list[Json]:
    """Return the variables that identify the pod."""
    return [
        _field("KFP_POD_NAME", "metadata.name"),
        _field("KFP_POD_UID", "metadata.uid"),
        {"name": "KFP_RETRY_INDEX", "value": str(context.retry_index)},
    ]


def unique(variables: list[Json]) -> list[Json]:
    """Return the variables without those that a later one of the same name replaces."""
    last = {variable["name"]: index for index, variable in enumerate(variables)}
    return [variable for index, variable in enumerate(variables) if last[variable["name"]] == index]


def _from_objects(context: TaskContext, key: str, name_key: str, entry: str, reference: str) -> list[Json]:
    variables: list[Json] = []
    for where, item in items(context.platform, key):
        name = object_name(context, item, name_key, where)
        if name is None:
            continue
        optional = {"optional": True} if item.get("optional") else {}
        for inner, pair in items(item, "keyToEnv"):
            source = {"name": name, "key": required(pair, entry, f"{where}.{inner}"), **optional}
            variables.append({"name": required(pair, "envVar", f"{where}.{inner}"), "valueFrom": {reference: source}})
    return variables


def _field(name: str, path: str) -> Json:
    return {"name": name, "valueFrom": {"fieldRef": {"fieldPath": path}}}
