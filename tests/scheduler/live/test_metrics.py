"""What the gang scheduler tells Prometheus, under Volcano's names."""

from collections.abc import Mapping

import pytest
from prometheus_client import CollectorRegistry, generate_latest
from prometheus_client.parser import text_string_to_metric_families

from tests.scheduler.cycle.world import World
from windlass.scheduler.cycle.gang_cycle import Decider
from windlass.scheduler.framework.conf import Conf, PluginConf, windlass
from windlass.scheduler.live.metrics import SchedulerMetrics

DEFAULT = {"queue_name": "default"}


class Watched(World):
    """A world whose cycles are counted."""

    def __init__(self, conf: Conf) -> None:
        super().__init__(conf)
        self.registry = CollectorRegistry()
        self.metrics = SchedulerMetrics(self.registry)
        self.decider = Decider(self.cluster, conf, timed=self.metrics.timed)

    def cycle(self) -> None:
        with self.metrics.timed("cycle", ""):
            decisions = self.decide()
        self.metrics.decided(self.decider, decisions, self.now)
        self.run()

    def value(self, name: str, labels: Mapping[str, str] | None = None) -> float | None:
        return self.registry.get_sample_value(f"volcano_{name}", dict(labels or {}))


def a_world(conf: Conf | None = None) -> Watched:
    """Four GPUs: `a` has two of them, `b` waits for four."""
    world = Watched(conf or windlass("priority"))
    world.node("n1", cpu=8, gpus=4)
    world.queue("default", weight=3, capability={"cpu": "6"})
    world.job("a", 2, gpus=1, cpu=1, phase="Inqueue")
    world.cycle()
    world.job("b", 4, gpus=1, cpu=1, phase="Inqueue")
    world.cycle()
    return world


@pytest.mark.parametrize(
    ("name", "labels", "value"),
    [
        ("queue_allocated_milli_cpu", DEFAULT, 2000),
        ("queue_request_milli_cpu", DEFAULT, 6000),
        ("queue_capacity_milli_cpu", DEFAULT, 6000),
        ("queue_capacity_memory_bytes", DEFAULT, None),
        ("queue_real_capacity_milli_cpu", DEFAULT, 6000),
        ("queue_real_capacity_memory_bytes", DEFAULT, 256 * 1024**3),
        ("queue_deserved_milli_cpu", DEFAULT, 6000),
        ("queue_allocated_scalar_resources", {**DEFAULT, "resource": "nvidia.com/gpu"}, 2000),
        ("queue_allocated_scalar_resources", {**DEFAULT, "resource": "pods"}, 2),
        ("queue_deserved_scalar_resources", {**DEFAULT, "resource": "nvidia.com/gpu"}, 4000),
        ("queue_share", DEFAULT, 0.5),
        ("queue_weight", DEFAULT, 3),
        ("queue_overused", DEFAULT, 0),
        ("job_share", {"job_ns": "default", "job_id": "a"}, 0.5),
        ("unschedule_task_count", {"job_id": "default/b"}, 4),
        ("unschedule_job_count", {}, 1),
        ("schedule_attempts_total", {"result": "scheduled"}, 2),
        ("schedule_attempts_total", {"result": "unschedulable"}, 4),
        ("e2e_scheduling_latency_milliseconds_count", {}, 2),
        ("action_scheduling_latency_milliseconds_count", {"action": "allocate"}, 2),
        ("plugin_scheduling_latency_milliseconds_count", {"plugin": "drf", "OnSession": "OnSessionOpen"}, 2),
        ("total_preemption_attempts", {}, 0),
    ],
)
def test_queues_jobs_and_cycles_are_told(name: str, labels: dict[str, str], value: float | None) -> None:
    assert a_world().value(name, labels) == value


def test_those_that_were_made_to_go_are_counted() -> None:
    world = a_world()
    world.job("urgent", 4, gpus=1, priority=10, phase="Inqueue")

    world.cycle()

    assert (world.value("pod_preemption_victims"), world.value("total_preemption_attempts")) == (2, 1)


def test_how_long_pods_wait_is_told_for_many_at_once() -> None:
    world = Watched(windlass("off"))
    world.node("n1", gpus=8)
    job = world.job("a", 3, gpus=1, phase="Inqueue")
    for task, waited in zip(job.tasks.values(), (0.004, 0.03, 900), strict=True):
        task.created = world.now + 1 - waited
    world.cycle()

    name = "task_scheduling_latency_milliseconds"
    assert [world.value(f"{name}_bucket", {"le": le}) for le in ("5.0", "20.0", "40.0", "+Inf")] == [1, 1, 2, 3]
    assert world.value(f"{name}_sum") == pytest.approx(900_034)


def test_a_queue_that_is_newer_than_the_last_cycle_has_no_share_yet() -> None:
    world = a_world()
    world.queue("new", weight=2)

    assert world.value("queue_weight", {"queue_name": "new"}) == 2
    assert world.value("queue_share", {"queue_name": "new"}) is None


def test_with_capacity_queues_deserve_what_their_spec_says() -> None:
    tiers = ((PluginConf("priority"), PluginConf("gang")), (PluginConf("capacity"), PluginConf("predicates")))
    world = Watched(Conf(("allocate",), tiers))
    world.node("n1", cpu=8)
    world.queue("default", deserved={"cpu": "4"})
    world.job("a", 2, cpu=1, phase="Inqueue")
    world.cycle()

    assert world.value("queue_deserved_milli_cpu", DEFAULT) == 4000
    assert world.value("queue_share", DEFAULT) == 0.5


def test_before_the_first_cycle_nothing_is_said_of_queues() -> None:
    world = Watched(windlass("off"))

    assert world.value("queue_weight", DEFAULT) is None


def test_all_of_it_can_be_read_by_prometheus() -> None:
    text = generate_latest(a_world().registry).decode()

    assert all(family.name.startswith("volcano_") for family in text_string_to_metric_families(text))
