"""Volumes at the gateway: the REST API of the web app and the view of volumes."""

from windlass.apps.volumes.web.routes import routes
from windlass.gateway.contributions import Contributions
from windlass.gateway.views.live_view import NamespaceParams

CONTRIBUTIONS = Contributions(
    routes=(routes,), topics={"volumes": NamespaceParams}, views="windlass.apps.volumes.web.live"
)
