"""The profiles app: Profile (v1, v1beta1) and PodDefault."""

from windlass.apis.app import PLATFORM_OPTION, READ, WRITE, App, Tenants, UserRules
from windlass.apis.apps_v1 import Deployment, ReplicaSet, StatefulSet
from windlass.apis.batch_v1 import CronJob, Job
from windlass.apis.crd import SameSchema, definition
from windlass.apis.rbac_v1 import RoleBinding
from windlass.apis.stops import Stop, StopOrder
from windlass.apis.wellknown import KUBEFLOW_GROUP as GROUP
from windlass.apps.profiles.admission import RULES
from windlass.apps.profiles.kinds import PodDefault, Profile
from windlass.apps.profiles.names import FINALIZER, suggested_name
from windlass.apps.profiles.options import Options
from windlass.kube.json import Object
from windlass.kube.kind import KINDS

_SCALED = ("spec", "replicas")


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
        GROUP: {"poddefaults": READ},
        "": {"pods": "delete"},  # of the recycle bin
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
    # Kubernetes' own kinds, in each profile
    stops=(
        Stop(kind=CronJob, order=StopOrder.SCHEDULE),
        Stop(kind=Job, order=StopOrder.WORKLOAD, started_by=(CronJob,)),
        Stop(kind=Deployment, order=StopOrder.WORKLOAD, path=_SCALED, value=0),
        Stop(kind=StatefulSet, order=StopOrder.WORKLOAD, path=_SCALED, value=0),
        Stop(kind=ReplicaSet, order=StopOrder.REPLICAS, path=_SCALED, value=0),
        Stop(kind=RoleBinding, order=StopOrder.ACCESS, path=("subjects",), value=[], parts_too=True),
    ),
    stops_all_apps=True,
)
