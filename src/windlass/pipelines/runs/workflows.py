"""The controller of Workflows: reads what a turn of the engine needs, writes the status, then creates and deletes pods.

The order of writes makes a restart harmless: the status names a node before its pod exists, pods have names that
follow from their node, and pods are deleted only after their node's end is written. The Workflows of runs in IR are
left to `windlass.pipelines.runs.controller`.
"""

import contextlib
import logging
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import TYPE_CHECKING, Any

from windlass.apis.argoproj_v1alpha1 import ClusterWorkflowTemplate, Workflow, WorkflowTemplate
from windlass.apis.core_v1 import ConfigMap, PersistentVolumeClaim, Pod
from windlass.apis.pipelines.names import ARTIFACTS_CLAIM, IMAGE_PROGRAM, IR_LABEL, TASK_LABEL, WORKFLOW_LABEL
from windlass.kube import errors
from windlass.kube.api import Api, Runtime
from windlass.kube.cache import Store
from windlass.kube.controller import Service
from windlass.kube.json import Object, dig, dig_list, dig_object, timestamp
from windlass.kube.kind import KINDS
from windlass.kube.meta import Key
from windlass.kube.objects import is_deleting, uid_of, version_of
from windlass.kube.patch import merge_patch
from windlass.kube.queue import Queue
from windlass.kube.view import typed, untyped
from windlass.pipelines.argo.execution.turn import Memo
from windlass.pipelines.argo.nodes import FAILURES
from windlass.pipelines.argo.observation import (
    CachedOutputs,
    InputAnswer,
    InputLookup,
    Observation,
    OutputsRequest,
    PodOutputs,
    ResourceAnswer,
)
from windlass.pipelines.argo.pod_states import pod_state
from windlass.pipelines.argo.pods import STATE_ROOT
from windlass.pipelines.argo.templates import referenced
from windlass.pipelines.argo.workflow import DEADLINE_EXCEEDED, Advance, advance
from windlass.pipelines.artifacts.claim_folders import ClaimFolders, NoFolder
from windlass.pipelines.runs.memos import keep_memo
from windlass.pipelines.runs.resource_actions import carry_out
from windlass.pipelines.runs.service import Keys
from windlass.pipelines.runs.workflow_cache import WorkflowCache
from windlass.pipelines.runs.workflow_locks import WorkflowLocks
from windlass.pipelines.runs.workflow_outputs import ClaimOutputs, find_input, read_outputs

if TYPE_CHECKING:
    from windlass.pipelines.runs.workflow_transfers import WorkflowTransfers

NAME = "argo-workflows"
WORKERS = 4
WORKFLOW = KINDS.of(Workflow)
WORKFLOWS = untyped(WORKFLOW).narrowed(labels=f"{IR_LABEL}!=true")
PODS = typed(Pod).narrowed(labels=f"{WORKFLOW_LABEL},!{TASK_LABEL}")
TEMPLATES, CLUSTER_TEMPLATES = untyped(KINDS.of(WorkflowTemplate)), untyped(KINDS.of(ClusterWorkflowTemplate))
CLAIMS = KINDS.of(PersistentVolumeClaim)
CONFIG_MAPS = untyped(KINDS.of(ConfigMap))
STOP_GRACE_SECONDS = 3
CACHE_DELAY = timedelta(seconds=5)
"""How long the cache may take to show a pod that was created."""
MAX_REFERENCES = 100
"""WorkflowTemplates that one Workflow may refer to."""
MAX_ROUNDS = 10
"""Turns of one step, each after pods were refused."""
MANY_NODES = 100
SECONDS_PER_NODE = 0.001
MAX_PAUSE = timedelta(seconds=2)
"""A Workflow of many nodes is advanced less often, since its whole status is written each time."""
TOO_LARGE = "the Workflow has more nodes than its status can hold"
COMPONENT = "workflow-controller"
EVENTS = {
    "Pending": "Workflow waits",
    "Running": "Workflow Running",
    "Succeeded": "Workflow completed",
    "Failed": "Workflow failed",
    "Error": "Workflow failed",
}
NO_PROGRAM = (
    "container.command: required on a cluster where a template has artifacts or outputs: "
    "the entrypoint of its image is not known, so repeat it as the command"
)
NO_CLAIM = "artifacts and outputs of Workflows need an artifact claim or an object store"
REFUSALS = (errors.BadRequest, errors.Forbidden, errors.Invalid, errors.NotFound, errors.TooLarge)

log = logging.getLogger(__name__)


def argo_workflows(
    folders: Callable[[Api], ClaimFolders] | None,
    cache: Callable[[ClaimFolders], WorkflowCache] | None = None,
    transfers: "Callable[[Api], WorkflowTransfers] | None" = None,
) -> Service:
    """The controller. `folders` finds the folders of claims; None where pods cannot share one, and use `transfers`.
    `cache` is that of v1 runs; None where there is no history."""

    def start(runtime: Runtime) -> None:
        found = folders(runtime.api) if folders is not None else None
        known = cache(found) if cache is not None and found is not None else None
        copies = transfers(runtime.api) if transfers is not None else None
        WorkflowsService(runtime, found, known, copies).start()

    return Service(NAME, start)


def _pause(workflow: Object, memory: "_Memory", now: datetime) -> timedelta:
    """How long to wait before the Workflow is advanced again."""
    nodes = len(dig_object(workflow, "status", "nodes"))
    if memory.stepped_at is None or nodes < MANY_NODES:
        return timedelta()
    return memory.stepped_at + min(timedelta(seconds=nodes * SECONDS_PER_NODE), MAX_PAUSE) - now


@dataclass
class _Memory:
    """What the controller remembers of a Workflow, all of which it can do without."""

    base_version: str = ""
    """The version in the cache when the Workflow was written."""
    written: Object | None = None
    """The Workflow as written: newer than the cache, while that shows `base_version`."""
    stepped_at: datetime | None = None
    created: dict[str, datetime] = field(default_factory=dict[str, datetime])
    refusals: dict[str, str] = field(default_factory=dict[str, str])
    read: set[str] = field(default_factory=set[str])
    """Pods whose outputs were read in this step."""


class WorkflowsService:
    def __init__(
        self,
        runtime: Runtime,
        folders: ClaimFolders | None,
        cache: WorkflowCache | None = None,
        transfers: "WorkflowTransfers | None" = None,
    ) -> None:
        self._runtime, self._api, self._folders, self._cache = runtime, runtime.api, folders, cache
        self._transfers = transfers
        self._outputs = ClaimOutputs(folders) if folders is not None else None
        self._workflows: Store[Object] = runtime.store(WORKFLOWS)
        self._pods: Store[Pod] = runtime.store(PODS)
        self._templates: Store[Object] = runtime.store(TEMPLATES)
        self._cluster_templates: Store[Object] = runtime.store(CLUSTER_TEMPLATES)
        self._queue: Queue[Key] = runtime.queue("argo_workflows")
        self._memory: dict[Key, _Memory] = {}
        self._locks = WorkflowLocks(self._queue.add)

    def start(self) -> None:
        self._workflows.subscribe(Keys(NAME, self._queue, by_owner=False))
        self._pods.subscribe(Keys(f"{NAME}-pods", self._queue, by_owner=True))
        self._runtime.work(NAME, self._queue, self.step, WORKERS, self._about)

    def _about(self, key: Key) -> tuple[Object, Any] | None:
        workflow = self._workflows.get(key)
        return (workflow, WORKFLOW) if workflow is not None else None

    async def step(self, key: Key) -> timedelta | None:
        """Advance one Workflow. Safe to repeat, and to stop half-way."""
        for store in (self._workflows, self._pods, self._templates, self._cluster_templates):
            await store.synced.wait()  # a pod that the cache does not show yet must not count as gone
        self._locks.load(self._workflows)
        cached = self._workflows.get(key)
        if cached is None or is_deleting(cached):
            self._memory.pop(key, None)
            self._locks.forget(key)
            return None
        memory, now = self._memory.setdefault(key, _Memory()), self._runtime.now()
        if (pause := _pause(cached, memory, now)) > timedelta():
            return pause
        memory.stepped_at = now
        is_stale = memory.written is not None and memory.base_version == version_of(cached)
        workflow = memory.written if is_stale and memory.written is not None else cached
        if not is_stale:
            memory.base_version, memory.written = version_of(cached), None
        try:
            return await self._advance(key, workflow, memory)
        except errors.NotFound:  # deleted meanwhile
            self._memory.pop(key, None)
            self._locks.forget(key)
            return None
        except errors.Conflict:
            memory.written = None  # another has written: the cache shows it soon
            return timedelta(milliseconds=100)

    async def _advance(self, key: Key, workflow: Object, memory: _Memory) -> timedelta | None:
        now = self._runtime.now()
        made = await self._observed_advance(workflow, memory, now)
        for _ in range(MAX_ROUNDS):
            workflow = await self._write(key, workflow, made, memory)
            self._locks.settle(key, workflow, made)
            await self._remove_files(key.namespace, memory)
            if made.is_expired:
                await self._api.delete(WORKFLOW, key, uid=uid_of(workflow), propagation="Background")
                return None
            if not await self._act(workflow, made, memory, now):
                break
            made = await self._observed_advance(workflow, memory, now)  # the server has refused pods
        else:
            return timedelta(seconds=1)
        moments = [made.wake_at, min(memory.created.values()) + CACHE_DELAY if memory.created else None]
        return (
            max(min((at for at in moments if at is not None), default=now) - now, timedelta()) if any(moments) else None
        )

    async def _observed_advance(self, workflow: Object, memory: _Memory, now: datetime) -> Advance:
        """Advance, reading files and acting on objects as the engine asks for it."""
        pods = [pod_state(pod) for pod in self._pods.filed("owner", uid_of(workflow))]
        for pod in pods:
            memory.created.pop(pod.name, None)
        outputs: dict[str, PodOutputs] = {}
        answers: dict[str, ResourceAnswer] = {}
        cached: dict[str, CachedOutputs | None] = {}
        config_maps: dict[str, Object | None] = {}
        inputs: dict[str, InputAnswer] = {}
        locks: dict[str, bool] = {}
        while True:
            observation = Observation(
                now=now,
                pods={pod.name: pod for pod in pods},
                outputs=outputs,
                resources=answers,
                refusals=memory.refusals,
                cached=cached,
                config_maps=config_maps,
                inputs=inputs,
                locks=locks,
                templates=self._referenced(workflow),
            )
            made = advance(workflow, observation)
            reads = [read for read in made.reads if read.pod not in outputs]
            actions = [action for action in made.actions if action.node_id not in answers]
            lookups = [lookup for lookup in made.lookups if lookup.key not in cached]
            names = [name for name in made.config_maps if name not in config_maps]
            searches = [search for search in made.input_lookups if search.uri not in inputs]
            has_new_locks = self._locks.answer(workflow, made, locks)
            if not (reads or actions or lookups or names or searches or has_new_locks):
                memory.refusals.clear()
                memory.read |= outputs.keys()
                return made
            namespace = str(workflow["metadata"]["namespace"])
            for name in names:
                config_maps[name] = await self._config_map(namespace, name)
            for lookup in lookups:
                cached[lookup.key] = await self._cache.find(namespace, lookup) if self._cache is not None else None
            for search in searches:
                inputs[search.uri] = await self._find_input(namespace, search)
            for read in reads:
                outputs[read.pod] = await self._read(namespace, read)
            account = str(dig(workflow, "spec", "serviceAccountName") or "")
            for action in actions:
                answers[action.node_id] = await carry_out(self._api, action, namespace, account)

    async def _read(self, namespace: str, request: OutputsRequest) -> PodOutputs:
        if self._outputs is not None:
            return await read_outputs(self._outputs, namespace, request)
        if self._transfers is not None:
            return await self._transfers.read(namespace, self._pods.get(Key(namespace, request.pod)), request)
        return PodOutputs(error=NO_CLAIM)

    async def _find_input(self, namespace: str, lookup: InputLookup) -> InputAnswer:
        if self._outputs is not None:
            return await find_input(self._outputs, namespace, lookup)
        return await self._transfers.find_input(namespace, lookup) if self._transfers is not None else InputAnswer()

    async def _config_map(self, namespace: str, name: str) -> Object | None:
        try:
            return await self._api.get(CONFIG_MAPS, name, namespace)
        except (errors.NotFound, errors.BadRequest, errors.Invalid):
            return None

    def _referenced(self, workflow: Object) -> dict[tuple[str, bool], Object]:
        """Specs of the WorkflowTemplates that a Workflow refers to, directly or by others."""
        namespace = str(workflow["metadata"]["namespace"])
        found: dict[tuple[str, bool], Object] = {}
        waiting = list(referenced(dig_object(workflow, "spec")))
        while waiting and len(found) < MAX_REFERENCES:
            name, is_cluster = waiting.pop()
            store, key = (
                (self._cluster_templates, Key("", name)) if is_cluster else (self._templates, Key(namespace, name))
            )
            template = store.get(key)
            if template is not None and (name, is_cluster) not in found:
                found[name, is_cluster] = dig_object(template, "spec")
                waiting += referenced(found[name, is_cluster])
        return found

    async def _write(self, key: Key, workflow: Object, made: Advance, memory: _Memory) -> Object:
        """Write what has changed of status and labels, unless another has written the Workflow."""
        patch: Object = {}
        status = merge_patch.diff(dig_object(workflow, "status"), made.status)
        if status:
            patch["status"] = status
        labels = dig_object(workflow, "metadata", "labels")
        if changed := {name: value for name, value in made.labels.items() if labels.get(name) != value}:
            patch["metadata"] = {"labels": changed}
        if not patch:
            return workflow
        patch["metadata"] = {**patch.get("metadata", {}), "resourceVersion": version_of(workflow)}
        try:
            written = await self._api.patch(WORKFLOW, key, patch)
        except errors.TooLarge:
            ended = {"phase": "Error", "message": TOO_LARGE, "finishedAt": timestamp(self._runtime.now())}
            written = await self._api.patch(WORKFLOW, key, {"status": ended, "metadata": patch["metadata"]})
        memory.written = written
        self._record(dig(workflow, "status", "phase"), written)
        return written

    def _record(self, phase: Any, workflow: Object) -> None:
        """Record an event when the phase has changed."""
        new, message = str(workflow["status"]["phase"]), str(workflow["status"].get("message", ""))
        if new == phase:
            return
        reason = f"Workflow{'TimedOut' if message == DEADLINE_EXCEEDED else new}"
        report = self._runtime.warn if new in FAILURES else self._runtime.record
        report(COMPONENT, workflow, WORKFLOW, reason, message or EVENTS[new])

    async def _remove_files(self, namespace: str, memory: _Memory) -> None:
        """Remove the output files of pods whose outputs the status has now. Artifacts are elsewhere, and stay."""
        folders = self._folders
        while folders is not None and memory.read:
            with contextlib.suppress(NoFolder, OSError):
                await folders.remove(namespace, f"{STATE_ROOT}/{memory.read.pop()}")

    async def _act(self, workflow: Object, made: Advance, memory: _Memory, now: datetime) -> bool:
        """Create and delete what the engine wants. Returns whether the server has refused a pod."""
        namespace = str(workflow["metadata"]["namespace"])
        await self._keep(workflow, made.memos)
        for claim in made.claims:
            with contextlib.suppress(errors.AlreadyExists):
                await self._api.create(claim)
        is_refused = False
        for pod in made.creates:
            is_refused |= await self._create(pod, made.files.get(str(pod["metadata"]["name"]), {}), memory, now)
        for name in made.deletes:
            with contextlib.suppress(errors.NotFound):
                await self._api.delete(KINDS.of(Pod), Key(namespace, name), grace_seconds=STOP_GRACE_SECONDS)
        for name in made.claim_deletes:
            with contextlib.suppress(errors.NotFound):
                await self._api.delete(CLAIMS, Key(namespace, name))
        return is_refused

    async def _keep(self, workflow: Object, memos: Sequence[Memo]) -> None:
        """Keep outputs for later Workflows; those that cannot be kept are only made again."""
        namespace = str(workflow["metadata"]["namespace"])
        for memo in memos:
            account = str(dig(workflow, "spec", "serviceAccountName") or "")
            if problem := await keep_memo(self._api, memo, namespace, account):
                message = f"the ConfigMap {memo.config_map}: {problem}"
                self._runtime.warn(COMPONENT, workflow, WORKFLOW, "OutputsNotKept", message)

    async def _write_files(self, namespace: str, files: Mapping[str, str]) -> None:
        """Raises NoFolder and OSError."""
        for path, text in files.items():
            assert self._folders is not None
            await self._folders.make_folder(namespace, path.rpartition("/")[0])
            await self._folders.write(namespace, path, text.encode())

    async def _create(self, pod: Object, files: Mapping[str, str], memory: _Memory, now: datetime) -> bool:
        name, namespace = str(pod["metadata"]["name"]), str(pod["metadata"]["namespace"])
        if name in memory.created and now < memory.created[name] + CACHE_DELAY:
            return False
        needs_claim = any(
            dig(volume, "persistentVolumeClaim", "claimName") == ARTIFACTS_CLAIM
            for volume in dig_list(pod, "spec", "volumes")
        )
        if needs_claim and self._folders is None and self._transfers is None:
            memory.refusals[name] = NO_CLAIM
            return True
        containers = dig_list(pod, "spec", "containers")
        if self._folders is None and any(IMAGE_PROGRAM in dig_list(each, "command") for each in containers):
            memory.refusals[name] = NO_PROGRAM
            return True
        try:
            if needs_claim and self._folders is not None:
                await self._folders.ensure(namespace)
                await self._write_files(namespace, files)
            elif needs_claim and self._transfers is not None:
                pod = await self._transfers.prepare(pod, files)
            await self._api.create(pod)
        except errors.AlreadyExists:
            present = await self._api.get(typed(Pod), name, namespace)
            owner = present.metadata.controller
            if owner is None or owner.uid != pod["metadata"]["ownerReferences"][0]["uid"]:
                memory.refusals[name] = f"another pod is named {name}"
                return True
        except REFUSALS as error:
            memory.refusals[name] = error.message
            return True
        except ValueError as error:
            memory.refusals[name] = str(error)
            return True
        except (NoFolder, OSError) as error:
            memory.refusals[name] = f"its files cannot be written: {error}"
            return True
        memory.created[name] = now
        return False
