"""Every sum that the scheduler keeps up to date change by change, computed from scratch and compared.

What a sum is about is found in the objects, and in what was decided and the objects do not show yet; never in another
sum.
"""

from collections import Counter, defaultdict
from collections.abc import Iterable

import numpy as np

from tests.scheduler.ledger_world import LedgerWorld
from windlass.apis.core_v1 import Pod
from windlass.kube.kind import Kind
from windlass.kube.meta import Key
from windlass.scheduler.model.cluster import GATHER, TAKING
from windlass.scheduler.model.columns import WIDTH, Vector
from windlass.scheduler.model.jobs import ALLOCATED, READY, REQUESTED, VALID, Job, Status, Task
from windlass.scheduler.model.pod_groups import BY_SCHEDULER, SERVED, is_alone, mark_of
from windlass.scheduler.model.pod_info import FINISHED, PodInfo
from windlass.scheduler.placing.placer import Placer
from windlass.scheduler.plugins.deviceshare.plugin import DeviceShare

IN_CYCLE = (Status.ALLOCATED, Status.BINDING)
Places = dict[str, tuple[PodInfo, str]]


def check(world: LedgerWorld, *, in_cycle: bool = False) -> None:
    """All sums are those of what there is; `in_cycle`: a cycle is under way, and may have decided more."""
    there = places(world, in_cycle=in_cycle)
    check_nodes(world, there, in_cycle=in_cycle)
    check_neighbours(world, there)
    check_jobs(world)
    check_queues(world)
    check_rankings(world)
    check_cards(world)
    if in_cycle:
        return
    check_members(world)
    check_tasks(world)
    check_lone_pods(world)
    world.cluster.settle(world.now)
    check_claims(world)
    check_nodes(world, there, in_cycle=in_cycle)


def total(amounts: Iterable[Vector]) -> Vector:
    return sum(amounts, np.zeros(WIDTH))


def same(found: Vector, wanted: Vector, what: str) -> None:
    assert np.array_equal(found, wanted), f"{what}: {found[:6]} instead of {wanted[:6]}"


# --- which pods count where


def unbound(world: LedgerWorld, uid: str, key: Key) -> Pod | None:
    """A pod that is there, has not ended and has no node as far as the server says."""
    pod = world.pods.get(key)
    if pod is None or pod.metadata.uid != uid or pod.spec.node_name or pod.status.phase in FINISHED:
        return None
    return pod


def in_flight(world: LedgerWorld) -> dict[str, Task]:
    """Members of gangs that are being bound, or were and are told to terminate; deletion ends that at once."""
    tasks = [task for commit in world.binding for task in commit.tasks]
    tasks += list(world.evicting.values())
    found: dict[str, Task] = {}
    for task in tasks:
        pod = unbound(world, task.uid, task.pod.key)
        if pod is not None and not pod.metadata.deletion_timestamp:
            found[task.uid] = task
    return found


def places(world: LedgerWorld, *, in_cycle: bool) -> Places:
    found: Places = {}
    for pod in world.pods:
        if pod.spec.node_name and pod.status.phase not in FINISHED:
            found[pod.metadata.uid] = (PodInfo(pod), pod.spec.node_name)
    for uid, (pod, node) in world.binding_alone.items():
        if unbound(world, uid, pod.key) is not None:
            found[uid] = (pod, node)
    for uid, task in in_flight(world).items():
        found[uid] = (task.pod, task.node)
    for job in world.cluster.jobs.values() if in_cycle else ():
        found |= {task.uid: (task.pod, task.node) for task in job.tasks.values() if task.status in IN_CYCLE}
    found |= {uid: (hold.pod, hold.node) for uid, hold in world.cluster.holds.items()}
    return found


def ending(world: LedgerWorld, there: Places, *, in_cycle: bool) -> set[str]:
    """Pods that are being terminated; one that is being bound is not, whatever happens to it meanwhile."""
    found = {pod.metadata.uid for pod in world.pods if pod.metadata.deletion_timestamp and pod.spec.node_name}
    found |= set(world.evicting)
    for job in world.cluster.jobs.values() if in_cycle else ():
        found |= {task.uid for task in job.tasks.values() if task.status is Status.RELEASING}
    return found & set(there)


# --- nodes


def check_nodes(world: LedgerWorld, there: Places, *, in_cycle: bool) -> None:
    snapshot, table = world.snapshot, world.snapshot.table
    goes = ending(world, there, in_cycle=in_cycle)
    promised = promises(world)
    named = {node.metadata.name for node in world.nodes}
    named |= {node for _, node in there.values()} | {node for node, _ in promised.values()}
    assert set(table.index) == named
    assert {node.name for node in snapshot.nodes} == {node.metadata.name for node in world.nodes}
    for name, number in table.index.items():
        pods = {uid: pod for uid, (pod, node) in there.items() if node == name}
        same(table.used[:, number], total(pod.vector for pod in pods.values()), f"used on {name}")
        releasing = total(pod.vector for uid, pod in pods.items() if uid in goes)
        same(table.releasing[:, number], releasing, f"releasing on {name}")
        kept = total(amounts for node, amounts in promised.values() if node == name)
        same(table.promised[:, number], kept, f"promised on {name}")
        same(table.kept[:, number], np.maximum(kept - releasing, 0), f"kept on {name}")
        felt = [sum(pod.cpu for pod in pods.values()), sum(pod.memory for pod in pods.values())]
        assert table.felt[:, number].tolist() == felt
        _check_node(world, name, number, pods)
    assert table.ending == len(goes)
    assert table.promises == len(promised)
    unused = sorted(set(range(len(table.names))) - set(table.index.values()))
    assert sorted(table._free) == unused  # pyright: ignore[reportPrivateUsage]
    for array in (table.allocatable, table.used, table.releasing, table.promised, table.kept, table.felt):
        assert not array[:, unused].any()


def _check_node(world: LedgerWorld, name: str, number: int, pods: dict[str, PodInfo]) -> None:
    snapshot, table = world.snapshot, world.snapshot.table
    info, node = snapshot._all[name], world.nodes.get(Key("", name))  # pyright: ignore[reportPrivateUsage]
    assert set(info.pods) == set(pods)
    assert table.names[number] == name
    assert bool(table.present[number]) is (node is not None)
    requested: Counter[str] = Counter()
    ports: Counter[object] = Counter()
    for pod in pods.values():
        requested.update(pod.requests)
        ports.update(pod.ports)
    assert {key: amount for key, amount in info.requested.items() if amount} == dict(requested)
    assert dict(info.ports) == dict(ports)
    assert (info.cpu, info.memory) == (
        sum(pod.cpu for pod in pods.values()),
        sum(pod.memory for pod in pods.values()),
    )


def promises(world: LedgerWorld) -> dict[str, tuple[str, Vector]]:
    """Room that is promised: to pods that were nominated, and in a cycle to tasks that wait for others to end."""
    nominations = world.cluster.preemptions.nominations
    found = {uid: (one.node, one.request) for uid, one in nominations.items() if one.stands}
    for job in world.cluster.jobs.values():
        waiting = [task for task in job.tasks.values() if task.status is Status.PIPELINED]
        assert not any(task.uid in found for task in waiting)
        found |= {task.uid: (task.node, task.request) for task in waiting}
    return found


def check_neighbours(world: LedgerWorld, there: Places) -> None:
    """What pods say of others near them, who uses which claim, and how many pods of a node a rule is about."""
    snapshot = world.snapshot
    repelling: defaultdict[object, Counter[str]] = defaultdict(Counter)
    attracting: defaultdict[object, Counter[str]] = defaultdict(Counter)
    users: defaultdict[Key, set[str]] = defaultdict(set)
    for uid, (pod, node) in there.items():
        for term in pod.anti_affinity:
            repelling[term][node] += 1
        for wish in (*pod.preferences, *((term, 1) for term in pod.affinity)):
            attracting[wish][node] += 1
        for claim in pod.claim_keys:
            users[claim].add(uid)
    assert dict(snapshot.repelling) == dict(repelling)
    assert dict(snapshot.attracting) == dict(attracting)
    assert dict(snapshot.users) == dict(users)
    assert set(snapshot.reserved.values()) <= set(users)
    for tally in snapshot._tallies._kept.values():  # pyright: ignore[reportPrivateUsage]
        counted = Counter(node for pod, node in there.values() if tally.counts_for(pod))
        assert +tally.by_node == counted


def check_rankings(world: LedgerWorld) -> None:
    """Who is asked for the best node says the same as one that has never been asked before."""
    for placer in (world.placer, world.decider.placer):
        anew = Placer(world.snapshot, placer.profile)
        for pod in world.sizes:
            shape = placer.shapes.of(pod)
            kept, fresh = placer.ranking(shape), anew.ranking(shape)
            best, wanted = kept.best(), fresh.best()
            assert (best is None) is (wanted is None)
            if best is not None and wanted is not None:
                assert world.snapshot.table.names[best] == world.snapshot.table.names[wanted]


def check_cards(world: LedgerWorld) -> None:
    """What is left of the cards of a node is what its pods did not take."""
    plugin = world.decider.plugins.named("deviceshare")
    if not isinstance(plugin, DeviceShare) or not hasattr(plugin, "_session"):
        return
    plugin._catch_up()  # pyright: ignore[reportPrivateUsage]
    for node in world.snapshot.nodes:
        cards = plugin._cards_of(node.name)  # pyright: ignore[reportPrivateUsage]
        assert cards is not None
        assert set(cards.taken) == set(node.pods)
        taken = Counter(take.card for takes in cards.taken.values() for one in takes for take in one)
        assert {at: card.pods for at, card in cards.cards.items() if card.pods} == dict(taken)
        assert all(card.used == card.pods * card.memory for card in cards.cards.values())


# --- jobs and queues


def check_jobs(world: LedgerWorld) -> None:
    for job in world.cluster.jobs.values():
        tasks = list(job.tasks.values())
        assert all(task.job is job for task in tasks)
        statuses = Counter(task.status for task in tasks)
        assert {status: number for status, number in job.counts.items() if number} == dict(statuses)
        roles = {role: +counter for role, counter in job.roles.items() if +counter}
        wanted: defaultdict[str, Counter[Status]] = defaultdict(Counter)
        for task in tasks:
            wanted[task.role][task.status] += 1
        assert roles == dict(wanted)
        assert job.pending == {task.uid: task for task in tasks if task.status is Status.PENDING}
        assert job.ready == sum(task.status in READY for task in tasks)
        assert job.valid == sum(task.status in VALID for task in tasks)
        assert job.running == sum(task.status in ALLOCATED - {Status.ALLOCATED} for task in tasks)
        same(job.allocated, asked(tasks, ALLOCATED), f"allocated of {job}")
        same(job.requested, asked(tasks, REQUESTED), f"requested of {job}")
        same(job.pipelined, asked(tasks, (Status.PIPELINED,)), f"pipelined of {job}")


def asked(tasks: Iterable[Task], statuses: Iterable[Status]) -> Vector:
    return total(task.request for task in tasks if task.status in frozenset(statuses))


def check_queues(world: LedgerWorld) -> None:
    cluster = world.cluster
    assert set(cluster.queues) == {"default"} | {str(one["metadata"]["name"]) for one in world.queues}
    for name, queue in cluster.queues.items():
        jobs = {uid: job for uid, job in cluster.jobs.items() if job.queue == name}
        assert queue.jobs == jobs
        tasks = [task for job in jobs.values() for task in job.tasks.values()]
        holds = total(hold.pod.vector for hold in cluster.holds.values() if hold.job.queue == name)
        same(queue.allocated, asked(tasks, TAKING) + holds, f"allocated of queue {name}")
        same(queue.requested, asked(tasks, REQUESTED), f"requested of queue {name}")


def check_claims(world: LedgerWorld) -> None:
    """What is settled when a cycle begins."""
    cluster = world.cluster
    jobs = list(cluster.jobs.values())
    assert cluster.waiting == {job.uid: job for job in jobs if job.pending or not job.is_admitted}
    gated = {job.uid: job for job in jobs if job.counts[Status.GATED] and job.uid not in cluster.waiting}
    assert cluster.gated == gated
    assert cluster.broken == {job.uid: job for job in jobs if job.is_broken}
    assert all(cluster.jobs.get(hold.job.uid) is hold.job for hold in cluster.holds.values())
    assert not cluster.lifted
    assert set(cluster.admitted_at) <= set(cluster.jobs)
    for name, queue in cluster.queues.items():
        of_queue = [job for job in jobs if job.queue == name]
        inqueue = total(job.unallocated for job in of_queue if claims(world, job))
        same(queue.inqueue, inqueue, f"inqueue of queue {name}")
        same(queue.elastic, total(job.elastic for job in of_queue), f"elastic of queue {name}")


def claims(world: LedgerWorld, job: Job) -> bool:
    """A job that was admitted claims what it lacks of its minimum, while that can lead to its running."""
    cluster = world.cluster
    if not job.is_admitted or job.phase == "Completed" or job.min_resources is None or job.uid in cluster.reserved:
        return False
    if job.number((Status.PENDING, Status.GATED, Status.PIPELINED)):
        return True
    return not job.tasks and world.now - cluster.admitted_at.get(job.uid, world.now) <= GATHER


# --- who belongs to what


def group_of(world: LedgerWorld, pod: Pod) -> str | None:
    """The uid of the group that a pod belongs to: of the kind that its scheduler prefers."""
    mark = mark_of(pod)
    if mark is None:
        return None
    kinds: tuple[Kind, ...] = BY_SCHEDULER[pod.spec.scheduler_name]
    found = (world.groups[kind].get(mark[1]) for kind in kinds)
    return next((str(group["metadata"]["uid"]) for group in found if group is not None), None)


def check_members(world: LedgerWorld) -> None:
    gangs = world.gangs
    members: defaultdict[object, set[str]] = defaultdict(set)
    orphans: set[str] = set()
    for pod in world.pods:
        mark, uid = mark_of(pod), pod.metadata.uid
        if mark is not None:
            members[mark].add(uid)
        waits = not pod.spec.node_name and not pod.metadata.deletion_timestamp and pod.status.phase not in FINISHED
        needs_group = mark is not None or pod.spec.scheduler_name == "volcano"
        if waits and needs_group and group_of(world, pod) is None:
            orphans.add(uid)
    found = {mark: set(pods) for mark, pods in gangs._members.items()}  # pyright: ignore[reportPrivateUsage]
    assert found == dict(members)
    assert {pod.uid for pod in gangs.orphans()} == orphans
    known = {key for key, _ in _groups(world)}
    assert set(gangs._known) == known  # pyright: ignore[reportPrivateUsage]


def _groups(world: LedgerWorld) -> list[tuple[tuple[Kind, Key], str]]:
    return [
        ((kind, Key(group["metadata"]["namespace"], group["metadata"]["name"])), str(group["metadata"]["uid"]))
        for kind, store in world.groups.items()
        for group in store
    ]


def check_tasks(world: LedgerWorld) -> None:
    """Each pod is a task of the job of its group and of no other, as what has become of it has it."""
    wanted: dict[str, dict[str, tuple[Status, str]]] = {uid: {} for _, uid in _groups(world)}
    flying = in_flight(world)
    for pod in world.pods:
        uid, job = pod.metadata.uid, group_of(world, pod)
        if pod.spec.scheduler_name == "kube-batch" and mark_of(pod) is None:
            owner = next((one.uid for one in pod.metadata.owner_references if one.controller), uid)
            job = f"alone-{owner}"
        status = status_from_scratch(world, pod, flying.get(uid)) if job is not None else None
        if job is not None and status is not None:
            wanted.setdefault(job, {})[uid] = status
    found = {
        uid: {task.uid: (task.status, task.node) for task in job.tasks.values()}
        for uid, job in world.cluster.jobs.items()
    }
    assert found == wanted
    between = set(world.gangs._tasks._between)  # pyright: ignore[reportPrivateUsage]
    assert between <= {pod.metadata.uid for pod in world.pods}


def status_from_scratch(world: LedgerWorld, pod: Pod, flying: Task | None) -> tuple[Status, str] | None:
    node, uid = pod.spec.node_name, pod.metadata.uid
    ended = {"Succeeded": Status.SUCCEEDED, "Failed": Status.FAILED}.get(pod.status.phase)
    if ended is not None:
        return ended, node
    if flying is not None:
        return (Status.RELEASING if uid in world.evicting else Status.BINDING), flying.node
    if pod.metadata.deletion_timestamp:
        return (Status.RELEASING, node) if node else None
    if not node:
        return (Status.GATED if pod.spec.scheduling_gates else Status.PENDING), ""
    if world.nodes.get(Key("", node)) is None:
        return Status.UNKNOWN, node
    if uid in world.evicting:
        return Status.RELEASING, node
    return (Status.RUNNING if pod.status.phase == "Running" else Status.BOUND), node


def check_lone_pods(world: LedgerWorld) -> None:
    """Those that wait for a node for themselves have a place in the queue, and are kept in one list of it."""
    queue, wanted = world.queue, set[str]()
    for pod in world.pods:
        uid, waits = pod.metadata.uid, (pod.spec.scheduler_name or "default-scheduler") in SERVED and is_alone(pod)
        held_back = bool(pod.metadata.deletion_timestamp or pod.spec.scheduling_gates)
        if waits and unbound(world, uid, pod.metadata.key) is not None and (
            uid in world.binding_alone or not held_back
        ):  # fmt: skip
            wanted.add(uid)
    entries = queue._entries  # pyright: ignore[reportPrivateUsage]
    assert set(entries) == wanted
    idle = {uid for uid, entry in entries.items() if entry.state in ("resting", "taken")}
    resting = {uid for uid, entry in entries.items() if entry.state == "resting"}
    index = queue._resting._by_namespace  # pyright: ignore[reportPrivateUsage]
    assert {uid for pods in index.values() for uid in pods} == resting
    heaps = [(entry, ticket) for *_, ticket, entry in (*queue._active, *queue._backoff)]  # pyright: ignore[reportPrivateUsage]
    assert {entry.pod.uid for entry, ticket in heaps if entry.ticket == ticket} == set(entries) - idle
    assert set(world.snapshot.nominated) <= wanted
