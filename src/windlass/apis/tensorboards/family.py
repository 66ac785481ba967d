"""The TensorBoards family."""

from windlass.apis.crd import definition
from windlass.apis.family import READ, WRITE, Family, UserRules
from windlass.apis.notebooks.family import PLATFORM_OPTION
from windlass.apis.tensorboard_v1alpha1 import GROUP, Tensorboard
from windlass.kube.json import Object


def definitions() -> list[Object]:
    """Return the definition, ready to create."""
    return [definition(Tensorboard)]


FAMILY = Family(
    name="tensorboards",
    definitions=definitions,
    controllers="windlass.controllers.tensorboards",
    schemes=frozenset({"tensorboard"}),
    user_rules=UserRules(
        role="tensorboards",
        edit=(f"{WRITE} | {GROUP} | tensorboards", f"get | {GROUP} | tensorboards/status"),
        view=(f"{READ} | {GROUP} | tensorboards", f"get | {GROUP} | tensorboards/status"),
    ),
    manager_rights={"": {"pods/proxy": "get", "events": "list watch create patch"}},
    controllers_declare_rights=True,
    option=PLATFORM_OPTION,
    required=(Tensorboard,),
)
