"""The view `jobs`: training jobs of all kinds in one table."""

from windlass.gateway.views.parts import Seconds, State, Time, View, Why


class RoleCount(View):
    """The replicas of one role."""

    role: str
    """As in the job's spec: `Worker`, `PS`, `Launcher`, `node`."""
    ready: int
    """Running ones; of an ended job those that succeeded."""
    failed: int
    total: int


class GangSummary(View):
    """The PodGroup of a job."""

    name: str
    min_member: int
    """Pods that start together or not at all."""
    phase: str
    """The PodGroup's: Pending, Inqueue, Running, Unknown, Completed; empty before the scheduler has seen it."""


class MetricValue(View):
    """The newest value of a metric that the job reported."""

    name: str
    value: float
    step: int | None


class JobRow(View):
    """A training job in a table."""

    kind: str
    api_version: str
    namespace: str
    name: str
    uid: str
    framework: str
    """`PyTorch`, `TensorFlow`, `MPI` …: for icons and filters. Empty for jobs of no framework."""
    state: State
    why: Why | None
    """Why it waits or has failed; None while all is well."""
    ready: int
    total: int
    roles: tuple[RoleCount, ...]
    gang: GangSummary | None
    queue: str
    """Empty without a gang."""
    priority_class: str
    priority: int
    created: Time
    started: Time | None
    ended: Time | None
    duration_seconds: Seconds | None
    """From the start to the end, or to now where it has not ended. None before it has started."""
    metric: MetricValue | None
    restarts: int
    """Of all containers of its pods together."""


class JobsView(View):
    """Topic `jobs {namespace}`; an empty namespace means all that the user may list."""

    rows: tuple[JobRow, ...]
    """The newest first."""
    kinds: tuple[str, ...]
    """The kinds of jobs that this server serves."""


class RecentJob(View):
    """A job with the newest values of its loss, or of the metric that it reports first."""

    row: JobRow
    metric: str
    """Empty if it reports none."""
    values: tuple[float, ...]
    """At most 60, the oldest first."""
