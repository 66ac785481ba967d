"""Each thing that happens to a job is told once, and the right container's log is read."""

from collections.abc import Iterable
from typing import Any

from windlass.apps.training.jobs.state.progress import (
    ProgressNote,
    ReportedProgress,
    ending,
    is_meant,
    is_over,
    main_container,
    stream_of,
)


def a_job(state: str, active: int = 0) -> dict[str, Any]:
    return {
        "kind": "TFJob",
        "spec": {"tfReplicaSpecs": {"Worker": {"replicas": 2}}},
        "status": {
            "conditions": [{"type": state, "status": "True", "message": "so it is"}],
            "replicaStatuses": {"Worker": {"active": active}},
        },
    }


def texts(changes: Iterable[ProgressNote]) -> list[str]:
    return [one.text for one in changes]


def test_states_are_told_once_and_ends_with_their_reason() -> None:
    reported = ReportedProgress()

    assert texts(reported.changes(a_job("Created"))) == []
    assert texts(reported.changes(a_job("Running", 1))) == ["running"]
    assert texts(reported.changes(a_job("Running", 2))) == ["all 2 replicas are running"]
    assert texts(reported.changes(a_job("Running", 2))) == []
    assert texts(reported.changes(a_job("Failed"))) == []
    assert ending(a_job("Failed")) == "failed: so it is"
    assert texts(reported.changes(None)) == []


def test_a_job_is_said_to_run_before_the_lines_of_its_first_replica() -> None:
    reported = ReportedProgress()

    assert texts(reported.changes(a_job("Created"), begun=True)) == ["running"]
    assert texts(reported.changes(a_job("Running", 1), begun=True)) == []
    assert texts(reported.changes(a_job("Restarting"), begun=True)) == ["restarting: so it is"]
    assert texts(ReportedProgress().changes(a_job("Succeeded"), begun=True)) == []


def test_only_the_news_that_a_job_runs_is_marked_so() -> None:
    states = ("Running", "Restarting", "Suspended")
    assert [next(ReportedProgress().changes(a_job(state))).runs for state in states] == [True, False, False]
    reported = ReportedProgress(state="Running")
    assert [one.runs for one in reported.changes(a_job("Running", 2))] == [True]


def an_event(uid: str, reason: str, kind: str = "Warning") -> dict[str, Any]:
    return {"type": kind, "reason": reason, "message": "why", "involvedObject": {"uid": uid}}


def test_warnings_about_its_own_pods_and_what_they_pull_are_told_once() -> None:
    reported, known = ReportedProgress(), {"p": "worker-0", "j": ""}
    events = [
        an_event("p", "FailedScheduling"),
        an_event("p", "Pulling", "Normal"),
        an_event("p", "Started", "Normal"),
        an_event("other", "FailedScheduling"),
        an_event("j", "FailedCreatePod"),
    ]

    assert list(reported.new_events([*events, *events], known)) == [
        "worker-0: FailedScheduling: why",
        "worker-0: Pulling: why",
        "FailedCreatePod: why",
    ]


def a_pod(*containers: str, state: str = "running", **annotations: str) -> dict[str, Any]:
    return {
        "metadata": {"uid": "u", "annotations": annotations},
        "spec": {"containers": [{"name": name} for name in containers]},
        "status": {
            "containerStatuses": [{"name": name, "restartCount": 2, "state": {state: {"a": 1}}} for name in containers]
        },
    }


def test_the_log_is_that_of_the_container_that_trains() -> None:
    assert main_container(a_pod("sidecar", "tensorflow"), "TFJob") == "tensorflow"
    assert main_container(a_pod("a", "b"), "MPIJob") == "a"
    named = a_pod("tensorflow", "mine", **{"training.windlass.dev/main-container": "mine"})
    assert main_container(named, "TFJob") == "mine"


def test_there_is_a_log_once_the_container_has_started_and_another_after_each_restart() -> None:
    assert stream_of(a_pod("tensorflow", state="waiting"), "TFJob") is None
    assert stream_of(a_pod("tensorflow"), "TFJob") == ("u", 2)


def test_a_container_that_waits_to_be_restarted_has_the_log_of_its_last_run() -> None:
    pod = a_pod("tensorflow", state="waiting")
    pod["status"]["containerStatuses"][0]["lastState"] = {"terminated": {"exitCode": 1}}

    assert stream_of(pod, "TFJob") == ("u", 2)


def test_a_replica_is_meant_by_its_role_its_number_or_its_pod() -> None:
    assert is_meant(None, "worker-1", "demo-worker-1")
    assert is_meant("worker", "worker-1", "demo-worker-1")
    assert is_meant("worker-1", "worker-1", "demo-worker-1")
    assert is_meant("demo-worker-1", "worker-1", "demo-worker-1")
    assert not is_meant("worker-2", "worker-1", "demo-worker-1")


def test_a_pod_that_ended_or_is_being_deleted_writes_no_more() -> None:
    assert is_over({"status": {"phase": "Succeeded"}})
    assert is_over({"metadata": {"deletionTimestamp": "now"}, "status": {"phase": "Running"}})
    assert not is_over({"metadata": {}, "status": {"phase": "Pending"}})
