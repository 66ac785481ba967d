"""The apps that a manager runs, from its settings and what its server supports."""

import logging
from importlib import import_module
from typing import TYPE_CHECKING

from windlass.apps import all_apps
from windlass.cli.failure import Failure
from windlass.cli.manager_settings import ManagerSettings

if TYPE_CHECKING:
    from windlass.apis.app import App
    from windlass.kube.client import Client
    from windlass.kube.controller import AnyController
    from windlass.kube.kind import Kind

log = logging.getLogger(__name__)


def enabled_schemes(settings: ManagerSettings) -> frozenset[str]:
    """The names in --enable-scheme, in lower case; an empty set means all. Raises Failure for unknown names."""
    enabled = frozenset(filter(None, ",".join(settings.enable_scheme).lower().replace(" ", "").split(",")))
    unknown = enabled.difference(*(app.schemes for app in all_apps()))
    if unknown:
        raise Failure(f"--enable-scheme: unknown kind of job {', '.join(sorted(unknown))}")
    return enabled


async def app_controllers(
    settings: ManagerSettings,
    client: "Client",
    schemes: frozenset[str],
    options: tuple[object, ...],
    *,
    is_embedded: bool,
) -> "tuple[AnyController, ...]":
    """The controllers of the enabled apps. Raises Failure if one cannot run here."""
    from windlass.controllers.context import Context

    wanted = [app for app in all_apps() if app.is_wanted(schemes, is_embedded=is_embedded)]
    for app in wanted:
        if settings.namespace and app.in_no_namespace:
            raise Failure(
                f"--enable-scheme {app.name} needs all namespaces: {app.in_no_namespace} are cluster-scoped. "
                "Remove --namespace"
            )
    served = frozenset() if is_embedded else await _served_kinds(client, wanted)
    if not is_embedded:
        require_kinds(wanted, served)
    context = Context(
        is_embedded=is_embedded,
        schemes=schemes,
        served=served,
        options=options,
    )
    return tuple(
        controller
        for app in wanted
        if app.controllers
        for controller in import_module(app.controllers).app_controllers(context)
    )


async def _served_kinds(client: "Client", wanted: "list[App]") -> "frozenset[Kind]":
    """The kinds that a cluster serves; optional if no app requires any."""
    from windlass.kube.errors import Forbidden

    try:
        return frozenset(await client.served())
    except Forbidden as error:
        if any(app.required for app in wanted):
            raise
        log.warning("the kinds of the cluster are not known error=%s", error)
        return frozenset()


def require_kinds(apps: "list[App]", served: "frozenset[Kind]") -> None:
    """Raise a Failure that names the kinds which a cluster lacks: their caches would never sync."""
    from windlass.kube.kind import KINDS

    for app in apps:
        missing = sorted({str(KINDS.of(kind)) for kind in app.required if KINDS.of(kind) not in served})
        if missing:
            scheme = ",".join(sorted(app.schemes))
            raise Failure(
                f"--enable-scheme {scheme}: this cluster does not serve {', '.join(missing)}. Install them first"
            )
