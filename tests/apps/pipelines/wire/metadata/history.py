"""A small history: a run whose task `train` reads an import and makes a model, which `use` reads."""

from dataclasses import dataclass, field
from typing import Any
from uuid import uuid4

from windlass.apps.pipelines.model import Artifact, Run, Task, TaskState, TaskType, Values
from windlass.apps.pipelines.rows.database import Database
from windlass.apps.pipelines.rows.numbers import number_of

TRAIN_OUTPUTS = {"loss": {"valueFromParameter": {"producerSubtask": "train", "outputParameterKey": "loss"}}}
SPEC = {
    "pipelineInfo": {"name": "mnist"},
    "root": {
        "dag": {
            "tasks": {
                "train": {"componentRef": {"name": "comp-train"}},
                "use": {"componentRef": {"name": "comp-use"}},
                "loop": {"componentRef": {"name": "comp-loop"}},
            },
            "outputs": {"parameters": TRAIN_OUTPUTS},
        }
    },
    "components": {
        "comp-train": {"executorLabel": "exec-train"},
        "comp-use": {"executorLabel": "exec-use"},
        "comp-loop": {"dag": {"tasks": {"use": {"componentRef": {"name": "comp-use"}}}}},
    },
    "deploymentSpec": {
        "executors": {
            "exec-train": {"container": {"image": "train:1"}},
            "exec-use": {"container": {"image": "use:1"}},
        }
    },
}


def new_id() -> str:
    return str(uuid4())


@dataclass
class History:
    """The ids of one run, and what they are in the store."""

    namespace: str = "team"
    pipeline: str = "mnist"
    at: float = 100.0
    run_id: str = field(default_factory=new_id)
    ids: dict[str, str] = field(default_factory=dict[str, str])

    def id(self, name: str) -> str:
        return self.ids.setdefault(name, new_id())

    def number(self, name: str) -> int:
        return number_of(self.run_id if name == "run" else self.id(name))

    def run(self) -> Run:
        return Run(
            run_id=self.run_id,
            namespace=self.namespace,
            display_name="first run",
            resource_name="first-run-x",
            pipeline_name=self.pipeline,
            pipeline_root="minio://mlpipeline/v2",
            spec=SPEC,
            created_at=self.at,
        )

    def task(self, name: str, **fields: Any) -> Task:
        common: dict[str, Any] = {"parent_id": self.id("root"), "path": f"root.{name}", "created_at": self.at}
        return Task(task_id=self.id(name), run_id=self.run_id, name=name, **{**common, **fields})

    def tasks(self) -> list[Task]:
        return [
            self.task("root", path="root", parent_id="", type=TaskType.ROOT, state=TaskState.RUNNING),
            self.task(
                "import",
                type=TaskType.IMPORTER,
                state=TaskState.COMPLETE,
                outputs=Values(artifacts={"artifact": [self.id("data")]}),
            ),
            self.task(
                "train",
                state=TaskState.COMPLETE,
                created_at=self.at + 10,
                started_at=self.at + 11,
                finished_at=self.at + 20,
                pod_name="train-pod",
                pod_uid="u1",
                fingerprint="abc",
                inputs=Values(parameters={"rate": 0.1, "layers": [1, 2]}, artifacts={"dataset": [self.id("data")]}),
                outputs=Values(parameters={"loss": 0.5}, artifacts={"model": [self.id("model")]}),
            ),
            self.task("use", created_at=self.at + 20, inputs=Values(artifacts={"weights": [self.id("model")]})),
        ]

    def artifact(self, name: str, task: str, **fields: Any) -> Artifact:
        return Artifact(
            artifact_id=self.id(name),
            namespace=self.namespace,
            run_id=self.run_id,
            task_id=self.id(task),
            name=name,
            uri=f"minio://mlpipeline/{self.run_id}/{name}",
            created_at=self.at + 1,
            **fields,
        )

    def artifacts(self) -> list[Artifact]:
        return [
            self.artifact("data", "import", type="system.Dataset"),
            self.artifact("model", "train", type="system.Model", metadata={"accuracy": 0.9, "labels": ["a"]}),
        ]

    async def save(self, database: Database) -> "History":
        await database.create(self.run())
        await database.save(self.run_id, tasks=self.tasks(), artifacts=self.artifacts())
        return self
