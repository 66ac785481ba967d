"""The group `batch`: Jobs and CronJobs."""

from functools import partial

from windlass.apiserver.builtin.registry import resource
from windlass.apiserver.builtin.strategy import Builtin

_batch = partial(resource, "batch", "v1", namespaced=True, categories=("all",), subresources=("status",))

RESOURCES = (
    _batch("CronJob", "cronjobs", "cj", strategy=Builtin),
    _batch("Job", "jobs", strategy=Builtin),
)
