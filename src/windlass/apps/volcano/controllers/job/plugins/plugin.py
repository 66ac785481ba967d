"""What a job plugin is: its flags, what it changes in a pod, and what it makes for the job."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from windlass.apps.volcano.controllers.job.plugins.arguments import Default, Value
from windlass.apps.volcano.controllers.job.tasks import Task
from windlass.apps.volcano.kinds.batch import Job
from windlass.kube.json import Object, dig_list

Given = Mapping[str, Any]
"""The flags of a plugin with the values that a job gives them."""


class PluginFault(Exception):
    """A plugin cannot do its work for this job, and never will."""


@dataclass(frozen=True, slots=True)
class Shaping:
    """A pod on its way: a plugin changes `pod` in place."""

    job: Job
    task: Task
    index: int
    pod: Object
    given: Given

    @property
    def spec(self) -> Object:
        return self.pod["spec"]

    def containers(self, *, initial: bool = False) -> Iterator[Object]:
        """Those of the pod; with `initial` the init containers too."""
        yield from dig_list(self.spec, "containers")
        if initial:
            yield from dig_list(self.spec, "initContainers")


def _no_resources(job: Job, given: Given) -> Sequence[Object]:
    return ()


@dataclass(frozen=True, kw_only=True)
class Plugin:
    """`resources`: created for the whole job, and deleted when that is killed. `recorded`: named in its status."""

    name: str
    shape: Callable[[Shaping], None]
    flags: Mapping[str, Default] = field(default_factory=dict[str, Value])
    resources: Callable[[Job, Given], Sequence[Object]] = _no_resources
    recorded: bool = True


def append(target: Object, name: str, *items: Object) -> None:
    """Put items at the end of a list that may not be there."""
    target[name] = [*dig_list(target, name), *items]


def open_port(container: Object, name: str, port: int) -> None:
    """Declare a port, unless the container has it under whatever name."""
    if all(one.get("containerPort") != port for one in dig_list(container, "ports")):
        append(container, "ports", {"name": name, "containerPort": port})
