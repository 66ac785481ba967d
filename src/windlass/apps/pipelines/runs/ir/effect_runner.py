"""Carries out what the engine of a run wants done, and answers with events. Everything may be repeated."""

import contextlib
import logging
import time
from collections.abc import Awaitable, Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from typing import TypeAlias

from windlass.apis.core_v1 import PersistentVolumeClaim, Pod
from windlass.apps.pipelines.argo.kfp.cache_key import staleness_limit
from windlass.apps.pipelines.artifacts.uris import WORKSPACE_METADATA
from windlass.apps.pipelines.engine import effects, events
from windlass.apps.pipelines.engine.run_engine import RunEngine
from windlass.apps.pipelines.executor.claims import claim
from windlass.apps.pipelines.executor.pod import pod, pod_name
from windlass.apps.pipelines.history import History
from windlass.apps.pipelines.model import Artifact, Run, Task, Values, imported_id
from windlass.apps.pipelines.names import RUN_ID_LABEL, TASK_LABEL
from windlass.apps.pipelines.runs.artifacts.exchange import ArtifactExchange, TransferFailed
from windlass.kube import errors
from windlass.kube.api import Api
from windlass.kube.json import Object, dig, dig_list
from windlass.kube.kind import KINDS
from windlass.kube.meta import Key
from windlass.kube.objects import key_of
from windlass.kube.view import untyped

PODS, CLAIMS = KINDS.of(Pod), KINDS.of(PersistentVolumeClaim)
STOP_GRACE_SECONDS = 3
"""What a container of a run that is ended gets between SIGTERM and SIGKILL."""
KeepLog: TypeAlias = Callable[[Run, str], Awaitable[None]]
REFUSALS = (errors.BadRequest, errors.Forbidden, errors.Invalid, errors.NotFound, errors.TooLarge)
"""Answers of the server that the same request would get again."""

log = logging.getLogger(__name__)


@dataclass(frozen=True, kw_only=True)
class RunContext:
    """The run whose effects are carried out."""

    run: Run
    engine: RunEngine
    owner: Object
    """The owner reference of what belongs to the run's Workflow."""
    pod_defaults: Mapping[str, str]


class EffectRunner:
    """`keep_log` is called for pods before they are deleted."""

    def __init__(self, api: Api, history: History, exchange: ArtifactExchange, keep_log: KeepLog) -> None:
        self._api, self._history, self._exchange, self._keep_log = api, history, exchange, keep_log

    async def carry_out(self, context: RunContext, effect: effects.AnyEffect) -> events.AnyEvent | None:
        """The answer to the engine; None for StopPod, whose answer is a change of the pod, and for what waits for a
        transfer of artifacts: repeat it when the run is woken. Raises ApiError if the server cannot be reached or is
        busy: the effect is then repeated."""
        match effect:
            case effects.FindCached():
                return await self._find_cached(context, effect)
            case effects.StartPod():
                return await self._start_pod(context, effect)
            case effects.StopPod():
                return await self._stop_pod(context, effect)
            case effects.ImportArtifact():
                return await self._import_artifact(context, effect)
            case effects.CreateClaim():
                return await self._create_claim(context, effect)
            case effects.DeleteClaim():
                return await self._delete_claim(context, effect)

    async def _find_cached(self, context: RunContext, effect: effects.FindCached) -> events.AnyEvent:
        run = context.run
        limit = staleness_limit(run.max_cache_staleness)
        for candidate in await self._history.cached(run.namespace, run.pipeline_name, effect.fingerprint):
            if limit is not None and time.time() - candidate.finished_at > limit.total_seconds():
                break  # those after it are older
            ids = {one for many in candidate.outputs.artifacts.values() for one in many}
            artifacts = await self._history.artifacts(ids)
            if len(artifacts) == len(ids) and await self._is_usable(run, candidate, artifacts.values()):
                return events.CacheAnswered(task_id=effect.task_id, hit=candidate, artifacts=list(artifacts.values()))
        return events.CacheAnswered(task_id=effect.task_id)

    async def _is_usable(self, run: Run, candidate: Task, artifacts: Iterable[Artifact]) -> bool:
        """Whether what the task made still exists: its artifacts, and the claim if it created one."""
        for artifact in artifacts:
            if not await self._exchange.exists(artifact):
                return False
        created = candidate.outputs.parameters.get("name")
        if candidate.pod_name or not isinstance(created, str):
            return True
        try:
            claim = await self._api.get(untyped(CLAIMS), created, run.namespace)
        except errors.NotFound:
            return False
        return dig(claim, "metadata", "deletionTimestamp") is None

    async def _start_pod(self, context: RunContext, effect: effects.StartPod) -> events.AnyEvent | None:
        task = context.engine.task(effect.task_id)
        name = pod_name(context.run, task)
        try:
            known = replace(context.engine.context(task.task_id), defaults=dict(context.pod_defaults))
            storage = self._exchange.storage(context.run.namespace)
            manifest = pod(known, storage, owner=context.owner, pod_name=name)
            if not await self._exchange.are_inputs_ready(known):
                return None
            if task.attempt > 0:
                await self._exchange.forget_attempt(known)
        except (ValueError, TransferFailed) as error:
            return events.PodFailed(task_id=task.task_id, message=str(error))
        try:
            created = await self._api.create(manifest)
        except errors.AlreadyExists:
            created = await self._api.get(untyped(PODS), name, context.run.namespace)
            if dig(created, "metadata", "labels", TASK_LABEL) != task.task_id:
                return events.PodFailed(task_id=task.task_id, message=f"another pod is named {name}")
        except REFUSALS as error:
            return events.PodFailed(task_id=task.task_id, message=f"The pod cannot be created: {error.message}")
        return events.PodCreated(task_id=task.task_id, pod_name=name, pod_uid=str(dig(created, "metadata", "uid")))

    async def _stop_pod(self, context: RunContext, effect: effects.StopPod) -> events.AnyEvent | None:
        """Keep the log of the pod and delete it; the cache reports when it is gone."""
        with contextlib.suppress(errors.ApiError):  # a node that does not answer must not keep a run from ending
            await self._keep_log(context.run, effect.pod_name)
        try:
            key = Key(context.run.namespace, effect.pod_name)
            await self._api.delete(PODS, key, grace_seconds=STOP_GRACE_SECONDS)
        except errors.NotFound:
            message = f"The pod {effect.pod_name} is gone"
            return events.PodFailed(task_id=effect.task_id, message=message, pod_name=effect.pod_name)
        return None

    async def _import_artifact(self, context: RunContext, effect: effects.ImportArtifact) -> events.AnyEvent | None:
        """Record an artifact that exists already; None until the copy in the workspace, if it has one, is complete."""
        run, metadata = context.run, effect.metadata
        if effect.download_to_workspace:
            metadata = metadata | {WORKSPACE_METADATA: True}
            try:
                if not await self._exchange.is_in_workspace(run, effect.task_id, effect.uri):
                    return None
            except (ValueError, TransferFailed) as error:
                return events.OperationFailed(task_id=effect.task_id, message=f"importer.downloadToWorkspace: {error}")
        if not effect.reimport:
            earlier = await self._history.imported(run.namespace, run.pipeline_name, effect.uri, effect.type)
            same = next((artifact for artifact in earlier if artifact.metadata == metadata), None)
            if same is not None:
                return events.Imported(task_id=effect.task_id, artifact=same)
        artifact = Artifact(
            artifact_id=imported_id(effect.task_id),
            namespace=run.namespace,
            run_id=run.run_id,
            task_id=effect.task_id,
            name="artifact",
            type=effect.type,
            schema_version=effect.schema_version,
            uri=effect.uri,
            metadata=metadata,
            pipeline_name=run.pipeline_name,
        )
        return events.Imported(task_id=effect.task_id, artifact=artifact)

    async def _create_claim(self, context: RunContext, effect: effects.CreateClaim) -> events.AnyEvent:
        task = context.engine.task(effect.task_id)
        try:
            manifest = claim(effect.parameters, run=context.run, task=task)
        except ValueError as error:
            return events.OperationFailed(task_id=effect.task_id, message=str(error))
        name = str(dig(manifest, "metadata", "name"))
        try:
            await self._api.create(manifest)
        except errors.AlreadyExists:
            present = await self._api.get(untyped(CLAIMS), name, context.run.namespace)
            if dig(present, "metadata", "labels", TASK_LABEL) != task.task_id:
                return events.OperationFailed(task_id=effect.task_id, message=f"The claim {name} exists already")
        except REFUSALS as error:
            return events.OperationFailed(task_id=effect.task_id, message=error.message)
        return events.OperationDone(task_id=effect.task_id, outputs=Values(parameters={"name": name}))

    async def _delete_claim(self, context: RunContext, effect: effects.DeleteClaim) -> events.AnyEvent:
        try:
            await self._api.delete(CLAIMS, Key(context.run.namespace, effect.claim))
        except errors.NotFound:
            message = f"The claim {effect.claim} does not exist"
            return events.OperationFailed(task_id=effect.task_id, message=message)
        except REFUSALS as error:
            return events.OperationFailed(task_id=effect.task_id, message=error.message)
        await self._remove_users(context.run, effect.claim)
        return events.OperationDone(task_id=effect.task_id)

    async def _remove_users(self, run: Run, claim: str) -> None:
        """Delete the run's pods that have finished with a claim: Kubernetes keeps it for as long as they exist."""
        pods = await self._api.list(untyped(PODS), run.namespace, labels=f"{RUN_ID_LABEL}={run.run_id}")
        for user in pods.items:
            volumes = dig_list(user, "spec", "volumes")
            uses = any(dig(volume, "persistentVolumeClaim", "claimName") == claim for volume in volumes)
            if uses and dig(user, "status", "phase") in ("Succeeded", "Failed"):
                key = key_of(user)
                await self._keep_log(run, key.name)
                with contextlib.suppress(errors.NotFound):
                    await self._api.delete(PODS, key)
