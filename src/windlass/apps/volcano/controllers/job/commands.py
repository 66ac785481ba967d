"""Commands to jobs: the Commands for a job in the order of their creation, and the removal of those for no job."""

from collections.abc import Iterable
from datetime import timedelta

from windlass.apps.volcano.controllers.names import COMPONENT
from windlass.apps.volcano.kinds.batch import GROUP_VERSION, Job
from windlass.apps.volcano.kinds.bus import Command
from windlass.kube.controller import Controller, Key, Observed
from windlass.kube.meta import parse_time
from windlass.kube.plan import Delete, Plan

GRACE_PERIOD = timedelta(minutes=1)
"""Long enough for a job that was made just before its Command to be seen."""


def job_of(command: Command) -> Key | None:
    target = command.target
    if target is None or target.kind != "Job" or target.api_version != GROUP_VERSION:
        return None
    return Key(command.metadata.namespace, target.name)


def commands_of(job: Job, commands: Iterable[Command]) -> list[Command]:
    mine = [
        command
        for command in commands
        if job_of(command) == job.metadata.key and command.metadata.deletion_timestamp is None
    ]
    return sorted(mine, key=lambda command: (command.metadata.creation_timestamp or "", command.metadata.name))


def is_meant(command: Command, job: Job) -> bool:
    """Not for an earlier job of the same name."""
    return command.target is None or command.target.uid in ("", job.metadata.uid)


def remove_stray(command: Command, observed: Observed) -> Plan:
    """Delete a Command for a job that does not exist: nobody follows it."""
    target, made = job_of(command), command.metadata.creation_timestamp
    if target is None or made is None or command.metadata.deletion_timestamp is not None:
        return Plan()
    left = parse_time(made) + GRACE_PERIOD - observed.now
    if left > timedelta():
        return Plan(again_in=left)
    return Plan([Delete(command)]) if observed.one(Job, target.name) is None else Plan()


STRAY_COMMANDS = Controller(
    "volcano-job-stray-commands", Command, remove_stray, watches=[(Job, lambda changed: ())], component=COMPONENT
)
