"""What apps add to the gateway: `CONTRIBUTIONS` of the module `contributions` in the package that `App.web` names.

Such a module imports what answers the first request of a route. Views are loaded later, by their first page.
"""

from collections.abc import Awaitable, Callable, Coroutine, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from typing import TYPE_CHECKING, TypeAlias

from windlass.apps import contributions

if TYPE_CHECKING:
    from aiohttp import web
    from aiohttp.typedefs import Middleware

    from windlass.gateway.context import GatewayContext
    from windlass.gateway.request import Identity
    from windlass.gateway.views.live_view import ViewParams
    from windlass.kube.client import Client
    from windlass.kube.json import Object

RouteGroup: TypeAlias = "Callable[[GatewayContext], list[web.RouteDef]]"
Task: TypeAlias = "Callable[[GatewayContext], Coroutine[None, None, None]]"


@dataclass(frozen=True, kw_only=True)
class PodConfigurations:
    """Configurations that admission adds to pods, and that forms offer. Clients have the rights of the user."""

    offered: "Callable[[Client, str], Awaitable[list[Object]]]"
    """Return the configurations of a namespace, as forms show them."""
    check: "Callable[[Client, Object], Awaitable[None]]"
    """Refuse a pod that admission would refuse. Raises BadRequest."""


@dataclass(frozen=True, kw_only=True)
class Contributions:
    """Contributions of one app."""

    routes: Sequence[RouteGroup] = ()
    """Route groups; their paths are those of no other group, except the paths that dashboard and pages leave over."""
    tasks: Sequence[Task] = ()
    """Coroutines that run beside the requests, from when the gateway listens until it stops."""
    middlewares: "Sequence[Middleware]" = ()
    """Middlewares around the sign-in, from the outermost to the innermost, which see its refusals too."""
    topics: "Mapping[str, type[ViewParams]]" = field(default_factory=dict[str, "type[ViewParams]"])
    """Topics of the live stream, with the parameters of each."""
    views: str = ""
    """The module that declares `VIEWS`, an `AppViews` with the view of each topic; empty if there is none."""
    pod_configurations: PodConfigurations | None = None
    owned_namespaces: "Callable[[GatewayContext, Identity], Awaitable[list[str]]] | None" = None
    """Return the namespaces that belong to a user."""


@cache
def all_contributions() -> tuple[Contributions, ...]:
    """Return the contributions of all apps, in the order of `APPS`."""
    return contributions()
