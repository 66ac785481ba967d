"""A world for the engine: it keeps the records, and its pods do what the test says. Any moment may be a restart."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import Any

import msgspec
from msgspec.structs import replace

from windlass.apps.pipelines.engine import effects, events
from windlass.apps.pipelines.engine.run_engine import RunEngine, Turn
from windlass.apps.pipelines.executor.task_outputs import ContainerOutputs
from windlass.apps.pipelines.model import Artifact, Run, RunState, Task, TaskState, Values

Json = dict[str, Any]
ROOT = "minio://bucket/root"


@dataclass
class Failure:
    message: str = "The container failed with exit code 1"
    exit_code: int | None = 1


Behaviour = Callable[[Json], Json | Failure | None]
"""From the input parameters of a task to its output parameters."""


@dataclass
class World:
    spec: Json
    platform: Json = field(default_factory=dict)
    parameters: Json = field(default_factory=dict)
    behaviours: dict[str, Behaviour] = field(default_factory=dict)
    """By the names of tasks."""
    restarts: bool = False
    """Whether the engine is made again between any two turns."""
    crashes: Callable[[], bool] = lambda: False
    """Asked after effects were carried out: whether the process ends before it learns their answers."""
    run_fields: Json = field(default_factory=dict)
    cache: dict[str, Task] = field(default_factory=dict)
    now: float = 1000.0

    def __post_init__(self) -> None:
        self.run = Run(
            run_id="run-1",
            namespace="ns",
            display_name="my run",
            resource_name="example-abcde",
            pipeline_name=self.spec["pipelineInfo"]["name"],
            spec=self.spec,
            platform_spec=self.platform,
            parameters=self.parameters,
            created_at=1000.0,
            **self.run_fields,
        )
        self.tasks: dict[str, Task] = {}
        self.artifacts: dict[str, Artifact] = {}
        self.pods: dict[str, str] = {}
        """The pods that run, with the ids of their tasks."""
        self.started: list[str] = []
        """The paths of tasks, in the order in which their pods started."""
        self.issued: list[str] = []
        """All effects, for a test that none is issued twice."""
        self.wake_at: float | None = None
        self.turns = 0
        self.changed = 0
        self.states: list[RunState] = []
        self.engine = self._engine()

    def _engine(self) -> RunEngine:
        return RunEngine(self.run, self.tasks.values(), self.artifacts.values(), pipeline_root=ROOT)

    # --- the loop of the manager

    def turn(self, *happened: events.AnyEvent) -> None:
        """Take events in, and carry out what follows until only pods and time are waited for."""
        pending: list[events.AnyEvent] = list(happened) or [events.Advance()]
        while pending:
            turn = self.engine.turn(pending, self.now)
            self.save(turn)
            todo = turn.effects
            if self.restarts:
                self.engine = self._engine()
                stops = [effect for effect in todo if isinstance(effect, effects.StopPod)]
                outstanding = self.engine.outstanding()
                assert all(effect in outstanding for effect in todo if effect not in stops)
                todo = [*outstanding, *stops]
            pending = self._answers(todo)
            while self.crashes():
                self.engine = self._engine()
                pending = [*self._answers(self.engine.outstanding()), events.Advance()]

    def _answers(self, todo: Iterable[effects.AnyEffect]) -> list[events.AnyEvent]:
        return [event for effect in todo if (event := self.carry_out(effect)) is not None]

    def save(self, turn: Turn) -> None:
        self.turns += 1
        self.changed += len(turn.tasks)
        self.tasks.update({task.task_id: through_json(task) for task in turn.tasks})
        self.artifacts.update({artifact.artifact_id: through_json(artifact) for artifact in turn.artifacts})
        if turn.run_state is not None:
            self.states.append(turn.run_state)
            self.run = replace(self.run, state=turn.run_state, error=turn.error)
        self.wake_at = turn.wake_at

    def carry_out(self, effect: effects.AnyEffect) -> events.AnyEvent | None:
        task = self.tasks[effect.task_id]
        match effect:
            case effects.StartPod():
                name = f"{task.path}-{task.attempt}"
                self.issued.append(f"start {name}")
                if name not in self.pods:
                    self.started.append(task.path)
                self.pods[name] = task.task_id
                return events.PodCreated(task_id=task.task_id, pod_name=name, pod_uid=f"uid-{name}")
            case effects.StopPod():
                self.issued.append(f"stop {effect.pod_name}")
                if self.pods.pop(effect.pod_name, None) is None:
                    return None
                return events.PodFailed(task_id=task.task_id, message="The pod was deleted", pod_name=effect.pod_name)
            case effects.FindCached():
                self.issued.append(f"cache {task.path}-{task.attempt}")
                hit = self.cache.get(effect.fingerprint)
                ids = [id for ids in hit.outputs.artifacts.values() for id in ids] if hit else []
                found = [self.artifacts[id] for id in ids if id in self.artifacts]
                return events.CacheAnswered(task_id=task.task_id, hit=hit, artifacts=found)
            case effects.ImportArtifact():
                self.issued.append(f"import {effect.uri}")
                artifact = Artifact(
                    artifact_id=f"imported-{task.path}",
                    task_id=task.task_id,
                    uri=effect.uri,
                    type=effect.type,
                    metadata=effect.metadata,
                )
                return events.Imported(task_id=task.task_id, artifact=artifact)
            case effects.CreateClaim():
                self.issued.append(f"create claim {effect.parameters}")
                name = effect.parameters.get("pvc_name", "claim-1")
                return events.OperationDone(task_id=task.task_id, outputs=Values(parameters={"name": name}))
            case effects.DeleteClaim():
                self.issued.append(f"delete claim {effect.claim}")
                return events.OperationDone(task_id=task.task_id)

    # --- pods

    def end_pod(self, name: str) -> None:
        """Let a pod do its work."""
        task = self.tasks[self.pods.pop(name)]
        behave = self.behaviours.get(task.name, lambda _: {})
        result = behave(dict(self.engine.context(task.task_id).parameters))
        if isinstance(result, Failure):
            self.turn(
                events.PodFailed(
                    task_id=task.task_id, message=result.message, exit_code=result.exit_code, pod_name=name
                )
            )
            return
        outputs = ContainerOutputs(executor_output={"parameterValues": result or {}})
        self.turn(events.PodSucceeded(task_id=task.task_id, outputs=outputs, pod_name=name))
        if (done := self.tasks[task.task_id]).fingerprint and done.state is TaskState.COMPLETE:
            self.cache.setdefault(done.fingerprint, done)

    def run_to_end(self, choose: Callable[[list[str]], str] = lambda names: names[0]) -> "World":
        """Run until the run is final; `choose` picks the pod that ends next."""
        if self.turns == 0:
            self.turn()
        while self.run.state not in (RunState.SUCCEEDED, RunState.FAILED):
            if self.pods:
                self.end_pod(choose(list(self.pods)))
            elif self.wake_at is not None:
                self.now = max(self.now, self.wake_at)
                self.turn()
            else:
                raise AssertionError(f"the run is stuck: {self.shown()}")
        return self

    # --- what tests look at

    def task(self, path: str) -> Task:
        return next(task for task in self.tasks.values() if task.path == f"root.{path}" or task.path == path)

    def shown(self) -> dict[str, str]:
        return {task.path.removeprefix("root."): str(task.state) for task in self.tasks.values()}

    def outputs(self, path: str) -> Json:
        return self.task(path).outputs.parameters

    def result(self, path: str) -> Any:
        return self.outputs(path)["Output"]

    def paths(self, state: TaskState) -> set[str]:
        return {task.path.removeprefix("root.") for task in self.tasks.values() if task.state is state}


def through_json(record: Any) -> Any:
    """The record as a database gives it back."""
    return msgspec.json.decode(msgspec.json.encode(record), type=type(record))


def constant(value: Any) -> Behaviour:
    return lambda _: {"Output": value}


def failing(*results: Any) -> Behaviour:
    """Fails or succeeds, call by call; the last result stays."""
    left = list(results)

    def behave(_: Json) -> Any:
        return left.pop(0) if len(left) > 1 else left[0]

    return behave


def run(spec: Json, behaviours: dict[str, Behaviour] | None = None, **fields: Any) -> World:
    return World(spec, behaviours=behaviours or {}, **fields).run_to_end()


def all_final(tasks: Iterable[Task]) -> bool:
    return all(task.state.is_final for task in tasks)
