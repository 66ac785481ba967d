"""The Workflow that stands for a run."""

import pytest

from windlass.apps.pipelines.model import Error, Run, RunState, StateChange
from windlass.apps.pipelines.runs.workflow_objects import (
    completion_labels,
    deadline_of,
    expiry_of,
    is_completed,
    is_ir,
    is_shut_down,
    owner_reference,
    run_id_of,
    status_of,
    workflow_of,
)
from windlass.kube.json import Object

FINISHED = 1_767_225_600.0  # 2026-01-01T00:00:00Z


def a_run(**more: object) -> Run:
    given = {"run_id": "r1", "namespace": "ml", "display_name": "My run", "resource_name": "greet-abcde"}
    return Run(**{"service_account": "default-editor", **given, **more})  # pyright: ignore[reportArgumentType]


def test_the_workflow_of_a_run_in_ir_names_the_run_and_has_no_templates() -> None:
    workflow = workflow_of(a_run(is_fail_fast=False), {"team": "blue"})

    assert (is_ir(workflow), run_id_of(workflow)) == (True, "r1")
    assert workflow["metadata"]["labels"]["team"] == "blue"
    assert workflow["metadata"]["annotations"] == {
        "pipelines.kubeflow.org/run_name": "My run",
        "windlass.dev/fail-fast": "false",
    }
    assert workflow["spec"] == {"serviceAccountName": "default-editor", "entrypoint": "root"}


def test_the_platform_document_sets_deadline_and_times_to_live() -> None:
    config = {"resourceTtlOnCompletion": 60, "resourceTtlOnFailure": 5.0, "activeDeadlineSeconds": 30}
    run = a_run(created_at=100.0, platform_spec={"platforms": {"kubernetes": {"pipelineConfig": config}}})

    workflow = workflow_of(run)

    assert workflow["spec"]["ttlStrategy"] == {"secondsAfterCompletion": 60, "secondsAfterFailure": 5}
    assert deadline_of(workflow, run) == 130.0


def test_a_retry_has_as_much_time_as_the_first_attempt() -> None:
    times = {100.0: RunState.RUNNING, 130.0: RunState.FAILED, 500.0: RunState.RUNNING, 510.0: RunState.CANCELING}
    history = [StateChange(update_time=at, state=state) for at, state in times.items()]
    run = a_run(created_at=100.0, state_history=history)

    assert deadline_of({"spec": {"activeDeadlineSeconds": 30}}, run) == 530.0


def test_a_v1_run_is_its_own_workflow_under_the_name_of_the_run() -> None:
    spec: Object = {
        "apiVersion": "argoproj.io/v1alpha1",
        "kind": "Workflow",
        "metadata": {"generateName": "x-", "labels": {"a": "b"}, "annotations": {"c": "d"}},
        "spec": {"entrypoint": "main", "templates": [{"name": "main"}]},
    }

    workflow = workflow_of(a_run(is_argo=True, spec=spec))

    assert workflow["metadata"]["name"] == "greet-abcde"
    assert workflow["metadata"]["labels"] == {"a": "b", "pipeline/runid": "r1"}
    assert workflow["metadata"]["annotations"]["c"] == "d"
    assert [template["name"] for template in workflow["spec"]["templates"]] == ["main"]
    assert not is_ir(workflow)


def test_artifacts_for_the_dashboard_may_be_missing_in_v1_runs() -> None:
    artifacts = [{"name": "mlpipeline-metrics", "path": "/m"}, {"name": "model", "path": "/p"}]
    template = {"name": "main", "container": {}, "outputs": {"parameters": [{"name": "p"}], "artifacts": artifacts}}
    run = a_run(is_argo=True, spec={"spec": {"entrypoint": "main", "templates": [template, {"name": "other"}]}})

    outputs = [template.get("outputs") for template in workflow_of(run)["spec"]["templates"]]

    assert outputs == [
        {"parameters": [{"name": "p"}], "artifacts": [{**artifacts[0], "optional": True}, artifacts[1]]},
        None,
    ]


@pytest.mark.parametrize(
    ("spec", "expected"),
    [
        ({}, False),
        ({"shutdown": "Terminate"}, True),
        ({"shutdown": "Stop"}, True),
        ({"activeDeadlineSeconds": 0}, True),
        ({"activeDeadlineSeconds": 10}, False),
    ],
)
def test_a_user_ends_a_run_by_shutdown_or_by_a_deadline_of_zero(spec: Object, expected: bool) -> None:
    assert is_shut_down({"spec": spec}) is expected


@pytest.mark.parametrize(
    ("phase", "strategy", "expected"),
    [
        ("Succeeded", {}, 1000),
        ("Succeeded", {"secondsAfterCompletion": 5}, 5),
        ("Succeeded", {"secondsAfterCompletion": 5, "secondsAfterSuccess": 7}, 7),
        ("Failed", {"secondsAfterCompletion": 5, "secondsAfterSuccess": 7}, 5),
        ("Failed", {"secondsAfterFailure": 0}, 0),
    ],
)
def test_a_finished_workflow_is_kept_as_its_strategy_says(phase: str, strategy: Object, expected: int) -> None:
    workflow: Object = {
        "spec": {"ttlStrategy": strategy},
        "status": {"phase": phase, "finishedAt": "2026-01-01T00:00:00Z"},
    }

    assert expiry_of(workflow, 1000) == FINISHED + expected


def test_the_status_shows_phase_progress_and_error() -> None:
    run = a_run(state=RunState.FAILED, created_at=FINISHED, finished_at=FINISHED + 5, error=Error(message="no luck"))

    assert status_of(run, 3, 4) == {
        "phase": "Failed",
        "startedAt": "2026-01-01T00:00:00Z",
        "finishedAt": "2026-01-01T00:00:05Z",
        "progress": "3/4",
        "message": "no luck",
    }
    labels = completion_labels(run)
    assert is_completed({"metadata": {"labels": labels}})
    assert not is_completed({"metadata": {"labels": completion_labels(a_run(state=RunState.RUNNING))}})


def test_pods_are_controlled_by_the_workflow() -> None:
    owner = owner_reference({"metadata": {"name": "greet-abcde", "uid": "u1"}})

    assert (owner["kind"], owner["uid"], owner["controller"]) == ("Workflow", "u1", True)


def test_the_status_of_a_run_that_waits_says_why() -> None:
    waiting = "train: Unschedulable: no node"

    assert status_of(a_run(), 0, 1, waiting=waiting)["message"] == waiting
    assert status_of(a_run(error=Error(code=13, message="bad")), 0, 1, waiting=waiting)["message"] == "bad"
