"""Every event, answered by every action, on the level of the task and of the job."""

from collections.abc import Callable
from typing import Any

import pytest

from tests.apps.volcano.controllers.job.world import JobWorld, on, task
from windlass.apps.volcano import names
from windlass.apps.volcano.controllers.job.policies.policy_events import PolicyEvent
from windlass.apps.volcano.controllers.job.policies.policy_orders import order_for
from windlass.apps.volcano.kinds.bus import USER_ACTIONS
from windlass.kube.objects import metadata_of

WORKERS = ["demo-worker-0", "demo-worker-1", "demo-worker-2", "demo-worker-3"]
PARTITIONED = {"partitionPolicy": {"totalPartitions": 2, "partitionSize": 2}}


def fails(world: JobWorld) -> None:
    world.end("demo-worker-2", 3)


def is_deleted(world: JobWorld) -> None:
    world.delete("demo-worker-2", lingers=True)


def is_gone(world: JobWorld) -> None:
    world.delete("demo-worker-2")


def stays_pending(world: JobWorld) -> None:
    world.set_pod("demo-worker-2", "Pending")
    world.wait(10)


def restarts_often(world: JobWorld) -> None:
    world.set_pod("demo-worker-2", "Running", {"running": {}}, restarts=3)


def completes(world: JobWorld) -> None:
    for name in (*WORKERS[:2], *WORKERS[3:]):
        world.end(name)
    world.wait(1)
    world.set_pod("demo-worker-2", "Succeeded", {"terminated": {"exitCode": 0, "finishedAt": "2026-01-01T00:00:01Z"}})


def is_unknown(world: JobWorld) -> None:
    world.admit("Unknown")


def is_updated(world: JobWorld) -> None:
    world.edit({"spec": {"minAvailable": 4}})


ACCIDENTS: dict[str, tuple[Any, Callable[[JobWorld], None]]] = {
    "PodFailed": ("PodFailed", fails),
    "exit code": (3, fails),
    "PodEvicted, seen": ("PodEvicted", is_deleted),
    "PodEvicted, missed": ("PodEvicted", is_gone),
    "PodPending": ("PodPending", stays_pending),
    "TaskFailed": ("TaskFailed", restarts_often),
    "TaskCompleted": ("TaskCompleted", completes),
    "Unknown": ("Unknown", is_unknown),
    "JobUpdated": ("JobUpdated", is_updated),
    "any": ("*", fails),
}
OF_JOBS = ("Unknown", "JobUpdated")
"""Events that are about no task."""
RESTARTED = {"RestartJob": [*WORKERS, "demo-ps-0"], "RestartTask": WORKERS, "RestartPod": ["demo-worker-2"]}
RESTARTED["RestartPartition"] = ["demo-worker-2", "demo-worker-3"]
STOPPED = {"AbortJob": "Aborted", "TerminateJob": "Terminated", "CompleteJob": "Completed"}


def a_world(accident: str, action: str, level: str) -> JobWorld:
    event = ACCIDENTS[accident][0]
    policy = on(event, action, "10s" if accident == "PodPending" else None)
    other = on("*", "TerminateJob") if level == "task" else on("OutOfSync", "TerminateJob")
    own, all_ = ([policy], [other]) if level == "task" else ([], [policy])
    world = JobWorld(task("ps"), task("worker", 4, *own, **PARTITIONED), policies=all_, minAvailable=5, maxRetry=9)
    return world.started()


@pytest.mark.parametrize("action", USER_ACTIONS)
@pytest.mark.parametrize(
    ("accident", "level"),
    [(name, level) for name in ACCIDENTS for level in ("task", "job") if level == "job" or name not in OF_JOBS],
)
def test_an_event_is_answered_by_its_action_once(accident: str, level: str, action: str) -> None:
    world = a_world(accident, action, level)
    before = {name: pod.metadata.uid for name, pod in world.pods.items()}
    group = world.group
    ACCIDENTS[accident][1](world)

    world.settle()
    if accident == "PodEvicted, seen":
        world.gone()
        world.settle()

    if action == "ResumeJob":
        assert (world.status.retry_count, world.status.version) == (0, 0), "a job that is not stopped cannot be resumed"
        return
    assert world.told("ExecuteAction").count(f"Start to execute action {action} ") == 1
    if action in STOPPED:
        assert world.phase == STOPPED[action]
        assert (world.status.retry_count, world.status.version) == (0, 1)
        assert {pod.status.phase for pod in world.pods.values()} <= {"Succeeded", "Failed"}
        assert world.group is None
        return
    assert world.status.retry_count == 1
    restarted = RESTARTED[action] if accident not in OF_JOBS or action == "RestartJob" else []
    assert world.phase in ("Pending", "Running")
    if action == "RestartJob":
        assert world.status.version == 1
        assert world.group != group, "a new group waits for its turn"
        assert world.pods == {}
        world.admit()
        world.settle()
        assert {*world.versions().values()} == {"1"}
    else:
        assert world.status.version == 0
        assert world.group is not None
        assert group is not None
        assert world.group["metadata"]["uid"] == group["metadata"]["uid"], "the group is kept"
    after = {name: pod.metadata.uid for name, pod in world.pods.items()}
    assert {name for name in before if before[name] != after.get(name)} == {*restarted}
    world.run()
    world.settle()
    assert world.phase == "Running"
    assert world.status.retry_count == 1, "once"


def test_a_policy_of_the_task_comes_before_one_of_the_job() -> None:
    world = JobWorld(task("worker", 2, on("PodFailed", "RestartPod")), policies=[on("*", "AbortJob")]).started()
    world.end("demo-worker-0", 1)
    world.settle()

    assert (world.phase, world.status.retry_count) == ("Pending", 1)


def test_policies_are_tried_in_order_and_an_exit_code_is_no_event() -> None:
    policies = [on(3, "RestartJob"), on("PodFailed", "TerminateJob")]
    world = JobWorld(task("worker", 1), policies=policies)
    policy_event = PolicyEvent(event="PodFailed", since=world.now, task="worker", exit_code=3)

    assert order_for(world.job, policy_event).action == "RestartJob"  # pyright: ignore[reportOptionalMemberAccess]
    other = PolicyEvent(event="PodFailed", since=world.now, task="worker", exit_code=4)
    assert order_for(world.job, other).action == "TerminateJob"  # pyright: ignore[reportOptionalMemberAccess]


def test_a_policy_may_name_several_events() -> None:
    world = JobWorld(policies=[{"events": ["PodFailed", "PodEvicted"], "action": "AbortJob"}])
    orders = [
        order_for(world.job, PolicyEvent(event=event, since=world.now, task="worker"))
        for event in ("PodFailed", "PodEvicted", "TaskCompleted")
    ]

    assert [order.action if order is not None else "" for order in orders] == ["AbortJob", "AbortJob", ""]


def test_without_a_policy_pods_that_were_deleted_come_back_and_those_that_failed_stay() -> None:
    world = JobWorld(task("worker", 3), minAvailable=1).started()
    old = world.pods["demo-worker-1"].metadata.uid
    world.end("demo-worker-0", 1)
    world.delete("demo-worker-1")
    world.settle()

    assert world.pods["demo-worker-0"].status.phase == "Failed"
    assert world.pods["demo-worker-1"].metadata.uid != old
    assert (world.phase, world.status.retry_count, world.status.version) == ("Running", 0, 0)


def test_pending_needs_a_timeout() -> None:
    world = JobWorld(task("worker", 1), policies=[on("PodPending", "AbortJob")])
    world.settle()
    world.admit()
    world.settle()
    world.wait(10_000)
    world.settle()

    assert world.phase == "Pending"


def test_a_pod_that_stays_pending_is_answered_when_its_time_is_over_and_told_of_before() -> None:
    world = JobWorld(task("worker", 2, on("PodPending", "RestartJob", "5s")))
    world.settle()
    world.admit()
    world.settle()
    assert world.told("ExecuteAction") == ["Execute action RestartJob after 5s"] * 2
    world.run("demo-worker-0")
    plan = world.settle()
    assert plan.again_in is not None
    assert plan.again_in.total_seconds() == 5
    world.wait(4)
    world.settle()
    assert world.status.retry_count == 0

    world.wait(1)
    world.settle()

    assert (world.status.retry_count, world.status.version) == (1, 1)


def test_a_delay_ends_with_what_caused_it() -> None:
    world = JobWorld(task("worker", 2, on("PodEvicted", "RestartJob", "10s")), minAvailable=1).started()
    world.delete("demo-worker-0", lingers=True)
    world.settle()
    assert world.told("ExecuteAction") == ["Execute action RestartJob after 10s"]
    world.gone()
    world.settle()
    assert world.pods["demo-worker-0"].status.phase == "Pending", "it is made again meanwhile"
    world.run()
    world.settle()

    world.wait(20)
    world.settle()

    assert (world.phase, world.status.retry_count) == ("Running", 0)
    assert not [key for key in world.status.controlled_resources if key.startswith("delayed")]


@pytest.mark.parametrize("action", ["RestartJob", "RestartPod", "AbortJob"])
def test_a_pod_that_does_not_come_back_is_answered_after_the_delay(action: str) -> None:
    world = JobWorld(task("worker", 2, on("PodEvicted", action, "10s")), minAvailable=1).started()
    world.delete("demo-worker-0")
    world.settle()
    world.wait(9)
    world.settle()
    assert world.status.retry_count == 0
    world.wait(1)
    world.settle()

    assert world.told("ExecuteAction") == [f"Execute action {action} after 10s", f"Start to execute action {action} "]
    assert world.status.retry_count == (action != "AbortJob")
    world.wait(60)
    world.settle()
    assert world.status.retry_count == (action != "AbortJob"), "once"


def test_a_failure_is_answered_after_the_delay_counted_from_its_moment() -> None:
    world = JobWorld(task("worker", 2, on("PodFailed", "RestartPod", "1m"))).started()
    world.set_pod("demo-worker-0", "Failed", {"terminated": {"exitCode": 1, "finishedAt": "2026-01-01T00:00:00Z"}})
    world.wait(45)
    plan = world.settle()
    assert plan.again_in is not None
    assert plan.again_in.total_seconds() == 15
    assert world.told("ExecuteAction") == ["Execute action RestartPod after 1m0s"]
    world.wait(15)
    world.settle()

    assert world.status.retry_count == 1
    assert world.pods["demo-worker-0"].status.phase == "Pending"


def test_pods_that_the_controller_takes_away_are_marked_and_mean_nothing() -> None:
    policies = [on("PodFailed", "RestartTask"), on("PodEvicted", "AbortJob")]
    world = JobWorld(task("worker", 2), policies=policies, lingers=True).started()
    world.end("demo-worker-0", 1)
    world.settle()

    assert all(pod.metadata.annotations[names.OUT_OF_SYNC] == "true" for pod in world.pods.values())
    assert world.phase == "Restarting"
    world.gone()
    world.settle()
    assert world.phase == "Pending"
    assert world.status.retry_count == 1


def test_two_failures_at_once_are_one_retry() -> None:
    world = JobWorld(task("worker", 3), policies=[on("PodFailed", "RestartPod")], lingers=True).started()
    world.end("demo-worker-0", 1)
    world.step()
    world.end("demo-worker-1", 1)
    world.settle()
    world.gone()
    world.settle()

    assert world.status.retry_count == 1
    assert [pod.status.phase for pod in world.pods.values()] == ["Running", "Pending", "Pending"]


def test_an_event_of_an_earlier_version_means_nothing() -> None:
    world = JobWorld(task("worker", 2), policies=[on("*", "RestartJob")], lingers=True).started()
    world.end("demo-worker-0", 1)
    for _ in range(5):
        world.step()
        world.delete("demo-worker-1", lingers=True)

    assert (world.status.version, world.status.retry_count) == (1, 1)


@pytest.mark.parametrize(("limit", "phase"), [(3, "Terminated"), (4, "Running"), (-1, "Running")])
def test_a_task_may_restart_as_often_as_it_says_and_with_minus_one_for_ever(limit: int, phase: str) -> None:
    policies = [on("TaskFailed", "TerminateJob")]
    world = JobWorld(task("worker", 3, maxRetry=limit), policies=policies).started()
    restarts_often(world)
    world.settle()

    assert world.phase == phase


def test_when_retries_are_used_up_the_job_fails_and_keeps_its_ended_pods() -> None:
    world = JobWorld(task("worker", 2), policies=[on("PodFailed", "RestartJob")], maxRetry=2).started()
    world.end("demo-worker-0", 1)
    world.settle()
    assert world.pods == {}
    world.admit()
    world.settle()
    world.run()
    world.settle()
    world.end("demo-worker-0", 1)
    world.settle()

    assert (world.phase, world.status.retry_count) == ("Failed", 2)
    assert [*world.pods] == ["demo-worker-0"]
    assert world.status.state.reason == "RetryLimitReached"
    assert world.status.failed == 1


def test_a_restart_of_the_whole_job_makes_all_that_belongs_to_it_anew_and_one_of_a_pod_nothing() -> None:
    policies = [on(1, "RestartJob"), on(2, "RestartPod")]
    world = JobWorld(task("master"), task("worker"), plugins={"mpi": []}, policies=policies).started()
    made = world.kinds
    uids = {key: metadata_of(obj).uid for key, obj in world.objects.items() if key[0] != "Pod"}
    world.end("demo-worker-0", 2)
    world.settle()
    assert {key: metadata_of(obj).uid for key, obj in world.objects.items() if key[0] != "Pod"} == uids
    world.run()
    world.settle()
    world.end("demo-worker-0", 1)
    world.settle()

    assert world.kinds == made
    assert all(metadata_of(world.objects[key]).uid != uid for key, uid in uids.items())


def test_a_group_of_an_earlier_version_means_nothing() -> None:
    world = JobWorld(task("worker", 2), policies=[on("Unknown", "RestartJob")]).started()
    world.admit("Unknown")
    for _ in range(2):
        world.step(kill_after=1)  # killed after each first write

    world.settle()

    assert (world.status.retry_count, world.status.version) == (1, 1)
