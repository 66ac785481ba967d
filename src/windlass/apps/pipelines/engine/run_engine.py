"""The engine of one run: events in, effects and changed records out. Deterministic, and without I/O.

All that it knows follows from the records of the run, so an engine that is made of the saved records decides what the
former one would have decided.
"""

from collections.abc import Iterable, Sequence

from windlass.apps.pipelines.engine import events
from windlass.apps.pipelines.engine.definition import Pipeline
from windlass.apps.pipelines.engine.effects import AnyEffect, StopPod
from windlass.apps.pipelines.engine.nodes import Node, new_root
from windlass.apps.pipelines.engine.restart import rebuild, reset_failed
from windlass.apps.pipelines.engine.states import CANCELLED, ENDED_BY_USER, INVALID_ARGUMENT
from windlass.apps.pipelines.engine.task_tree import Collect, Fingerprint, TaskTree
from windlass.apps.pipelines.engine.turn import Changes, Turn
from windlass.apps.pipelines.executor.context import TaskContext
from windlass.apps.pipelines.executor.fingerprint import fingerprint as default_fingerprint
from windlass.apps.pipelines.executor.task_outputs import collect as default_collect
from windlass.apps.pipelines.ir.errors import InvalidPipeline
from windlass.apps.pipelines.ir.spec import TaskSpec
from windlass.apps.pipelines.model import Artifact, Error, Run, RunState, Task, TaskState

__all__ = ["RunEngine", "Turn"]


class RunEngine:
    """`turn` is called for one event after another, or for several at once. A restarted process makes an engine of the
    run, its tasks, and every artifact that these name, and first carries out what `outstanding` answers."""

    def __init__(
        self,
        run: Run,
        tasks: Iterable[Task],
        artifacts: Iterable[Artifact],
        *,
        pipeline_root: str,
        fingerprint: Fingerprint = default_fingerprint,
        collect: Collect = default_collect,
    ) -> None:
        self._run = run
        self._state = run.state
        self._refusal: Error | None = None
        self._tree: TaskTree | None = None
        self._root: Node | None = None
        self._is_resumed = False
        try:
            pipeline = Pipeline(run)
        except InvalidPipeline as error:
            self._refusal = Error(code=INVALID_ARGUMENT, message=str(error))
            return
        self._tree = TaskTree(
            run, pipeline, artifacts, pipeline_root=pipeline_root, fingerprint=fingerprint, collect=collect
        )
        self._root = rebuild(self._tree, tasks)

    # --- what others ask

    def task(self, task_id: str) -> Task:
        """Raises KeyError."""
        return self._known().nodes[task_id].task

    def context(self, task_id: str) -> TaskContext:
        """All that is known of a container task, for its pod and its outputs. Raises KeyError."""
        tree = self._known()
        return tree.context(tree.nodes[task_id])

    def _known(self) -> TaskTree:
        if self._tree is None:
            raise KeyError("the run has no tasks, since its specification is invalid")
        return self._tree

    def outstanding(self) -> list[AnyEffect]:
        """The effects that running tasks wait for, to be carried out again after a restart.

        Pods that were created are not among them: what has become of these is for the caller to find out.
        """
        nodes = self._tree.nodes.values() if self._tree is not None else ()
        return [effect for node in nodes if self._tree and (effect := self._tree.effect_of(node)) is not None]

    def turn(self, happened: Iterable[events.AnyEvent], now: float) -> Turn:
        """Take in events, and decide what follows."""
        tree = self._tree
        if tree is None:
            return self._refused()
        tree.changes = changes = Changes(now)
        happened = list(happened)
        if not self._is_resumed:
            self._is_resumed = True
            self._resume(tree, happened)
        for event in happened:
            self._take(tree, event)
            tree.run_queues()
        self._start(tree)
        tree.run_queues()
        state, error = self._run_state(tree)
        changed = state if state is not self._state else None
        self._state = state
        return Turn(
            effects=changes.effects,
            tasks=list(changes.tasks.values()),
            artifacts=changes.artifacts,
            run_state=changed,
            error=error if changed is not None else None,
            wake_at=tree.wake_at(),
        )

    # --- the whole run

    def _refused(self) -> Turn:
        changed = RunState.FAILED if self._state is not RunState.FAILED else None
        self._state = RunState.FAILED
        error = self._refusal if changed is not None else None
        return Turn(effects=[], tasks=[], artifacts=[], run_state=changed, error=error)

    def _resume(self, tree: TaskTree, happened: Sequence[events.AnyEvent]) -> None:
        """Take up the recorded tasks. A run that was being ended is ended further, for the reason that comes again."""
        for node in list(tree.nodes.values()):
            tree.resume(node)
        if self._run.state is RunState.CANCELING:
            reasons = [event.message for event in happened if isinstance(event, events.Terminated) and event.message]
            tree.end(reasons[0] if reasons else ENDED_BY_USER)
        tree.run_queues()

    def _start(self, tree: TaskTree) -> None:
        if self._root is not None or tree.ending is not None:
            return
        definition = tree.pipeline.root
        task = new_root(self._run.run_id, self._run.display_name, tree.now)
        self._root = tree.add(task, TaskSpec(), definition, None)
        self._open_root(tree, self._root)

    def _open_root(self, tree: TaskTree, root: Node) -> None:
        try:
            inputs = tree.resolver.root_inputs(root)
        except ValueError as error:
            tree.fail(root, Error(code=INVALID_ARGUMENT, message=str(error)))
            return
        tree.begin(root, inputs)

    def _run_state(self, tree: TaskTree) -> tuple[RunState, Error | None]:
        root = self._root
        ended = Error(code=CANCELLED, message=tree.ending) if tree.ending is not None else None
        if root is None:
            return (RunState.FAILED, ended) if ended is not None else (self._state, None)
        if root.state.is_success:
            return RunState.SUCCEEDED, None
        if root.state.is_final:
            return RunState.FAILED, ended or root.task.error
        return (RunState.CANCELING if ended is not None else RunState.RUNNING), None

    def _retry(self, tree: TaskTree) -> None:
        root = self._root
        if root is None or not root.state.is_final or root.state.is_success:
            return
        tree.ending = None
        for effect in reset_failed(tree, root):
            tree.effect(effect)
        self._open_root(tree, root)

    # --- one event

    def _take(self, tree: TaskTree, event: events.AnyEvent) -> None:
        match event:
            case events.Advance() | events.PodStarted():
                pass  # time is looked at in each turn; a pod counts as running from its creation
            case events.Terminated():
                if tree.ending is None and not (self._root is not None and self._root.state.is_final):
                    tree.end(event.message or ENDED_BY_USER)
            case events.Retried():
                self._retry(tree)
            case _:
                node = tree.nodes.get(event.task_id)
                if node is not None and node.state is TaskState.RUNNING and node.is_leaf:
                    tree.take_answer(node, event)
                elif isinstance(event, events.PodCreated):  # for a task that was ended meanwhile
                    tree.effect(StopPod(task_id=event.task_id, pod_name=event.pod_name))
