"""Removal of output artifacts (`artifactGC`): when a Workflow has completed, or when it is deleted. Pure."""

from collections.abc import Iterator, Mapping
from typing import Literal, TypeAlias

from windlass.apps.pipelines.argo.artifacts.artifact_places import is_in_own_store, place_of, store_of, uri_of
from windlass.apps.pipelines.argo.observation import Removal
from windlass.apps.pipelines.argo.templates import NoTemplate, resolved_spec, stored_templates
from windlass.kube.json import Object, dig, dig_list, dig_object

Strategy: TypeAlias = Literal["OnWorkflowCompletion", "OnWorkflowDeletion"]
FINALIZER = "workflows.argoproj.io/artifact-gc"
ERROR_CONDITION = "ArtifactGCError"


def needs_finalizer(spec: Object) -> bool:
    """Whether artifacts are removed when the Workflow is deleted."""
    artifacts = [
        item for template in dig_list(spec, "templates") for item in dig_list(template, "outputs", "artifacts")
    ]
    return any(dig(one, "artifactGC", "strategy") == "OnWorkflowDeletion" for one in (spec, *artifacts))


def started_spec(workflow: Object) -> Object:
    """The spec of a Workflow with that of its `workflowTemplateRef`, as it was when the Workflow started."""
    spec = dig_object(workflow, "spec")
    try:
        return resolved_spec(spec, stored_templates(dig_object(workflow, "status")))
    except NoTemplate:
        return spec


def removals(spec: Object, status: Object, strategy: Strategy) -> Iterator[Removal]:
    """Artifacts that nodes have written, that the strategy concerns, and that were not removed before.

    An artifact that several nodes pass on is removed once: only nodes with a pod have written one.
    """
    for node in dig_object(status, "nodes").values():
        for artifact in dig_list(node, "outputs", "artifacts") if node["type"] == "Pod" else ():
            chosen = dig(artifact, "artifactGC", "strategy") or dig(spec, "artifactGC", "strategy")
            if chosen != strategy or artifact.get("deleted") or not store_of(artifact):
                continue
            name = str(artifact["name"])
            if is_in_own_store(artifact):
                yield Removal(node_id=node["id"], name=name, uri=uri_of(artifact["s3"]))
            else:
                yield Removal(node_id=node["id"], name=name, place=place_of(artifact))


def with_removed(status: Object, answers: Mapping[tuple[str, str], str]) -> Object:
    """The status after removals; `answers` says of each why it failed, or is empty."""
    nodes = {id: _marked(node, answers) for id, node in dig_object(status, "nodes").items()}
    failed = next((reason for reason in answers.values() if reason), "")
    conditions = [one for one in dig_list(status, "conditions") if one.get("type") != ERROR_CONDITION]
    if failed:
        conditions.append({"type": ERROR_CONDITION, "status": "True", "message": failed})
    return {**status, "nodes": nodes, "conditions": conditions}


def _marked(node: Object, answers: Mapping[tuple[str, str], str]) -> Object:
    artifacts = dig_list(node, "outputs", "artifacts")
    marked = [
        {**one, "deleted": True} if answers.get((node["id"], str(one["name"]))) == "" else one for one in artifacts
    ]
    return {**node, "outputs": {**node["outputs"], "artifacts": marked}} if marked != artifacts else node


def has_failed(status: Object) -> bool:
    """Whether a removal has failed; it is not repeated until the Workflow is deleted."""
    return any(one.get("type") == ERROR_CONDITION for one in dig_list(status, "conditions"))
