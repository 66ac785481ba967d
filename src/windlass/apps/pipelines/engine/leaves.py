"""What starts a task that is neither a DAG nor a loop: a container, an importer, or an operation on a claim. Pure."""

from typing import Any

from windlass.apps.pipelines.engine.definition import Kind
from windlass.apps.pipelines.engine.effects import AnyEffect, CreateClaim, DeleteClaim, ImportArtifact, StartPod
from windlass.apps.pipelines.engine.nodes import Node
from windlass.apps.pipelines.engine.resolve import Resolver
from windlass.apps.pipelines.executor.context import TaskContext
from windlass.apps.pipelines.executor.values import input_values
from windlass.kube.json import is_object


def may_be_cached(node: Node) -> bool:
    """Whether outputs of an earlier task may be used. A claim is deleted each time, and an import is its own record."""
    return node.spec.caching_options.enable_cache and node.definition.kind in (Kind.CONTAINER, Kind.CREATE_CLAIM)


def starting_effect(node: Node, context: TaskContext, resolver: Resolver) -> AnyEffect:
    """The effect that does what the task does. Raises ValueError."""
    match node.definition.kind:
        case Kind.IMPORTER:
            return _import(node, resolver)
        case Kind.CREATE_CLAIM:
            return CreateClaim(task_id=node.task.task_id, parameters=_given(context))
        case Kind.DELETE_CLAIM:
            return DeleteClaim(task_id=node.task.task_id, claim=str(input_values(context).get("pvc_name", "")))
        case _:
            return StartPod(task_id=node.task.task_id)


def _given(context: TaskContext) -> dict[str, Any]:
    """The inputs without the component's defaults: the SDK declares that no storage class is an empty one, and then
    Kubeflow's is `standard`."""
    return {name: value for name, value in input_values(context).items() if context.parameters.get(name) is not None}


def _import(node: Node, resolver: Resolver) -> ImportArtifact:
    importer = node.definition.executor.importer
    if importer is None:
        raise ValueError("the component has no importer")
    source = importer.artifact_uri
    uri = node.task.inputs.parameters.get(source.runtime_parameter) if source.runtime_parameter else source.value
    if source.runtime_parameter and uri is None:
        declared = node.definition.component.input_definitions.parameters.get(source.runtime_parameter)
        uri = declared.default if declared is not None else None
    uri = resolver.constant(node, uri)
    if not isinstance(uri, str) or not uri:
        raise ValueError("importer.artifactUri: is not the text of a URI")
    if uri.startswith("oci://") and importer.type_schema.title != "system.Model":
        raise ValueError("importer.artifactUri: only a system.Model can be imported from oci://")
    metadata = resolver.constant(node, importer.metadata)
    return ImportArtifact(
        task_id=node.task.task_id,
        uri=uri,
        type=importer.type_schema.title,
        schema_version=importer.type_schema.version,
        metadata=metadata if is_object(metadata) else {},
        reimport=importer.reimport,
        download_to_workspace=importer.download_to_workspace,
    )
