"""How a task's pod reaches the artifacts of its run."""

import json
from typing import Protocol

from windlass.apps.pipelines.artifacts.transfer_containers import Transfers, TransferSettings, no_store
from windlass.apps.pipelines.artifacts.transfer_plan import InputArtifact, TransferPlan
from windlass.apps.pipelines.artifacts.uris import (
    IMAGE_MODELS,
    MOUNTS,
    OCI,
    WORKSPACE_METADATA,
    WORKSPACE_PATH,
    artifact_path,
    claim_path,
    image_reference,
    join_uri,
    local_path,
    mount_of,
    split_uri,
)
from windlass.apps.pipelines.executor.context import Json, TaskContext
from windlass.apps.pipelines.executor.executor_input import (
    PARAMETERS_PATH,
    output_file,
    output_uri,
    parameters_folder,
    task_root,
)
from windlass.apps.pipelines.executor.platform.server_settings import security_context
from windlass.apps.pipelines.executor.platform.volumes import Volumes
from windlass.apps.pipelines.executor.platform.workspace import VOLUME as WORKSPACE_VOLUME
from windlass.apps.pipelines.executor.values import section
from windlass.apps.pipelines.model import Artifact, is_imported
from windlass.apps.pipelines.names import ARTIFACTS_CLAIM

VOLUME = "artifacts"
KFP_MOUNTS = (MOUNTS["minio"], MOUNTS["s3"], MOUNTS["gs"])
"""Folders that components of kfp may write to: one may give its output the URI of any of these stores."""
SCRATCH = ("/.local", "/.cache", "/.config")
"""Folders in which programs without a home keep files."""


class Storage(Protocol):
    """Gives a pod its input artifacts, and folders for its outputs."""

    def attach(self, context: TaskContext) -> Volumes:
        """Return the volumes for artifacts and output parameters. Raises ValueError."""
        ...

    def transfers(self, context: TaskContext) -> Transfers:
        """Return the containers that copy artifacts before and after the main one. Raises ValueError."""
        ...


class EmbeddedStorage:
    """Artifacts are in one claim per namespace, and pods work on them in place: nothing is copied."""

    def __init__(self, claim: str = ARTIFACTS_CLAIM) -> None:
        self._claim = claim

    def attach(self, context: TaskContext) -> Volumes:
        root = claim_path(task_root(context))
        if root is None:
            raise ValueError(f"the pipeline root {context.pipeline_root!r} is not in a store that Windlass keeps here")
        check_inputs(context)
        return _volumes(context, {"persistentVolumeClaim": {"claimName": self._claim}}, root)

    def transfers(self, context: TaskContext) -> Transfers:
        return Transfers()


class ClusterStorage:
    """Artifacts are in object stores: an init container fetches inputs, and a sidecar publishes outputs.

    The pod's own volume is laid out as the claim of an embedded Windlass is, so that containers see the same paths.
    """

    def __init__(self, settings: TransferSettings) -> None:
        self._settings = settings

    def attach(self, context: TaskContext) -> Volumes:
        root = claim_path(task_root(context))
        if root is None:
            raise ValueError(no_store(context.pipeline_root))
        self._settings.check([task_root(context)])
        check_inputs(context)
        return _volumes(context, {"emptyDir": {}}, root)

    def transfers(self, context: TaskContext) -> Transfers:
        plan = transfer_plan(context, self._settings.providers)
        self._settings.check(one.uri for one in plan.inputs)
        return self._settings.containers(
            plan, VOLUME, security_context(context), publishes=has_outputs(context), workspace=WORKSPACE_VOLUME
        )


def transfer_plan(context: TaskContext, providers: str) -> TransferPlan:
    """What the containers beside that of a task transfer. Raises ValueError."""
    artifacts = {one.uri: one for many in context.artifacts.values() for one in many if one.has_content}
    return TransferPlan(
        namespace=context.run.namespace,
        providers=providers,
        inputs=[
            InputArtifact(uri=uri, must_exist=is_imported(one), workspace_path=_workspace_path(one))
            for uri, one in sorted(artifacts.items())
            if split_uri(uri)[0] in MOUNTS
        ],
        artifacts={name: output_uri(context, name) for name in _declared(context, "artifacts")},
        executor_output=output_file(context).lstrip("/"),
        parameters=parameters_folder(context.task),
        report=report_uri(context),
    )


def has_outputs(context: TaskContext) -> bool:
    """Whether the component declares anything that a container would leave behind."""
    return bool(_declared(context, "artifacts") or _declared(context, "parameters"))


def report_uri(context: TaskContext) -> str:
    """The URI of the object with the report of a task's pod; each attempt has its own."""
    return join_uri(task_root(context), ".windlass", f"attempt-{context.task.attempt}.json")


def _declared(context: TaskContext, kind: str) -> Json:
    return section(context.component, "outputDefinitions", kind)


def _workspace_path(artifact: Artifact) -> str:
    """Return the path of an artifact in the workspace of its run; empty for one that is elsewhere."""
    if artifact.metadata.get(WORKSPACE_METADATA) is not True:
        return ""
    return artifact_path(artifact.uri, artifact.metadata).removeprefix(f"{WORKSPACE_PATH}/")


def _volumes(context: TaskContext, source: Json, root: str) -> Volumes:
    """Return the volume of artifacts, mounted for each store, for the task's outputs and for its parameters."""
    found = Volumes()
    for mount in sorted({*KFP_MOUNTS, f"/{root.split('/')[0]}", *_input_mounts(context)}):
        found.add(VOLUME, source, mount, "pipeline root", sub_path=mount.lstrip("/"))
    # The node creates the folder of a subPath: containers expect the folder of their outputs to exist.
    found.add(VOLUME, source, f"/{root}", "pipeline root", sub_path=root)
    found.add(VOLUME, source, PARAMETERS_PATH, "outputs", sub_path=parameters_folder(context.task))
    for path in SCRATCH:
        found.add(f"scratch-{path[2:]}", {"emptyDir": {}}, path, "scratch")
    _add_images(context, found)
    return found


def _add_images(context: TaskContext, found: Volumes) -> None:
    """Mount the models that are in images. `models` is the folder in which an image has its model, as KServe's have."""
    uris = {one.uri for many in context.artifacts.values() for one in many if split_uri(one.uri)[0] == OCI}
    for number, uri in enumerate(sorted(uris)):
        source = {"image": {"reference": image_reference(uri)}}
        found.add(f"oci-{number}", source, local_path(uri), f"input artifact {uri}", sub_path=IMAGE_MODELS)


def _input_mounts(context: TaskContext) -> set[str]:
    """Return the roots of the input artifacts that are read in place, not in the workspace."""
    artifacts = [artifact for many in context.artifacts.values() for artifact in many]
    mounts = {mount_of(one.uri) for one in artifacts if one.metadata.get(WORKSPACE_METADATA) is not True}
    return {mount for mount in mounts if mount is not None}


def check_inputs(context: TaskContext) -> None:
    """Refuse input artifacts whose files the container needs and cannot have.

    An artifact elsewhere, such as a model of a cloud's registry, is a record: its URI and metadata are enough, unless
    the command names its path.
    """
    container = section(context.executor, "container")
    words = json.dumps([container.get("command"), container.get("args")])
    for name, artifacts in context.artifacts.items():
        for artifact in artifacts:
            scheme = split_uri(artifact.uri)[0]
            where = f"input artifact {name}: {artifact.uri}"
            if scheme and scheme not in (*MOUNTS, OCI) and f"inputs.artifacts['{name}'].path" in words:
                raise ValueError(f"{where} has no local path: its scheme is none of {', '.join((*MOUNTS, OCI))}")
