"""A container task, of which a test says only what it is about."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from windlass.apps.pipelines.executor.context import Json, TaskContext
from windlass.apps.pipelines.executor.executor_input import scope
from windlass.apps.pipelines.executor.placeholders import Scope
from windlass.apps.pipelines.model import Artifact, Run, Task

RUN = Run(
    run_id="run-1",
    namespace="team",
    display_name="My run",
    resource_name="train-and-predict-x7k2p",
    pipeline_name="train-and-predict",
    service_account="default-editor",
    created_at=1_767_225_600.0,
    scheduled_at=1_767_225_660.0,
)
TASK = Task(task_id="task-1", run_id="run-1", path="root.train", name="train")
ROOT = "minio://mlpipeline/v2/artifacts"
TASK_URI = f"{ROOT}/train-and-predict/run-1/train/task-1"
TASK_PATH = "/minio/mlpipeline/v2/artifacts/train-and-predict/run-1/train/task-1"
OWNER = {"apiVersion": "argoproj.io/v1alpha1", "kind": "Workflow", "name": RUN.resource_name, "uid": "u1"}


def a_dataset(artifact_id: str = "artifact-1", key: str = "data", **fields: Any) -> Artifact:
    uri = fields.pop("uri", f"minio://mlpipeline/{key}")
    return Artifact(artifact_id=artifact_id, type="system.Dataset", uri=uri, **fields)


def inputs(**types: str) -> Json:
    """The declaration of required input parameters."""
    return {"inputDefinitions": {"parameters": {name: {"parameterType": kind} for name, kind in types.items()}}}


def a_context(
    *,
    container: Json | None = None,
    component: Json | None = None,
    platform: Json | None = None,
    parameters: Mapping[str, Any] | None = None,
    artifacts: Mapping[str, Sequence[Artifact]] | None = None,
    resolve: Callable[[Json], Any] | None = None,
    run: Run = RUN,
    task: Task = TASK,
    **fields: Any,
) -> TaskContext:
    return TaskContext(
        run=run,
        task=task,
        component={"executorLabel": "exec-train", **(component or {})},
        executor={"container": {"image": "python:3.11", "command": ["python3"], **(container or {})}},
        platform=platform or {},
        pipeline_config=fields.pop("pipeline_config", {}),
        parameters=parameters or {},
        artifacts=artifacts or {},
        resolve=resolve or constants,
        pipeline_root=fields.pop("pipeline_root", ROOT),
        **fields,
    )


def constants(spec: Json) -> Any:
    """Resolve the constants of input-parameter specs; anything else is an optional value that is missing."""
    return spec.get("runtimeValue", {}).get("constant")


def constant(value: Any) -> Json:
    return {"runtimeValue": {"constant": value}}


def a_scope(**fields: Any) -> Scope:
    return scope(a_context(**fields))
