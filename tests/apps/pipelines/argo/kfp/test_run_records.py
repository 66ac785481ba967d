"""What Kubeflow sees of a Workflow, and the keys of its v1 cache."""

from datetime import timedelta

import pytest
from msgspec.structs import replace

from tests.apps.pipelines.argo.simulation import End, Simulation, by_task
from tests.apps.pipelines.workflows import a_container, a_dag, a_task, a_workflow
from windlass.apps.pipelines.argo.kfp import run_records
from windlass.apps.pipelines.argo.kfp.cache_key import cache_key, is_cacheable, max_staleness
from windlass.apps.pipelines.model import Run, RunState, TaskState, TaskType
from windlass.kube.json import Object


def finished(exit_code: int = 0) -> Object:
    outputs = {
        "parameters": [{"name": "p", "valueFrom": {"path": "/p"}}],
        "artifacts": [{"name": "model", "path": "/model"}],
    }
    dag = a_dag("main", a_task("a", "make"), a_task("b", "c", dependencies=["a"]))
    workflow = a_workflow(dag, a_container("make", "run", outputs=outputs), a_container("c"))
    workflow["metadata"]["labels"] = {"pipeline/runid": "run-1"}
    ends = by_task(a=End(parameters={"p": "v"}, artifacts=("model",)), b=End(exit_code=exit_code))
    return Simulation(workflow, ends).run().workflow


def test_a_run_has_the_state_of_its_workflow() -> None:
    assert run_records.run_state(finished()) is RunState.SUCCEEDED
    assert run_records.run_state(finished(1)) is RunState.FAILED
    assert run_records.run_state(a_workflow()) is RunState.PENDING
    error = run_records.run_error(finished(1))
    assert error is not None
    assert "b: Error (exit code 1)" in error.message


def test_a_run_that_was_ended_is_cancelling_until_it_is_over() -> None:
    workflow = {**a_workflow(shutdown="Terminate"), "status": {"phase": "Running"}}

    assert run_records.run_state(workflow) is RunState.CANCELING


def test_the_end_of_a_workflow_that_is_retried_is_not_that_of_the_run() -> None:
    workflow = finished(1)
    workflow["metadata"]["annotations"] = {"pipelines.windlass.dev/retries": "1"}

    assert run_records.run_state(workflow) is RunState.PENDING


def test_a_workflow_stands_for_the_run_that_created_it_only() -> None:
    run = Run(run_id="run-1", namespace="default", display_name="r", resource_name="w", is_argo=True)

    assert run_records.stands_for(finished(), run)
    assert not run_records.stands_for(finished(), replace(run, namespace="theirs"))
    assert not run_records.stands_for(finished(), replace(run, is_argo=False))


def test_every_node_is_a_task() -> None:
    tasks = {task.path: task for task in run_records.tasks(finished(1))}

    assert set(tasks) == {"root", "root.a", "root.b"}
    assert tasks["root"].type is TaskType.ROOT
    assert tasks["root.a"].parent_id == tasks["root"].task_id
    assert tasks["root.a"].outputs.parameters == {"p": "v"}
    assert (tasks["root.a"].state, tasks["root.b"].state) == (TaskState.COMPLETE, TaskState.FAILED)
    assert tasks["root.a"].pod_name.startswith("w-make-")
    assert tasks["root.b"].error is not None


def test_artifacts_have_a_uri_in_the_store_of_the_namespace() -> None:
    workflow = finished()
    (artifact,) = run_records.artifacts(workflow)

    assert artifact.uri.startswith("minio://mlpipeline/artifacts/w/2026/01/02/w-make-")
    assert {task.path: task for task in run_records.tasks(workflow)}["root.a"].outputs.artifacts == {
        "model": [artifact.artifact_id]
    }


def test_the_key_of_the_cache_depends_on_what_runs_and_on_nothing_else() -> None:
    template = a_container("c", "run", inputs={"parameters": [{"name": "x", "value": "1"}]})
    same = {**template, "name": "other", "metadata": {"labels": {"a": "b"}}, "retryStrategy": {"limit": 3}}
    reordered = {name: same[name] for name in reversed(list(same))}
    other = {**template, "inputs": {"parameters": [{"name": "x", "value": "2"}]}}

    assert cache_key(template) == cache_key(same) == cache_key(reordered) != cache_key(other)


@pytest.mark.parametrize(
    ("labels", "expected"),
    [
        ({}, False),
        ({"pipelines.kubeflow.org/cache_enabled": "true"}, True),
        ({"pipelines.kubeflow.org/enable_caching": "true"}, True),
        (
            {"pipelines.kubeflow.org/cache_enabled": "true", "pipelines.kubeflow.org/enable_caching": "false"},
            False,
        ),
    ],
)
def test_labels_decide_about_the_cache(labels: dict[str, str], expected: bool) -> None:
    assert is_cacheable(a_container("c", metadata={"labels": labels})) is expected


def test_actions_on_objects_are_never_cached() -> None:
    labels = {"pipelines.kubeflow.org/cache_enabled": "true"}

    assert not is_cacheable({"name": "r", "resource": {"action": "create"}, "metadata": {"labels": labels}})


@pytest.mark.parametrize(
    ("own", "default", "maximum", "expected"),
    [
        ("", "", "", None),
        ("P0D", "", "", timedelta()),
        ("P7D", "", "", timedelta(days=7)),
        ("PT1H30M", "P1D", "", timedelta(minutes=90)),
        ("", "P1D", "", timedelta(days=1)),
        ("P30D", "", "P7D", timedelta(days=7)),
        ("", "", "P7D", timedelta(days=7)),
        ("nonsense", "", "", None),
    ],
)
def test_the_age_of_what_is_reused_is_limited(own: str, default: str, maximum: str, expected: object) -> None:
    annotations = {"pipelines.kubeflow.org/max_cache_staleness": own} if own else {}

    assert max_staleness(a_container("c", metadata={"annotations": annotations}), default, maximum) == expected
