"""Asks metrics.k8s.io how busy nodes are."""

from datetime import timedelta

from windlass.kube import errors
from windlass.kube.api import Api
from windlass.kube.kind import Kind
from windlass.kube.view import untyped
from windlass.scheduler.live.core.events import NodesMeasured

NODE_METRICS = Kind(group="metrics.k8s.io", version="v1beta1", name="NodeMetrics", plural="nodes", namespaced=False)
READ_INTERVAL = timedelta(seconds=30)


async def read_usage(api: Api) -> NodesMeasured | None:
    """None: no metrics server is there, or it does not answer."""
    try:
        return NodesMeasured((await api.list(untyped(NODE_METRICS))).items)
    except (errors.NotFound, errors.ServiceUnavailable):
        return None
