"""The statuses of a pod's containers, as kubelet reports them."""

from collections.abc import Mapping
from typing import Any

from windlass.kube.json import Object, dig_list, dig_object
from windlass.node.lifecycle import times
from windlass.node.lifecycle.runs import ID_PREFIX, NOT_LOCATED, Run
from windlass.node.lifecycle.starting import Waiting
from windlass.node.lifecycle.view import View, is_sidecar


def container_statuses(view: View, waiting: Mapping[str, Waiting], *, final: bool) -> Object:
    """Return the non-empty lists of container statuses. `final`: nothing will run any more."""
    default = Waiting("PodInitializing" if view.all_inits else "ContainerCreating")
    lists = {
        "initContainerStatuses": [_status(view, each, waiting, default, final=False) for each in view.all_inits],
        "containerStatuses": [
            _status(view, each, waiting, default, final=final and view.initialized) for each in view.mains
        ],
        "ephemeralContainerStatuses": [
            _status(view, each, waiting, Waiting("ContainerCreating"), final=final) for each in view.ephemerals
        ],
    }
    return {name: listed for name, listed in lists.items() if listed}


def _status(view: View, container: Object, waiting: Mapping[str, Waiting], default: Waiting, *, final: bool) -> Object:
    name, run = container["name"], view.newest(container)
    history = view.histories.get(name, ())
    state, last, shown = _state(view, container, waiting, default, final=final)
    status: Object = {
        "name": name,
        "state": state,
        "lastState": last,
        "ready": _ready(view, container),
        "restartCount": run.attempt if run and shown else (history[-2].attempt if len(history) > 1 else 0),
        "image": container.get("image") or "",
        "imageID": _image_id(view, container) if run and run.id else "",
        "started": view.is_started(container),
    }
    if run is not None and run.id:
        status["containerID"] = ID_PREFIX + run.id
    _add_resources(view, container, run, status)
    if mounts := [_mount(each) for each in dig_list(container, "volumeMounts")]:
        status["volumeMounts"] = mounts
    return status


def _state(
    view: View, container: Object, waiting: Mapping[str, Waiting], default: Waiting, *, final: bool
) -> tuple[Object, Object, bool]:
    """Return state, lastState, and whether the newest run is in one of them."""
    name, run = container["name"], view.newest(container)
    history = view.histories.get(name, ())
    before = _terminated(history[-2]) if len(history) > 1 else {}
    if run is not None and run.running:
        if view.hook_pending(container, run):
            return _waits(default), before, False
        return {"running": {"startedAt": times.format_time(run.started_at)}}, before, True
    if name in waiting and not final:
        return _waits(waiting[name]), _terminated(run) if run else {}, True
    if run is not None:
        return _terminated(run), before, True
    if final:
        ended = {"exitCode": 137, "reason": "ContainerStatusUnknown", "message": NOT_LOCATED}
        return {"terminated": ended}, {}, True
    return _waits(default), {}, True


def _waits(waiting: Waiting) -> Object:
    result = {"reason": waiting.reason}
    if waiting.message:
        result["message"] = waiting.message
    return {"waiting": result}


def _terminated(run: Run) -> Object:
    result: dict[str, Any] = {"exitCode": run.exit_code, "reason": run.reason}
    if run.message:
        result["message"] = run.message
    if run.started_at or run.finished_at:
        result["startedAt"] = times.format_time(run.started_at or run.finished_at)
        result["finishedAt"] = times.format_time(run.finished_at or run.started_at)
    if run.id:
        result["containerID"] = ID_PREFIX + run.id
    return {"terminated": result}


def _ready(view: View, container: Object) -> bool:
    if container in view.inits:
        run = view.newest(container)
        return run is not None and not run.running and run.exit_code == 0
    return container not in view.ephemerals and view.is_ready(container)


def _image_id(view: View, container: Object) -> str:
    image = view.image(container)
    return image.id if image is not None else view.statuses.get(container["name"], {}).get("imageID") or ""


def _add_resources(view: View, container: Object, run: Run | None, status: Object) -> None:
    """Add the resources that the run was started with.

    A running container is not resized, and one without an id has never run.
    """
    if run is None or not run.id or container in view.ephemerals:
        return
    result = view.recorded_run(container, run)
    resources = result["resources"] if "resources" in result else dig_object(container, "resources")
    status["resources"] = {key: resources[key] for key in ("limits", "requests") if resources.get(key)}
    if requests := status["resources"].get("requests"):
        status["allocatedResources"] = requests


def _mount(mount: Object) -> Object:
    result = {"name": mount.get("name"), "mountPath": mount.get("mountPath")}
    return result | ({"readOnly": True, "recursiveReadOnly": "Disabled"} if mount.get("readOnly") else {})


def unready(view: View) -> list[str]:
    """Return the names of containers that should be ready and are not, sidecars first."""
    return [each["name"] for each in (*view.sidecars, *view.mains) if not view.is_ready(each)]


def uninitialized(view: View) -> list[str]:
    if view.initialized:
        return []
    passed = (view.is_started(each) if is_sidecar(each) else _ready(view, each) for each in view.all_inits)
    return [each["name"] for each, done in zip(view.all_inits, passed, strict=True) if not done]
