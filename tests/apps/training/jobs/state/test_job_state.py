"""State, replicas, names and exit code of a job are read the same from every kind."""

from datetime import UTC, datetime
from typing import Any

import pytest

from tests.apps.training.jobs.builders import a_job, a_running_pod
from windlass.apps.training.jobs.state.job_state import (
    RelatedObjects,
    exit_code,
    gang,
    job_state,
    pod_names,
    replica_name,
    replicas,
    row,
    why,
)

NOW = datetime(2026, 1, 1, 12, 0, tzinfo=UTC)


@pytest.mark.parametrize(
    ("conditions", "state"),
    [
        ([], "Pending"),
        (["Created"], "Created"),
        (["Created", "Running"], "Running"),
        (["Created", "Restarting"], "Restarting"),
        (["Created", "-Running", "Suspended"], "Suspended"),
        (["Created", "-Suspended", "Running"], "Running"),
        (["Created", "-Running", "Succeeded"], "Succeeded"),
        (["Created", "-Running", "Failed"], "Failed"),
        (["Complete"], "Succeeded"),
    ],
)
def test_the_state_is_the_condition_that_holds(conditions: list[str], state: str) -> None:
    assert job_state(a_job(*conditions)) == state


def test_the_reason_for_a_state_is_its_conditions_message() -> None:
    assert why(a_job("Created", "Failed")) == "about Failed"


def test_replicas_count_who_runs_and_at_the_end_who_succeeded() -> None:
    counts = {"replicaStatuses": {"Master": {"active": 1}, "Worker": {"active": 1, "succeeded": 1}}}
    ended = {"replicaStatuses": {"Master": {"succeeded": 1}, "Worker": {"succeeded": 2}}}

    assert replicas(a_job("Running", status=counts)) == (2, 3)
    assert replicas(a_job("Succeeded", status=ended)) == (3, 3)


def test_an_mpi_job_that_says_no_number_of_workers_has_none() -> None:
    job = {"kind": "MPIJob", "metadata": {"name": "pi"}, "spec": {"mpiReplicaSpecs": {"Launcher": {}, "Worker": {}}}}

    assert replicas(job) == (0, 1)
    assert [*pod_names(job)] == ["pi-launcher"]


def test_a_chainer_job_has_a_master_and_sets_of_workers() -> None:
    job = {
        "kind": "ChainerJob",
        "metadata": {"name": "c"},
        "spec": {"master": {}, "workerSets": {"ws": {"replicas": 2}}},
    }

    assert replicas({**job, "status": {"active": 1}}) == (1, 3)
    assert job_state({**job, "status": {"active": 1}}) == "Running"
    assert [*pod_names(job)] == ["c-workerset-ws-0", "c-workerset-ws-1"]


def test_pods_that_are_gone_are_still_known_by_name() -> None:
    assert [*pod_names(a_job())] == ["demo-master-0", "demo-worker-0", "demo-worker-1"]


def a_pod(name: str, code: int | None, at: str = "", **labels: str) -> dict[str, Any]:
    ended = {} if code is None else {"state": {"terminated": {"exitCode": code, "finishedAt": at}}}
    return {
        "metadata": {"name": name, "labels": {f"training.kubeflow.org/{key}": value for key, value in labels.items()}},
        "status": {"containerStatuses": [{"name": "pytorch", **ended}]},
    }


def test_the_exit_code_is_that_of_who_failed_first() -> None:
    pods = [
        a_pod("a", 1, "2026-01-01T12:00:05Z"),
        a_pod("b", 3, "2026-01-01T12:00:01Z"),
        a_pod("c", 0),
        a_pod("d", None),
    ]

    assert exit_code(a_job("Failed"), pods) == 3
    assert exit_code(a_job("Failed"), []) == 1
    assert exit_code(a_job("Succeeded"), pods) == 0


def test_a_replica_is_called_by_its_role_and_number() -> None:
    worker = {"job_name": "demo", "replica_type": "worker", "replica_index": "1"}
    launcher = {"job_name": "pi", "job_role": "launcher"}

    assert replica_name(a_pod("demo-worker-1", None, **_dashed(worker))) == "worker-1"
    assert replica_name(a_pod("pi-launcher-x7f2p", None, **_dashed(launcher))) == "launcher"


def _dashed(labels: dict[str, str]) -> dict[str, str]:
    return {key.replace("_", "-"): value for key, value in labels.items()}


def test_a_row_has_the_gang_the_age_and_how_long_it_took() -> None:
    times = {"startTime": "2026-01-01T11:00:10Z", "completionTime": "2026-01-01T11:01:10Z"}
    group = {"spec": {"minMember": 3}, "status": {"phase": "Inqueue"}}

    found = row(a_job("Succeeded", status=times), RelatedObjects(groups={("team-a", "demo"): group}), NOW)

    assert (found.gang, found.age, found.duration) == ("3 Inqueue", 3600, 60)
    assert row(a_job("Created"), RelatedObjects(), NOW).duration is None
    assert row(a_job("Running", status={"startTime": times["startTime"]}), RelatedObjects(), NOW).duration == 3590
    assert gang(None) == "-"


def test_replicas_that_go_on_after_the_job_has_ended_are_not_counted_as_succeeded() -> None:
    counts = {"replicaStatuses": {"Master": {"succeeded": 1}, "Worker": {"succeeded": 2}}}
    pods = [a_running_pod("demo"), a_running_pod("demo"), a_running_pod("other"), a_running_pod("demo", "team-b")]
    pods.append(a_running_pod("demo", deletionTimestamp="2026-01-01T12:00:00Z"))

    ended = row(a_job("Succeeded", status=counts), RelatedObjects(running_pods=pods), NOW)

    assert (ended.ready, ended.total, ended.running) == (1, 3, 2)
    assert row(a_job("Succeeded", status=counts), RelatedObjects(), NOW).ready == 3
