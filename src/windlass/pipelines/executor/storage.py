"""How a task's pod reaches the artifacts of its run."""

from typing import Protocol

from windlass.apis.pipelines.names import ARTIFACTS_CLAIM
from windlass.pipelines.artifacts.uris import MOUNTS, OCI, WORKSPACE_METADATA, claim_path, mount_of, split_uri
from windlass.pipelines.executor.context import TaskContext
from windlass.pipelines.executor.executor_input import PARAMETERS_PATH, parameters_folder, task_root
from windlass.pipelines.executor.platform.volumes import Volumes

SCRATCH = ("/.local", "/.cache", "/.config")
"""Folders in which programs without a home keep files."""


class Storage(Protocol):
    """Gives a pod its input artifacts, and folders for its outputs."""

    def attach(self, context: TaskContext) -> Volumes:
        """Return the volumes for artifacts and output parameters. Raises ValueError."""
        ...


class EmbeddedStorage:
    """Artifacts are in one claim per namespace, and pods work on them in place: nothing is copied."""

    def __init__(self, claim: str = ARTIFACTS_CLAIM) -> None:
        self._claim = claim

    def attach(self, context: TaskContext) -> Volumes:
        root = claim_path(task_root(context))
        if root is None:
            raise ValueError(f"the pipeline root {context.pipeline_root!r} is not in a store that Windlass keeps here")
        _check_inputs(context)
        found, source = Volumes(), {"persistentVolumeClaim": {"claimName": self._claim}}
        for mount in sorted({MOUNTS["minio"], f"/{root.split('/')[0]}", *_input_mounts(context)}):
            found.add("artifacts", source, mount, "pipeline root", sub_path=mount.lstrip("/"))
        # The node creates the folder of a subPath: containers expect the folder of their outputs to exist.
        found.add("artifacts", source, f"/{root}", "pipeline root", sub_path=root)
        found.add("artifacts", source, PARAMETERS_PATH, "outputs", sub_path=parameters_folder(context.task))
        for path in SCRATCH:
            found.add(f"scratch-{path[2:]}", {"emptyDir": {}}, path, "scratch")
        return found


def _input_mounts(context: TaskContext) -> set[str]:
    """Return the roots of the input artifacts that are read in place, not in the workspace."""
    artifacts = [artifact for many in context.artifacts.values() for artifact in many]
    mounts = {mount_of(one.uri) for one in artifacts if one.metadata.get(WORKSPACE_METADATA) is not True}
    return {mount for mount in mounts if mount is not None}


def _check_inputs(context: TaskContext) -> None:
    """Refuse input artifacts that cannot be files of the container."""
    for name, artifacts in context.artifacts.items():
        for artifact in artifacts:
            scheme = split_uri(artifact.uri)[0]
            where = f"input artifact {name}: {artifact.uri}"
            if scheme == OCI:
                raise ValueError(f"{where} is in an image, which an embedded Windlass cannot mount")
            if scheme and scheme not in MOUNTS:
                raise ValueError(f"{where} has no local path: its scheme is none of {', '.join(MOUNTS)}")
