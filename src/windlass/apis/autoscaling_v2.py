"""autoscaling/v2: the number of replicas of a workload, based on metrics of its pods."""

from windlass.apis.core_v1 import ConditionStatus, Json
from windlass.kube.kind import kind
from windlass.kube.meta import Object, Struct, Time


class CrossVersionObjectReference(Struct):
    kind: str = ""
    name: str = ""
    api_version: str = ""


class HorizontalPodAutoscalerSpec(Struct):
    scale_target_ref: CrossVersionObjectReference = CrossVersionObjectReference()
    min_replicas: int | None = None
    max_replicas: int = 0
    metrics: list[Json] = []
    behavior: Json | None = None


class HorizontalPodAutoscalerCondition(Struct):
    type: str = ""
    status: ConditionStatus = "Unknown"
    last_transition_time: Time | None = None
    reason: str = ""
    message: str = ""


class HorizontalPodAutoscalerStatus(Struct):
    observed_generation: int | None = None
    last_scale_time: Time | None = None
    current_replicas: int | None = None
    desired_replicas: int | None = None
    current_metrics: list[Json] = []
    conditions: list[HorizontalPodAutoscalerCondition] = []


@kind("autoscaling/v2", plural="horizontalpodautoscalers", short=("hpa",), categories=("all",))
class HorizontalPodAutoscaler(Object):
    """A HorizontalPodAutoscaler: keeps a metric near its target value by scaling its target between two bounds."""

    spec: HorizontalPodAutoscalerSpec = HorizontalPodAutoscalerSpec()
    status: HorizontalPodAutoscalerStatus = HorizontalPodAutoscalerStatus()
