"""The profiles app: Profile (v1, v1beta1) and PodDefault."""

from windlass.apis.app import PLATFORM_OPTION, READ, WRITE, App, UserRules
from windlass.apis.apps_v1 import Deployment, ReplicaSet, StatefulSet
from windlass.apis.batch_v1 import CronJob, Job
from windlass.apis.crd import SameSchema, definition
from windlass.apis.rbac_v1 import RoleBinding
from windlass.apis.stops import Stop, StopOrder
from windlass.apis.wellknown import KUBEFLOW_GROUP as GROUP
from windlass.apps.profiles.admission import RULES
from windlass.apps.profiles.kinds import PodDefault, Profile
from windlass.kube.json import Object

_SCALED = ("spec", "replicas")


def definitions() -> list[Object]:
    """Return the definitions, ready to create."""
    return [definition(Profile, SameSchema("v1beta1")), definition(PodDefault)]


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
    gives_namespaces=True,
    install_option=PLATFORM_OPTION,
    required=(Profile,),
    in_no_namespace="profiles",
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
