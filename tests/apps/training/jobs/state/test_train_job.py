"""State, replicas, names and times of a TrainJob, which has fewer conditions than others and pods of a JobSet."""

from datetime import UTC, datetime
from typing import Any

import pytest

from windlass.apps.training.jobs.state.job_state import (
    RelatedObjects,
    belongs,
    job_state,
    pod_names,
    replica_name,
    replicas,
    row,
)
from windlass.apps.training.jobs.state.progress import main_container
from windlass.apps.training.jobs.state.train_job import container_of, deleted_pods

NOW = datetime(2026, 1, 1, 12, 0, tzinfo=UTC)
WAITS, RUNS, DONE = {"active": 1, "ready": 0}, {"active": 1, "ready": 1}, {"active": 0, "ready": 0, "succeeded": 1}


def a_train_job(*conditions: str, **steps: dict[str, int]) -> dict[str, Any]:
    selector = [
        {
            "type": one.lstrip("-"),
            "status": "False" if one.startswith("-") else "True",
            "lastTransitionTime": "2026-01-01T11:30:00Z",
        }
        for one in conditions
    ]
    return {
        "kind": "TrainJob",
        "metadata": {"name": "demo", "namespace": "team-a", "creationTimestamp": "2026-01-01T11:00:00Z"},
        "spec": {"runtimeRef": {"name": "torch-distributed"}},
        "status": {"conditions": selector, "jobsStatus": [{"name": name, **counts} for name, counts in steps.items()]},
    }


def a_batch_job(of: str, pods: int, namespace: str = "team-a", **status: Any) -> dict[str, Any]:
    labels = {"jobset.sigs.k8s.io/jobset-name": of}
    metadata = {"name": f"{of}-node-0", "namespace": namespace, "labels": labels}
    return {"metadata": metadata, "spec": {"parallelism": pods}, "status": status}


def a_pod(step: str, index: str = "0", of: str = "demo") -> dict[str, Any]:
    labels = {
        "jobset.sigs.k8s.io/jobset-name": of,
        "jobset.sigs.k8s.io/replicatedjob-name": step,
        "batch.kubernetes.io/job-completion-index": index,
    }
    return {"metadata": {"name": f"{of}-{step}-0-{index}-abcde", "labels": labels}}


@pytest.mark.parametrize(
    ("job", "state"),
    [
        (a_train_job(), "Pending"),
        (a_train_job(node=WAITS), "Created"),
        (a_train_job(node=RUNS), "Running"),
        (a_train_job("-Suspended", node=RUNS), "Running"),
        (a_train_job("Suspended", node={"suspended": 1}), "Suspended"),
        (a_train_job("Complete", node=DONE), "Succeeded"),
        (a_train_job("-Suspended", "Failed"), "Failed"),
    ],
)
def test_it_runs_when_all_pods_of_a_step_do(job: dict[str, Any], state: str) -> None:
    assert job_state(job) == state


def test_its_replicas_are_the_pods_of_its_batch_jobs() -> None:
    batch = [a_batch_job("demo", 4, ready=3, active=4), a_batch_job("demo", 1, succeeded=1)]

    assert replicas(a_train_job(node=RUNS), batch) == (3, 5)
    assert replicas(a_train_job("Complete", node=DONE), [a_batch_job("demo", 4, succeeded=4)]) == (4, 4)


def test_without_its_batch_jobs_its_steps_are_counted() -> None:
    assert replicas(a_train_job(model=DONE, node=RUNS)) == (1, 2)


def test_a_row_tells_how_long_it_has_trained() -> None:
    batch = [
        a_batch_job("demo", 2, succeeded=2, startTime="2026-01-01T11:29:00Z"),
        a_batch_job("demo", 9, namespace="team-b"),
        a_batch_job("other", 9),
    ]
    group = {("team-a", "demo"): {"spec": {"minMember": 2}, "status": {"phase": "Completed"}}}

    found = row(a_train_job("Complete", node=DONE), RelatedObjects(groups=group, jobs=batch), NOW)

    assert (found.state, found.ready, found.total) == ("Succeeded", 2, 2)
    assert (found.gang, found.age, found.duration) == ("2 Completed", 3600, 60)


@pytest.mark.parametrize(
    ("pod", "name"),
    [
        (a_pod("node", "1"), "node-1"),
        (a_pod("launcher"), "launcher"),
        (a_pod("dataset-initializer"), "dataset-initializer"),
    ],
)
def test_a_pod_is_called_after_its_step(pod: dict[str, Any], name: str) -> None:
    assert replica_name(pod) == name


def test_its_pods_are_not_those_of_another_kind_of_job_of_its_name() -> None:
    mine, theirs = a_pod("node"), {"metadata": {"labels": {"training.kubeflow.org/job-name": "demo"}}}

    assert [belongs(pod, "TrainJob", "demo") for pod in (mine, theirs)] == [True, False]
    assert [belongs(pod, "PyTorchJob", "demo") for pod in (mine, theirs)] == [False, True]


def test_names_of_pods_that_are_gone_cannot_be_guessed() -> None:
    assert [*pod_names(a_train_job(node=DONE))] == []


def test_pods_that_are_gone_are_known_by_their_events() -> None:
    def event(name: str, time: str = "2026-01-01T11:01:00Z", kind: str = "Pod") -> dict[str, Any]:
        return {"lastTimestamp": time, "involvedObject": {"kind": kind, "name": name}}

    events = [
        event("demo-node-0-1-abcde"),
        event("demo-model-initializer-0-0-x1y2z"),
        event("demo-node-0-0-befor", "2026-01-01T10:59:59Z"),
        event("demo-2-node-0-0-other"),
        event("demo-node-0", kind="Job"),
    ]

    assert deleted_pods(a_train_job(**{"node": DONE, "model-initializer": DONE}), events) == {
        "demo-node-0-1-abcde": "node-1",
        "demo-model-initializer-0-0-x1y2z": "model-initializer",
    }


@pytest.mark.parametrize(
    ("replica", "container"),
    [("node-1", "node"), ("launcher", "node"), ("model-initializer", "model-initializer")],
)
def test_the_container_of_a_pod_that_is_gone_follows_from_its_step(replica: str, container: str) -> None:
    assert container_of(replica) == container


@pytest.mark.parametrize(
    ("containers", "main"),
    [(["sidecar", "node"], "node"), (["model-initializer"], "model-initializer")],
)
def test_the_log_is_that_of_the_container_that_trains(containers: list[str], main: str) -> None:
    assert main_container({"spec": {"containers": [{"name": name} for name in containers]}}, "TrainJob") == main
