"""Small clusters and jobs, with only what a test is about."""

from typing import Any

from windlass.apis.wellknown import NVIDIA_GPU
from windlass.scheduler.framework.conf import Conf, PluginConf
from windlass.scheduler.simulate.baselines import POD_BY_POD, Policy
from windlass.scheduler.simulate.engine import Outcome, Simulation
from windlass.scheduler.simulate.records import Ended
from windlass.scheduler.simulate.workload import Failures, JobPlan, NodeKind, QueuePlan, Role, Scenario

GANG = Policy("gang", "gang", Conf(("enqueue", "allocate"), ((PluginConf("priority"), PluginConf("gang")),)))
ALONE = POD_BY_POD


def a_job(name: str = "a", width: int = 1, *, gpus: float = 1, duration: float = 100, **given: Any) -> JobPlan:
    """A gang of pods with GPUs; `least`, `arrival`, `queue`, `deaths` and so on as a plan has them."""
    least = given.pop("least", width)
    asks = {"cpu": 1000.0, NVIDIA_GPU: gpus} if gpus else {"cpu": 1000.0}
    return JobPlan(name, given.pop("arrival", 0.0), duration, (Role("worker", width, asks),), least, **given)


def a_scenario(*jobs: JobPlan, nodes: int = 1, gpus: int = 4, **given: Any) -> Scenario:
    kind = NodeKind("n", nodes, {"cpu": 64_000.0, "memory": 2.0**38, "pods": 110.0, NVIDIA_GPU: float(gpus)})
    queues = given.pop("queues", tuple(QueuePlan(name) for name in dict.fromkeys(job.queue for job in jobs)))
    failures = given.pop("failures", Failures())
    return Scenario("test", (kind,), tuple(jobs), queues, failures=failures, **given)


def lived(scenario: Scenario, policy: Policy = GANG) -> Outcome:
    return Simulation(scenario, policy).run()


def ended(outcome: Outcome) -> dict[str, Ended]:
    return {one.name: one for one in outcome.records.ended}
