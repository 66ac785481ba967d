"""The controller of Workflows: reads what a turn of the engine needs, writes the status, then creates and deletes pods.

The order of writes makes a restart harmless: the status names a node before its pod exists, pods have names that
follow from their node, and pods are deleted only after their node's end is written. The Workflows of runs in IR are
left to `windlass.apps.pipelines.runs.ir.run_controller`.
"""

import contextlib
import logging
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import TYPE_CHECKING, Any, TypeAlias

from windlass.apis.core_v1 import PersistentVolumeClaim, Pod
from windlass.apis.images import IMAGE_PROGRAM
from windlass.apis.policy_v1 import PodDisruptionBudget
from windlass.apps.pipelines.argo.artifacts import artifact_gc
from windlass.apps.pipelines.argo.nodes import COMPLETED, FAILURES
from windlass.apps.pipelines.argo.observation import PodPlaces
from windlass.apps.pipelines.argo.pods.pod_manifest import STATE_ROOT
from windlass.apps.pipelines.argo.pods.pod_states import pod_state
from windlass.apps.pipelines.argo.templates import referenced
from windlass.apps.pipelines.argo.workflow import DEADLINE_EXCEEDED, Advance, advance
from windlass.apps.pipelines.artifacts.claim_folders import ClaimFolders, NoFolder
from windlass.apps.pipelines.kinds.argo import ClusterWorkflowTemplate, Workflow, WorkflowTemplate
from windlass.apps.pipelines.names import ARTIFACTS_CLAIM, TASK_LABEL, WORKFLOW_LABEL
from windlass.apps.pipelines.runs.watches import ARGO_WORKFLOWS, Keys
from windlass.apps.pipelines.runs.workflows.answers import NO_CLAIM, Answerer, Answers
from windlass.apps.pipelines.runs.workflows.locks import WorkflowLocks
from windlass.apps.pipelines.runs.workflows.memos import keep_memos
from windlass.apps.pipelines.runs.workflows.output_cache import WorkflowCache
from windlass.apps.pipelines.runs.workflows.pod_logs import OpenLogs, WorkflowLogs
from windlass.apps.pipelines.runs.workflows.pod_outputs import ClaimOutputs
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

if TYPE_CHECKING:
    from windlass.apps.pipelines.runs.workflows.pod_transfers import WorkflowTransfers
    from windlass.apps.pipelines.runs.workflows.store_places import WorkflowPlaces

OpenPlaces: TypeAlias = "Callable[[Api, Callable[[Key], None]], WorkflowPlaces]"
"""Opens the stores of artifacts; the function that it gets wakes a Workflow."""

NAME = "argo-workflows"
WORKERS = 4
WORKFLOW = KINDS.of(Workflow)
PODS = typed(Pod).narrowed(labels=f"{WORKFLOW_LABEL},!{TASK_LABEL}")
TEMPLATES, CLUSTER_TEMPLATES = untyped(KINDS.of(WorkflowTemplate)), untyped(KINDS.of(ClusterWorkflowTemplate))
CLAIMS, BUDGETS = KINDS.of(PersistentVolumeClaim), KINDS.of(PodDisruptionBudget)
STOP_GRACE_SECONDS = 3
CACHE_DELAY = timedelta(seconds=5)
"""How long the cache may take to show a pod that was created."""
MAX_REFERENCES = 100
"""WorkflowTemplates that one Workflow may refer to."""
MAX_ROUNDS = 10
"""Turns of one step, each after pods were refused."""
COLLECTION_INTERVAL = timedelta(seconds=30)
"""How long to wait before artifacts of a deleted Workflow that could not be removed are removed again."""
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
REFUSALS = (errors.BadRequest, errors.Forbidden, errors.Invalid, errors.NotFound, errors.TooLarge)

log = logging.getLogger(__name__)


def argo_workflows(
    folders: Callable[[Api], ClaimFolders] | None,
    cache: Callable[[ClaimFolders], WorkflowCache] | None = None,
    transfers: "Callable[[Api], WorkflowTransfers] | None" = None,
    places: "OpenPlaces | None" = None,
    open_logs: OpenLogs | None = None,
) -> Service:
    """The controller. `folders` finds the folders of claims; None where pods cannot share one, and use `transfers`.
    `cache` is that of v1 runs; None where there is no history. `places` opens the stores that artifacts name, at the
    first of them; `open_logs` the database that keeps logs."""

    def start(runtime: Runtime) -> None:
        found = folders(runtime.api) if folders is not None else None
        known = cache(found) if cache is not None and found is not None else None
        copies = transfers(runtime.api) if transfers is not None else None
        WorkflowsService(runtime, found, known, copies, places, open_logs).start()

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
        open_places: "OpenPlaces | None" = None,
        open_logs: OpenLogs | None = None,
    ) -> None:
        self._open_places = open_places
        self._opened_places: WorkflowPlaces | None = None
        self._runtime, self._api, self._folders, self._transfers = runtime, runtime.api, folders, transfers
        self._workflows: Store[Object] = runtime.store(ARGO_WORKFLOWS)
        self._pods: Store[Pod] = runtime.store(PODS)
        self._templates: Store[Object] = runtime.store(TEMPLATES)
        self._cluster_templates: Store[Object] = runtime.store(CLUSTER_TEMPLATES)
        self._queue: Queue[Key] = runtime.queue("argo_workflows")
        self._logs = WorkflowLogs(runtime, self._workflows, open_logs) if open_logs is not None else None
        self._memory: dict[Key, _Memory] = {}
        self._locks = WorkflowLocks(self._queue.add)
        self._answerer = Answerer(
            api=runtime.api,
            pods=self._pods,
            locks=self._locks,
            places=self._places,
            template=self._template,
            outputs=ClaimOutputs(folders) if folders is not None else None,
            transfers=transfers,
            cache=cache,
        )

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
            if self._opened_places is not None:
                self._opened_places.forget(key)
            return await self._collect(key, cached) if cached is not None else None
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

    async def _collect(self, key: Key, workflow: Object) -> timedelta | None:
        """Remove the artifacts of a Workflow that is being deleted, as its `artifactGC` says, and let it go."""
        finalizers = dig_list(workflow, "metadata", "finalizers")
        if artifact_gc.FINALIZER not in finalizers:
            return None
        spec, places = artifact_gc.started_spec(workflow), self._places()
        problems: list[str] = []
        for removal in artifact_gc.removals(spec, dig_object(workflow, "status"), "OnWorkflowDeletion"):
            problems.append(await places.remove(key.namespace, removal) if places is not None else "")
        failed = next((problem for problem in problems if problem), "")
        if failed:
            self._runtime.warn(COMPONENT, workflow, WORKFLOW, "ArtifactGCFailed", failed)
        if failed and not dig(spec, "artifactGC", "forceFinalizerRemoval"):
            return COLLECTION_INTERVAL
        kept = [name for name in finalizers if name != artifact_gc.FINALIZER]
        patch: Object = {"metadata": {"finalizers": kept, "resourceVersion": version_of(workflow)}}
        with contextlib.suppress(errors.NotFound, errors.Conflict):
            await self._api.patch(WORKFLOW, key, patch)
        return None

    def _places(self) -> "WorkflowPlaces | None":
        if self._opened_places is None and self._open_places is not None:
            self._opened_places = self._open_places(self._api, self._queue.add)
        return self._opened_places

    async def _advance(self, key: Key, workflow: Object, memory: _Memory) -> timedelta | None:
        now = self._runtime.now()
        made = await self._observed_advance(workflow, memory, now)
        for _ in range(MAX_ROUNDS):
            workflow = await self._write(key, workflow, made, memory)
            if self._logs is not None:
                self._logs.ended(workflow, self._pods.filed("owner", uid_of(workflow)))
            self._locks.settle(key, workflow, made)
            await self._remove_files(key.namespace, memory)
            if self._opened_places is not None and made.status["phase"] in COMPLETED:
                self._opened_places.forget(key)
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
        """Advance, answering what the engine asks for."""
        pods = [pod_state(pod) for pod in self._pods.filed("owner", uid_of(workflow))]
        for pod in pods:
            memory.created.pop(pod.name, None)
        answers, templates = Answers(), self._referenced(workflow)
        made = advance(workflow, answers.observation(now, pods, memory.refusals, templates))
        while await self._answerer.answer(workflow, made, answers):
            made = advance(workflow, answers.observation(now, pods, memory.refusals, templates))
        memory.refusals.clear()
        memory.read |= {pod for pod, read in answers.outputs.items() if not read.is_pending}
        return made

    def _referenced(self, workflow: Object) -> dict[tuple[str, bool], Object]:
        """Specs of the WorkflowTemplates that a Workflow refers to, directly or by others."""
        namespace = str(workflow["metadata"]["namespace"])
        found: dict[tuple[str, bool], Object] = {}
        waiting = list(referenced(dig_object(workflow, "spec")))
        while waiting and len(found) < MAX_REFERENCES:
            key = waiting.pop()
            spec = self._template(namespace, key)
            if spec is not None and key not in found:
                found[key] = spec
                waiting += referenced(spec)
        return found

    def _template(self, namespace: str, key: tuple[str, bool]) -> Object | None:
        """The spec of a WorkflowTemplate, by its name and whether it is of the cluster."""
        name, is_cluster = key
        store = self._cluster_templates if is_cluster else self._templates
        template = store.get(Key("" if is_cluster else namespace, name))
        return dig_object(template, "spec") if template is not None else None

    async def _write(self, key: Key, workflow: Object, made: Advance, memory: _Memory) -> Object:
        """Write what has changed of status and labels, unless another has written the Workflow."""
        patch: Object = {}
        status = merge_patch.diff(dig_object(workflow, "status"), made.status)
        if status:
            patch["status"] = status
        labels = dig_object(workflow, "metadata", "labels")
        if changed := {name: value for name, value in made.labels.items() if labels.get(name) != value}:
            patch["metadata"] = {"labels": changed}
        annotations = dig_object(workflow, "metadata", "annotations")
        if notes := {name: value for name, value in made.annotations.items() if annotations.get(name) != value}:
            patch["metadata"] = {**patch.get("metadata", {}), "annotations": notes}
        finalizers = dig_list(workflow, "metadata", "finalizers")
        if made.needs_finalizer and artifact_gc.FINALIZER not in finalizers:
            patch["metadata"] = {**patch.get("metadata", {}), "finalizers": [*finalizers, artifact_gc.FINALIZER]}
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
        for problem in await keep_memos(self._api, workflow, made.memos):
            self._runtime.warn(COMPONENT, workflow, WORKFLOW, "OutputsNotKept", problem)
        for made_object in made.objects:
            try:
                await self._api.create(made_object)
            except errors.AlreadyExists:
                continue
            except REFUSALS as error:  # what the pods need is missing: the Workflow ends
                memory.refusals[f"{made_object['kind']}/{made_object['metadata']['name']}"] = error.message
                return True
        is_refused = False
        for pod in made.creates:
            name = str(pod["metadata"]["name"])
            places = made.places.get(name, PodPlaces())
            is_refused |= await self._create(pod, made.files.get(name, {}), places, memory, now)
        for name in made.deletes:
            if self._logs is not None:
                await self._logs.keep(workflow, Key(namespace, name))
            with contextlib.suppress(errors.NotFound):
                await self._api.delete(KINDS.of(Pod), Key(namespace, name), grace_seconds=STOP_GRACE_SECONDS)
        for name in made.claim_deletes:
            with contextlib.suppress(errors.NotFound):
                await self._api.delete(CLAIMS, Key(namespace, name))
        for name in made.budget_deletes:
            with contextlib.suppress(errors.NotFound):
                await self._api.delete(BUDGETS, Key(namespace, name))
        return is_refused

    async def _write_files(self, namespace: str, files: Mapping[str, str]) -> None:
        """Raises NoFolder and OSError."""
        for path, text in files.items():
            assert self._folders is not None
            await self._folders.make_folder(namespace, path.rpartition("/")[0])
            await self._folders.write(namespace, path, text.encode())

    async def _create(
        self, pod: Object, files: Mapping[str, str], places: PodPlaces, memory: _Memory, now: datetime
    ) -> bool:
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
                pod = await self._transfers.prepare(pod, files, places)
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
