"""The status of a v1 job as old versions tell it."""

from typing import Any

import pytest

from tests.apps.training.conversion.legacy_jobs import a_job
from windlass.apps.training.conversion import convert

COUNTS = {"Master": {"succeeded": 1}, "Worker": {"active": 2, "failed": 1}, "PS": {}}


def with_status(*true: str, counts: Any = None) -> Any:
    conditions = [{"type": name, "status": "True", "message": f"it is {name}"} for name in true]
    status = {"conditions": conditions, "replicaStatuses": counts or {}, "startTime": "2026-01-01T00:00:00Z"}
    return {**a_job("v1", tfReplicaSpecs={}), "status": status}


@pytest.mark.parametrize(
    ("conditions", "phase", "state"),
    [
        ((), "", "Unknown"),
        (("Created",), "Creating", "Running"),
        (("Created", "Running"), "Running", "Running"),
        (("Created", "Restarting"), "Running", "Running"),
        (("Created", "Succeeded"), "Done", "Succeeded"),
        (("Created", "Failed"), "Done", "Failed"),
        (("Created", "Suspended"), "Creating", "Running"),
    ],
)
def test_the_first_version_tells_a_phase_and_a_state(conditions: tuple[str, ...], phase: str, state: str) -> None:
    job = with_status(*conditions)
    shown = convert(job, "kubeflow.org/v1alpha1")
    assert (shown["status"]["phase"], shown["status"]["state"]) == (phase, state)
    assert convert(shown, "kubeflow.org/v1")["status"] == job["status"]


def test_a_condition_that_is_no_longer_true_does_not_count() -> None:
    job = with_status("Created", "Succeeded")
    job["status"]["conditions"].insert(1, {"type": "Running", "status": "False"})
    assert convert(job, "kubeflow.org/v1alpha1")["status"]["phase"] == "Done"


def test_the_reason_of_a_failure_is_told() -> None:
    assert convert(with_status("Failed"), "kubeflow.org/v1alpha1")["status"]["reason"] == "it is Failed"


def test_the_first_version_tells_how_many_pods_are_in_which_state() -> None:
    assert convert(with_status(counts=COUNTS), "kubeflow.org/v1alpha1")["status"]["replicaStatuses"] == [
        {"tf_replica_type": "MASTER", "state": "Succeeded", "ReplicasStates": {"Succeeded": 1}},
        {"tf_replica_type": "WORKER", "state": "Failed", "ReplicasStates": {"Running": 2, "Failed": 1}},
        {"tf_replica_type": "PS", "state": "Unknown", "ReplicasStates": {}},
    ]


def test_the_second_version_calls_the_map_of_replicas_by_another_name() -> None:
    job = with_status("Created", counts=COUNTS)
    shown = convert(job, "kubeflow.org/v1alpha2")
    assert shown["status"]["tfReplicaStatuses"] == COUNTS
    assert "replicaStatuses" not in shown["status"]
    assert convert(shown, "kubeflow.org/v1") == job


@pytest.mark.parametrize("version", ["v1beta1", "v1beta2"])
def test_later_versions_have_the_status_of_v1(version: str) -> None:
    job = with_status("Created", counts=COUNTS)
    assert convert(job, f"kubeflow.org/{version}")["status"] == job["status"]
