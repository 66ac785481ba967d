"""Claims that runs create: those of `argostub/createpvc`, and the workspace."""

from collections.abc import Mapping
from typing import Any, cast
from uuid import NAMESPACE_URL, uuid5

from windlass.apps.pipelines.executor.context import Json
from windlass.apps.pipelines.executor.platform.fields import labels, mapping
from windlass.apps.pipelines.executor.platform.quantities import quantity
from windlass.apps.pipelines.executor.platform.workspace import workspace_claim_name
from windlass.apps.pipelines.model import Run, Task
from windlass.apps.pipelines.names import RUN_ID_LABEL, TASK_LABEL
from windlass.kube.names import dns_subdomain_errors

DEFAULT_CLASS = "standard"
ACCESS_MODES = ("ReadWriteOnce", "ReadOnlyMany", "ReadWriteMany", "ReadWriteOncePod")
INPUTS = (
    "access_modes",
    "size",
    "pvc_name",
    "pvc_name_suffix",
    "storage_class_name",
    "volume_name",
    "annotations",
    "data_source",
)
PATCH_FIELDS = ("storageClassName", "accessModes")


def claim(parameters: Mapping[str, Any], *, run: Run, task: Task) -> Json:
    """Return the PersistentVolumeClaim that `argostub/createpvc` creates. Raises ValueError with the input."""
    given = {name: value for name, value in parameters.items() if value is not None}
    unknown = sorted(given.keys() - set(INPUTS))
    if unknown:
        raise ValueError(f"{unknown[0]} is not an input of CreatePVC")
    spec: Json = {
        "accessModes": _access_modes(given.get("access_modes"), "access_modes"),
        "storageClassName": _text(given.get("storage_class_name", DEFAULT_CLASS), "storage_class_name"),
        "resources": {"requests": {"storage": _size(given.get("size"), "size")}},
    }
    if given.get("volume_name"):
        spec["volumeName"] = _text(given["volume_name"], "volume_name")
    if given.get("data_source"):
        spec["dataSource"] = _data_source(mapping(given["data_source"], "data_source"))
    manifest = _manifest(_claim_name(given, task), run, spec)
    manifest["metadata"]["labels"][TASK_LABEL] = task.task_id
    if given.get("annotations"):
        manifest["metadata"]["annotations"] = labels(given["annotations"], "annotations")
    return manifest


def workspace_claim(pipeline_config: Json, *, run: Run, owner: Json | None = None) -> Json | None:
    """Return the claim of the run's workspace; None if the pipeline declares none. Raises ValueError with the field."""
    if "workspace" not in pipeline_config:
        return None
    workspace = mapping(pipeline_config["workspace"], "workspace")
    where = "workspace.kubernetes.pvcSpecPatch"
    patch = mapping(mapping(workspace.get("kubernetes"), "workspace.kubernetes").get("pvcSpecPatch"), where)
    unknown = sorted(patch.keys() - set(PATCH_FIELDS))
    if unknown:
        raise ValueError(f"{where}.{unknown[0]} is not supported: {' and '.join(PATCH_FIELDS)} are")
    spec: Json = {
        "accessModes": _access_modes(patch.get("accessModes"), f"{where}.accessModes"),
        "resources": {"requests": {"storage": _size(workspace.get("size"), "workspace.size")}},
    }
    if patch.get("storageClassName") is not None:
        spec["storageClassName"] = _text(patch["storageClassName"], f"{where}.storageClassName")
    manifest = _manifest(workspace_claim_name(run), run, spec)
    if owner is not None:
        manifest["metadata"]["ownerReferences"] = [owner]
    return manifest


def _manifest(name: str, run: Run, spec: Json) -> Json:
    return {
        "apiVersion": "v1",
        "kind": "PersistentVolumeClaim",
        "metadata": {"name": name, "namespace": run.namespace, "labels": {RUN_ID_LABEL: run.run_id}},
        "spec": spec,
    }


def _claim_name(given: Json, task: Task) -> str:
    """Return `pvc_name`, or a name that is the same whenever the task is repeated, with `pvc_name_suffix`."""
    if given.get("pvc_name") and given.get("pvc_name_suffix"):
        raise ValueError("pvc_name and pvc_name_suffix must not both be set")
    unique = str(uuid5(NAMESPACE_URL, f"{task.task_id}/claim"))
    suffix = _text(given.get("pvc_name_suffix") or "", "pvc_name_suffix")
    name = _text(given.get("pvc_name") or f"{unique}{suffix}", "pvc_name")
    errors = dns_subdomain_errors(name)
    if errors:
        raise ValueError(f"{'pvc_name' if given.get('pvc_name') else 'pvc_name_suffix'}: {name!r} {errors[0]}")
    return name


def _data_source(source: Json) -> Json:
    unknown = sorted(source.keys() - {"apiGroup", "kind", "name"})
    missing = [key for key in ("kind", "name") if not source.get(key)]
    if unknown or missing:
        raise ValueError(f"data_source.{unknown[0]} is unknown" if unknown else f"data_source.{missing[0]} is required")
    return {key: _text(source[key], f"data_source.{key}") for key in ("apiGroup", "kind", "name") if source.get(key)}


def _access_modes(value: Any, where: str) -> list[str]:
    modes = cast(list[Any], value) if isinstance(value, list) else []
    wrong = next((mode for mode in modes if mode not in ACCESS_MODES), None)
    if wrong is not None:
        raise ValueError(f"{where}: {wrong!r} is none of {', '.join(ACCESS_MODES)}")
    if not modes:
        raise ValueError(f"{where} is required: a list of access modes")
    return modes


def _size(value: Any, where: str) -> str:
    if value is None or value == "":
        raise ValueError(f"{where} is required")
    return quantity(value, where)


def _text(value: Any, where: str) -> str:
    if not isinstance(value, str):
        raise ValueError(f"{where} is not a string: {value!r}")
    return value
