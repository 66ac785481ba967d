"""Orders to a Job: which Commands are for it, in the order of their making."""

from collections.abc import Iterable

from windlass.apps.volcano.kinds.batch import GROUP_VERSION, Job
from windlass.apps.volcano.kinds.bus import Command
from windlass.kube.controller import Key


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
