"""How objects stop while their profile is in the recycle bin, and are resumed when it is restored.

Most kinds have a field that stops their objects (`Stop`). Others are stopped by actions (`StopByActions`).
"""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from enum import IntEnum
from typing import Any, TypeAlias

from windlass.kube.meta import Object
from windlass.kube.plan import CreateUnowned, Patch

BEFORE_DELETION = "windlass.dev/before-deletion"
"""Annotation of a workload of a profile in the recycle bin: what its stopping field was before, as JSON."""


class StopOrder(IntEnum):
    """When a kind is stopped: kinds that make objects before the kinds that are made.

    So nothing that is stopped already is made again, or changed back, by an object that still runs.
    """

    SCHEDULE = 1
    """Starts others at times."""
    WORKFLOW = 2
    """Makes objects of any kind."""
    JOB = 3
    """A job or a server as users declare it, which makes workloads or pods."""
    PART = 4
    """Made by jobs, and makes workloads of Kubernetes."""
    WORKLOAD = 5
    """A workload of Kubernetes."""
    REPLICAS = 6
    """Made by workloads of Kubernetes."""
    ACCESS = 7
    """Runs nothing: access to the namespace, revoked last."""


@dataclass(frozen=True, kw_only=True)
class Stop:
    """The field that stops objects of a kind."""

    kind: type[Object]
    order: StopOrder
    path: tuple[str, ...] = ("spec", "suspend")
    value: Any = True
    """The value that stops an object, or a function that returns it for the time of the stop."""
    labels: str = ""
    """Selects the objects that can run, of a kind whose finished objects are many and large."""
    started_by: Sequence[type[Object]] = ()
    """Kinds that start these objects: stopping such a starter does not stop the objects that it has started."""
    parts_too: bool = False
    """Whether objects that belong to others are stopped too. By default they are left to their owners."""


@dataclass(frozen=True, kw_only=True)
class StopByActions:
    """Actions that stop objects of a kind, for a kind without such a field.

    They mark an object with `BEFORE_DELETION` before they stop it, and remove the mark last.
    """

    kind: type[Object]
    order: StopOrder
    stopping: Callable[[Iterable[Any]], list[Patch | CreateUnowned]]
    """Stop the objects that run."""
    restoring: Callable[[Iterable[Any]], list[Patch | CreateUnowned]]
    """Resume the marked objects."""
    creates: Sequence[type[Object]] = ()
    """Kinds of the objects that the actions create, which a cluster must serve."""
    started_by: Sequence[type[Object]] = ()


AnyStop: TypeAlias = Stop | StopByActions
