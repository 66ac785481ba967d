"""Use of CPU and memory over time (`/api/metrics`)."""

from windlass.gateway.views.parts import View


class MetricsLink(View):
    """Answer of `GET /api/metrics`, as Kubeflow's dashboard has it."""

    resource_charts_link: str
    resource_charts_link_text: str


class MetricPoint(View):
    """A point of `GET /api/metrics/node`, `/podcpu` and `/podmem`."""

    timestamp: int
    """Seconds since 1970."""
    label: str
    """The node, or `namespace/pod`."""
    value: float
    """Part of the node's CPU (0 to 1); cores; bytes."""
