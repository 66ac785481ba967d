"""From a name to an explanation: which gang or pod is meant, in a system that was read."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from windlass.apis.core_v1 import Pod
from windlass.apis.wellknown import POD_GROUP_NAME_ANNOTATION
from windlass.kube.json import Object as Json
from windlass.kube.json import dig, dig_list
from windlass.kube.meta import Key
from windlass.kube.objects import key_of, uid_of
from windlass.scheduler.cycle.gang_cycle import Decider
from windlass.scheduler.explain.answer import WAITING, Explanation
from windlass.scheduler.explain.jobs import Asked, explain_job
from windlass.scheduler.explain.pods import explain_pod
from windlass.scheduler.extender_http import connect_blocking
from windlass.scheduler.framework.conf import Conf
from windlass.scheduler.model.jobs import Job, Task
from windlass.scheduler.model.observed import Observed, System, system_of
from windlass.scheduler.model.pod_groups import DEFAULT, SERVED, mark_of
from windlass.scheduler.model.pod_info import PodInfo
from windlass.scheduler.simulate.forecast import World, learn, world_of
from windlass.scheduler.simulate.job_manifest import read_added
from windlass.scheduler.simulate.yaml_positions import BadDescription


class Unknown(Exception):
    """There is nothing of that name; the text says so."""


@dataclass(frozen=True)
class Explainer:
    """Of one system, read at `now`. `give_up` is asked, now and then, whether to answer with what is known."""

    observed: Observed
    conf: Conf
    now: float
    give_up: Callable[[], bool] = lambda: False

    def explain(self, kind: str, key: Key, owner: Json | None = None) -> Explanation:
        """`kind` is podgroup, job or pod; `owner` the job's own object. Raises Unknown."""
        system = system_of(self.observed)
        world = world_of(self.observed, system, self.now)
        if kind == "pod":
            return self._pod(world, key)
        job = _of_owner(self.observed, system, owner) if owner is not None else _named(self.observed, system, key)
        if job is None:
            return self._pods_of(world, key, owner or {})
        foreign = next(iter(_foreign(world, job)), None) if not job.tasks else None
        if foreign is not None:
            return Explanation(kind, key.namespace, key.name, WAITING, f"its pods are {_for_another(foreign)}")
        return explain_job(self._asked(kind, key, job, world), self._would_be(owner, key.namespace))

    def _asked(self, kind: str, key: Key, job: Job, world: World) -> Asked:
        decider = self._decider(world)
        learn(decider.estimates, self.observed, world)
        return Asked(kind, key.namespace, key.name, job, world, decider, self.now, self.give_up)

    def _decider(self, world: World) -> Decider:
        """One that knows what the scheduler keeps for gangs."""
        decider = Decider(world.cluster, self.conf, connect=connect_blocking)
        decider.recall_reservations(self.now)
        return decider

    def _would_be(self, owner: Json | None, namespace: str) -> Sequence[Task]:
        """The pods that a job describes."""
        if owner is None:
            return ()
        try:
            return read_added([owner], namespace, self.observed.priorities, self.now).tasks
        except BadDescription:
            return ()

    def _pod(self, world: World, key: Key) -> Explanation:
        pod = world.system.pods.get(key)
        if pod is None:
            raise Unknown(f"there is no pod {key.name!r} in namespace {key.namespace}")
        job = world.system.job_of(pod)
        if job is not None:
            return explain_job(self._asked("pod", key, job, world), only=pod.metadata.uid)
        if not pod.spec.node_name and _is_foreign(pod):
            return Explanation("pod", key.namespace, key.name, WAITING, f"it is {_for_another(pod)}")
        mark = mark_of(pod)
        if mark is not None and not pod.spec.node_name and pod.metadata.uid not in world.system.alone:
            why = f'pod group "{mark[1].name}" not found in namespace "{mark[1].namespace}"'
            return Explanation("pod", key.namespace, key.name, WAITING, why)
        closed = self._decider(world).closed_to(PodInfo(pod), self.now)
        return explain_pod(PodInfo(pod), world, self.now, self.give_up, closed)

    def _pods_of(self, world: World, key: Key, owner: Json) -> Explanation:
        """A job whose pods are placed one by one: explained by the first that waits, else by any."""
        uid, pods = uid_of(owner), world.system.pods.values()
        own = [pod for pod in pods if uid in (one.uid for one in pod.metadata.owner_references)]
        own.sort(key=lambda pod: (bool(pod.spec.node_name), pod.metadata.name))
        if own:
            return self._pod(world, own[0].metadata.key)
        state = dig(owner, "status", "state", "phase") or "new"
        why = f"it has neither a pod group nor pods: its controller has made none ({state})"
        return Explanation("job", key.namespace, key.name, WAITING, why)


def _foreign(world: World, job: Job) -> Iterator[Pod]:
    """Pods of the group that others are to place."""
    for pod in world.system.pods.values():
        named = pod.metadata.namespace, pod.metadata.annotations.get(POD_GROUP_NAME_ANNOTATION)
        if named == (job.namespace, job.name) and _is_foreign(pod):
            yield pod


def _is_foreign(pod: Pod) -> bool:
    return (pod.spec.scheduler_name or DEFAULT) not in SERVED


def _for_another(pod: Pod) -> str:
    return f"for the scheduler {pod.spec.scheduler_name} (schedulerName), which is none of Windlass'"


def _named(observed: Observed, system: System, key: Key) -> Job:
    for _, obj in observed.groups:
        if key_of(obj) == key:
            return system.cluster.jobs[uid_of(obj)]
    raise Unknown(f"there is no pod group {key.name!r} in namespace {key.namespace}")


def _of_owner(observed: Observed, system: System, owner: Json) -> Job | None:
    """The pod group that a job has: the one that it owns, else the one of its name."""
    key, uid = key_of(owner), uid_of(owner)
    groups = [obj for _, obj in observed.groups if key_of(obj).namespace == key.namespace]
    owned = [obj for obj in groups if uid in (one.get("uid") for one in dig_list(obj, "metadata", "ownerReferences"))]
    named = [obj for obj in groups if key_of(obj).name == key.name]
    found = next(iter((*owned, *named)), None)
    return system.cluster.jobs[uid_of(found)] if found is not None else None
