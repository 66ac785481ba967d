"""Answers of the simulator: does a job fit now, and when would it start (`/api/forecast`); and `/api/what-if`."""

from typing import Any

from windlass.apis.reasons import Reason
from windlass.gateway.views.parts import Amount, Assumption, Seconds, Time, View


class ForecastRequest(View):
    """A job that is not there yet."""

    manifest: dict[str, Any] | list[dict[str, Any]] | str
    """An object, several, or YAML text."""
    namespace: str = ""
    """For objects that name none."""


class ShortResource(View):
    """A resource of which too little is free now."""

    resource: str
    asked: Amount
    free: Amount
    short: Amount
    """How much is missing on all nodes together; 0 where it is only spread over too many nodes."""
    nodes: int
    """Nodes that have too little of it for the largest pod."""


class ForecastView(View):
    """Answer of `POST /api/forecast`."""

    job: str
    pods: int
    fits_now: bool
    sentence: str
    """Whether it fits, what is short, and when it would start."""
    reason: Reason | None
    """Why it does not start now, as data."""
    evicts: bool
    """Whether it starts by evicting pods of lower priority."""
    short: tuple[ShortResource, ...]
    nodes_total: int
    nodes_with_room: int
    """Nodes with room for at least one of its largest pods now."""
    after_seconds: Seconds | None
    """When it would start, from now; None: not by what is known."""
    at: Time | None
    placement: dict[str, int]
    """How many of its pods would be on each node."""
    assumptions: tuple[Assumption, ...]


class QueueChange(View):
    """Another weight or other amounts for a queue."""

    name: str
    weight: int | None = None
    deserved: dict[str, str] | None = None
    capability: dict[str, str] | None = None


class AddedNodes(View):
    """More nodes like one that exists, or of the given resources."""

    count: int
    like: str = ""
    """The name of a node."""
    allocatable: dict[str, str] = {}


class WhatIfRequest(View):
    """Changes to the cluster as it is now. All are applied together."""

    queues: tuple[QueueChange, ...] = ()
    nodes: AddedNodes | None = None
    remove_nodes: tuple[str, ...] = ()
    manifest: dict[str, Any] | list[dict[str, Any]] | str | None = None
    """A job that is added."""
    namespace: str = ""


class GangOutcome(View):
    """A gang that waits now, before and after the change."""

    namespace: str
    name: str
    kind: str
    """Of the job that controls it; empty, like its name, for a gang or pod of its own."""
    job: str
    queue: str
    before_seconds: Seconds | None
    """Until it would start; None: not by what is known, or it is not there."""
    after_seconds: Seconds | None


class Outcome(View):
    """How everything that waits would go."""

    makespan_seconds: Seconds
    """Until the last gang that can start has started."""
    mean_wait_seconds: Seconds | None
    """Of the gangs that would start; None if none would."""
    started: int
    never: int
    """Gangs that would not start by what is known."""


class WhatIfView(View):
    """Answer of `POST /api/what-if`."""

    before: Outcome
    after: Outcome
    gangs: tuple[GangOutcome, ...]
    """Those that the user may see; the totals count all."""
    assumptions: tuple[Assumption, ...]
    is_complete: bool
    """False: the simulation took too long and was stopped early."""
