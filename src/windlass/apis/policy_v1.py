"""policy/v1: limits on voluntary disruptions."""

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
    """A PodDisruptionBudget: how many of the selected pods must stay available, or may be unavailable."""

    spec: PodDisruptionBudgetSpec = PodDisruptionBudgetSpec()
    status: PodDisruptionBudgetStatus = PodDisruptionBudgetStatus()
