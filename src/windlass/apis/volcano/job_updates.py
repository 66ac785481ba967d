"""What may change in a Volcano Job once it is there: how many pods it has, and its priority."""

from windlass.kube.json import Json, Object, dig_list, dig_object, is_list, is_object

_CHANGEABLE = ("minAvailable", "priorityClassName")
_CHANGEABLE_OF_TASK = ("replicas", "minAvailable")


def update_problem(new: Object, old: Object) -> str:
    """Why a job may not be changed so, in the words of Volcano's webhook; empty where it may."""
    spec, before = dig_object(new, "spec"), dig_object(old, "spec")
    if spec == before:
        return ""
    tasks, total = dig_list(spec, "tasks"), 0
    for task in tasks:
        if task.get("minAvailable", 0) > task.get("replicas", 0):
            return f"'minAvailable' must be <= 'replicas' in task: {task.get('name', '')};"
        total += task.get("replicas", 0)
    if spec.get("minAvailable", 0) > total:
        return "job 'minAvailable' must not be greater than total replicas"
    if len(tasks) != len(dig_list(before, "tasks")):
        return "job updates may not add or remove tasks"
    if _fixed(spec) != _fixed(before):
        return "job updates may not change fields other than `minAvailable`, `tasks[*].replicas under spec`"
    return ""


def _fixed(spec: Object) -> Json:
    """What of a spec must stay. The controller writes the names of claims that it has made, so they do not count."""
    made = {name: value for name, value in spec.items() if name not in _CHANGEABLE}
    made["tasks"] = [
        {name: value for name, value in task.items() if name not in _CHANGEABLE_OF_TASK}
        for task in dig_list(spec, "tasks")
    ]
    made["volumes"] = [
        {name: value for name, value in volume.items() if name != "volumeClaimName" or not volume.get("volumeClaim")}
        for volume in dig_list(spec, "volumes")
    ]
    return _without_empty(made)


def _without_empty(value: Json) -> Json:
    """An empty list or map, or null, is the same as none."""
    if is_object(value):
        kept = {name: _without_empty(inner) for name, inner in value.items()}
        return {name: inner for name, inner in kept.items() if inner is not None and inner not in ({}, [])}
    return [_without_empty(inner) for inner in value] if is_list(value) else value
