"""A small cluster with jobs and queues, and cycles that decide about them."""

from typing import Any

import numpy as np

from tests.scheduler.builders import a_node, a_pod
from windlass.scheduler.cycle.gang_cycle import Decider
from windlass.scheduler.framework.conf import Conf, PluginConf, windlass
from windlass.scheduler.framework.decisions import Decisions
from windlass.scheduler.model.amounts import amounts_of
from windlass.scheduler.model.cluster import Cluster
from windlass.scheduler.model.columns import TOLERANCE, vector
from windlass.scheduler.model.gang_tasks import LostTask
from windlass.scheduler.model.jobs import ALLOCATED, Job, Queue, Status, Task

GPU = "nvidia.com/gpu"
GANGS_ONLY = Conf(("enqueue", "allocate", "backfill"), ((PluginConf("priority"), PluginConf("gang")),))


class World:
    """`now` is the time of the next cycle."""

    def __init__(self, conf: Conf | None = None) -> None:
        self.cluster = Cluster()
        self.cluster.put_queue(Queue("default"))
        self.decider = Decider(self.cluster, conf or windlass("off"))
        self.now = 1000.0

    def node(self, name: str, cpu: int = 0, gpus: int = 0, **given: Any) -> None:
        offers = {GPU: str(gpus)} if gpus else {}
        self.cluster.snapshot.put_node(a_node(name, cpu=str(cpu or 64), memory="256Gi", offers=offers, **given))

    def queue(self, name: str, **spec: Any) -> Queue:
        queue = Queue.of(name, spec, amounts_of)
        self.cluster.put_queue(queue)
        return queue

    def job(self, name: str, width: int, least: int | None = None, **given: Any) -> Job:
        """`gpus`, `cpu` (a pod), `roles` (a role for each task), `resources` (minResources); else fields of the job."""
        gpus, cpu = given.pop("gpus", 0), given.pop("cpu", 0)
        roles: list[str] = given.pop("roles", [""] * width)
        spec: dict[str, Any] = given.pop("spec", {})
        resources = given.pop("resources", None)
        job = Job(
            name,
            "default",
            name,
            min_member=width if least is None else least,
            created=given.pop("created", self.now + len(self.cluster.jobs)),
            min_resources=vector(amounts_of(resources)) if resources is not None else None,
            **given,
        )
        self.cluster.put_job(job)
        asks = {GPU: str(gpus)} if gpus else {}
        for number, role in enumerate(roles):
            pod = a_pod(f"{name}-{number}", cpu=str(cpu) if cpu else "", asks=asks, priority=job.priority, **spec)
            self.cluster.put_task(job, Task(pod, role, index=number))
        return job

    def add(self, job: Job, name: str, *, gpus: int = 0, cpu: int = 0, role: str = "", **spec: Any) -> Task:
        """Another pod of a job."""
        asks = {GPU: str(gpus)} if gpus else {}
        pod = a_pod(name, cpu=str(cpu) if cpu else "", asks=asks, priority=job.priority, **spec)
        task = Task(pod, role)
        self.cluster.put_task(job, task)
        return task

    def lose(self, job: Job, name: str) -> str:
        """A pod that runs is no more; answers the node that it was on."""
        task = next(task for task in job.tasks.values() if task.pod.key.name == name)
        self.decider.lost(LostTask.of(job, task), self.now)
        self.cluster.drop_task(job, task.uid)
        return task.node

    def lose_node(self, name: str) -> list[Task]:
        """A node is gone, and with it its pods; answers them."""
        gone = [task for job in self.cluster.jobs.values() for task in job.tasks.values() if task.node == name]
        self.cluster.snapshot.remove_node(name)
        for task in gone:
            self.lose(task.job, task.pod.key.name)
        return gone

    def decide(self) -> Decisions:
        self.now += 1
        return self.decider.decide(self.now)

    def check(self) -> None:
        """Nothing is promised twice, and sums are the sums of what they stand for."""
        cluster, table = self.cluster, self.cluster.snapshot.table
        assert (table.used <= table.allocatable + TOLERANCE).all()
        assert not cluster.lifted
        used = np.zeros_like(table.used)
        for job in cluster.jobs.values():
            for task in job.tasks.values():
                if task.status in ALLOCATED or task.status is Status.RELEASING:
                    used[:, table.index[task.node]] += task.request
        for hold in cluster.holds.values():
            used[:, table.index[hold.node]] += hold.pod.vector
        assert np.allclose(used, table.used)
        for queue in cluster.queues.values():
            kept = [hold.pod.vector for hold in cluster.holds.values() if hold.job.queue == queue.name]
            held = [task.request for job in queue.jobs.values() for task in job.tasks.values() if _takes(task)]
            assert np.allclose(queue.allocated, sum([*held, *kept], np.zeros(len(queue.allocated))))

    def run(self) -> None:
        """What was decided comes true."""
        for job in self.cluster.jobs.values():
            for task in list(job.tasks.values()):
                if task.status is Status.BINDING:
                    self.cluster.move(task, Status.RUNNING)
                    task.started = self.now
                elif task.status is Status.RELEASING:
                    self.cluster.drop_task(job, task.uid)

    def finish(self, job: Job) -> None:
        for uid in list(job.tasks):
            self.cluster.drop_task(job, uid)

    def placed(self, job: Job) -> dict[str, str]:
        """Nodes by the names of the tasks that have one."""
        tasks = (task for task in job.tasks.values() if task.status in ALLOCATED)
        return {task.pod.key.name: task.node for task in tasks}

    def why(self, job: Job, decisions: Decisions) -> str:
        found = decisions.troubles.get(job.uid)
        return f"{found.code}: {found.message}" if found is not None else ""


def _takes(task: Task) -> bool:
    return task.status in ALLOCATED or task.status is Status.PIPELINED
