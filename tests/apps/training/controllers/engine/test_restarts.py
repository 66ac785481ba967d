"""Failures: what is tried again, how often, and what a job says when it gives up."""

import pytest

from tests.apps.training.controllers.engine.world import World, replicas, uids
from windlass.apis.bounds import MAX_CREATED
from windlass.kube.testing import created

WHOLE_JOB = {"training.windlass.dev/restart-whole-job": "true"}


def workers(policy: str, count: int = 2, annotations: dict[str, str] | None = None, **run: object) -> World:
    world = World(
        "TFJob",
        {"tfReplicaSpecs": {"Worker": replicas(count, policy)}, "runPolicy": run, "successPolicy": "AllWorkers"},
        annotations=annotations,
    )
    world.step()
    world.run()
    world.settle()
    return world


@pytest.mark.parametrize(
    ("policy", "code", "again"),
    [
        ("Never", 1, False),
        ("Never", 137, False),
        ("ExitCode", 1, False),
        ("ExitCode", 127, False),
        ("ExitCode", 128, True),
        ("ExitCode", 130, True),
        ("ExitCode", 143, True),
        ("OnFailure", 1, True),
        ("Always", 1, True),
    ],
)
def test_the_restart_policy_says_whether_a_failed_pod_is_made_again(policy: str, code: int, again: bool) -> None:
    world = workers(policy)
    before = uids(world)
    world.end("demo-worker-1", code)
    world.settle()
    assert ("Failed" not in world.conditions) is again
    assert (uids(world)["demo-worker-1"] != before["demo-worker-1"]) is again
    assert uids(world)["demo-worker-0"] == before["demo-worker-0"]
    if again:
        assert world.conditions == ["Created", "Restarting"], "until the new pod runs"
        world.run()
        world.settle()
        assert world.conditions == ["Created", "Running"]
        assert len(world.told("TFJobRestarting")) == 1
    else:
        assert world.there.status.completion_time is not None


def test_the_message_of_a_failure_names_pod_container_code_and_last_line() -> None:
    world = workers("Never")
    world.end("demo-worker-1", 3, message="Traceback\nValueError: no data\n")
    world.settle()
    assert world.condition("Failed").message == (
        "TFJob team-a/demo has failed because 1 Worker replica(s) failed. "
        "Pod demo-worker-1, container tensorflow, exit code 3: ValueError: no data"
    )


def test_an_evicted_pod_is_made_again_by_every_policy_but_never() -> None:
    for policy in ("ExitCode", "OnFailure", "Always"):
        world = workers(policy)
        world.set_pod("demo-worker-0", "Failed", reason="Evicted", message="the node was low on memory")
        world.settle()
        assert world.conditions == ["Created", "Restarting"], policy
    world = workers("Never")
    world.set_pod("demo-worker-0", "Failed", reason="Evicted", message="the node was low on memory")
    world.settle()
    assert "Pod demo-worker-0: Evicted: the node was low on memory" in world.condition("Failed").message


def test_a_running_pod_that_is_deleted_counts_as_failed() -> None:
    world = workers("Never")
    world.delete("demo-worker-0", lingers=True)
    world.settle()
    assert "Pod demo-worker-0 was deleted" in world.condition("Failed").message
    world = workers("OnFailure")
    world.delete("demo-worker-0", lingers=True)
    world.settle()
    assert world.conditions == ["Created", "Restarting"]
    world.delete("demo-worker-0")
    world.settle()
    assert len(world.pods) == 2


def test_an_exit_code_job_runs_one_pod_more_than_its_backoff_limit() -> None:
    world = workers("ExitCode", 1, backoffLimit=2)
    seen = {uids(world)["demo-worker-0"]}
    while "Failed" not in world.conditions:
        world.end("demo-worker-0", 137)
        world.settle()
        seen |= set(uids(world).values())
        if "Failed" not in world.conditions:
            world.run()
            world.settle()
        assert len(seen) <= 3
    assert len(seen) == 3
    assert world.condition("Failed").message == (
        "Job demo has failed because it has reached the specified backoff limit. "
        "Pod demo-worker-0, container tensorflow, exit code 137"
    )


@pytest.mark.parametrize(
    ("limit", "restarts", "fails"), [(0, 0, False), (0, 1, True), (1, 1, True), (3, 2, False), (3, 3, True)]
)
def test_restarts_in_place_count_towards_the_limit(limit: int, restarts: int, fails: bool) -> None:
    world = workers("OnFailure", backoffLimit=limit)
    world.run("demo-worker-0", restarts=restarts)
    world.settle()
    assert ("Failed" in world.conditions) is fails


def test_restarts_in_place_and_new_pods_are_counted_together_over_the_life_of_the_job() -> None:
    world = workers("OnFailure", 1, backoffLimit=3)
    world.run("demo-worker-0", restarts=1)
    world.settle()
    world.set_pod("demo-worker-0", "Failed", {"terminated": {"exitCode": 1}}, restarts=1, reason="Evicted")
    world.settle()
    world.run()
    world.settle()
    assert "Failed" not in world.conditions, "one in place, one made again: two of three"
    world.run("demo-worker-0", restarts=1)
    world.settle()
    assert "Failed" in world.conditions


def test_without_a_limit_running_out_of_memory_is_tried_three_times_more() -> None:
    world = workers("ExitCode", 1)
    tries = 0
    while "Failed" not in world.conditions:
        world.end("demo-worker-0", 137, reason="OOMKilled")
        world.settle()
        world.run()
        world.settle()
        tries += 1
    assert tries == 4
    assert "OOMKilled" in world.condition("Failed").message


def test_a_whole_job_is_restarted_in_one_step_and_counted_once() -> None:
    world = workers("OnFailure", 3, WHOLE_JOB, backoffLimit=1)
    assert {pod.spec.restart_policy for pod in world.pods.values()} == {"Never"}, "a failure must be seen"
    before = set(uids(world).values())
    world.end("demo-worker-2", 1)
    world.settle()
    assert len(world.pods) == 3
    assert not before & set(uids(world).values())
    world.run()
    world.settle()
    assert world.conditions == ["Created", "Running"]
    world.end("demo-worker-0", 1)
    world.settle()
    assert world.conditions[-1] == "Failed"


def test_a_whole_job_is_made_again_only_when_all_of_it_is_gone() -> None:
    world = workers("OnFailure", 2, WHOLE_JOB)
    world.end("demo-worker-1", 1)
    world.step()
    world.delete("demo-worker-0", lingers=True)
    world.delete("demo-worker-1")
    world.step()
    assert list(world.pods) == ["demo-worker-0"]
    world.delete("demo-worker-0")
    world.settle()
    assert sorted(world.pods) == ["demo-worker-0", "demo-worker-1"]


def test_a_dynamic_worker_may_fail() -> None:
    specs = {"PS": replicas(1), "Worker": replicas(2), "Chief": replicas(1)}
    world = World("TFJob", {"tfReplicaSpecs": specs, "enableDynamicWorker": True})
    world.step()
    world.run()
    world.end("demo-worker-1", 1)
    world.settle()
    assert world.conditions == ["Created", "Running"]
    world.end("demo-ps-0", 1)
    world.settle()
    assert world.conditions[-1] == "Failed"


def test_an_elastic_job_succeeds_with_its_first_finisher_and_the_others_are_stopped() -> None:
    spec = {"pytorchReplicaSpecs": {"Worker": replicas(3, container="pytorch")}, "elasticPolicy": {"minReplicas": 1}}
    world = World("PyTorchJob", spec)
    world.step()
    world.run()
    world.end("demo-worker-1")
    world.settle()
    assert world.conditions[-1] == "Succeeded"
    assert list(world.pods) == ["demo-worker-1"]


def test_a_large_job_gets_its_pods_so_many_at_a_time() -> None:
    world = World("TFJob", {"tfReplicaSpecs": {"Worker": replicas(MAX_CREATED * 2)}})
    world.step()

    made = [child for child in created(world.plan()) if isinstance(child, dict) and child["kind"] == "Pod"]
    world.step()

    assert 0 < len(made) <= MAX_CREATED
    assert 0 < len(world.pods) <= MAX_CREATED * 2
