"""What the engine wants done. Each effect may be repeated after a restart, and must then not be done twice.

Every effect on a task is answered by an event that names the task: see `events`.
"""

from typing import Any, TypeAlias

from windlass.kube.meta import Struct


class Effect(Struct):
    task_id: str


class FindCached(Effect):
    fingerprint: str


class StartPod(Effect):
    """Create the pod of the task's current attempt; its name follows from the task and the attempt."""


class StopPod(Effect):
    pod_name: str


class ImportArtifact(Effect):
    """Find or record an artifact that exists already."""

    uri: str
    type: str
    schema_version: str
    metadata: dict[str, Any]
    reimport: bool
    download_to_workspace: bool = False


class CreateClaim(Effect):
    """Create a PersistentVolumeClaim by the inputs of `argostub/createpvc`."""

    parameters: dict[str, Any]


class DeleteClaim(Effect):
    claim: str


AnyEffect: TypeAlias = FindCached | StartPod | StopPod | ImportArtifact | CreateClaim | DeleteClaim
