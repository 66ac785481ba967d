"""Changes of objects become keys of the objects that controllers look at."""

import asyncio

from windlass.apis.apps_v1 import ReplicaSet
from windlass.apis.batch_v1 import Job
from windlass.apis.core_v1 import Node, Pod
from windlass.kube.feed import OwnerFeed
from windlass.kube.kind import KINDS
from windlass.kube.meta import Key, ObjectMeta, OwnerReference
from windlass.kube.queue import Queue


def owned_by(*owners: OwnerReference, name: str = "p") -> Pod:
    return Pod(metadata=ObjectMeta(name=name, namespace="ml", owner_references=list(owners)))


def owner(api_version: str, kind: str, name: str, *, controller: bool = True) -> OwnerReference:
    return OwnerReference(api_version=api_version, kind=kind, name=name, uid="u", controller=controller)


async def keys(queue: Queue[Key]) -> set[Key]:
    taking = aiter(queue)
    return {await anext(taking) for _ in range(len(queue))}


async def test_each_owner_goes_to_the_controllers_of_its_kind() -> None:
    feed = OwnerFeed()
    jobs, also_jobs, sets, nodes = Queue[Key](), Queue[Key](), Queue[Key](), Queue[Key]()
    for kind, queue in ((Job, jobs), (Job, also_jobs), (ReplicaSet, sets), (Node, nodes)):
        feed.add(KINDS.of(kind), queue)

    feed.added(owned_by(owner("batch/v1", "Job", "train")))
    feed.added(owned_by(owner("apps/v1", "ReplicaSet", "web")))
    feed.added(owned_by(owner("v1", "Node", "a")))
    feed.added(owned_by(owner("example.com/v1", "Job", "of-another-group")))
    feed.added(owned_by(owner("batch/v1", "Job", "not-its-controller", controller=False)))
    feed.added(owned_by())

    assert await asyncio.gather(*map(keys, (jobs, also_jobs, sets, nodes))) == [
        {Key("ml", "train")},
        {Key("ml", "train")},
        {Key("ml", "web")},
        {Key("", "a")},
    ]


async def test_a_change_of_owner_concerns_both() -> None:
    feed, jobs = OwnerFeed(), Queue[Key]()
    feed.add(KINDS.of(Job), jobs)

    feed.changed(owned_by(owner("batch/v1", "Job", "before")), owned_by(owner("batch/v1", "Job", "after")))
    feed.deleted(owned_by(owner("batch/v1", "Job", "gone")))

    assert await keys(jobs) == {Key("ml", "before"), Key("ml", "after"), Key("ml", "gone")}
