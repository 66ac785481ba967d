"""The group `autoscaling`: HorizontalPodAutoscaler, stored as v2 and served as v1 too."""

from windlass.apiserver.builtin.registry import resource
from windlass.apiserver.builtin.strategy import Plain

RESOURCES = (
    resource(
        "autoscaling",
        "v2",
        "HorizontalPodAutoscaler",
        "horizontalpodautoscalers",
        "hpa",
        namespaced=True,
        strategy=Plain,
        categories=("all",),
        subresources=("status",),
        storage_version="v2",
    ),
    resource(
        "autoscaling",
        "v1",
        "HorizontalPodAutoscaler",
        "horizontalpodautoscalers",
        "hpa",
        namespaced=True,
        strategy=Plain,
        categories=("all",),
        subresources=("status",),
        storage_version="v2",
    ),
)
