"""A TrainJob, from its first look to its end."""

from datetime import timedelta
from typing import Any

import msgspec
import pytest
import yaml

from tests.apps.trainer.controllers.builders import NOW, a_job, a_replicated_job, a_runtime, owned_by
from windlass.apis.core_v1 import ConfigMap, Pod, Secret
from windlass.apis.scheduling_volcano_v1beta1 import GROUP_VERSION
from windlass.apps.jobset.kinds import JobSet
from windlass.apps.trainer.controllers import waiting_pods
from windlass.apps.trainer.controllers.reconcile import event_for, reconcile
from windlass.apps.trainer.controllers.runtimes import SNAPSHOTS
from windlass.apps.trainer.kinds import TrainJob, TrainJobStatus
from windlass.kube.cache import Store
from windlass.kube.controller import Observed
from windlass.kube.errors import Forbidden
from windlass.kube.json import Object
from windlass.kube.objects import wire
from windlass.kube.plan import Outcome, Plan
from windlass.kube.testing import applied, deleted


def look(job: TrainJob, *there: Any, snapshot: ConfigMap | None = None) -> Plan:
    """One look, with these in the caches."""
    observed = Observed.just(*there, of=job, now=NOW)
    if snapshot is None:
        return reconcile(job, observed)
    kept: Store[Any] = Store()
    kept.put(snapshot)
    usual = observed._stores  # pyright: ignore[reportPrivateUsage] - a view that only labels narrow
    return reconcile(job, Observed(lambda form: kept if form == SNAPSHOTS else usual(form), job, NOW))


def applied_by_kind(plan: Plan) -> dict[str, Object]:
    return {wire(one)["kind"]: wire(one) for one in applied(plan)}


def made(job: TrainJob, obj: Object, into: type[Any] = JobSet, **more: Any) -> Any:
    return msgspec.convert({**owned_by(job, obj), **more}, into)


def a_job_set(job: TrainJob, *conditions: Object, suspend: bool = False, **status: Any) -> JobSet:
    whole = {"metadata": {"name": job.metadata.name}, "spec": {"suspend": suspend}}
    return made(job, whole, status={"conditions": list(conditions), **status})


def a_group(job: TrainJob, **status: Any) -> Object:
    """The job's PodGroup, as JSON."""
    group = {"apiVersion": GROUP_VERSION, "kind": "PodGroup", "metadata": {"name": job.metadata.name}}
    return {**owned_by(job, group), "spec": {"minMember": 1}, "status": status}


def condition(type: str, status: str = "True", reason: str = "Because", **more: str) -> Object:
    moment = {"lastTransitionTime": "2026-01-01T11:59:30Z"}
    return {"type": type, "status": status, "reason": reason, "message": "so it is", **moment, **more}


def a_pod(name: str, job: str, phase: str, **waiting: str) -> Pod:
    labels = {"jobset.sigs.k8s.io/jobset-name": job}
    containers = [{"name": "node", "image": "trainer:1", "state": {"waiting": waiting} if waiting else {}}]
    status = {"phase": phase, "containerStatuses": containers}
    return msgspec.convert({"metadata": {"name": name, "namespace": "team", "labels": labels}, "status": status}, Pod)


def the_status(plan: Plan) -> TrainJobStatus:
    assert isinstance(plan.status, TrainJobStatus)
    return plan.status


def told(plan: Plan) -> list[tuple[str, str, str]]:
    return [(one.type, one.status, one.reason) for one in the_status(plan).conditions]


# --- what is made


def test_a_new_job_becomes_a_job_set_and_its_runtime_is_kept() -> None:
    plan = look(a_job(), a_runtime())
    made_of = applied_by_kind(plan)
    kept = yaml.safe_load(made_of["ConfigMap"]["data"]["runtime"])

    assert list(made_of) == ["ConfigMap", "JobSet"]
    assert made_of["ConfigMap"]["metadata"]["name"] == "mnist-runtime-snapshot"
    assert (kept["kind"], kept["metadata"], kept["spec"]) == (
        "ClusterTrainingRuntime",
        {"name": "torch-distributed"},
        a_runtime()["spec"],
    )
    assert made_of["JobSet"]["spec"]["suspend"] is False
    assert the_status(plan).conditions == []


def test_a_runtime_that_was_changed_later_does_not_touch_the_job() -> None:
    job = a_job()
    kept = msgspec.convert(applied_by_kind(look(job, a_runtime()))["ConfigMap"], ConfigMap)
    snapshot = msgspec.structs.replace(kept, metadata=msgspec.structs.replace(kept.metadata, namespace="team"))
    changed = a_runtime("torch-distributed", a_replicated_job(pod={"nodeSelector": {"new": "1"}}))

    made_of = applied_by_kind(look(job, changed, snapshot=snapshot))

    assert list(made_of) == ["JobSet"]
    assert "nodeSelector" not in str(made_of)


def test_a_running_job_set_is_left_alone() -> None:
    job = a_job()

    assert applied(look(job, a_runtime(), a_job_set(job))) == []


@pytest.mark.parametrize(("job_suspended", "set_suspended"), [(True, False), (True, True), (False, True)])
def test_a_job_that_is_or_was_suspended_is_built_anew(job_suspended: bool, set_suspended: bool) -> None:
    job = a_job(suspend=job_suspended)

    made_of = applied_by_kind(look(job, a_runtime(), a_job_set(job, suspend=set_suspended)))

    assert made_of["JobSet"]["spec"]["suspend"] is job_suspended


def test_a_gang_is_asked_for_before_its_pods() -> None:
    runtime = a_runtime(podGroupPolicy={"volcano": {}})

    assert list(applied_by_kind(look(a_job(), runtime))) == ["ConfigMap", "PodGroup", "JobSet"]


def test_a_gang_that_is_there_is_changed_only_while_the_job_is_suspended() -> None:
    runtime = a_runtime(podGroupPolicy={"volcano": {}})
    job, held = a_job(), a_job(suspend=True)

    assert "PodGroup" not in applied_by_kind(look(job, runtime, a_group(job)))
    assert "PodGroup" in applied_by_kind(look(held, runtime, a_group(held)))


def test_mpi_waits_for_its_keys() -> None:
    runtime = a_runtime("torch-distributed", a_replicated_job("launcher"), mlPolicy={"mpi": {}})
    job = a_job()
    keys = made(job, {"metadata": {"name": "mnist-mpi-ssh-auth"}}, Secret)

    assert list(applied_by_kind(look(job, runtime))) == ["ConfigMap"]
    assert {"JobSet", "ConfigMap"} <= applied_by_kind(look(job, runtime, keys)).keys()


# --- what cannot be made


def test_a_runtime_that_is_missing_is_told_of() -> None:
    [note] = look(a_job()).events

    assert note.reason == "TrainJobResourcesCreationFailed"
    assert 'ClusterTrainingRuntime "torch-distributed" not found' in note.message


@pytest.mark.parametrize("text", ["", "{", "kind: Other", "kind: ClusterTrainingRuntime\nmetadata: {name: other}"])
def test_a_snapshot_that_makes_no_sense_is_told_of(text: str) -> None:
    job = a_job()
    snapshot = made(job, {"metadata": {"name": "mnist-runtime-snapshot"}, "data": {"runtime": text}}, ConfigMap)
    plan = look(job, a_runtime(), snapshot=snapshot)

    assert "invalid runtime snapshot" in plan.events[0].message
    assert applied(plan) == []


def test_what_could_not_be_made_is_a_condition_until_it_can() -> None:
    plan = look(a_job())
    assert told(plan) == [("Created", "False", "TrainJobResourcesCreationFailed")]
    assert the_status(plan).conditions[0].message == plan.events[0].message

    plan = look(a_job(), a_runtime())
    assert plan.status_if_refused is not None
    refused: Any = plan.status_if_refused([Outcome("apply", {}, Forbidden("JobSet name is too long"))])
    [condition] = refused.conditions
    assert (condition.type, condition.status, condition.reason, condition.message) == (
        "Created",
        "False",
        "TrainJobResourcesCreationFailed",
        "TrainJob resources reconciliation failed: JobSet name is too long",
    )
    assert told(look(a_job(status=msgspec.to_builtins(refused)), a_runtime())) == []


def test_why_the_gang_waits_is_a_condition_until_it_starts() -> None:
    def observed(message: str, **status: Any) -> Plan:
        job = a_job(status=status)
        why = condition("Unschedulable", reason="NotEnqueueable", message=message)
        return look(job, a_runtime(), a_job_set(job), a_group(job, phase="Pending", conditions=[why]))

    plan = observed("overused cpu (3 requested, 1 free)")
    [note] = plan.events
    assert told(plan) == [("Scheduled", "False", "NotEnqueueable")]
    assert the_status(plan).conditions[0].message == "overused cpu (3 requested, 1 free)"
    assert (note.reason, note.warning) == ("PodGroupPending", True)
    assert note.message == "PodGroup mnist waits: NotEnqueueable: overused cpu (3 requested, 1 free)"

    waiting = msgspec.to_builtins(the_status(plan))
    again = observed("overused cpu (3 requested, 2 free)", **waiting)
    assert (again.status, again.events) == (plan.status, [])
    job = a_job(status=waiting)
    assert told(look(job, a_runtime(), a_job_set(job), a_group(job, phase="Running"))) == []


def test_the_gang_of_another_job_is_not_looked_at() -> None:
    why = condition("Unschedulable", reason="NotEnqueueable")
    other = {**a_group(a_job("other"), conditions=[why])}
    other["metadata"]["name"] = "mnist"

    assert told(look(a_job(), a_runtime(), other)) == []


def test_a_child_that_is_refused_is_told_of_briefly() -> None:
    note = event_for(a_job(), Outcome("apply", {}, Forbidden("x" * 2000)))

    assert note is not None
    assert len(note.message) < 1024
    assert note.message.endswith("x ...")


def test_a_runtime_of_another_kind_fails_the_job() -> None:
    plan = look(a_job(runtimeRef={"name": "a", "kind": "Other", "apiGroup": "example.com"}))

    assert told(plan) == [("Failed", "True", "TrainingRuntimeNotSupported")]
    assert the_status(plan).conditions[0].message == "unsupported runtime: Other.example.com"


@pytest.mark.parametrize(
    "job",
    [
        a_job(managedBy="kueue.x-k8s.io/multikueue"),
        a_job(metadata={"deletionTimestamp": "2026-01-01T12:00:00Z"}),
    ],
    ids=["another's", "being deleted"],
)
def test_what_is_not_ours_is_left_alone(job: TrainJob) -> None:
    assert look(job, a_runtime()) == Plan()


# --- its status


@pytest.mark.parametrize(("theirs", "ours"), [("Completed", "Complete"), ("Failed", "Failed")])
def test_it_ends_as_its_job_set_does(theirs: str, ours: str) -> None:
    job = a_job()
    plan = look(job, a_runtime(), a_job_set(job, condition(theirs, reason="AllJobsCompleted")))
    [ended] = the_status(plan).conditions

    assert told(plan) == [(ours, "True", "AllJobsCompleted")]
    assert (ended.message, ended.last_transition_time) == ("so it is", "2026-01-01T11:59:30Z")


def test_conditions_that_do_not_hold_and_others_of_the_job_set_are_not_copied() -> None:
    job = a_job()
    theirs = a_job_set(
        job, condition("Completed", "False"), condition("Suspended"), condition("StartupPolicyCompleted")
    )

    assert told(look(job, a_runtime(), theirs)) == []


def test_every_number_of_its_jobs_is_there() -> None:
    job = a_job()
    counts = {"name": "node", "ready": 1, "succeeded": 0, "failed": 0, "active": 1, "suspended": 0}
    plan = look(job, a_runtime(), a_job_set(job, replicatedJobsStatus=[counts]))

    assert msgspec.to_builtins(the_status(plan).jobs_status) == [counts]


def test_suspending_and_resuming_is_told() -> None:
    suspended = look(a_job(suspend=True), a_runtime())
    then: Object = msgspec.to_builtins(the_status(suspended))
    resumed = look(a_job(status=then), a_runtime())

    assert told(suspended) == [("Suspended", "True", "Suspended")]
    assert told(resumed) == [("Suspended", "False", "Resumed")]


def test_how_far_the_training_says_it_is_is_kept() -> None:
    progress = {"progressPercentage": 40, "lastUpdatedTime": "2026-01-01T11:59:59Z"}
    job = a_job(status={"trainerStatus": progress})

    assert msgspec.to_builtins(the_status(look(job, a_runtime(), a_job_set(job))).trainer_status) == progress


def test_a_job_that_has_ended_is_not_built_again() -> None:
    job = a_job(status={"conditions": [condition("Complete")]})
    plan = look(job, a_runtime())

    assert applied(plan) == []
    assert told(plan) == [("Complete", "True", "Because")]


# --- its deadline


def test_a_job_past_its_deadline_fails_and_its_job_set_goes() -> None:
    job = a_job(activeDeadlineSeconds=60)
    plan = look(job, a_runtime(), a_job_set(job))

    assert told(plan) == [("Failed", "True", "DeadlineExceeded")]
    assert the_status(plan).conditions[0].message == "TrainJob exceeded its active deadline"
    assert [wire(one)["metadata"]["name"] for one in deleted(plan)] == ["mnist"]


def test_a_job_is_looked_at_again_at_its_deadline() -> None:
    assert look(a_job(activeDeadlineSeconds=90), a_runtime()).again_in == timedelta(seconds=30)


def test_a_resumed_job_has_all_its_time() -> None:
    resumed = condition("Suspended", "False", "Resumed", lastTransitionTime="2026-01-01T11:59:50Z")
    job = a_job(activeDeadlineSeconds=60, status={"conditions": [resumed]})

    assert look(job, a_runtime()).again_in == timedelta(seconds=50)


@pytest.mark.parametrize("seconds", [1, 90])
def test_a_suspended_job_has_no_deadline(seconds: int) -> None:
    plan = look(a_job(activeDeadlineSeconds=seconds, suspend=True), a_runtime())

    assert plan.again_in is None
    assert told(plan) == [("Suspended", "True", "Suspended")]


def test_a_deadline_stays_the_reason_though_the_job_set_is_gone() -> None:
    job = a_job(activeDeadlineSeconds=60, status={"conditions": [condition("Failed", reason="DeadlineExceeded")]})

    assert told(look(job, a_runtime())) == [("Failed", "True", "DeadlineExceeded")]


def test_jobs_that_went_with_their_job_set_are_active_no_more() -> None:
    counts = {"name": "node", "ready": 1, "succeeded": 2, "failed": 3, "active": 1, "suspended": 0}
    conditions = [condition("Failed", reason="DeadlineExceeded")]
    [left] = the_status(look(a_job(status={"conditions": conditions, "jobsStatus": [counts]}), a_runtime())).jobs_status

    assert msgspec.to_builtins(left) == {**counts, "ready": 0, "active": 0}


# --- pods that cannot start


def test_a_pod_that_cannot_start_is_told_once_and_until_it_has_started() -> None:
    job = a_job()
    stuck = a_pod("mnist-node-0-0-x", "mnist", "Pending", reason="CreateContainerError", message="give it a command")
    other = a_pod("other-node-0-0-x", "other", "Pending", reason="ErrImagePull")
    first = look(job, a_job_set(job), stuck, other)

    said = "Pod mnist-node-0-0-x waits: CreateContainerError: container node: give it a command"
    assert told(first) == [("PodsStarted", "False", "CreateContainerError")]
    assert [(note.reason, note.message, note.warning) for note in first.events] == [
        ("CreateContainerError", said, True)
    ]
    job = msgspec.structs.replace(job, status=the_status(first))
    assert look(job, a_job_set(job), stuck).events == []
    runs = a_pod("mnist-node-0-0-x", "mnist", "Running")
    assert told(look(job, a_job_set(job), runs)) == []


def test_a_job_that_has_ended_says_no_more_of_its_pods() -> None:
    job = a_job(status={"conditions": [condition("Failed"), condition("PodsStarted", "False")]})

    assert told(look(job, a_job_set(job))) == [("Failed", "True", "Because")]


@pytest.mark.parametrize(
    ("labels", "key"), [({"jobset.sigs.k8s.io/jobset-name": "mnist"}, ("team", "mnist")), ({}, None)]
)
def test_a_pod_brings_its_job_back(labels: dict[str, str], key: tuple[str, str] | None) -> None:
    pod = msgspec.convert({"metadata": {"name": "x", "namespace": "team", "labels": labels}}, Pod)
    found = waiting_pods.job_of(pod)

    assert (found and (found.namespace, found.name)) == key
