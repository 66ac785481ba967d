"""Records for tests, with only what the test is about."""

from typing import Any

from windlass.apps.pipelines.model import Artifact, Experiment, Run, Task


def a_run(run_id: str = "r1", **fields: Any) -> Run:
    default = {"namespace": "team", "display_name": run_id, "resource_name": f"{run_id}-x", "created_at": 100.0}
    return Run(**{"run_id": run_id, **default, **fields})


def a_task(task_id: str, run_id: str = "r1", **fields: Any) -> Task:
    return Task(**{"task_id": task_id, "run_id": run_id, "path": f"root.{task_id}", "name": task_id, **fields})


def an_artifact(artifact_id: str, **fields: Any) -> Artifact:
    return Artifact(**{"artifact_id": artifact_id, "namespace": "team", "run_id": "r1", **fields})


def an_experiment(experiment_id: str = "e1", **fields: Any) -> Experiment:
    default = {"namespace": "team", "display_name": experiment_id, "created_at": 1.0}
    return Experiment(**{"experiment_id": experiment_id, **default, **fields})
