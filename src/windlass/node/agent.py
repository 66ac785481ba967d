"""The node agent: starts a worker for each pod of this node and serves the kubelet API.

The agent may be killed at any moment; pods keep running without it. When it starts again it matches running pods with
their objects, and removes pods whose object is gone.
"""

import asyncio
import logging
import socket
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from windlass.apis.core_v1 import PersistentVolumeClaim
from windlass.kube.cache import Store
from windlass.kube.client import Client
from windlass.kube.events import Recorder
from windlass.kube.faults import RETRIED, Attempt, Faults
from windlass.kube.heap import give_back_now_and_then
from windlass.kube.informer import Informer
from windlass.kube.json import Object, dig, dig_object
from windlass.kube.kind import KINDS, Kind
from windlass.kube.meta import Key
from windlass.kube.objects import AnyObject, key_of, uid_of
from windlass.kube.view import untyped
from windlass.node.devices import Devices
from windlass.node.images.images import Images
from windlass.node.lifecycle.admission import Admission, admit
from windlass.node.lifecycle.observed import Eviction
from windlass.node.lifecycle.pressure import pod_to_evict
from windlass.node.machine import Capacity, measure
from windlass.node.oci.images import OciImages
from windlass.node.pods.context import COMPONENT, POD, WorkerContext
from windlass.node.pods.status_runs import runs_from_status
from windlass.node.pods.worker import Worker
from windlass.node.registration import MIN_FREE_MEMORY, Identity, Registration, free_memory
from windlass.node.runtimes.base import Gone, Runtime
from windlass.node.runtimes.choice import RuntimeContext, start_runtime
from windlass.node.sources import Sources
from windlass.node.streams.archive import Archive
from windlass.node.streams.pods import RunningPod
from windlass.node.streams.server import KubeletServer
from windlass.node.volumes.claim_usage import REASON, Readings, watch_usage
from windlass.node.volumes.manager import Volumes
from windlass.node.volumes.persistent import PersistentFolders
from windlass.node.volumes.snapshots import SnapshotFolders
from windlass.node.volumes.usage import has_limit, over_limit

MEASURE_INTERVAL = 10.0  # seconds between measurements of memory, and of pods with storage limits
RESTART_DELAY, MAX_RESTART_DELAY = 1.0, 60.0  # seconds before a failed pod worker is restarted, doubling
SHUTDOWN_GRACE = 5.0  # seconds that pods get to terminate when Windlass is stopped

log = logging.getLogger("windlass.node")


@dataclass(frozen=True, kw_only=True)
class Options:
    """Options of the agent. `runtime` "auto" is sandbox where sandboxes work, else process."""

    data: Path
    name: str
    server: tuple[str, int]
    """Address of the API server, which pods reach at kubernetes.default.svc."""
    images: Path | None = None
    """Folder in which environments are built; None is inside the data directory."""
    runtime: str = "auto"
    max_pods: int = 500
    resources: dict[str, int] = field(default_factory=dict[str, int])
    allow_metadata: bool = False
    """Whether pods in sandboxes reach the metadata addresses of clouds."""


class _PodHandler:
    """Handles changes of the pod cache. A pod replaced by another of the same name is one deletion and one addition."""

    def __init__(self, pod_changed: Callable[[Object], None], pod_removed: Callable[[Object], None]) -> None:
        self.added, self.deleted = pod_changed, pod_removed

    def changed(self, old: Object, new: Object) -> None:
        if uid_of(old) != uid_of(new):
            self.deleted(old)
        self.added(new)


class Agent:
    """The agent of one node; `run` it once. It implements `Pods` for the kubelet API server."""

    def __init__(self, client: Client, options: Options) -> None:
        self._client, self._options = client, options
        self._recorder = Recorder(client, host=options.name)
        self._claim_readings: Readings = {}
        client.faults = Faults(COMPONENT, warn=self._warn)
        self._informer = Informer(client, untyped(POD).narrowed(f"spec.nodeName={options.name}"))
        self._workers: dict[str, Worker] = {}
        self._running: dict[str, asyncio.Task[None]] = {}
        self._admitted: dict[str, Admission] = {}
        self._failures: dict[str, int] = {}
        self._context: WorkerContext
        self.runtime: Runtime
        self.problems: list[str] = []
        """What this machine lacks, known once the agent is ready."""
        self._registration: Registration
        self.keep_pods: Callable[[], bool] = lambda: False

    @property
    def _pods(self) -> Store[Object]:
        return self._informer.store

    async def run(self, stop: asyncio.Event, ready: Callable[[], None]) -> None:
        """Run until `stop` is set; `ready` is called when the Node is registered and its pods have workers."""
        data, folder = self._options.data, self._options.data / "node" / "pods"
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        capacity = measure(data, pods=self._options.max_pods, extended=self._options.resources)
        runtime_context = await start_runtime(self._client, self._options)
        self.runtime, self.problems = runtime_context.runtime, runtime_context.problems
        streams: KubeletServer | None = None
        try:
            async with asyncio.TaskGroup() as tasks:
                self._context = self._make_context(runtime_context, folder, capacity)
                streams = await self._start_streams()
                await self._apply(streams.registration())
                background = self._start_background(tasks, runtime_context)
                await self._register(runtime_context, capacity, streams.port)
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
            await runtime_context.stop(pods=not self.keep_pods())

    # starting

    def _make_context(self, runtime_context: RuntimeContext, folder: Path, capacity: Capacity) -> WorkerContext:
        sources = Sources(self._client, self._options.name)
        return WorkerContext(
            client=self._client,
            recorder=self._recorder,
            runtime=runtime_context.runtime,
            network=runtime_context.network,
            images=runtime_context.images or Images(self._options.data, root=self._options.images),
            oci_images=OciImages(self._options.data, root=self._options.images),
            volumes=Volumes(self._options.data, sources, anchor=runtime_context.anchor),
            sources=sources,
            devices=Devices(capacity.extended, self._options.data / "node" / "devices.json"),
            folder=folder,
            node_name=self._options.name,
            host_ip=runtime_context.address,
            node_memory=capacity.memory,
            archive=Archive(self._options.data / "node" / "logs"),
            admit=self._admit,
        )

    def _start_background(self, tasks: asyncio.TaskGroup, runtime_context: RuntimeContext) -> list[asyncio.Task[Any]]:
        data, anchor = self._options.data, runtime_context.anchor
        persistent = PersistentFolders(self._client, data, anchor=anchor)
        snapshots = SnapshotFolders(self._client, data, persistent, anchor=anchor)
        work = (
            self._recorder.run(),
            self._context.sources.run(),
            self._informer.run(),
            persistent.run(),
            snapshots.run(),
            watch_usage(persistent.informer.store, data, self._claim_readings, self._warn_of_claim),
            self._follow_runtime(),
            self._follow_volumes(),
            self._watch_storage(),
            self._watch_memory(),
            give_back_now_and_then(),
        )
        return [tasks.create_task(each) for each in work]

    async def _start_streams(self) -> KubeletServer:
        streams = KubeletServer(self, self._options.data / "pki", self._options.name, self._client.faults)
        streams.claim_readings = self._claim_readings
        await streams.start()
        return streams

    def _warn_of_claim(self, volume: Object, message: str) -> None:
        claim: Object = {"metadata": dig_object(volume, "spec", "claimRef")}
        kind = KINDS.of(PersistentVolumeClaim)
        self._warn(COMPONENT, claim, kind, REASON, message)

    async def _apply(self, objects: list[Object]) -> None:
        """Apply the objects by which the API server finds the agent's metrics."""
        for obj in objects:
            await self._client.apply(obj, manager="windlass-node")

    async def _register(self, runtime_context: RuntimeContext, capacity: Capacity, port: int) -> None:
        identity = Identity(
            name=self._options.name,
            address=runtime_context.address,
            port=port,
            capacity=capacity,
            runtime=runtime_context.runtime.name,
            limits=runtime_context.runtime.limits_by(),
            problems=tuple(runtime_context.problems),
            pod_cidr=runtime_context.pod_cidr,
        )
        self._registration = Registration(self._client, identity, self._options.data)
        await self._registration.register()

    async def _adopt(self) -> None:
        """Match running pods with their objects, remove orphans, then subscribe to changes."""
        await self._pods.synced.wait()
        for uid, facts in (await self._context.runtime.facts()).items():
            self._context.facts.setdefault(uid, facts)  # changes reported meanwhile are newer
        wanted = {uid_of(pod) for pod in self._pods}
        for uid in set(self._context.facts) - wanted:
            log.info("removing a pod whose object is gone uid=%s", uid)
            await self._context.network.detach(uid)
            await self._context.runtime.remove_pod(uid)
            del self._context.facts[uid]
        self._context.devices.keep_only(wanted)
        await self._context.volumes.sweep(wanted)
        for left in [each for each in self._context.folder.iterdir() if each.name not in wanted]:
            await self._context.runtime.remove_folder(left)
        self._pods.subscribe(_PodHandler(self.pod_changed, self.pod_removed))

    # changes of the cache

    def pod_changed(self, pod: Object) -> None:
        """Start a worker for a new pod, or pass a changed pod on to its worker."""
        uid = uid_of(pod)
        if uid in self._workers:
            self._workers[uid].update(pod)
            return
        worker = self._workers[uid] = Worker(self._context, pod)
        task = self._running[uid] = asyncio.create_task(worker.run(), name=f"pod {key_of(pod)}")
        task.add_done_callback(lambda done: self._ended(worker, done))

    def pod_removed(self, pod: Object) -> None:
        """Report to the worker that the pod's object is gone."""
        worker = self._workers.get(uid_of(pod))
        if worker is not None:
            worker.vanish()

    def _ended(self, worker: Worker, task: asyncio.Task[None]) -> None:
        self._workers.pop(worker.uid, None)
        self._running.pop(worker.uid, None)
        self._admitted.pop(worker.uid, None)
        self._context.changes.notify(worker.uid)
        if task.cancelled():
            return
        error = task.exception()
        if error is None:
            self._failures.pop(worker.uid, None)
            return
        self._client.faults.report("pod worker", error, worker.pod, POD, RETRIED)
        failures = self._failures[worker.uid] = self._failures.get(worker.uid, -1) + 1
        pause = min(RESTART_DELAY * 2**failures, MAX_RESTART_DELAY)
        asyncio.get_running_loop().call_later(pause, self._start_again, worker.key)

    def _start_again(self, key: Key) -> None:
        pod = self._pods.get(key)
        if pod is not None:
            self.pod_changed(pod)

    # other events

    async def _follow_runtime(self) -> None:
        async for uid in self._context.runtime.changes():
            facts = self._context.facts.get(uid)
            with self._contain("runtime facts", uid, passing=(OSError,)):  # after an OSError it cannot continue
                facts = await self._context.runtime.pod_facts(uid)
            if facts is None:
                self._context.facts.pop(uid, None)
            else:
                self._context.facts[uid] = facts
            self._context.changes.notify(uid)
            if uid in self._workers:
                self._workers[uid].wake()

    async def _follow_volumes(self) -> None:
        async for uid in self._context.volumes.changes():
            worker = self._workers.get(uid)
            if worker is not None:
                worker.spawn("refresh", worker.refresh_volumes())

    async def _watch_storage(self) -> None:
        while True:
            await asyncio.sleep(MEASURE_INTERVAL)
            for worker in list(self._workers.values()):
                with self._contain("storage limits", worker.uid):
                    if has_limit(worker.pod) and worker.evicting is None:
                        message = over_limit(worker.pod, await self._context.volumes.usage(worker.uid))
                        if message:
                            worker.evicting = Eviction(message)
                            worker.wake()

    async def _watch_memory(self) -> None:
        """Evict a pod before the kernel's OOM killer picks a process."""
        while True:
            await asyncio.sleep(MEASURE_INTERVAL)
            free = free_memory()
            if free >= MIN_FREE_MEMORY:
                continue
            pods, used = dict[str, Object](), dict[str, dict[str, int]]()
            for worker in [each for each in self._workers.values() if each.evicting is None]:
                uid = worker.uid
                with self._contain("memory pressure", uid):
                    one, used_here = {uid: worker.current()}, {uid: await self._memory_of(uid)}
                    pod_to_evict(one, used_here, free, MIN_FREE_MEMORY)  # raises here, over this pod alone
                    pods |= one
                    if uid in self._context.facts:
                        used |= used_here
            found = pod_to_evict(pods, used, free, MIN_FREE_MEMORY)
            if found is not None:
                uid, self._workers[found[0]].evicting = found
                self._workers[uid].wake()

    def _contain(self, place: str, uid: str, *, passing: tuple[type[Exception], ...] = ()) -> Attempt:
        """Return a context that contains exceptions raised over one pod."""
        worker = self._workers.get(uid)
        unknown: Object = {"metadata": {"name": uid, "uid": uid}}
        pod, kind = (worker.pod, POD) if worker is not None else (unknown, None)
        return self._client.faults.contain(place, pod, kind, passing=passing)

    def _warn(self, component: str, about: AnyObject, kind: Kind, reason: str, message: str) -> None:
        self._recorder.record(component, about, kind, reason, message, warning=True)

    async def _memory_of(self, uid: str) -> dict[str, int]:
        try:
            return {name: each.memory_bytes for name, each in (await self._context.runtime.usage(uid)).items()}
        except Gone:
            return {}

    def _admit(self, pod: Object) -> Admission:
        """Admit or reject a pod once; the answer holds whatever becomes of the other pods."""
        uid = uid_of(pod)
        if uid not in self._admitted:
            there = self._admitted.keys() | self._context.facts.keys()
            others = [each.current() for each in self._workers.values() if each.uid in there]
            has_groups = self._context.runtime.has_groups
            self._admitted[uid] = admit(pod, self._registration.node, others, has_groups=has_groups)
            for warning in self._admitted[uid].warnings:
                self._context.record_event(pod, warning)
        return self._admitted[uid]

    # ending

    async def _end_pods(self) -> None:
        """Stop the workers and, unless pods are kept, give the pods a few seconds to terminate."""
        for task in self._running.values():
            task.cancel()
        await asyncio.gather(*self._running.values(), return_exceptions=True)
        if self.keep_pods():
            return
        runtime, running = self._context.runtime, await self._context.runtime.facts()
        names = [(uid, run.name) for uid, pod in running.items() for run in pod.containers if run.state == "running"]
        await asyncio.gather(*(runtime.signal_container(uid, name, "SIGTERM") for uid, name in names))
        await self._until_all_ended(runtime)
        await self._context.volumes.clear_memory()

    @staticmethod
    async def _until_all_ended(runtime: Runtime) -> None:
        """Wait until no container runs, or until the grace period is over."""
        deadline = asyncio.get_running_loop().time() + SHUTDOWN_GRACE
        while asyncio.get_running_loop().time() < deadline:
            facts = await runtime.facts()
            if not any(run.state == "running" for pod in facts.values() for run in pod.containers):
                return
            await asyncio.sleep(0.05)

    # `streams.pods.Pods`

    def find(self, namespace: str, name: str, uid: str = "") -> RunningPod | None:
        pod = self._pods.get(Key(namespace, name))
        return self._shown(pod) if pod is not None and uid in ("", uid_of(pod)) else None

    def archived(self, namespace: str, name: str) -> RunningPod | None:
        key = Key(namespace, name)
        ending = next((each for each in self._workers.values() if each.key == key), None)
        return self._shown(ending.pod) if ending is not None else self._context.archive.find(namespace, name)

    def all(self) -> Iterable[RunningPod]:
        return [self._shown(pod) for pod in self._pods]

    def changed(self, uid: str) -> "asyncio.Future[None]":
        return self._context.changes.next(uid)

    async def dial(self, pod: RunningPod, port: int) -> socket.socket:
        facts = self._context.facts.get(pod.uid)
        if facts is None or not facts.alive:
            raise OSError("the pod is not running")
        return await self._context.network.dial_local(pod.ip, facts.pid, port)

    def _shown(self, pod: Object) -> RunningPod:
        uid = uid_of(pod)
        worker = self._workers.get(uid)
        current = worker.current() if worker is not None else pod
        facts = self._context.facts.get(uid)
        attempts: dict[str, list[Any]] = {}
        for run in facts.containers if facts is not None else runs_from_status(current):
            attempts.setdefault(run.name, []).append(run)
        address = worker.state.address if worker is not None else ""
        return RunningPod(uid, current, attempts, address or str(dig(current, "status", "podIP") or ""))
