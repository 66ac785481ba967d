"""The family of volume viewers."""

from windlass.apis.crd import definition
from windlass.apis.family import READ, WRITE, Family, UserRules
from windlass.apis.kubeflow_v1alpha1 import PVCViewer
from windlass.apis.notebooks.family import PLATFORM_OPTION
from windlass.apis.pvcviewers.admission import RULES
from windlass.apis.wellknown import KUBEFLOW_GROUP
from windlass.kube.json import Object

GROUP = KUBEFLOW_GROUP


def definitions() -> list[Object]:
    """Return the definition, ready to create."""
    return [definition(PVCViewer)]


FAMILY = Family(
    name="pvcviewers",
    definitions=definitions,
    controllers="windlass.controllers.pvcviewers",
    schemes=frozenset({"pvcviewer"}),
    user_rules=UserRules(
        role="pvcviewers",
        edit=(f"{WRITE} | {GROUP} | pvcviewers", f"get | {GROUP} | pvcviewers/status"),
        view=(f"{READ} | {GROUP} | pvcviewers", f"get | {GROUP} | pvcviewers/status"),
    ),
    rules=RULES,
    controllers_declare_rights=True,
    option=PLATFORM_OPTION,
    required=(PVCViewer,),
)
