"""What one turn of the engine decided."""

from dataclasses import dataclass, field

from windlass.apps.pipelines.engine.effects import AnyEffect
from windlass.apps.pipelines.model import Artifact, Error, RunState, Task


@dataclass(frozen=True, kw_only=True)
class Turn:
    """Save tasks, artifacts and the run's state in one transaction; then carry out the effects."""

    effects: list[AnyEffect]
    tasks: list[Task]
    """Those that are new or have changed."""
    artifacts: list[Artifact]
    """Those that are new."""
    run_state: RunState | None = None
    """The state of the run, if it has changed."""
    error: Error | None = None
    """Why the run failed."""
    wake_at: float | None = None
    """When the next turn is due at the latest, since a task is tried again."""


@dataclass
class Changes:
    """Collects what happens in a turn."""

    now: float
    effects: list[AnyEffect] = field(default_factory=list["AnyEffect"])
    tasks: dict[str, Task] = field(default_factory=dict[str, Task])
    artifacts: list[Artifact] = field(default_factory=list[Artifact])
