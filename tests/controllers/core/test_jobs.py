"""Jobs in a world of their own: what becomes of pods and status, and that no end of a pod is lost or counted twice."""

import re
from datetime import timedelta
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.controllers.core.job_world import TEMPLATE, World, a_job, held
from windlass.apis.core_v1 import ContainerStatus, Pod
from windlass.controllers.core.job_cleanup import expire
from windlass.controllers.core.job_crew import TRACKING
from windlass.controllers.core.jobs import reconcile
from windlass.kube.controller import Observed
from windlass.kube.meta import ObjectMeta
from windlass.kube.testing import created, deleted, patched

DONE = [("SuccessCriteriaMet", "True", "CompletionsReached"), ("Complete", "True", "CompletionsReached")]
INDEX = "batch.kubernetes.io/job-completion-index"


def failed_for(reason: str) -> list[tuple[str, str, str]]:
    return [("FailureTarget", "True", reason), ("Failed", "True", reason)]


def indexed(**spec: Any) -> World:
    return World(**{"completion_mode": "Indexed", "completions": 3, "parallelism": 3, **spec})


# --- pods


def test_a_pod_is_made_of_the_template_and_tracked() -> None:
    world = World().settle()

    [pod] = world.pods.values()
    assert re.fullmatch(r"pi-[bcdfghjklmnpqrstvwxz2456789]{5}", pod.metadata.name)
    assert pod.metadata.generate_name == "pi-"
    assert pod.metadata.labels == {"job-name": "pi"}
    assert pod.metadata.finalizers == [TRACKING]
    assert pod.spec.restart_policy == "Never"
    status = world.job.status
    assert (status.active, status.ready, status.terminating) == (1, 0, 0)
    assert status.start_time == "2026-01-01T00:00:00Z"


def test_a_second_look_before_anything_is_written_makes_the_same_pod() -> None:
    job = a_job()

    [first], [second] = (created(reconcile(job, Observed.just(of=job))) for _ in range(2))

    assert first == second


def test_pods_are_made_in_parallel_up_to_what_is_left() -> None:
    world = World(completions=5, parallelism=3).settle()
    assert len(world.active()) == 3

    world.succeed()
    world.settle()
    assert len(world.active()) == 2
    assert world.job.status.succeeded == 3


def test_less_parallelism_removes_pods_that_then_count_neither_way() -> None:
    world = World(completions=5, parallelism=3).settle()

    world.change(parallelism=1)
    world.settle()

    assert len(world.pods) == 1
    assert (world.job.status.failed, world.job.status.active) == (0, 1)


def test_a_work_queue_is_done_after_a_success_when_the_others_have_ended() -> None:
    world = World(completions=None, parallelism=2).settle()
    first, second = world.active()

    world.succeed(first)
    world.settle()
    assert world.conditions() == []
    world.succeed(second)
    world.settle()

    assert world.conditions() == DONE
    assert world.job.status.succeeded == 2


def test_a_job_of_another_controller_is_left_alone() -> None:
    job = a_job(managed_by="example.com/other")

    plan = reconcile(job, Observed.just(of=job))

    assert not created(plan)
    assert plan.status is None


def test_an_orphan_that_the_selector_matches_is_adopted_and_tracked() -> None:
    world = World()
    world.pods["stray"] = Pod(metadata=ObjectMeta(name="stray", namespace="n", uid="s", labels={"job-name": "pi"}))

    world.settle()

    assert world.created == 0
    assert world.pods["stray"].metadata.owner_references[0].uid == "job-uid"
    assert world.pods["stray"].metadata.finalizers == [TRACKING]


# --- the end


def test_a_success_completes_the_job() -> None:
    world = World().settle()
    world.wait(5)

    world.succeed()
    world.settle()

    status = world.job.status
    assert world.conditions() == DONE
    assert status.conditions[-1].message == "Reached expected number of succeeded pods"
    assert status.completion_time == "2026-01-01T00:00:05Z"
    assert (status.succeeded, status.failed, status.active) == (1, 0, 0)
    assert status.uncounted_terminated_pods is not None
    assert status.uncounted_terminated_pods.succeeded == []
    assert world.reasons() == ["Completed"]
    assert [pod.metadata.finalizers for pod in world.pods.values()] == [[]]


def test_the_end_of_a_pod_is_on_record_before_its_finalizer_goes() -> None:
    world = World().settle()
    [pod] = world.active()
    world.succeed()

    plan = world.step()

    assert not patched(plan)
    uncounted = world.job.status.uncounted_terminated_pods
    assert uncounted is not None
    assert uncounted.succeeded == [pod.metadata.uid]
    assert world.job.status.succeeded == 0
    assert len(patched(world.step())) == 1
    assert world.job.status.succeeded == 1


def test_a_finished_job_is_not_looked_at_again() -> None:
    world = World().settle()
    world.succeed()
    world.settle()

    assert reconcile(world.job, Observed.just(of=world.job)).status is None


def test_failures_beyond_the_limit_fail_the_job() -> None:
    world = World(backoff_limit=1).settle()
    world.fail()
    world.settle()
    world.wait(11)
    world.settle()
    assert world.conditions() == []

    world.fail()
    world.settle()

    assert world.conditions() == failed_for("BackoffLimitExceeded")
    assert world.job.status.conditions[-1].message == "Job has reached the specified backoff limit"
    assert world.job.status.failed == 2
    assert world.reasons() == ["BackoffLimitExceeded"]
    assert world.world.events[-1].warning


def test_restarts_in_place_count_towards_the_limit() -> None:
    template = {**TEMPLATE, "spec": {**TEMPLATE["spec"], "restartPolicy": "OnFailure"}}
    world = World(backoff_limit=2, template=template).settle()
    [pod] = world.active()
    world.set_pod(pod, phase="Running", container_statuses=[ContainerStatus(name="c", restart_count=2)])

    world.settle()

    assert world.conditions() == failed_for("BackoffLimitExceeded")
    assert world.job.status.failed == 1
    assert not world.pods


def test_a_job_that_is_active_for_too_long_fails_with_its_pods() -> None:
    world = World(active_deadline_seconds=30, completions=2, parallelism=2)
    assert world.step().again_in == timedelta(seconds=30)
    world.settle()
    world.wait(31)

    world.settle()

    assert world.conditions() == failed_for("DeadlineExceeded")
    assert not world.pods
    assert (world.job.status.failed, world.job.status.active, world.job.status.terminating) == (2, 0, 0)


def test_the_final_condition_waits_for_pods_that_still_terminate() -> None:
    world = World(active_deadline_seconds=30).settle()
    [pod] = world.active()
    world.pods[pod.metadata.name] = held(world.pods[pod.metadata.name])
    world.wait(31)
    world.settle()
    assert world.conditions() == [("FailureTarget", "True", "DeadlineExceeded")]
    assert world.job.status.terminating == 1

    world.end(pod, "Failed")
    world.settle()

    assert world.conditions() == failed_for("DeadlineExceeded")
    assert world.job.status.failed == 1


# --- back-off


def test_a_failed_pod_is_replaced_ever_later() -> None:
    world = World(backoff_limit=6).settle()
    for wait in (10, 20, 40, 80):
        world.fail()
        world.settle()
        assert world.step().again_in == timedelta(seconds=wait)
        assert world.active() == []
        world.wait(wait)
        world.settle()
        assert len(world.active()) == 1


def test_a_success_ends_the_back_off() -> None:
    world = World(completions=5, parallelism=2).settle()
    first, second = world.active()
    world.fail(first)
    world.wait(1)
    world.succeed(second)

    world.settle()

    assert len(world.active()) == 2


def test_a_pod_that_was_deleted_counts_as_failed_and_is_replaced() -> None:
    world = World().settle()
    [pod] = world.active()

    world.delete(pod)
    world.settle()

    assert world.job.status.failed == 1
    assert len(world.active()) == 1
    assert world.active()[0].metadata.name != pod.metadata.name


@pytest.mark.parametrize(("policy", "replaced"), [("TerminatingOrFailed", True), ("Failed", False)])
def test_when_a_terminating_pod_is_replaced(policy: str, replaced: bool) -> None:
    world = World(pod_replacement_policy=policy).settle()
    [pod] = world.active()
    world.pods[pod.metadata.name] = held(world.pods[pod.metadata.name])

    world.delete(pod)
    world.settle()
    world.wait(11)
    world.settle()

    assert bool(world.active()) is replaced
    world.end(pod, "Failed")
    world.settle()
    world.wait(11)
    world.settle()
    assert len(world.active()) == 1
    assert world.job.status.failed == 1


# --- suspension


def test_a_suspended_job_has_no_pods_and_starts_anew_when_resumed() -> None:
    world = World(completions=2, parallelism=2, active_deadline_seconds=100).settle()
    world.change(suspend=True)
    world.settle()
    assert not world.pods
    assert world.conditions() == [("Suspended", "True", "JobSuspended")]
    assert (world.job.status.failed, world.job.status.active) == (0, 0)

    world.wait(1000)
    world.change(suspend=False)
    world.settle()

    assert len(world.active()) == 2
    assert world.conditions() == [("Suspended", "False", "JobResumed")]
    assert world.job.status.start_time == "2026-01-01T00:16:40Z"
    assert world.reasons() == ["Suspended", "Resumed"]


def test_a_job_that_is_made_suspended_has_not_started() -> None:
    world = World(suspend=True).settle()

    assert world.job.status.start_time is None
    assert world.created == 0


# --- indexes


def test_each_index_has_a_pod_that_knows_it() -> None:
    world = indexed().settle()

    pod = world.index(1)
    assert re.fullmatch(r"pi-1-[a-z0-9]{5}", pod.metadata.name)
    assert pod.metadata.labels[INDEX] == "1"
    assert pod.spec.hostname == "pi-1"
    source = {"fieldRef": {"fieldPath": f"metadata.labels['{INDEX}']"}}
    assert world.sent["pi-1"]["spec"]["containers"][0]["env"] == [{"name": "JOB_COMPLETION_INDEX", "valueFrom": source}]


def test_completed_indexes_are_recorded_and_not_run_again() -> None:
    world = indexed(completions=5, parallelism=5).settle()

    for number in (0, 1, 2, 4):
        world.succeed(world.index(number))
    world.settle()
    assert world.job.status.completed_indexes == "0-2,4"
    assert world.job.status.succeeded == 4
    world.succeed(world.index(3))
    world.settle()

    assert world.job.status.completed_indexes == "0-4"
    assert world.conditions() == DONE
    assert world.created == 5


def test_an_elastic_job_that_shrinks_loses_its_last_indexes() -> None:
    world = indexed().settle()

    world.change(completions=2, parallelism=2)
    world.settle()

    assert sorted(pod.metadata.annotations[INDEX] for pod in world.active()) == ["0", "1"]


def test_each_index_has_its_own_back_off_limit() -> None:
    world = indexed(backoff_limit_per_index=1, backoff_limit=2**31 - 1).settle()
    world.fail(world.index(1))
    world.settle()
    assert len(world.active()) == 2
    world.wait(11)
    world.settle()
    again = world.index(1)
    assert again.metadata.annotations["batch.kubernetes.io/job-index-failure-count"] == "1"

    world.fail(again)
    world.succeed(world.index(0), world.index(2))
    world.settle()

    status = world.job.status
    assert (status.failed_indexes, status.completed_indexes) == ("1", "0,2")
    assert (status.failed, status.succeeded) == (2, 2)
    assert world.conditions() == failed_for("FailedIndexes")


def test_too_many_failed_indexes_fail_the_job() -> None:
    world = indexed(backoff_limit_per_index=0, max_failed_indexes=0, backoff_limit=2**31 - 1).settle()

    world.fail(world.index(2))
    world.settle()

    assert world.conditions() == failed_for("MaxFailedIndexesExceeded")
    assert world.job.status.failed_indexes == "2"
    assert not world.active()


# --- policies


def exit_codes(action: str, *codes: int, operator: str = "In") -> dict[str, Any]:
    return {"rules": [{"action": action, "onExitCodes": {"operator": operator, "values": list(codes)}}]}


def test_an_exit_code_can_fail_the_job_at_once() -> None:
    world = World(pod_failure_policy=exit_codes("FailJob", 42)).settle()
    [pod] = world.active()

    world.fail(code=42)
    world.settle()

    assert world.conditions() == failed_for("PodFailurePolicy")
    assert world.job.status.conditions[-1].message == (
        f"Container c for pod n/{pod.metadata.name} failed with exit code 42 matching FailJob rule at index 0"
    )


def test_a_pod_condition_can_make_a_failure_not_count() -> None:
    rules = [{"action": "Ignore", "onPodConditions": [{"type": "DisruptionTarget", "status": "True"}]}]
    world = World(pod_failure_policy={"rules": rules}, backoff_limit=0).settle()

    world.end(world.active()[0], "Failed", conditions=["DisruptionTarget"])
    world.settle()
    assert world.job.status.failed == 0
    world.wait(11)
    world.settle()

    assert len(world.active()) == 1


def test_an_exit_code_that_no_rule_names_counts() -> None:
    world = World(pod_failure_policy=exit_codes("Ignore", 1, 2), backoff_limit=0).settle()

    world.fail(code=3)
    world.settle()

    assert world.conditions() == failed_for("BackoffLimitExceeded")


def test_an_exit_code_can_fail_its_index() -> None:
    world = indexed(
        backoff_limit_per_index=5, backoff_limit=2**31 - 1, pod_failure_policy=exit_codes("FailIndex", 7)
    ).settle()

    world.fail(world.index(0), code=7)
    world.settle()

    assert world.job.status.failed_indexes == "0"
    assert world.conditions() == []


@pytest.mark.parametrize(
    ("rule", "succeeding", "met"),
    [
        ({"succeededCount": 2}, (0, 2), True),
        ({"succeededCount": 2}, (0,), False),
        ({"succeededIndexes": "0"}, (0,), True),
        ({"succeededIndexes": "0-1"}, (0, 2), False),
        ({"succeededIndexes": "0-1", "succeededCount": 1}, (1,), True),
    ],
)
def test_a_success_policy_ends_the_job_early(rule: Any, succeeding: tuple[int, ...], met: bool) -> None:
    world = indexed(success_policy={"rules": [rule]}).settle()

    world.succeed(*(world.index(number) for number in succeeding))
    world.settle()

    if met:
        assert world.conditions() == [
            ("SuccessCriteriaMet", "True", "SuccessPolicy"),
            ("Complete", "True", "SuccessPolicy"),
        ]
        assert world.job.status.conditions[-1].message == "Matched rules at index 0"
        assert not world.active()
    else:
        assert world.conditions() == []


# --- nothing is lost, nothing counted twice


@settings(deadline=None, max_examples=60)
@given(st.data())
def test_however_often_the_manager_is_killed_each_end_counts_once(data: st.DataObject) -> None:
    completions = data.draw(st.integers(1, 6), "completions")
    mode = data.draw(st.sampled_from(["NonIndexed", "Indexed"]), "mode")
    world = World(completions=completions, parallelism=3, completion_mode=mode, backoff_limit=100)
    failures = 0
    for _ in range(60):
        world.step(kill_after=data.draw(st.integers(0, 4), "writes before the kill"))
        for pod in world.active()[: data.draw(st.integers(0, 2), "pods that end")]:
            fails = data.draw(st.booleans(), "fails") and failures < 10
            failures += fails
            world.end(pod, "Failed" if fails else "Succeeded")
        world.wait(601)
        assert len(world.active()) <= 3
        if world.job.status.completion_time:
            break
    for _ in range(20):
        world.settle()
        world.wait(601)
        world.settle()
        world.succeed()

    assert world.conditions() == DONE
    assert world.job.status.failed == failures
    assert world.job.status.succeeded == completions
    assert all(not pod.metadata.finalizers for pod in world.pods.values())


# --- after the end


@pytest.mark.parametrize(("passed", "goes"), [(59, False), (60, True)])
def test_a_finished_job_is_deleted_when_its_time_to_live_is_over(passed: int, goes: bool) -> None:
    world = World(ttl_seconds_after_finished=60).settle()
    world.succeed()
    world.settle()
    world.wait(passed)

    plan = expire(world.job, Observed.just(of=world.job, now=world.now))

    assert bool(deleted(plan)) is goes
    assert plan.again_in == (None if goes else timedelta(seconds=1))


def test_a_job_that_goes_on_is_not_deleted() -> None:
    job = a_job(ttl_seconds_after_finished=0)

    assert not deleted(expire(job, Observed.just(of=job)))
