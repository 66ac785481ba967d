"""A run that is under way in this process: its engine, and what has become of its pods since the last step."""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field

from windlass.apis.core_v1 import Pod
from windlass.apps.pipelines.engine.effects import AnyEffect, ImportArtifact, StartPod
from windlass.apps.pipelines.engine.events import AnyEvent
from windlass.apps.pipelines.engine.run_engine import RunEngine
from windlass.apps.pipelines.executor.executor_input import parameters_folder
from windlass.apps.pipelines.model import Run, Task, TaskState, TaskType
from windlass.apps.pipelines.runs.ir.pod_reports import PodReport, report
from windlass.kube.json import Object

COUNTED = frozenset({TaskType.RUNTIME, TaskType.IMPORTER})
"""Tasks that the progress of a run counts."""


@dataclass
class ActiveRun:
    run: Run
    engine: RunEngine
    retries: str = ""
    """The number of retries that the Workflow asked for when the run was loaded."""
    tasks: dict[str, Task] = field(default_factory=dict[str, Task])
    with_pods: dict[str, Task] = field(default_factory=dict[str, Task])
    """Tasks that run, by the names of their pods."""
    observed: set[str] = field(default_factory=set[str])
    """Names of pods that the cache has shown: one that it no longer shows is gone."""
    effects: list[AnyEffect] = field(default_factory=list[AnyEffect])
    """Effects that were under way when the run was loaded, and those that wait for a transfer of artifacts."""
    events: list[AnyEvent] = field(default_factory=list[AnyEvent])
    """Events for the next turn."""
    is_held: bool = False
    """Whether the Workflow was suspended since: what became of the pods meanwhile was not followed."""
    is_terminating: bool = False
    wake_at: float | None = None
    check_at: float | None = None
    """When a pod that cannot start counts as failed."""
    reported: Object | None = None
    """The status that was last written to the Workflow."""
    reported_at: float = 0.0
    report_at: float | None = None
    progress: tuple[int, int] = (0, 0)
    """How many of the counted tasks have ended, and how many there are."""
    _read_folders: list[str] = field(default_factory=list[str])

    def note(self, tasks: Iterable[Task]) -> None:
        """Take over what the engine has changed."""
        for task in tasks:
            before = self.tasks.get(task.task_id)
            if before is not None and before.pod_name:
                self.with_pods.pop(before.pod_name, None)
                if before.state is TaskState.RUNNING and task.state is not TaskState.RUNNING:
                    self._read_folders.append(parameters_folder(before))
            self._count(before, -1)
            self._count(task, 1)
            self.tasks[task.task_id] = task
            if task.state is TaskState.RUNNING and task.pod_name and task.type is TaskType.RUNTIME:
                self.with_pods[task.pod_name] = task

    def _count(self, task: Task | None, by: int) -> None:
        if task is not None and task.type in COUNTED:
            ended, counted = self.progress
            self.progress = ended + (by if task.state.is_final else 0), counted + by

    @property
    def waiting(self) -> str:
        """The first task whose pod does not start, and why; empty if there is none."""
        waiting = (task for task in self.with_pods.values() if task.error is not None)
        return next((f"{task.name}: {task.error.message}" for task in waiting if task.error is not None), "")

    def take_effects(self) -> list[AnyEffect]:
        """The effects to repeat, without those that waited to start a task that was ended meanwhile."""
        effects, self.effects = self.effects, []
        return [
            effect
            for effect in effects
            if not isinstance(effect, StartPod | ImportArtifact)
            or self.engine.task(effect.task_id).state is TaskState.RUNNING
        ]

    def take_read_folders(self) -> list[str]:
        """Folders of the claim with parameters of tasks that have ended since the last call."""
        folders, self._read_folders = self._read_folders, []
        return folders

    def reports(self, pod_of: Callable[[str], Pod | None], now: float) -> Iterator[tuple[Task, PodReport]]:
        """What the pods of running tasks say. `pod_of` answers from the cache."""
        for name, task in list(self.with_pods.items()):
            pod = pod_of(name)
            if pod is not None:
                self.observed.add(name)
                yield task, report(pod, now)
            elif name in self.observed:
                yield task, PodReport("failed", f"The pod {name} was deleted")


def progress_of(tasks: Iterable[Task]) -> tuple[int, int]:
    counted = [task for task in tasks if task.type in COUNTED]
    return sum(task.state.is_final for task in counted), len(counted)
