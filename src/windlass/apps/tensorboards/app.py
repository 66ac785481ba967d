"""The TensorBoards app."""

from windlass.apis.app import PLATFORM_OPTION, READ, WRITE, App, UserRules
from windlass.apis.crd import definition
from windlass.apps.tensorboards.entrance import ENTRANCE
from windlass.apps.tensorboards.kinds import GROUP, Tensorboard
from windlass.apps.tensorboards.options import Options
from windlass.kube.json import Object


def definitions() -> list[Object]:
    """Return the definition, ready to create."""
    return [definition(Tensorboard)]


APP = App(
    name="tensorboards",
    definitions=definitions,
    controllers="windlass.apps.tensorboards.controllers",
    schemes=frozenset({"tensorboard"}),
    user_rules=(
        UserRules(
            role="tensorboards",
            edit=(f"{WRITE} | {GROUP} | tensorboards", f"get | {GROUP} | tensorboards/status"),
            view=(f"{READ} | {GROUP} | tensorboards", f"get | {GROUP} | tensorboards/status"),
        ),
        UserRules(
            role="tensorboard-ui",
            edit=(f"{WRITE} | {GROUP} | tensorboards",),
            view=(f"{READ} | {GROUP} | tensorboards", f"{READ} | kubeflow.org | poddefaults"),
        ),
    ),
    manager_rights={"": {"pods/proxy": "get", "events": "list watch create patch"}},
    controllers_declare_rights=True,
    install_option=PLATFORM_OPTION,
    required=(Tensorboard,),
    web="windlass.apps.tensorboards.web",
    options=Options,
    entrances=(ENTRANCE,),
)
