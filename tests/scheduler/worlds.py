"""A cluster with jobs, and a decider for it, with only what a test is about."""

from collections import Counter
from typing import Any

from tests.scheduler.builders import a_node, a_pod
from windlass.scheduler.cycle.gang_cycle import Decider
from windlass.scheduler.framework.conf import Conf, PluginConf
from windlass.scheduler.framework.decisions import Decisions
from windlass.scheduler.framework.session import Session
from windlass.scheduler.model.cluster import Cluster, HyperNode
from windlass.scheduler.model.jobs import Job, Queue, Status, Task
from windlass.scheduler.plugins.extender.client import Connect, unconnected


class World:
    """`plugins` are names, or names with arguments; `priority` and `gang` come before them."""

    def __init__(
        self,
        *plugins: str | PluginConf,
        actions: tuple[str, ...] = ("allocate",),
        basic: bool = True,
        connect: Connect = unconnected,
    ) -> None:
        self.cluster = Cluster()
        self.cluster.put_queue(Queue("default"))
        listed = tuple(PluginConf(one) if isinstance(one, str) else one for one in plugins)
        first = (PluginConf("priority"), PluginConf("gang")) if basic else ()
        self.decider = Decider(self.cluster, Conf(actions, (first, listed) if first else (listed,)), connect=connect)

    def node(self, name: str, **given: Any) -> None:
        self.cluster.snapshot.put_node(a_node(name, **given))

    def nodes(self, number: int, **given: Any) -> list[str]:
        names = [f"n{at:03d}" for at in range(number)]
        for name in names:
            self.node(name, **given)
        return names

    def racks(self, nodes: int, rack: int, spine: int = 0, **given: Any) -> None:
        """Racks of so many nodes (tier 1), spines of so many racks (tier 2)."""
        names = self.nodes(nodes, **given)
        found = [
            HyperNode(f"rack{at // rack}", 1, "rack", frozenset(names[at : at + rack])) for at in range(0, nodes, rack)
        ]
        wide = rack * spine
        if wide:
            for at in range(0, nodes, wide):
                found.append(HyperNode(f"spine{at // wide}", 2, "spine", frozenset(names[at : at + wide])))
        self.cluster.hyper_nodes = tuple(found)

    def queue(self, name: str, **given: Any) -> Queue:
        queue = Queue(name, **given)
        self.cluster.put_queue(queue)
        return queue

    def job(
        self, name: str, pods: int = 1, least: int | None = None, *, roles: dict[str, int] | None = None, **given: Any
    ) -> Job:
        """`on` puts its pods on nodes, in turn; `status` they have; `pod` is what pods are made of; else of the job."""
        pod, on, status = given.pop("pod", {"cpu": "1"}), given.pop("on", ()), given.pop("status", None)
        started = given.pop("started", 0.0)
        given.setdefault("phase", "Inqueue")
        job = Job(f"uid-{name}", "default", name, min_member=pods if least is None else least, **given)
        if job.queue not in self.cluster.queues:
            self.queue(job.queue)
        self.cluster.put_job(job)
        listed = [role for role, number in roles.items() for _ in range(number)] if roles else [""] * pods
        for at, role in enumerate(listed):
            node = on[at % len(on)] if on else ""
            info = a_pod(f"{name}-{at}", **pod)
            known = status if status is not None else Status.RUNNING if node else Status.PENDING
            self.cluster.put_task(job, Task(info, role, index=at, node=node, status=known, started=started))
        return job

    def decide(self, now: float = 0.0) -> Decisions:
        return self.decider.decide(now)

    def session(self, now: float = 0.0) -> Session:
        return self.decider.session(now)

    def where(self, job: Job) -> list[str]:
        """The nodes of its pods, in their order."""
        return [task.node for task in sorted(job.tasks.values(), key=lambda one: one.index)]

    def in_hyper_nodes(self, job: Job, tier: int) -> Counter[str]:
        """How many of its pods are in each hyper node of a tier."""
        found: Counter[str] = Counter()
        for node in self.where(job):
            found.update(one.name for one in self.cluster.hyper_nodes if one.tier == tier and node in one.nodes)
        return found
