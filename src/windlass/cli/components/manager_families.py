"""Which product families a manager runs, as its settings say and the server that it works against allows."""

from importlib import import_module
from typing import TYPE_CHECKING

from windlass.apis.families import FAMILIES
from windlass.cli.failure import Failure
from windlass.cli.settings import ManagerSettings

if TYPE_CHECKING:
    from windlass.apis.family import Family
    from windlass.apis.training.options import Options
    from windlass.kube.client import Client
    from windlass.kube.controller import AnyController
    from windlass.kube.kind import Kind


def asked_schemes(settings: ManagerSettings) -> frozenset[str]:
    """What --enable-scheme names, in small letters; nothing named means all. Raises Failure for unknown names."""
    asked = frozenset(filter(None, ",".join(settings.enable_scheme).lower().replace(" ", "").split(",")))
    unknown = asked.difference(*(family.schemes for family in FAMILIES))
    if unknown:
        raise Failure(f"--enable-scheme: there is no training job {', '.join(sorted(unknown))}")
    return asked


async def family_controllers(
    settings: ManagerSettings, client: "Client", schemes: frozenset[str], options: "Options", *, is_embedded: bool
) -> "tuple[AnyController, ...]":
    """The controllers of the families that are wanted. Raises Failure where one cannot run here."""
    from windlass.controllers.context import Context

    wanted = [family for family in FAMILIES if family.is_wanted(schemes, is_embedded=is_embedded)]
    for family in wanted:
        if settings.namespace and family.in_no_namespace:
            raise Failure(
                f"--enable-scheme {family.name} is for all namespaces, as {family.in_no_namespace} are in none: "
                "leave out --namespace"
            )
    served = frozenset() if is_embedded else await _served_kinds(client, wanted)
    if not is_embedded:
        require_kinds(wanted, served)
    context = Context(
        is_embedded=is_embedded,
        schemes=schemes,
        served=served,
        training=options,
        workers=settings.controller_threads,
    )
    return tuple(
        controller for family in wanted for controller in import_module(family.controllers).family_controllers(context)
    )


async def _served_kinds(client: "Client", wanted: "list[Family]") -> "frozenset[Kind]":
    """What a cluster has. Families that require nothing can do without knowing."""
    from windlass.kube.errors import Forbidden

    try:
        return frozenset(await client.served())
    except Forbidden:
        if any(family.required for family in wanted):
            raise
        return frozenset()


def require_kinds(families: "list[Family]", served: "frozenset[Kind]") -> None:
    """Raises Failure that names the kinds which a cluster lacks: caches of them would wait for ever."""
    from windlass.kube.kind import KINDS

    for family in families:
        missing = sorted({str(KINDS.of(kind)) for kind in family.required if KINDS.of(kind) not in served})
        if missing:
            scheme = ",".join(sorted(family.schemes))
            raise Failure(
                f"--enable-scheme {scheme}: this cluster does not have {', '.join(missing)}. Install them there"
            )
