"""Updates of Volcano Jobs: only the number of pods and the priority may change."""

from collections.abc import Collection

from windlass.apis.bounds import MAX_INDEXED_PODS, TOO_MANY
from windlass.kube.json import Object, dig_list, dig_object

_CHANGEABLE = ("minAvailable", "priorityClassName")
_CHANGEABLE_OF_TASK = ("replicas", "minAvailable")


def update_problem(new: Object, old: Object) -> str:
    """Why an update is refused, with the messages of Volcano's webhook; empty if it is allowed."""
    spec, before = dig_object(new, "spec"), dig_object(old, "spec")
    if spec == before:
        return ""
    tasks, total = dig_list(spec, "tasks"), 0
    for task in tasks:
        if task.get("minAvailable", 0) > task.get("replicas", 0):
            return f"'minAvailable' must be <= 'replicas' in task: {task.get('name', '')};"
        if task.get("replicas", 0) > MAX_INDEXED_PODS:
            return f"'replicas' {TOO_MANY} in task: {task.get('name', '')};"
        total += task.get("replicas", 0)
    if spec.get("minAvailable", 0) > total:
        return "job 'minAvailable' must not be greater than total replicas"
    if len(tasks) != len(dig_list(before, "tasks")):
        return "job updates may not add or remove tasks"
    if _fixed(spec) != _fixed(before):
        return "job updates may not change fields other than `minAvailable`, `tasks[*].replicas under spec`"
    return ""


def _fixed(spec: Object) -> Object:
    """The immutable part of a spec, without the names of claims, which the controller writes."""
    made = _said(spec, _CHANGEABLE)
    made["tasks"] = [_said(task, _CHANGEABLE_OF_TASK) for task in dig_list(spec, "tasks")]
    made["volumes"] = [
        _said(volume, ("volumeClaimName",) if volume.get("volumeClaim") else ()) for volume in dig_list(spec, "volumes")
    ]
    return made


def _said(given: Object, but: Collection[str]) -> Object:
    """The fields with a value: an empty list or map counts as absent."""
    return {name: value for name, value in given.items() if name not in but and value not in (None, {}, [])}
