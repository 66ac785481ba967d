"""The view `queues`: the tree of queues, what each may use and uses, what waits in it, and the nodes."""

from windlass.gateway.views.nodes import NodeRow
from windlass.gateway.views.parts import Amount, Seconds, Time, View, Why


class QueueResource(View):
    """One resource of a queue, on one scale; None where the queue says nothing of it."""

    resource: str
    allocated: Amount
    deserved: Amount | None
    guarantee: Amount | None
    capability: Amount | None
    """The limit."""
    lent: Amount
    """Of what it deserves, what others use now."""
    borrowed: Amount
    """What it uses beyond what it deserves."""


class WaitingGang(View):
    """A gang that waits in a queue."""

    position: int
    """1 is the first; numbers that are missing belong to gangs of others."""
    namespace: str
    name: str
    kind: str
    """Of the job that owns the gang; empty if none does."""
    job: str
    """The name of that job."""
    phase: str
    min_member: int
    priority: int
    since: Time
    waited_seconds: Seconds
    why: Why | None


class QueueRow(View):
    """A queue; children follow their parent."""

    name: str
    parent: str
    """Empty for those at the top."""
    depth: int
    state: str
    """Open, Closing, Closed or Unknown."""
    weight: int
    reclaimable: bool
    resources: tuple[QueueResource, ...]
    running: int
    pending: int
    inqueue: int
    completed: int
    waiting: tuple[WaitingGang, ...]
    """In scheduling order, of those that the user may see."""
    hidden_waiting: int
    """How many more wait that the user may not see."""


class QueuesView(View):
    """Topic `queues {}`."""

    queues: tuple[QueueRow, ...]
    nodes: tuple[NodeRow, ...]
    resources: tuple[str, ...]
    """All that are named, the main ones first."""
