"""The profiles app: Profile (v1, v1beta1) and PodDefault."""

from windlass.apis.app import PLATFORM_OPTION, READ, WRITE, App, Tenants, UserRules
from windlass.apis.crd import SameSchema, definition
from windlass.apis.wellknown import KUBEFLOW_GROUP as GROUP
from windlass.apis.wellknown import VOLCANO_BATCH_GROUP
from windlass.apps.pipelines.kinds.argo import GROUP as ARGO_GROUP
from windlass.apps.profiles.admission import RULES
from windlass.apps.profiles.kinds import PodDefault, Profile
from windlass.apps.profiles.names import FINALIZER, suggested_name
from windlass.apps.profiles.options import Options
from windlass.apps.training.frameworks import FRAMEWORKS
from windlass.kube.json import Object
from windlass.kube.kind import KINDS

_TRAINING = " ".join(sorted(KINDS.of(framework.kind).plural for framework in FRAMEWORKS))
"""Jobs that the recycle bin suspends."""


def definitions() -> list[Object]:
    """Return the definitions, ready to create."""
    return [definition(Profile, SameSchema("v1beta1")), definition(PodDefault)]


def profile_for(email: str) -> Object:
    """Return the Profile of a user. Raises ValueError if no name can be made of the address."""
    name = suggested_name(email)
    if "@" not in email or not name:
        raise ValueError(f"{email!r} is not an e-mail address")
    return {
        "apiVersion": KINDS.of(Profile).api_version,
        "kind": "Profile",
        "metadata": {"name": name},
        "spec": {"owner": {"kind": "User", "name": email}},
    }


APP = App(
    name="profiles",
    definitions=definitions,
    controllers="windlass.apps.profiles.controllers",
    schemes=frozenset({"profile"}),
    user_rules=(
        UserRules(
            role="poddefaults",
            edit=(f"{WRITE} | {GROUP} | poddefaults",),
            view=(f"{READ} | {GROUP} | poddefaults",),
        ),
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
    install_option=PLATFORM_OPTION,
    required=(Profile,),
    in_no_namespace="profiles",
    web="windlass.apps.profiles.web",
    gateway_rules=(f"get create patch | {GROUP} | profiles",),
    options=Options,
    tenants=Tenants(
        kind=Profile, finalizer=FINALIZER, for_user=profile_for, doctor="windlass.apps.profiles.web.doctor"
    ),
)
