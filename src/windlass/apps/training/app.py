"""The training operator's app: TFJob, PyTorchJob, MPIJob and the other training jobs of kubeflow.org."""

from windlass.apis.app import READ, WRITE, App, Conversion, UserRules
from windlass.apis.stops import Stop, StopOrder
from windlass.apps.training.admission import RULES
from windlass.apps.training.conversion import OLD_VERSIONS
from windlass.apps.training.crds import definitions
from windlass.apps.training.frameworks import BY_KIND, FRAMEWORKS
from windlass.apps.training.kinds.chainer_v1alpha1 import ChainerJob
from windlass.apps.training.kinds.common import GROUP
from windlass.apps.training.options import Options
from windlass.apps.training.stored import convert_pruned
from windlass.kube.kind import KINDS

_KINDS = [KINDS.of(declared) for declared in (*(framework.kind for framework in FRAMEWORKS), ChainerJob)]
_JOBS = " ".join(sorted(kind.plural for kind in _KINDS))
_STATUSES = " ".join(f"{kind}/status" for kind in _JOBS.split())
_SCALES = " ".join(f"{kind.plural}/scale" for kind in _KINDS if kind.scale)

APP = App(
    name="training",
    definitions=definitions,
    controllers="windlass.apps.training.controllers",
    schemes=frozenset(kind.name.lower() for kind in _KINDS),
    user_rules=(
        UserRules(
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
    ),
    rules=RULES,
    controllers_declare_rights=True,
    # What launchers are given to reach their workers: nobody may grant rights that they do not have.
    manager_rights={"": {"pods": READ, "pods/exec": "create"}, "apps": {"statefulsets": "get"}},
    conversion=Conversion(
        versions={BY_KIND[kind].kind: tuple(versions) for kind, versions in OLD_VERSIONS.items()},
        convert=convert_pruned,
    ),
    web="windlass.apps.training.web",
    options=Options,
    stops=tuple(
        Stop(kind=framework.kind, order=StopOrder.JOB, path=("spec", "runPolicy", "suspend"))
        for framework in FRAMEWORKS
    ),
)
