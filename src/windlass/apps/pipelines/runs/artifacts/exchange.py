"""What the controller of runs asks of artifacts, wherever they are: `claim_exchange` on one machine, `store_exchange`
on a cluster."""

from collections.abc import Sequence
from typing import Protocol

from windlass.apis.core_v1 import Pod
from windlass.apps.pipelines.executor.context import TaskContext
from windlass.apps.pipelines.executor.storage import Storage
from windlass.apps.pipelines.executor.task_outputs import ContainerOutputs
from windlass.apps.pipelines.model import Artifact, Run
from windlass.kube.meta import Key


class TransferFailed(Exception):
    """The artifacts of a task cannot be transferred; the message names the URI and the reason."""


class BadOutputs(Exception):
    """What the container wrote cannot be used; the message says which file and why."""


class ArtifactExchange(Protocol):
    """Each question is answered at once; False or None while the transfer that it started lasts, whose end wakes the
    run."""

    @property
    def fills_workspaces(self) -> bool:
        """Whether this process copies imports into workspaces: these must be bound before the first pod then."""
        ...

    async def prepare(self, run: Run) -> str:
        """The pipeline root of a run that begins. Raises ValueError and ApiError."""
        ...

    def storage(self, namespace: str) -> Storage:
        """How the pods of a namespace reach artifacts."""
        ...

    async def are_inputs_ready(self, context: TaskContext) -> bool:
        """Whether the pod of a task may be created. Raises ValueError and TransferFailed."""
        ...

    async def forget_attempt(self, context: TaskContext) -> None:
        """Remove what an earlier attempt of a task left behind, if the next one would see it."""
        ...

    async def outputs(self, context: TaskContext, pod: Pod | None) -> ContainerOutputs | None:
        """What a container that succeeded left behind; None until its artifacts are published.

        Raises BadOutputs, TransferFailed and ValueError.
        """
        ...

    async def with_content(self, artifacts: Sequence[Artifact]) -> list[Artifact]:
        """The artifacts, each with whether there is a file or folder for it."""
        ...

    async def exists(self, artifact: Artifact) -> bool:
        """Whether an artifact's content is there; one that never had any counts as there."""
        ...

    async def is_in_workspace(self, run: Run, task_id: str, uri: str) -> bool:
        """Whether tasks will find a copy of an artifact in the workspace. Raises ValueError and TransferFailed."""
        ...

    async def clean_up(self, namespace: str, folder: str) -> None:
        """Remove the parameter files of a task whose outputs are recorded. Raises OSError."""
        ...

    def forget(self, key: Key) -> None:
        """Stop what is under way for a run."""
        ...

    async def close(self) -> None: ...
