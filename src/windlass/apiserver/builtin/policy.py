"""The group `policy`: PodDisruptionBudgets. (Eviction is a subresource of pods.)"""

from windlass.apiserver.builtin.fields import (
    Causes,
    check_hundred_percent_or_less,
    check_int_or_percent,
    check_label_selector,
    unsupported,
)
from windlass.apiserver.builtin.registry import resource
from windlass.apiserver.builtin.strategy import Builtin
from windlass.kube.errors import Cause, invalid
from windlass.kube.json import Object

_EVICTION_POLICIES = ("AlwaysAllow", "IfHealthyBudget")


class DisruptionBudgets(Builtin):
    allows_unconditional_update = False
    initial_status = {"currentHealthy": 0, "desiredHealthy": 0, "disruptionsAllowed": 0, "expectedPods": 0}

    def validate(self, obj: Object) -> list[Cause]:
        spec: Object = obj.get("spec") or {}
        causes: Causes = []
        if "minAvailable" in spec and "maxUnavailable" in spec:
            causes.append(invalid("spec", spec, "minAvailable and maxUnavailable cannot be both set"))
        for field in ("minAvailable", "maxUnavailable"):
            if field in spec:
                check_int_or_percent(f"spec.{field}", spec[field], causes)
                check_hundred_percent_or_less(f"spec.{field}", spec[field], causes)
        policy = spec.get("unhealthyPodEvictionPolicy")
        if policy is not None and policy not in _EVICTION_POLICIES:
            causes.append(unsupported("spec.unhealthyPodEvictionPolicy", policy, _EVICTION_POLICIES))
        check_label_selector("spec.selector", spec.get("selector"), causes)
        return causes


RESOURCES = (
    resource(
        "policy",
        "v1",
        "PodDisruptionBudget",
        "poddisruptionbudgets",
        "pdb",
        namespaced=True,
        strategy=DisruptionBudgets,
        subresources=("status",),
    ),
)
