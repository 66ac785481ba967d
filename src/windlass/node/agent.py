"""The agent: knows the pods of this node, has a worker for each, and answers for them to the API server.

It may be killed at any moment. What runs goes on without it; when it is started again it finds the pods that run, the
objects that they stand for, and puts the two together: pods that nobody wants any more are ended.
"""

import asyncio
import logging
import socket
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from windlass.kube.cache import Store
from windlass.kube.client import Client
from windlass.kube.events import Recorder
from windlass.kube.faults import RETRIED, Attempt, Faults
from windlass.kube.informer import Informer
from windlass.kube.json import Object, dig
from windlass.kube.kind import Kind
from windlass.kube.meta import Key
from windlass.kube.objects import AnyObject, key_of, uid_of
from windlass.kube.view import untyped
from windlass.node.devices import Devices
from windlass.node.images.images import Images
from windlass.node.lifecycle.admission import Admission, admit
from windlass.node.lifecycle.observed import Eviction
from windlass.node.lifecycle.pressure import whom_to_evict
from windlass.node.machine import Capacity, measure
from windlass.node.pods.means import COMPONENT, POD, Means
from windlass.node.pods.told import told_runs
from windlass.node.pods.worker import Worker
from windlass.node.registration import LEAST_MEMORY, Identity, Registration, free_memory
from windlass.node.runtimes.base import Gone, Runtime
from windlass.node.runtimes.choice import Ground, lay_ground
from windlass.node.sources import Sources
from windlass.node.streams.archive import Archive
from windlass.node.streams.pods import RunningPod
from windlass.node.streams.server import KubeletServer
from windlass.node.volumes.manager import Volumes
from windlass.node.volumes.persistent import PersistentFolders
from windlass.node.volumes.usage import has_limit, over_limit

MEASURE_EVERY = 10.0  # seconds between looks at how much pods with storage limits have written
RESTART, LONGEST_RESTART = 1.0, 60.0  # seconds before the worker of a pod that failed starts again, doubling
GRACE_AT_END = 5.0  # seconds that pods have when Windlass is stopped

log = logging.getLogger("windlass.node")


@dataclass(frozen=True, kw_only=True)
class Options:
    """What the agent is started with. `runtime` "auto" is sandbox where that works, else process."""

    data: Path
    name: str
    server: tuple[str, int]
    """Where the API server listens: what pods reach at kubernetes.default.svc."""
    images: Path | None = None
    """Where environments are built; None is in the data directory."""
    runtime: str = "auto"
    max_pods: int = 500
    resources: dict[str, int] = field(default_factory=dict[str, int])


class _Changes:
    """Hears of the cache's changes; a pod that was replaced by another of its name is one lost and one seen."""

    def __init__(self, see: Callable[[Object], None], lose: Callable[[Object], None]) -> None:
        self.added, self.deleted = see, lose

    def changed(self, old: Object, new: Object) -> None:
        if uid_of(old) != uid_of(new):
            self.deleted(old)
        self.added(new)


class Agent:
    """Give it a client and options, then `run` it once. It is the `Pods` of the streams."""

    def __init__(self, client: Client, options: Options) -> None:
        self._client, self._options = client, options
        self._recorder = Recorder(client, host=options.name)
        client.faults = Faults(COMPONENT, warn=self._warn)
        self._informer = Informer(client, untyped(POD).narrowed(f"spec.nodeName={options.name}"))
        self._workers: dict[str, Worker] = {}
        self._running: dict[str, asyncio.Task[None]] = {}
        self._admitted: dict[str, Admission] = {}
        self._failures: dict[str, int] = {}
        self._means: Means
        self.runtime: Runtime
        self.problems: list[str] = []
        """What is missing on this machine, once the agent is ready."""
        self._registration: Registration
        self.keep_pods: Callable[[], bool] = lambda: False

    @property
    def _pods(self) -> Store[Object]:
        return self._informer.store

    async def run(self, stop: asyncio.Event, ready: Callable[[], None]) -> None:
        """Until `stop`; `ready` is called when the Node is registered and its pods are being seen to."""
        data, folder = self._options.data, self._options.data / "node" / "pods"
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        capacity = measure(data, pods=self._options.max_pods, extended=self._options.resources)
        ground = await lay_ground(self._client, self._options)
        self.runtime, self.problems = ground.runtime, ground.problems
        streams: KubeletServer | None = None
        try:
            async with asyncio.TaskGroup() as tasks:
                self._means = self._make_means(ground, folder, capacity)
                streams = await self._start_streams()
                await self._apply(streams.registration())
                background = self._start_background(tasks, ground)
                await self._register(ground, capacity, streams.port)
                await self._adopt()
                background.append(tasks.create_task(self._registration.run()))
                ready()
                await stop.wait()
                await self._end_pods()
                for task in background:
                    task.cancel()
        finally:
            if streams is not None:
                await streams.stop()
            await self._recorder.flush(2.0)
            await ground.stop(pods=not self.keep_pods())

    # starting

    def _make_means(self, ground: Ground, folder: Path, capacity: Capacity) -> Means:
        sources = Sources(self._client, self._options.name)
        return Means(
            client=self._client,
            recorder=self._recorder,
            runtime=ground.runtime,
            network=ground.network,
            images=ground.images or Images(self._options.data, root=self._options.images),
            volumes=Volumes(self._options.data, sources, anchor=ground.anchor),
            sources=sources,
            devices=Devices(capacity.extended, self._options.data / "node" / "devices.json"),
            folder=folder,
            node_name=self._options.name,
            host_ip=ground.address,
            node_memory=capacity.memory,
            archive=Archive(self._options.data / "node" / "logs"),
            admit=self._admit,
        )

    def _start_background(self, tasks: asyncio.TaskGroup, ground: Ground) -> list[asyncio.Task[Any]]:
        persistent = PersistentFolders(self._client, self._options.data / "volumes", anchor=ground.anchor)
        work = (
            self._recorder.run(),
            self._means.sources.run(),
            self._informer.run(),
            persistent.run(),
            self._follow_runtime(),
            self._follow_volumes(),
            self._watch_storage(),
            self._watch_memory(),
        )
        return [tasks.create_task(each) for each in work]

    async def _start_streams(self) -> KubeletServer:
        streams = KubeletServer(self, self._options.data / "pki", self._options.name, self._client.faults)
        await streams.start()
        return streams

    async def _apply(self, objects: list[Object]) -> None:
        """What the API server needs to find the agent's metrics."""
        for obj in objects:
            await self._client.apply(obj, manager="windlass-node")

    async def _register(self, ground: Ground, capacity: Capacity, port: int) -> None:
        identity = Identity(
            name=self._options.name,
            address=ground.address,
            port=port,
            capacity=capacity,
            runtime=ground.runtime.name,
            limits=ground.runtime.limits_by(),
            problems=tuple(ground.problems),
            pod_cidr=ground.pod_cidr,
        )
        self._registration = Registration(self._client, identity, self._options.data)
        await self._registration.register()

    async def _adopt(self) -> None:
        """Put what runs and what is wanted together; then hear of every change."""
        await self._pods.synced.wait()
        for uid, facts in (await self._means.runtime.facts()).items():
            self._means.facts.setdefault(uid, facts)  # what has changed meanwhile is known already, and is newer
        wanted = {uid_of(pod) for pod in self._pods}
        for uid in set(self._means.facts) - wanted:
            log.info("a pod runs whose object is gone, it ends uid=%s", uid)
            await self._means.network.detach(uid)
            await self._means.runtime.remove_pod(uid)
            del self._means.facts[uid]
        self._means.devices.keep_only(wanted)
        await self._means.volumes.sweep(wanted)
        for left in [each for each in self._means.folder.iterdir() if each.name not in wanted]:
            await self._means.runtime.remove_folder(left)
        self._pods.subscribe(_Changes(self.see, self.lose))

    # what the cache tells

    def see(self, pod: Object) -> None:
        """A pod of this node is new, or has changed."""
        uid = uid_of(pod)
        if uid in self._workers:
            self._workers[uid].update(pod)
            return
        worker = self._workers[uid] = Worker(self._means, pod)
        task = self._running[uid] = asyncio.create_task(worker.run(), name=f"pod {key_of(pod)}")
        task.add_done_callback(lambda done: self._ended(worker, done))

    def lose(self, pod: Object) -> None:
        """Its object is gone."""
        worker = self._workers.get(uid_of(pod))
        if worker is not None:
            worker.vanish()

    def _ended(self, worker: Worker, task: asyncio.Task[None]) -> None:
        self._workers.pop(worker.uid, None)
        self._running.pop(worker.uid, None)
        self._admitted.pop(worker.uid, None)
        self._means.changes.tell(worker.uid)
        if task.cancelled():
            return
        error = task.exception()
        if error is None:
            self._failures.pop(worker.uid, None)
            return
        self._client.faults.report("pod worker", error, worker.pod, POD, RETRIED)
        failures = self._failures[worker.uid] = self._failures.get(worker.uid, -1) + 1
        pause = min(RESTART * 2**failures, LONGEST_RESTART)
        asyncio.get_running_loop().call_later(pause, self._start_again, worker.key)

    def _start_again(self, key: Key) -> None:
        pod = self._pods.get(key)
        if pod is not None:
            self.see(pod)

    # what else happens

    async def _follow_runtime(self) -> None:
        async for uid in self._means.runtime.changes():
            facts = self._means.facts.get(uid)
            with self._contain("runtime facts", uid, passing=(OSError,)):  # after which it cannot go on
                facts = await self._means.runtime.pod_facts(uid)
            if facts is None:
                self._means.facts.pop(uid, None)
            else:
                self._means.facts[uid] = facts
            self._means.changes.tell(uid)
            if uid in self._workers:
                self._workers[uid].wake()

    async def _follow_volumes(self) -> None:
        async for uid in self._means.volumes.changes():
            worker = self._workers.get(uid)
            if worker is not None:
                worker.spawn("refresh", worker.refresh_volumes())

    async def _watch_storage(self) -> None:
        while True:
            await asyncio.sleep(MEASURE_EVERY)
            for worker in list(self._workers.values()):
                with self._contain("storage limits", worker.uid):
                    if has_limit(worker.pod) and worker.evicting is None:
                        message = over_limit(worker.pod, await self._means.volumes.usage(worker.uid))
                        if message:
                            worker.evicting = Eviction(message)
                            worker.wake()

    async def _watch_memory(self) -> None:
        """Better one pod is evicted than that the kernel kills whatever it likes."""
        while True:
            await asyncio.sleep(MEASURE_EVERY)
            free = free_memory()
            if free >= LEAST_MEMORY:
                continue
            pods, used = dict[str, Object](), dict[str, dict[str, int]]()
            for worker in [each for each in self._workers.values() if each.evicting is None]:
                uid = worker.uid
                with self._contain("memory pressure", uid):
                    one, used_here = {uid: worker.current()}, {uid: await self._memory_of(uid)}
                    whom_to_evict(one, used_here, free, LEAST_MEMORY)  # raises here, over this pod alone
                    pods |= one
                    if uid in self._means.facts:
                        used |= used_here
            found = whom_to_evict(pods, used, free, LEAST_MEMORY)
            if found is not None:
                uid, self._workers[found[0]].evicting = found
                self._workers[uid].wake()

    def _contain(self, place: str, uid: str, *, passing: tuple[type[Exception], ...] = ()) -> Attempt:
        """A block in which something may raise over one pod."""
        worker = self._workers.get(uid)
        unknown: Object = {"metadata": {"name": uid, "uid": uid}}
        pod, kind = (worker.pod, POD) if worker is not None else (unknown, None)
        return self._client.faults.contain(place, pod, kind, passing=passing)

    def _warn(self, component: str, about: AnyObject, kind: Kind, reason: str, message: str) -> None:
        self._recorder.record(component, about, kind, reason, message, warning=True)

    async def _memory_of(self, uid: str) -> dict[str, int]:
        try:
            return {name: each.memory_bytes for name, each in (await self._means.runtime.usage(uid)).items()}
        except Gone:
            return {}

    def _admit(self, pod: Object) -> Admission:
        """Asked once a pod: what the node said then holds, whatever becomes of the others."""
        uid = uid_of(pod)
        if uid not in self._admitted:
            there = self._admitted.keys() | self._means.facts.keys()
            others = [each.current() for each in self._workers.values() if each.uid in there]
            has_groups = self._means.runtime.has_groups
            self._admitted[uid] = admit(pod, self._registration.node, others, has_groups=has_groups)
            for warning in self._admitted[uid].warnings:
                self._means.tell(pod, warning)
        return self._admitted[uid]

    # ending

    async def _end_pods(self) -> None:
        """Stop the workers; and unless they are to be kept, let the pods end well within a few seconds."""
        for task in self._running.values():
            task.cancel()
        await asyncio.gather(*self._running.values(), return_exceptions=True)
        if self.keep_pods():
            return
        runtime, running = self._means.runtime, await self._means.runtime.facts()
        names = [(uid, run.name) for uid, pod in running.items() for run in pod.containers if run.state == "running"]
        await asyncio.gather(*(runtime.signal_container(uid, name, "SIGTERM") for uid, name in names))
        await self._until_all_ended(runtime)
        await self._means.volumes.clear_memory()

    @staticmethod
    async def _until_all_ended(runtime: Runtime) -> None:
        """Or until their time is over."""
        deadline = asyncio.get_running_loop().time() + GRACE_AT_END
        while asyncio.get_running_loop().time() < deadline:
            facts = await runtime.facts()
            if not any(run.state == "running" for pod in facts.values() for run in pod.containers):
                return
            await asyncio.sleep(0.05)

    # what the streams ask

    def find(self, namespace: str, name: str, uid: str = "") -> RunningPod | None:
        pod = self._pods.get(Key(namespace, name))
        return self._shown(pod) if pod is not None and uid in ("", uid_of(pod)) else None

    def archived(self, namespace: str, name: str) -> RunningPod | None:
        key = Key(namespace, name)
        ending = next((each for each in self._workers.values() if each.key == key), None)
        return self._shown(ending.pod) if ending is not None else self._means.archive.find(namespace, name)

    def all(self) -> Iterable[RunningPod]:
        return [self._shown(pod) for pod in self._pods]

    def changed(self, uid: str) -> "asyncio.Future[None]":
        return self._means.changes.next(uid)

    async def dial(self, pod: RunningPod, port: int) -> socket.socket:
        facts = self._means.facts.get(pod.uid)
        if facts is None or not facts.alive:
            raise OSError("the pod does not run")
        return await self._means.network.dial_local(pod.ip, facts.pid, port)

    def _shown(self, pod: Object) -> RunningPod:
        uid = uid_of(pod)
        worker = self._workers.get(uid)
        current = worker.current() if worker is not None else pod
        facts = self._means.facts.get(uid)
        attempts: dict[str, list[Any]] = {}
        for run in facts.containers if facts is not None else told_runs(current):
            attempts.setdefault(run.name, []).append(run)
        address = worker.memory.address if worker is not None else ""
        return RunningPod(uid, current, attempts, address or str(dig(current, "status", "podIP") or ""))
