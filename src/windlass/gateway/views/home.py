"""The view `home`: what runs, what needs attention, how much is free, and recent work of a namespace."""

from windlass.apps.notebooks.web.notebook_view import NotebookRow
from windlass.apps.tensorboards.web.tensorboard_view import TensorboardRow
from windlass.apps.training.web.structs.jobs import JobRow
from windlass.gateway.views.parts import Amount, ObjectRef, Time, View, Why


class AttentionItem(View):
    """An object that is not well: its newest warning, or its state."""

    object: ObjectRef
    why: Why
    count: int
    """Warnings about it in the last hour."""
    last: Time
    link: str
    """Its page in the dashboard."""


class QuotaRow(View):
    """One resource of a ResourceQuota."""

    quota: str
    resource: str
    hard: Amount
    used: Amount


class CapacityUser(View):
    """What holds a part of a resource."""

    namespace: str
    """Empty, like the name, for all of others together."""
    kind: str
    name: str
    amount: Amount


class CapacityRow(View):
    """One resource of the cluster: cpu, memory, GPUs, disk."""

    resource: str
    total: Amount
    requested: Amount
    """By the pods on nodes; of disk: by volumes."""
    in_use: Amount | None
    """Measured; None where nothing measures it."""
    free: Amount
    """The part of the total that no pod requests; of disk: that is not in use."""
    users: tuple[CapacityUser, ...]
    """Who requests it, the largest first."""


class RecentFile(View):
    """A notebook file that was changed lately."""

    server: str
    path: str
    name: str
    modified: Time
    link: str


class RecentJob(View):
    """A job with the newest values of its loss, or of the metric that it reports first."""

    row: JobRow
    metric: str
    """Empty if it reports none."""
    values: tuple[float, ...]
    """At most 60, the oldest first."""


class HomeView(View):
    """Topic `home {namespace}`."""

    namespace: str
    jobs: tuple[JobRow, ...]
    """That run or wait."""
    notebooks: tuple[NotebookRow, ...]
    """That run or start."""
    tensorboards: tuple[TensorboardRow, ...]
    attention: tuple[AttentionItem, ...]
    quotas: tuple[QuotaRow, ...]
    capacity: tuple[CapacityRow, ...]
    recent_files: tuple[RecentFile, ...]
    recent_jobs: tuple[RecentJob, ...]
