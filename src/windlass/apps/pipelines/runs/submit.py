"""Starts, ends and repeats runs: the record first, then the Workflow that makes the manager act on it.

A crash between the two leaves a run without a Workflow, whose creation was not acknowledged.
"""

import contextlib
import secrets
import string
import time
from typing import Protocol
from uuid import uuid4

from windlass.apps.pipelines.kinds.argo import Workflow
from windlass.apps.pipelines.model import Error, Record, Run, RunState
from windlass.apps.pipelines.names import COMPLETED_LABEL, RETRIES_ANNOTATION
from windlass.apps.pipelines.runs.workflow_objects import retries_of, workflow_of
from windlass.kube import errors
from windlass.kube.api import Api
from windlass.kube.json import Object, dig
from windlass.kube.kind import KINDS
from windlass.kube.meta import Key
from windlass.kube.view import untyped

WORKFLOWS = KINDS.of(Workflow)
MAX_NAME_LENGTH = 50
"""Of the part before the random suffix: pods' names begin with it."""


class Runs(Protocol):
    """The database, as far as runs are started, ended and repeated with it."""

    async def create(self, *records: Record) -> None: ...

    async def delete_run(self, run_id: str) -> object: ...

    async def set_run_state(
        self, run_id: str, state: RunState, now: float, *, error: Error | None = None, reset: bool = False
    ) -> bool: ...


def new_resource_name(pipeline_name: str) -> str:
    """A name for the run's Workflow: the pipeline's, and five random characters."""
    suffix = "".join(secrets.choice(string.ascii_lowercase + string.digits) for _ in range(5))
    return f"{pipeline_name[:MAX_NAME_LENGTH].rstrip('-') or 'run'}-{suffix}"


def new_run_id() -> str:
    return str(uuid4())


async def submit(runs: Runs, api: Api, run: Run, *, labels: dict[str, str] | None = None) -> None:
    """Record a run and start it. Raises ApiError if its Workflow is refused; then nothing is recorded."""
    await runs.create(run)
    try:
        await api.create(workflow_of(run, labels))
    except errors.AlreadyExists:
        raise
    except errors.ApiError:
        await runs.delete_run(run.run_id)
        raise


async def terminate(runs: Runs, api: Api, run: Run) -> bool:
    """End a run; False if its state does not allow it."""
    if not await runs.set_run_state(run.run_id, RunState.CANCELING, time.time()):
        return False
    try:
        await api.patch(WORKFLOWS, Key(run.namespace, run.resource_name), {"spec": {"shutdown": "Terminate"}})
    except errors.NotFound:  # nothing runs that could be ended
        await runs.set_run_state(run.run_id, RunState.FAILED, time.time())
    return True


async def retry(runs: Runs, api: Api, run: Run) -> bool:
    """Run again what has failed, under the same id; False if it does so already. The caller has checked that the run
    has failed. Raises ApiError if its Workflow is refused; then it has failed as before.
    """
    if not await runs.set_run_state(run.run_id, RunState.RUNNING, time.time(), reset=True):
        return False
    try:
        await _restart(api, run)
    except errors.ApiError:
        await runs.set_run_state(run.run_id, RunState.FAILED, time.time(), error=run.error)
        raise
    return True


async def _restart(api: Api, run: Run) -> None:
    key = Key(run.namespace, run.resource_name)
    try:
        workflow = await api.get(untyped(WORKFLOWS), key.name, key.namespace)
    except errors.NotFound:  # its time to live is over
        await api.create(workflow_of(run))
    else:
        await api.patch(WORKFLOWS, key, retry_patch(workflow))


def retry_patch(workflow: Object) -> Object:
    count = int(retries_of(workflow) or "0") + 1
    status: Object = {"phase": "Running", "finishedAt": None, "message": None}
    patch: Object = {
        "metadata": {"labels": {COMPLETED_LABEL: "false"}, "annotations": {RETRIES_ANNOTATION: str(count)}},
        "status": status,
    }
    if dig(workflow, "spec", "shutdown"):
        patch["spec"] = {"shutdown": None}
    return patch


async def delete_workflow(api: Api, run: Run) -> None:
    """Delete the Workflow of a run, and its pods with it."""
    with contextlib.suppress(errors.NotFound):
        await api.delete(WORKFLOWS, Key(run.namespace, run.resource_name), propagation="Background")
