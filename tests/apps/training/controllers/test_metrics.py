"""Each move of a job is counted once, whatever else changes about it."""

from collections.abc import Iterable
from typing import Any

from prometheus_client import CollectorRegistry

from tests.apps.training.controllers.engine.world import World, replicas
from windlass.apps.training.controllers.metrics import Children, Jobs, TrainingMetrics
from windlass.apps.training.frameworks import BY_KIND
from windlass.apps.training.kinds.common import TrainingJob
from windlass.kube.cache import Store


class Counted:
    def __init__(self) -> None:
        self.registry, self.metrics = CollectorRegistry(), TrainingMetrics()
        self.metrics.register(self.registry)
        self.jobs = Jobs(self.metrics, BY_KIND["TFJob"])

    def __getitem__(self, name: str) -> float | None:
        labels = {"job_namespace": "team-a", "framework": "tensorflow"}
        return self.registry.get_sample_value(f"training_operator_{name}", labels)

    def sees(self, states: Iterable[TrainingJob]) -> None:
        states = iter(states)
        old = next(states)
        self.jobs.added(old)
        for new in states:
            self.jobs.changed(old, new)
            old = new


def a_life(code: int) -> list[TrainingJob]:
    world = World("TFJob", {"tfReplicaSpecs": {"Worker": replicas(1, "ExitCode")}})
    states = [world.there]

    def look() -> None:
        world.settle()
        states.append(world.there)

    look()
    world.wait(5)
    world.run()
    look()
    world.end("demo-worker-0", 143)
    world.step()
    world.step()
    states.append(world.there)
    world.settle()
    world.run()
    look()
    world.wait(55)
    world.end("demo-worker-0", code)
    look()
    return states


def test_a_job_is_counted_once_at_each_move() -> None:
    counted = Counted()
    counted.sees(a_life(0))
    assert [counted[f"jobs_{move}_total"] for move in ("created", "restarted", "successful")] == [1, 1, 1]
    assert counted["jobs_failed_total"] is None
    assert counted["job_duration_seconds_sum"] == 60
    assert counted["job_queue_seconds_sum"] == 5


def test_a_failure_is_counted_as_one() -> None:
    counted = Counted()
    counted.sees(a_life(1))
    assert counted["jobs_failed_total"] == 1
    assert counted["jobs_successful_total"] is None


def test_a_manager_that_starts_again_does_not_count_what_is_over() -> None:
    counted = Counted()
    counted.sees(a_life(0)[-1:])
    assert counted["jobs_created_total"] is None
    assert counted["jobs_successful_total"] is None


def test_children_are_counted_after_what_was_there_before() -> None:
    world = World("TFJob", {"tfReplicaSpecs": {"Worker": replicas(2)}})
    world.step()
    first, second = world.pods.values()
    counted, store = Counted(), Store[Any]()
    store.subscribe(Children(counted.metrics, store, "created_pods", "deleted_pods"))
    store.replace([first])
    assert counted["created_pods_total"] is None
    store.put(second)
    world.end("demo-worker-1", 1)
    store.put(world.pods["demo-worker-1"])
    store.put(world.pods["demo-worker-1"])
    assert (counted["created_pods_total"], counted["failed_pods_total"]) == (1, 1)
