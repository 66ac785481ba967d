"""From what is described to what the scheduler decides about."""

from windlass.scheduler.model.amounts import amounts_of
from windlass.scheduler.model.cluster import Cluster
from windlass.scheduler.model.jobs import Job, Queue, Task
from windlass.scheduler.simulate.workload import DEFAULT_QUEUE, JobPlan, PodMaker, Scenario, node_object


def cluster_of(scenario: Scenario, *, one_queue: bool = False) -> Cluster:
    """Its nodes and queues, or one queue for all; no jobs yet."""
    cluster = Cluster(hyper_nodes=scenario.hyper_nodes)
    for kind in scenario.nodes:
        for number in range(kind.count):
            cluster.snapshot.put_node(node_object(kind, f"{kind.name}-{number}"))
    if one_queue:
        cluster.put_queue(Queue(DEFAULT_QUEUE))
    else:
        for plan in scenario.queues:
            cluster.put_queue(Queue.of(plan.name, plan.spec, amounts_of))
    return cluster


def job_of(plan: JobPlan, *, queue: str | None = None) -> Job:
    return Job(
        plan.name,
        "simulated",
        plan.name,
        queue=queue or plan.queue,
        priority=plan.priority,
        min_member=plan.least,
        min_tasks={role.name: role.least for role in plan.roles if role.least},
        min_resources=plan.minimum,
        created=plan.arrival,
        topology=plan.topology,
        estimate=plan.estimate,
        ref=plan,
    )


def task_of(plan: JobPlan, index: int, maker: PodMaker, *, attempt: int = 0, created: float = 0.0) -> Task:
    """The pod of that index, for the first time or once more."""
    at = index
    for role in plan.roles:
        if at < role.count:
            name = f"{plan.name}-{role.name}-{at}"
            pod = maker.pod(f"{name}.{attempt}" if attempt else name, role.asks)
            return Task(pod, role.name, index=at, priority=plan.priority, created=created)
        at -= role.count
    raise IndexError(index)
