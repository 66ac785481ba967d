"""policy/v1: how many pods may be missing at once by anyone's will."""

from windlass.kube.kind import kind
from windlass.kube.meta import Condition, LabelSelector, Object, Struct, Time


class PodDisruptionBudgetSpec(Struct):
    min_available: int | str | None = None
    max_unavailable: int | str | None = None
    selector: LabelSelector | None = None
    unhealthy_pod_eviction_policy: str | None = None


class PodDisruptionBudgetStatus(Struct):
    observed_generation: int = 0
    disrupted_pods: dict[str, Time] = {}
    disruptions_allowed: int | None = None
    current_healthy: int | None = None
    desired_healthy: int | None = None
    expected_pods: int | None = None
    conditions: list[Condition] = []


@kind("policy/v1", plural="poddisruptionbudgets", short=("pdb",))
class PodDisruptionBudget(Object):
    """Of the pods that it selects, so many must stay, or so many may go."""

    spec: PodDisruptionBudgetSpec = PodDisruptionBudgetSpec()
    status: PodDisruptionBudgetStatus = PodDisruptionBudgetStatus()
