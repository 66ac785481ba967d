"""Database of runs as the engines use it; `windlass.apps.pipelines.rows` implements it and more for the API."""

from collections.abc import Awaitable, Callable, Collection, Iterable
from typing import Protocol, TypeAlias

from windlass.apps.pipelines.model import Artifact, Error, Run, RunState, Task


class History(Protocol):
    """Runs, tasks and artifacts. Everything that returns is durable; each call is one transaction."""

    async def run(self, run_id: str) -> Run | None: ...

    async def unfinished_runs(self) -> list[Run]:
        """Runs whose state is not final, without their specifications and parameters."""
        ...

    async def tasks(self, run_id: str) -> list[Task]: ...

    async def artifacts(self, ids: Collection[str]) -> dict[str, Artifact]: ...

    async def save(self, run_id: str, *, tasks: Iterable[Task] = (), artifacts: Iterable[Artifact] = ()) -> None:
        """Insert or replace tasks and artifacts, and the links between them, which follow from inputs and outputs."""
        ...

    async def set_run_state(
        self, run_id: str, state: RunState, now: float, *, error: Error | None = None, reset: bool = False
    ) -> bool:
        """Record a change of state, with its history and, if the state is final, when it finished.

        Answers False and changes nothing if the run is in that state already, if it is final, if it would be PENDING
        again, or if it is CANCELING and the new state is not final. With `reset` (a retry), a final run runs again and
        `finished_at` is cleared.
        """
        ...

    async def cached(self, namespace: str, pipeline_name: str | None, fingerprint: str, limit: int = 5) -> list[Task]:
        """Completed tasks with the fingerprint, newest first; of all pipelines of the namespace without a name."""
        ...

    async def imported(self, namespace: str, pipeline_name: str, uri: str, type: str) -> list[Artifact]:
        """Artifacts that importers of the pipeline recorded, newest first."""
        ...

    async def report_metric(self, run_id: str, node_id: str, name: str, number_value: float, format: str) -> bool:
        """Keep a metric of a v1 run's node; False if the node has reported that name already, or the run has all."""
        ...

    async def save_log(self, run_id: str, pod_name: str, log: bytes) -> None:
        """Keep the log of a task's pod for when the pod is gone."""
        ...

    async def save_manifest(self, run_id: str, manifest: bytes) -> None:
        """Keep the Workflow of a v1 run for when the object is gone."""
        ...

    async def manifest(self, run_id: str) -> bytes | None:
        """The Workflow of a finished v1 run; None if none was kept."""
        ...


OpenHistory: TypeAlias = Callable[[], Awaitable[History]]
"""Opens the database, at the first run."""
