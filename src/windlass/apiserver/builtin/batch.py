"""The group `batch`: Jobs and CronJobs."""

from functools import partial

from windlass.apiserver.builtin.jobs import CronJobs, Jobs
from windlass.apiserver.builtin.registry import resource

_batch = partial(resource, "batch", "v1", namespaced=True, categories=("all",), subresources=("status",))

RESOURCES = (
    _batch("CronJob", "cronjobs", "cj", strategy=CronJobs),
    _batch("Job", "jobs", strategy=Jobs),
)
