"""From a name to an explanation: which gang or pod is meant, in a system that was read."""

from collections.abc import Sequence

from windlass.kube.json import Object as Json
from windlass.kube.json import dig, dig_list
from windlass.kube.meta import Key
from windlass.kube.objects import key_of, uid_of
from windlass.scheduler.batch.conf import Conf
from windlass.scheduler.batch.cycle import Decider
from windlass.scheduler.batch.model import Job, Task
from windlass.scheduler.explain.answer import WAITING, Explanation
from windlass.scheduler.explain.jobs import Asked, explain_job
from windlass.scheduler.explain.pods import explain_pod
from windlass.scheduler.groups import mark_of
from windlass.scheduler.observed import Observed, System, system_of
from windlass.scheduler.pod_info import PodInfo
from windlass.scheduler.simulate.adding import read_added
from windlass.scheduler.simulate.forecast import World, world_of
from windlass.scheduler.simulate.located import BadDescription


class Unknown(Exception):
    """There is nothing of that name; the text says so."""


def explain_named(
    observed: Observed, conf: Conf, kind: str, name: str, namespace: str, now: float, owner: Json | None = None
) -> Explanation:
    """`kind` is podgroup, job or pod; `owner` the job's own object. Raises Unknown."""
    system = system_of(observed)
    world = world_of(observed, system, now)
    if kind == "pod":
        return _pod(world, conf, Key(namespace, name), now)
    if owner is not None:
        job = _of_owner(observed, system, owner)
        if job is None:
            return _pods_of(world, owner, Key(namespace, name), conf, now)
    else:
        job = _named(observed, system, Key(namespace, name))
    asked = Asked(kind, namespace, name, job, world, Decider(system.cluster, conf), now)
    return explain_job(asked, _would_be(observed, owner, namespace, now))


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


def _would_be(observed: Observed, owner: Json | None, namespace: str, now: float) -> Sequence[Task]:
    """The pods that a job describes."""
    if owner is None:
        return ()
    try:
        return read_added([owner], namespace, observed.priorities, now).tasks
    except BadDescription:
        return ()


def _pod(world: World, conf: Conf, key: Key, now: float) -> Explanation:
    pod = world.system.pods.get(key)
    if pod is None:
        raise Unknown(f"there is no pod {key.name!r} in namespace {key.namespace}")
    job = world.system.job_of(pod)
    if job is not None:
        asked = Asked("pod", key.namespace, key.name, job, world, Decider(world.cluster, conf), now)
        return explain_job(asked, only=pod.metadata.uid)
    mark = mark_of(pod)
    if mark is not None and not pod.spec.node_name and pod.metadata.uid not in world.system.alone:
        why = f'pod group "{mark[1].name}" not found in namespace "{mark[1].namespace}"'
        return Explanation("pod", key.namespace, key.name, WAITING, why)
    return explain_pod(PodInfo(pod), world, now)


def _pods_of(world: World, owner: Json, key: Key, conf: Conf, now: float) -> Explanation:
    """A job whose pods are placed one by one: the first that waits, else any, tells of it."""
    uid = uid_of(owner)
    pods = [pod for pod in world.system.pods.values() if any(one.uid == uid for one in pod.metadata.owner_references)]
    pods.sort(key=lambda pod: (bool(pod.spec.node_name), pod.metadata.name))
    if not pods:
        state = dig(owner, "status", "state", "phase") or "new"
        why = f"it has neither a pod group nor pods: its controller has made none ({state})"
        return Explanation("job", key.namespace, key.name, WAITING, why)
    return _pod(world, conf, pods[0].metadata.key, now)
