"""A job that is told to rest gives back all it holds, and takes it up again."""

from tests.apps.training.controllers.engine.world import World, replicas

SPEC = {"tfReplicaSpecs": {"PS": replicas(1), "Worker": replicas(2, "OnFailure")}}


def suspend(world: World, truth: bool) -> None:
    world.edit({"spec": {"runPolicy": {"suspend": truth}}})
    world.settle()


def test_a_job_created_at_rest_makes_nothing() -> None:
    world = World("TFJob", {**SPEC, "runPolicy": {"suspend": True}})
    world.settle()
    assert world.objects == {}
    assert world.conditions == ["Created", "Suspended"]
    assert world.there.status.start_time is None
    assert world.told("TFJobSuspended") == ["TFJob demo is suspended."]


def test_a_running_job_is_put_to_rest_and_resumed_with_a_new_clock() -> None:
    world = World("TFJob", {**SPEC, "runPolicy": {"activeDeadlineSeconds": 60, "cleanPodPolicy": "None"}})
    world.step()
    world.run()
    world.settle()
    world.wait(50)
    suspend(world, True)
    assert world.objects == {}
    assert world.conditions == ["Created", "Running=False", "Suspended"]
    assert world.condition("Running").reason == "TFJobSuspended"
    assert world.counts("Worker") == (0, 0, 0)
    world.wait(50)
    world.settle()
    assert world.conditions[-1] == "Suspended", "no deadline at rest"
    suspend(world, False)
    assert world.conditions == ["Created", "Running=False", "Suspended=False"]
    assert world.condition("Suspended").reason == "TFJobResumed"
    assert world.there.status.start_time == "2026-01-01T00:01:40Z"
    assert len(world.pods) == 3
    world.run()
    world.wait(50)
    world.settle()
    assert world.conditions == ["Created", "Suspended=False", "Running"]


def test_restarts_before_a_rest_are_not_forgotten() -> None:
    world = World("TFJob", {**SPEC, "runPolicy": {"backoffLimit": 3}})
    world.step()
    world.run()
    world.run("demo-worker-0", restarts=2)
    world.settle()
    suspend(world, True)
    suspend(world, False)
    world.run()
    world.settle()
    assert "Failed" not in world.conditions
    world.run("demo-worker-1", restarts=1)
    world.settle()
    assert "Failed" in world.conditions
