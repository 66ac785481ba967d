"""The group `policy`: PodDisruptionBudgets. (Eviction is a subresource of pods.)"""

from windlass.apiserver.builtin.registry import resource
from windlass.apiserver.builtin.strategy import Builtin

RESOURCES = (
    resource(
        "policy",
        "v1",
        "PodDisruptionBudget",
        "poddisruptionbudgets",
        "pdb",
        namespaced=True,
        strategy=Builtin,
        subresources=("status",),
    ),
)
