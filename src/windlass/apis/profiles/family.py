"""The profiles family: Profile (v1, v1beta1) and PodDefault."""

from windlass.apis.argoproj_v1alpha1 import GROUP as ARGO_GROUP
from windlass.apis.crd import SameSchema, definition
from windlass.apis.family import READ, WRITE, Family, UserRules
from windlass.apis.kubeflow_v1 import GROUP, Profile
from windlass.apis.kubeflow_v1alpha1 import PodDefault
from windlass.apis.notebooks.family import PLATFORM_OPTION
from windlass.apis.profiles.admission import RULES
from windlass.apis.training.frameworks import FRAMEWORKS
from windlass.apis.wellknown import VOLCANO_BATCH_GROUP
from windlass.kube.json import Object
from windlass.kube.kind import KINDS

_TRAINING = " ".join(sorted(KINDS.of(framework.kind).plural for framework in FRAMEWORKS))
"""Jobs that the recycle bin suspends."""


def definitions() -> list[Object]:
    """Return the definitions, ready to create."""
    return [definition(Profile, SameSchema("v1beta1")), definition(PodDefault)]


FAMILY = Family(
    name="profiles",
    definitions=definitions,
    controllers="windlass.controllers.profiles",
    schemes=frozenset({"profile"}),
    user_rules=UserRules(
        role="poddefaults",
        edit=(f"{WRITE} | {GROUP} | poddefaults",),
        view=(f"{READ} | {GROUP} | poddefaults",),
    ),
    rules=RULES,
    manager_rights={
        GROUP: {"poddefaults": READ, f"notebooks scheduledworkflows {_TRAINING}": "patch"},
        "apps": {"deployments statefulsets replicasets": "patch"},
        "batch": {"jobs cronjobs": "patch"},
        ARGO_GROUP: {"workflows cronworkflows": "patch"},
        VOLCANO_BATCH_GROUP: {"jobs cronjobs": "patch"},
        "bus.volcano.sh": {"commands": "create"},  # the recycle bin aborts and resumes Volcano Jobs
        "jobset.x-k8s.io": {"jobsets": "patch"},
        "trainer.kubeflow.org": {"trainjobs": "patch"},
        "": {"pods": "delete"},
    },
    controllers_declare_rights=True,
    gives_namespaces=True,
    option=PLATFORM_OPTION,
    required=(Profile,),
    in_no_namespace="profiles",
)
