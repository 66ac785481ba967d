"""The training operator's family: TFJob, PyTorchJob, MPIJob and the other training jobs of kubeflow.org."""

from windlass.apis.family import READ, WRITE, Conversion, Family, UserRules
from windlass.apis.kubeflow_v1alpha1 import ChainerJob
from windlass.apis.training.admission import RULES
from windlass.apis.training.common import GROUP
from windlass.apis.training.conversion import OLD_VERSIONS
from windlass.apis.training.crds import definitions
from windlass.apis.training.frameworks import BY_KIND, FRAMEWORKS
from windlass.apis.training.stored import convert_pruned
from windlass.kube.kind import KINDS

_KINDS = [KINDS.of(declared) for declared in (*(framework.kind for framework in FRAMEWORKS), ChainerJob)]
_JOBS = " ".join(sorted(kind.plural for kind in _KINDS))
_STATUSES = " ".join(f"{kind}/status" for kind in _JOBS.split())
_SCALES = " ".join(f"{kind.plural}/scale" for kind in _KINDS if kind.scale)

FAMILY = Family(
    name="training",
    definitions=definitions,
    controllers="windlass.controllers.training",
    schemes=frozenset(kind.name.lower() for kind in _KINDS),
    user_rules=UserRules(
        role="training",
        edit=(
            f"{WRITE} | {GROUP} | {_JOBS}",
            f"get | {GROUP} | {_STATUSES}",
            f"get patch update | {GROUP} | {_SCALES}",
            f"create delete {READ} | core | persistentvolumeclaims",
            f"{READ} | core | events",
        ),
        view=(
            f"{READ} | {GROUP} | {_JOBS}",
            f"get | {GROUP} | {_STATUSES} {_SCALES}",
            f"{READ} | core | events",
        ),
    ),
    rules=RULES,
    controllers_declare_rights=True,
    # What launchers are given to reach their workers: nobody may grant rights that they do not have.
    manager_rights={"": {"pods": READ, "pods/exec": "create"}, "apps": {"statefulsets": "get"}},
    conversion=Conversion(
        versions={BY_KIND[kind].kind: tuple(versions) for kind, versions in OLD_VERSIONS.items()},
        convert=convert_pruned,
    ),
)
