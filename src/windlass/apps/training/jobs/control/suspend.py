"""Suspends and resumes training jobs and Volcano jobs, and waits until that has happened."""

import asyncio
import time
from collections.abc import Mapping
from contextlib import suppress
from typing import TYPE_CHECKING, Any

from windlass.apps.training.jobs.errors import JobsError
from windlass.apps.training.jobs.state import train_job
from windlass.apps.training.jobs.state.job_state import has_ended, job_state
from windlass.apps.training.jobs.state.lookup import VOLCANO, display_name, find_any_job
from windlass.apps.volcano.kinds.bus import Command
from windlass.kube import errors
from windlass.kube.json import dig, dig_object
from windlass.kube.kind import KINDS, Kind
from windlass.kube.meta import Key
from windlass.kube.objects import key_of

if TYPE_CHECKING:
    from windlass.kube.client import Client

COMMAND = KINDS.of(Command)
POLL_INTERVAL_SECONDS = 0.1
SUSPENDED = ("Aborting", "Aborted")
ENDED = ("Completed", "Failed", "Terminated", "Completing", "Terminating")


def state_of(kind: Kind, obj: Mapping[str, Any]) -> str:
    return str(dig(obj, "status", "state", "phase") or "Pending") if kind == VOLCANO else job_state(obj)


def is_suspended(kind: Kind, obj: Mapping[str, Any]) -> bool:
    return state_of(kind, obj) in (SUSPENDED if kind == VOLCANO else ("Suspended",))


async def set_suspended(
    client: "Client",
    reference: str,
    namespace: str,
    timeout: float,  # noqa: ASYNC109 - the user's
    *,
    suspended: bool,
) -> tuple[Kind, dict[str, Any]]:
    """Suspend or resume the job that `reference` names, and return it once that has happened."""
    kind, found = await find_any_job(client, reference, namespace)
    name = str(dig(found, "metadata", "name"))
    if is_suspended(kind, found) == suspended and (kind == VOLCANO or requests_suspension(found) == suspended):
        return kind, found
    if has_ended(found) if kind != VOLCANO else state_of(kind, found) in ENDED:
        raise JobsError(
            f"{display_name(kind)}/{name} is {state_of(kind, found)}: there is nothing to suspend or to resume"
        )
    made: dict[str, Any] = {}
    if kind == VOLCANO:
        made = await client.create(command("AbortJob" if suspended else "ResumeJob", found), kind=COMMAND)
    else:
        await client.patch(kind, Key(namespace, name), {"spec": suspend_patch(kind.name, suspended=suspended)})
    until = time.monotonic() + timeout
    while is_suspended(kind, found) != suspended:
        if time.monotonic() >= until:
            if made:
                with suppress(errors.NotFound):  # followed after all, just now
                    await client.delete(COMMAND, key_of(made))
            what = "suspended" if suspended else "resumed"
            raise JobsError(f"{display_name(kind)}/{name} was not {what} within {timeout:g} s. Is a manager running?")
        await asyncio.sleep(POLL_INTERVAL_SECONDS)
        found = await client.get(kind, name, namespace)
    return kind, found


def requests_suspension(obj: Mapping[str, Any]) -> bool:
    """Whether the spec of a training job requests suspension."""
    where = dig_object(obj, "spec") if train_job.is_train_job(obj) else dig_object(obj, "spec", "runPolicy")
    return where.get("suspend") is True


def suspend_patch(kind: str, *, suspended: bool) -> dict[str, Any]:
    """The patch of a training job's spec."""
    asked = {"suspend": suspended}
    return asked if kind == train_job.KIND else {"runPolicy": asked}


def command(action: str, found: Mapping[str, Any]) -> dict[str, Any]:
    metadata = dig_object(found, "metadata")
    target = {"apiVersion": VOLCANO.api_version, "kind": VOLCANO.name, "name": metadata["name"], "uid": metadata["uid"]}
    return {
        "apiVersion": COMMAND.api_version,
        "kind": COMMAND.name,
        "metadata": {"generateName": f"{metadata['name']}-{action.lower()}-", "namespace": metadata["namespace"]},
        "action": action,
        "target": {**target, "controller": True},
    }
