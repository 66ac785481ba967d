"""The kinds of pipelines, on a real server."""

import pytest

from tests.apps.pipelines.workflows import a_container, a_workflow
from tests.kube.live import bare_server, client, room
from windlass.apps.pipelines.kinds.argo import Workflow
from windlass.apps.pipelines.kinds.pipeline import Pipeline, PipelineSpec, PipelineVersion, PipelineVersionSpec
from windlass.apps.pipelines.kinds.scheduled_workflow import ScheduledWorkflow
from windlass.apps.pipelines.names import IR_LABEL
from windlass.kube.client import Client
from windlass.kube.errors import ApiError
from windlass.kube.kind import KINDS
from windlass.kube.meta import Key, ObjectMeta
from windlass.kube.objects import wire
from windlass.kube.view import untyped

__all__ = ["bare_server", "client", "room"]
WORKFLOW = KINDS.of(Workflow)
IR = {
    "pipelineInfo": {"name": "p"},
    "schemaVersion": "2.1.0",
    "root": {"dag": {"tasks": {}}},
}


async def test_a_workflow_keeps_every_field_that_was_written(client: Client, room: str) -> None:
    template = a_container("main", inputs={"parameters": [{"name": "x", "value": 3}]})
    workflow = a_workflow(template, arguments={"parameters": [{"name": "n", "value": "1"}]})
    workflow["metadata"] = {"generateName": "w-", "namespace": room}

    made = await client.create(workflow, kind=WORKFLOW)

    assert made["spec"] == workflow["spec"]


async def test_an_unsupported_field_is_refused_by_name(client: Client, room: str) -> None:
    workflow = a_workflow({"name": "main", "plugin": {"x": {}}})
    workflow["metadata"]["namespace"] = room

    with pytest.raises(ApiError) as refusal:
        await client.create(workflow, kind=WORKFLOW)

    assert "spec.templates[0].plugin: Forbidden" in refusal.value.message


async def test_the_workflow_of_an_ir_run_needs_no_templates_and_shows_its_status(client: Client, room: str) -> None:
    metadata = {"name": "run", "namespace": room, "labels": {IR_LABEL: "true"}}
    spec = {"entrypoint": "root", "serviceAccountName": "default-editor"}
    await client.create(
        {"apiVersion": WORKFLOW.api_version, "kind": "Workflow", "metadata": metadata, "spec": spec}, kind=WORKFLOW
    )

    await client.set_status(WORKFLOW, Key(room, "run"), {"phase": "Running", "progress": "0/2"})

    stored = await client.get(untyped(WORKFLOW), "run", room)
    assert stored["status"] == {"phase": "Running", "progress": "0/2"}


async def test_a_schedule_is_accepted_in_the_version_that_the_api_emits(client: Client, room: str) -> None:
    metadata = {"name": "s", "namespace": room}
    written = {"apiVersion": "kubeflow.org/v2beta1", "kind": "ScheduledWorkflow", "metadata": metadata}
    kind = await client.find_kind("kubeflow.org/v2beta1", "ScheduledWorkflow")
    trigger = {"cronSchedule": {"cron": "* * * * * *"}}
    await client.create({**written, "spec": {"enabled": True, "trigger": trigger}}, kind=kind)

    stored = await client.get(untyped(KINDS.of(ScheduledWorkflow)), "s", room)

    assert stored["apiVersion"] == "kubeflow.org/v1beta1"
    assert stored["spec"]["trigger"] == trigger


async def test_a_version_belongs_to_its_pipeline_and_keeps_its_specification(client: Client, room: str) -> None:
    spec = PipelineVersionSpec(pipeline_name="p", pipeline_spec=IR)
    version = PipelineVersion(metadata=ObjectMeta(name="v1", namespace=room), spec=spec)
    with pytest.raises(ApiError) as missing:
        await client.create(version)
    pipeline = await client.create(Pipeline(metadata=ObjectMeta(name="p", namespace=room), spec=PipelineSpec()))

    made = wire(await client.create(version))

    assert "spec.pipelineName: Not found" in missing.value.message
    assert made["metadata"]["labels"]["pipelines.kubeflow.org/pipeline-id"] == pipeline.metadata.uid
    assert made["metadata"]["ownerReferences"][0]["name"] == "p"
    with pytest.raises(ApiError) as immutable:
        await client.patch(KINDS.of(PipelineVersion), Key(room, "v1"), {"spec": {"pipelineSpec": {"root": {"a": 1}}}})
    assert "spec.pipelineSpec: Forbidden: field is immutable" in immutable.value.message
