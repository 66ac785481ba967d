"""The app of lamps."""

from windlass.apps.lamps.admission import RULES
from windlass.apps.lamps.entrance import ENTRANCE
from windlass.apps.lamps.kinds import GROUP, Lamp
from windlass.apps.lamps.options import Options

from windlass.apis.app import READ, WRITE, App, InstallOption, UserRules
from windlass.apis.crd import definition
from windlass.apis.stops import Stop, StopOrder
from windlass.kube.json import Object


def definitions() -> list[Object]:
    """Return the definition, ready to create."""
    return [definition(Lamp)]


APP = App(
    name="lamps",
    definitions=definitions,
    controllers="windlass.apps.lamps.controllers",
    schemes=frozenset({"lamp"}),
    user_rules=(UserRules(role="lamps", edit=(f"{WRITE} | {GROUP} | lamps",), view=(f"{READ} | {GROUP} | lamps",)),),
    rules=RULES,
    controllers_declare_rights=True,
    install_option=InstallOption(flag="lamps", help="Lamps, their controllers and webhooks too."),
    required=(Lamp,),
    stops=(Stop(kind=Lamp, order=StopOrder.JOB),),
    options=Options,
    entrances=(ENTRANCE,),
    web="windlass.apps.lamps.web",
)
