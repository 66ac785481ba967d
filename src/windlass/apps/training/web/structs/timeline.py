"""The view `timeline`: nodes and time with gangs as blocks, for a Gantt chart."""

from typing import Literal

from windlass.gateway.views.parts import Assumption, Time, View


class TimelineGang(View):
    """A gang, or a pod that is of none. Blocks refer to it by `id`."""

    id: str
    namespace: str
    """Empty, like the name, for those of others."""
    name: str
    kind: str
    """Of the job that owns it."""
    job: str
    queue: str
    is_own: bool
    """Whether the user may see it."""


class Block(View):
    """Pods of one gang on one node for some time."""

    gang: str
    node: str
    start: Time
    end: Time
    """For what runs: now, or the end that the forecast expects."""
    state: Literal["past", "running", "forecast"]
    pods: int
    share: float
    """Of the node, by the resource of which the pods have most: 0 to 1."""
    lane: int
    """Blocks of a node that overlap in time are on different lanes, from 0."""


class TimelineNode(View):
    """A row of the chart."""

    name: str
    lanes: int


class TimelineView(View):
    """Topic `timeline {}`."""

    now: Time
    start: Time
    end: Time
    nodes: tuple[TimelineNode, ...]
    gangs: tuple[TimelineGang, ...]
    blocks: tuple[Block, ...]
    assumptions: tuple[Assumption, ...]
    """What the forecast takes for granted."""
    waiting_without_forecast: tuple[str, ...]
    """Ids of gangs that wait and would not start by what is known."""
