"""The tasks of a run that do something themselves: how they begin, and what the answers to their effects mean."""

from collections.abc import Callable, Iterable, Sequence
from functools import partial
from typing import Protocol

from msgspec.structs import replace

from windlass.apps.pipelines.engine import events
from windlass.apps.pipelines.engine.advance import Advancer
from windlass.apps.pipelines.engine.definition import Pipeline
from windlass.apps.pipelines.engine.effects import AnyEffect, FindCached, StartPod, StopPod
from windlass.apps.pipelines.engine.leaves import may_be_cached, starting_effect
from windlass.apps.pipelines.engine.nodes import Awaiting, Node
from windlass.apps.pipelines.engine.resolve import Resolver
from windlass.apps.pipelines.engine.states import CANCELLED, INTERNAL, INVALID_ARGUMENT, UNAVAILABLE
from windlass.apps.pipelines.executor.context import TaskContext
from windlass.apps.pipelines.executor.task_outputs import ContainerOutputs, TaskOutputs
from windlass.apps.pipelines.model import Artifact, Error, Run, Task, TaskState, Values

Collect = Callable[[TaskContext, ContainerOutputs], TaskOutputs]


class Fingerprint(Protocol):
    def __call__(self, context: TaskContext, *, cache_key: str = "") -> str: ...


class TaskTree(Advancer):
    """The tree of tasks, with the run and its artifacts."""

    def __init__(
        self,
        run: Run,
        pipeline: Pipeline,
        artifacts: Iterable[Artifact],
        *,
        pipeline_root: str,
        fingerprint: Fingerprint,
        collect: Collect,
    ) -> None:
        super().__init__(pipeline, Resolver(run, pipeline_root), is_fail_fast=run.is_fail_fast)
        self._run, self._fingerprint, self._collect = run, fingerprint, collect
        self._artifacts = {artifact.artifact_id: artifact for artifact in artifacts}

    def context(self, node: Node) -> TaskContext:
        inputs, definition = node.task.inputs, node.definition
        return TaskContext(
            run=self._run,
            task=node.task,
            component=definition.raw_component,
            executor=definition.raw_executor,
            platform=definition.platform,
            pipeline_config=self.pipeline.config,
            parameters=inputs.parameters,
            artifacts={
                name: [self._artifacts[id] for id in ids if id in self._artifacts]
                for name, ids in inputs.artifacts.items()
            },
            constants={
                name: spec.runtime_value.value
                for name, spec in node.spec.inputs.parameters.items()
                if spec.runtime_value is not None
            },
            resolve=partial(self.resolver.platform_value, node),
            pipeline_root=self.resolver.pipeline_root,
            parent_execution_id=node.task.parent_id,
            retry_index=len(node.task.failed_pods),
        )

    # --- a task begins

    def begin_leaf(self, node: Node) -> None:
        """Ask for a task's cached outputs if there may be any, or start it. Another attempt asks for nothing."""
        if not self._is_cached(node) or node.task.failed_pods:
            self._start(node)
            return
        self.record(node, replace(node.task, fingerprint=self._key(node)))
        node.awaiting = Awaiting.CACHE
        self.effect(FindCached(task_id=node.task.task_id, fingerprint=node.task.fingerprint))

    def _start(self, node: Node) -> None:
        effect = starting_effect(node, self.context(node), self.resolver)
        node.awaiting = Awaiting.POD_CREATION if isinstance(effect, StartPod) else Awaiting.OPERATION
        self.effect(effect)

    def _is_cached(self, node: Node) -> bool:
        return self._run.is_cache_enabled and may_be_cached(node)

    def _key(self, node: Node) -> str:
        return self._fingerprint(self.context(node), cache_key=node.spec.caching_options.cache_key)

    def effect_of(self, node: Node) -> AnyEffect | None:
        """The effect whose answer a task waits for."""
        match node.awaiting:
            case Awaiting.CACHE:
                return FindCached(task_id=node.task.task_id, fingerprint=node.task.fingerprint)
            case Awaiting.POD_CREATION | Awaiting.OPERATION:
                return starting_effect(node, self.context(node), self.resolver)
            case Awaiting.POD | Awaiting.NOTHING:
                return None

    # --- an answer

    def take_answer(self, node: Node, event: events.AnyEvent) -> None:
        match event:
            case events.PodCreated():
                self._pod_created(node, event)
            case events.PodWaits() if _is_of_pod(node, ""):
                error = Error(code=UNAVAILABLE, message=event.message) if event.message else None
                self.record(node, replace(node.task, error=error))
            case events.PodSucceeded() if _is_of_pod(node, event.pod_name):
                self._pod_succeeded(node, event)
            case events.PodFailed() if _is_of_pod(node, event.pod_name):
                self._pod_failed(node, event)
            case events.CacheAnswered() if node.awaiting is Awaiting.CACHE:
                self._cache_answered(node, event)
            case events.Imported() if node.awaiting is Awaiting.OPERATION:
                self._imported(node, event.artifact)
            case events.OperationDone() if node.awaiting is Awaiting.OPERATION:
                self._complete(node, event.outputs)
            case events.OperationFailed() if node.awaiting is Awaiting.OPERATION:
                self.fail(node, Error(code=INTERNAL, message=event.message))
            case _:
                pass  # the answer to an effect of an earlier attempt

    def _pod_created(self, node: Node, event: events.PodCreated) -> None:
        if node.awaiting is Awaiting.POD and node.task.pod_name == event.pod_name:
            return
        node.awaiting = Awaiting.POD
        self.record(node, replace(node.task, pod_name=event.pod_name, pod_uid=event.pod_uid))
        if self.ending is not None:
            self.effect(StopPod(task_id=node.task.task_id, pod_name=event.pod_name))

    def _pod_succeeded(self, node: Node, event: events.PodSucceeded) -> None:
        try:
            outputs = self._collect(self.context(node), event.outputs)
        except ValueError as error:
            self.fail_attempt(node, Error(code=INTERNAL, message=str(error)))
            return
        ids: dict[str, list[str]] = {}
        for name, artifacts in outputs.artifacts.items():
            ids[name] = [artifact.artifact_id for artifact in artifacts]
            self._keep(artifacts)
        self._complete(node, Values(parameters=outputs.parameters, artifacts=ids))

    def _complete(self, node: Node, outputs: Values) -> None:
        """Complete a task that ran, so that later ones may use its outputs."""
        key = self._key(node) if self._is_cached(node) else ""
        self.finish(node, TaskState.COMPLETE, outputs=outputs, fingerprint=key, error=None)

    def _keep(self, artifacts: Iterable[Artifact]) -> None:
        for artifact in artifacts:
            dated = artifact if artifact.created_at else replace(artifact, created_at=self.now)
            self._artifacts[dated.artifact_id] = dated
            self.changes.artifacts.append(dated)

    def _pod_failed(self, node: Node, event: events.PodFailed) -> None:
        if self.ending is not None:
            self.fail(node, Error(code=CANCELLED, message=self.ending))
            return
        error = Error(code=INTERNAL, message=event.message)
        if event.exit_code is None:  # no container ran: another attempt would end the same way
            self.fail(node, error)
        else:
            self.fail_attempt(node, error)

    def _cache_answered(self, node: Node, event: events.CacheAnswered) -> None:
        if (hit := event.hit) is None or not self._knows(hit, event.artifacts):
            self.record(node, replace(node.task, fingerprint=""))  # in the record, this is the sign of a miss
            try:
                self._start(node)
            except ValueError as error:
                self.fail(node, Error(code=INVALID_ARGUMENT, message=str(error)))
            return
        self._artifacts.update({artifact.artifact_id: artifact for artifact in event.artifacts})
        self.finish(node, TaskState.CACHED, outputs=hit.outputs, cached_task_id=hit.task_id)

    def _knows(self, hit: Task, artifacts: Sequence[Artifact]) -> bool:
        given = {artifact.artifact_id for artifact in artifacts}
        return all(id in given or id in self._artifacts for ids in hit.outputs.artifacts.values() for id in ids)

    def _imported(self, node: Node, artifact: Artifact) -> None:
        name = next(iter(node.definition.component.output_definitions.artifacts))
        if artifact.task_id == node.task.task_id:
            self._keep([artifact])
        else:
            self._artifacts[artifact.artifact_id] = artifact
        self.finish(node, TaskState.COMPLETE, outputs=Values(artifacts={name: [artifact.artifact_id]}))


def _is_of_pod(node: Node, pod_name: str) -> bool:
    """Whether the event of a pod is about the current attempt; some callers do not name the pod."""
    return node.awaiting in (Awaiting.POD, Awaiting.POD_CREATION) and pod_name in ("", node.task.pod_name)
